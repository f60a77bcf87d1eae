/** Who may refer to what vendors keep. Units and promises as in ports.ts. */
import type { Tenant } from './tenant.ts';

export interface VendorIdRecord extends Tenant {
  /** SHA-256 of the vendor's id, lower-case hex: the id itself opens what is behind it. */
  readonly hash: string;
  /** The account that keeps it. */
  readonly accountId: number;
  readonly expiresAt: number;
}

export interface VendorIdStore {
  /** Idempotent: whose an id was first, his it stays. */
  remember(ids: readonly VendorIdRecord[]): Promise<void>;
  /** Those that are known, of whichever tenant. */
  find(hashes: readonly string[]): Promise<readonly VendorIdRecord[]>;
  /** Forgets what has expired, `limit` of them at most; resolves with how many. */
  sweep(now: number, limit: number): Promise<number>;
}
