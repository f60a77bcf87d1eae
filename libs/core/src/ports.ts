/**
 * What the core needs kept, and promises of whoever keeps it (libs/store). Times are milliseconds since 1970 unless a name says
 * seconds; money is integer quota units (500,000 = 1 US dollar). Every function that changes money is one transaction.
 */
import type { AlertStore } from './ports/alerts.ts';
import type { AuditStore } from './ports/audit.ts';
import type { BatchStore } from './ports/batches.ts';
import type { VendorBatchStore } from './ports/vendor-batches.ts';
import type { ConfigEntryStore } from './ports/config-entries.ts';
import type { ConsoleSessionStore } from './ports/console-sessions.ts';
import type { PersonStore } from './ports/people.ts';
import type { CachedContentStore } from './ports/cached-contents.ts';
import type { RealtimeSecretStore } from './ports/realtime-secrets.ts';
import type { VendorFileStore } from './ports/vendor-files.ts';
import type { IdempotencyStore } from './ports/idempotency.ts';
import type { FileStore, SettingsStore, SubjectStore, WebhookStore } from './ports/files.ts';
import type { InvariantStore } from './ports/invariants.ts';
import type { JobQueueStore } from './ports/job-queue.ts';
import type { KeyStore, OwnerStore } from './ports/keys.ts';
import type { RunStore } from './ports/limits.ts';
import type { LedgerStore } from './ports/ledger.ts';
import type { MaintenanceJobStore } from './ports/maintenance-jobs.ts';
import type { RequestLogStore } from './ports/requests.ts';
import type { ResponseStore } from './ports/responses.ts';
import type { TaskStore } from './ports/tasks.ts';
import type { StreamLogStore } from './ports/stream-logs.ts';
import type { Backlog, PoolState, UsageExportStore } from './ports/telemetry.ts';
import type { UploadedFileStore } from './ports/uploaded-files.ts';
import type { VendorIdStore } from './ports/vendor-ids.ts';

export type * from './ports/alerts.ts';
export type * from './ports/cached-contents.ts';
export type * from './ports/answer-cache.ts';
export type * from './ports/account-use.ts';
export type * from './ports/audit.ts';
export type * from './ports/batches.ts';
export type * from './ports/vendor-batches.ts';
export type * from './ports/config-entries.ts';
export type * from './ports/console-sessions.ts';
export type * from './ports/people.ts';
export type * from './ports/realtime-secrets.ts';
export type * from './ports/vendor-files.ts';
export type * from './ports/health.ts';
export type * from './ports/hooks.ts';
export type * from './ports/idempotency.ts';
export type * from './ports/files.ts';
export type * from './ports/invariants.ts';
export type * from './ports/job-queue.ts';
export type * from './ports/keys.ts';
export type * from './ports/ledger.ts';
export type * from './ports/limits.ts';
export type * from './ports/maintenance-jobs.ts';
export type * from './ports/money.ts';
export type * from './ports/prompt-cache.ts';
export type * from './ports/requests.ts';
export type * from './ports/responses.ts';
export type * from './ports/stream-logs.ts';
export type * from './ports/tasks.ts';
export type * from './ports/telemetry.ts';
export type * from './ports/tenant.ts';
export type * from './ports/tracing.ts';
export type * from './ports/uploaded-files.ts';
export type * from './ports/vendor-ids.ts';

export interface Store {
  readonly keys: KeyStore;
  readonly owners: OwnerStore;
  readonly ledger: LedgerStore;
  readonly runs: RunStore;
  readonly tasks: TaskStore;
  readonly jobQueue: JobQueueStore;
  readonly idempotency: IdempotencyStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly files: FileStore;
  readonly uploadedFiles: UploadedFileStore;
  readonly settings: SettingsStore;
  readonly subjects: SubjectStore;
  readonly audit: AuditStore;
  readonly responses: ResponseStore;
  readonly batches: BatchStore;
  readonly vendorBatches: VendorBatchStore;
  readonly vendorIds: VendorIdStore;
  readonly cachedContents: CachedContentStore;
  readonly streamLogs: StreamLogStore;
  readonly usageExports: UsageExportStore;
  readonly invariants: InvariantStore;
  readonly requests: RequestLogStore;
  readonly consoleSessions: ConsoleSessionStore;
  readonly people: PersonStore;
  readonly realtimeSecrets: RealtimeSecretStore;
  readonly vendorFiles: VendorFileStore;
  readonly configEntries: ConfigEntryStore;
  readonly maintenanceJobs: MaintenanceJobStore;
  /**
   * Does all of `work` or nothing of it, in one transaction. Only the store that it is given takes part; `work` may run again after a
   * deadlock, so it must have no other effects.
   */
  together<T>(work: (store: Omit<Store, 'together' | 'backlog' | 'pool' | 'ping' | 'close'>) => Promise<T>): Promise<T>;
  /** What waits: a handful of counts, each from an index. */
  backlog(now: number): Promise<Backlog>;
  /** Undefined where there is one connection only. */
  pool(): PoolState | undefined;
  /** Resolves when a trivial query was answered. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
