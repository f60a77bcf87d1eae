import type { Exchange } from './exchange.ts';
import type { Refusal } from './refusal.ts';
import type { Operation, TwinVendor } from './vendors.ts';

/** One simulated vendor: what it listens to and how it says no. */
export interface Vendor {
  readonly name: TwinVendor;
  /** Below the twin's address: what an account's base URL must be. */
  readonly basePath: string;
  readonly routes: readonly Route[];
  /** The vendor's own words for an HTTP status. */
  readonly refuse: (status: number, hints?: RefusalHints) => Refusal;
  /** Throws the vendor's own refusal when the credentials are missing or wrong. */
  readonly authenticate: (exchange: Exchange) => void;
}

export interface RefusalHints {
  readonly message?: string;
  /** Already in a header where the vendor has one; for those who say it elsewhere. */
  readonly retryAfterSeconds?: number;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the vendor's mount, without query; named groups of a pattern become `exchange.params`. */
  readonly path: string | RegExp;
  /** Some vendors tell their operations apart by a header or a field. */
  readonly operation: Operation | ((exchange: Exchange) => Operation);
  /** No credentials needed. */
  readonly open?: boolean;
  /** Where this route says no in other words than the rest of the vendor. */
  readonly refuse?: Vendor['refuse'];
  readonly handle: (exchange: Exchange) => Promise<void> | void;
}
