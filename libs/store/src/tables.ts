import type {
  BatchLineRow,
  BatchRow,
  ConversationItemRow,
  ConversationRow,
  ResponseEventRow,
  ResponseMarkRow,
  ResponseRow,
  StreamBatchRow,
  StreamLogRow,
  VendorBatchRow,
} from './tables/answers.ts';
import type {
  CachedContentRow,
  FileRow,
  UploadRow,
  UsageExportRow,
  VendorFileRow,
  VendorIdRow,
} from './tables/files.ts';
import type { EntryRow, KeyRow, LeaseRow, OwnerRow, RunRow, ScopeWindowRow, WindowRow } from './tables/money.ts';
import type {
  AlertMessageRow,
  AlertNameRow,
  AuditRow,
  ConfigChangeRow,
  ConfigEntryRow,
  ConsoleSessionRow,
  CounterRow,
  MaintenanceJobRow,
  PersonRow,
  RealtimeSecretRow,
  SettingRow,
} from './tables/operation.ts';
import type {
  CacheDayRow,
  CacheTurnRow,
  DroppedParameterRow,
  RequestContentRow,
  RequestNameRow,
  RequestPlaceRow,
  RequestPlaceTagRow,
  RequestTimeRow,
  RequestTotalRow,
} from './tables/requests.ts';
import type {
  DeliveryRow,
  IdempotencyRow,
  JobQueueRow,
  QueuedTaskRow,
  SubjectRow,
  TaskEventRow,
  TaskRow,
} from './tables/tasks.ts';

export type * from './tables/answers.ts';
export type * from './tables/files.ts';
export type * from './tables/money.ts';
export type * from './tables/operation.ts';
export type * from './tables/requests.ts';
export type * from './tables/tasks.ts';

/** The rows as they lie in either database: integers (milliseconds, quota units, 0 and 1 for false and true) and text (JSON too). */
export interface Tables {
  readonly counters: CounterRow;
  readonly owners: OwnerRow;
  readonly keys: KeyRow;
  readonly ledger_entries: EntryRow;
  readonly key_windows: WindowRow;
  readonly scope_windows: ScopeWindowRow;
  readonly runs: RunRow;
  readonly leases: LeaseRow;
  readonly tasks: TaskRow;
  readonly task_events: TaskEventRow;
  readonly idempotency: IdempotencyRow;
  readonly webhook_deliveries: DeliveryRow;
  readonly files: FileRow;
  readonly uploads: UploadRow;
  readonly subjects: SubjectRow;
  readonly settings: SettingRow;
  readonly audit_log: AuditRow;
  readonly vendor_ids: VendorIdRow;
  readonly cached_contents: CachedContentRow;
  readonly usage_exports: UsageExportRow;
  readonly stream_logs: StreamLogRow;
  readonly stream_batches: StreamBatchRow;
  readonly queued_tasks: QueuedTaskRow;
  readonly job_queues: JobQueueRow;
  readonly responses: ResponseRow;
  readonly response_events: ResponseEventRow;
  readonly response_marks: ResponseMarkRow;
  readonly batches: BatchRow;
  readonly batch_lines: BatchLineRow;
  readonly vendor_batches: VendorBatchRow;
  readonly conversations: ConversationRow;
  readonly conversation_items: ConversationItemRow;
  readonly request_log: RequestPlaceRow;
  readonly request_log_tags: RequestPlaceTagRow;
  readonly request_callers: RequestNameRow;
  readonly request_outcomes: RequestNameRow;
  readonly request_contents: RequestContentRow;
  readonly request_totals: RequestTotalRow;
  readonly request_times: RequestTimeRow;
  readonly dropped_parameters: DroppedParameterRow;
  readonly cache_turns: CacheTurnRow;
  readonly cache_days: CacheDayRow;
  readonly console_sessions: ConsoleSessionRow;
  readonly people: PersonRow;
  readonly realtime_secrets: RealtimeSecretRow;
  readonly vendor_files: VendorFileRow;
  readonly config_entries: ConfigEntryRow;
  readonly config_changes: ConfigChangeRow;
  readonly maintenance_jobs: MaintenanceJobRow;
  readonly alert_names: AlertNameRow;
  readonly alert_messages: AlertMessageRow;
}
