import type { Exchange } from './exchange.ts';
import type { Operation } from './faults.ts';
import type { Refuse } from './refusal.ts';
import type { TwinSocket } from './sockets.ts';

/** The accounts of a configuration that a vendor of the twin answers for: those of this `vendor`, on this `wire`. */
export interface Standing {
  readonly vendor: string;
  readonly wire?: string;
}

/** One simulated vendor: whom it stands for, what it listens to and how it says no. */
export interface Vendor<Name extends string = string> {
  readonly name: Name;
  readonly standsFor: readonly Standing[];
  /** The one set it knows, by the vendor's own names, as an account would hold it; addresses in it are below `url`, the twin's own. */
  readonly credentials: (url?: string) => TwinCredentials;
  /** Below the twin's address: what an account's base URL must be. */
  readonly basePath: string;
  readonly routes: readonly Route[];
  /** The vendor's own words for an HTTP status. */
  readonly refuse: Refuse;
  /** Throws the vendor's own refusal when the credentials are missing or wrong. */
  readonly authenticate: (exchange: Exchange) => void;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the vendor's mount, without query; named groups of a pattern become `exchange.params`. */
  readonly path: string | RegExp;
  /** Some vendors tell their operations apart by a header or a field. */
  readonly operation: Operation | ((exchange: Exchange) => Operation);
  /** No credentials needed. */
  readonly open?: boolean;
  /** Where this route says no in other words than the rest of the vendor. */
  readonly refuse?: Refuse;
  readonly handle: (exchange: Exchange) => Promise<void> | void;
  /** Throws what a request for a WebSocket is refused with, before it is one. */
  readonly admit?: (exchange: Exchange) => void;
  /** What is done with a WebSocket that was asked for; absent: the route opens none. */
  readonly connect?: (exchange: Exchange, socket: TwinSocket) => void;
  /** Of a WebSocket whose messages are requests of their own, each answered before the next is read. */
  readonly messages?: {
    /** The body that the same request would have over HTTP. Throws the vendor's refusal. */
    readonly read: (message: Buffer) => Buffer;
    readonly operation: Operation;
    readonly handle: (exchange: Exchange) => Promise<void> | void;
  };
}

/** Credentials by the vendors' own names, as an account of the gateway would hold them (docs/architecture.md#configuration). */
export type TwinCredentials = Readonly<Record<string, string>>;

/** The API key of a vendor that has one. */
export function apiKeyOf(vendor: string): string {
  return `sk-twin-${vendor}-0123456789`;
}

/** The credentials of a vendor that has one key. */
export function apiKey(vendor: string): () => TwinCredentials {
  const credentials = { api_key: apiKeyOf(vendor) };
  return () => credentials;
}
