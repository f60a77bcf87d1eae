/**
 * What the core needs kept, and promises of whoever keeps it (libs/store). Times are milliseconds since 1970 unless a name says
 * seconds; money is integer quota units (500,000 = 1 US dollar). Every function that changes money is one transaction.
 */
import type { AuditStore } from './ports/audit.ts';
import type { IdempotencyStore } from './ports/idempotency.ts';
import type { FileStore, SettingsStore, SubjectStore, WebhookStore } from './ports/files.ts';
import type { KeyStore, OwnerStore } from './ports/keys.ts';
import type { LedgerStore } from './ports/money.ts';
import type { TaskStore } from './ports/tasks.ts';
import type { VendorIdStore } from './ports/vendor-ids.ts';

export type * from './ports/audit.ts';
export type * from './ports/idempotency.ts';
export type * from './ports/files.ts';
export type * from './ports/keys.ts';
export type * from './ports/limits.ts';
export type * from './ports/money.ts';
export type * from './ports/tasks.ts';
export type * from './ports/tenant.ts';
export type * from './ports/vendor-ids.ts';

export interface Store {
  readonly keys: KeyStore;
  readonly owners: OwnerStore;
  readonly ledger: LedgerStore;
  readonly tasks: TaskStore;
  readonly idempotency: IdempotencyStore;
  readonly webhooks: WebhookStore;
  readonly files: FileStore;
  readonly settings: SettingsStore;
  readonly subjects: SubjectStore;
  readonly audit: AuditStore;
  readonly vendorIds: VendorIdStore;
  /**
   * Does all of `work` or nothing of it, in one transaction. Only the store that it is given takes part; `work` may run again after a
   * deadlock, so it must have no other effects.
   */
  together<T>(work: (store: Omit<Store, 'together' | 'ping' | 'close'>) => Promise<T>): Promise<T>;
  /** Resolves when a trivial query was answered. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
