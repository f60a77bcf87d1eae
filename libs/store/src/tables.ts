import type { SpendWindow } from '@model-gateway/core';
import type { Generated } from 'kysely';

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

/** `keys`: the version of all keys; `owners`: the last id given out; `config`: the last change of an entry of the configuration. */
export interface CounterRow {
  name: 'keys' | 'owners' | 'config';
  value: number;
}

export interface OwnerRow {
  id: number;
  name: string;
  group_name: string;
  /** null = no limit. */
  credit_limit: number | null;
  monthly_budget: number | null;
  low_balance: number | null;
  organization: string | null;
  balance: number;
  created_at: number;
  /** Until then every request of this owner's is written down before it is begun: a process with its money has died. */
  careful_until: Generated<number>;
  /** 1 for those of the configuration file. */
  declared: Generated<number>;
}

export interface KeyRow {
  id: Generated<number>;
  name: string;
  hash: string;
  hint: string;
  mode: 'live' | 'test';
  owner_id: number;
  group_name: string;
  models: string;
  ip_ranges: string;
  limits: string;
  /** JSON of names and values. */
  tags: string;
  webhook_secret: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  last_used_at: number | null;
  declared: number;
  rotated_from: number | null;
  keep_bodies: Generated<number>;
  /** 1 when another key may bear the name: this one expired, or was replaced by rotation. */
  name_free: number;
}

export interface EntryRow {
  id: Generated<number>;
  owner_id: number;
  key_id: number | null;
  kind: 'hold' | 'capture' | 'release' | 'topup' | 'adjust';
  amount: number;
  charged: number;
  shortfall: number;
  hold_id: number | null;
  /** 1 for the one entry that closes `hold_id`; 0 for charges drawn from it (leases). */
  closes: number;
  /** Of a hold: 1 when the key had a spend cap. */
  capped: number;
  /** Of a hold, and of a charge that no lease paid: the further caps that it counts in (`scopeText`). */
  scopes: string | null;
  request_id: string | null;
  task_id: string | null;
  model: string | null;
  endpoint: string | null;
  account_id: number | null;
  price_version: string | null;
  input_tokens: number;
  output_tokens: number;
  detail: string;
  idempotency_key: string | null;
  created_at: number;
}

export type WindowKind = 'day' | 'month' | 'total';

/** What a key has charged and set aside in one UTC day, one UTC month, or ever (`start` 0). */
export interface WindowRow {
  key_id: number;
  kind: WindowKind;
  start: number;
  used: number;
}

/** What all who name a scope have charged and set aside in one UTC window. */
export interface ScopeWindowRow {
  scope: string;
  kind: SpendWindow;
  start: number;
  used: number;
  /** As the last one who took from it knew it. */
  cap: number;
  /** When it was first used: after it was removed for being idle, a scope begins anew. */
  since: number;
  /** When it last changed: those that nobody uses any more are removed. */
  changed_at: number;
}

/** A run of a key that limits its runs. */
export interface RunRow {
  key_id: number;
  run: string;
  requests: number;
  started_at: number;
  seen_at: number;
  last_request: Generated<string | null>;
  answers: Generated<number>;
}

/** `id` is the lease's hold entry. */
export interface LeaseRow {
  id: number;
  owner_id: number;
  key_id: number;
  amount: number;
  spent: number;
  process: string;
  expires_at: number;
  closed_at: number | null;
  created_at: number;
  /** 1 when another process has found nothing left. */
  recalled: number;
  /** What the process may have had in flight, and finished without having written it, when it last wrote. */
  at_risk: number;
  /** The requests of `at_risk`, as JSON. */
  at_risk_requests: string | null;
  /** After a crash: charged for what was at risk, and not yet made up for by charges that came late. */
  settled: number;
  /** How much more than `amount` its request may cost, as long as the lease is open. */
  overdraft: number;
  /** As in its hold entry. */
  scopes: string | null;
}

export interface TaskRow {
  number: Generated<number>;
  id: string;
  kind: 'video' | 'subject' | 'image';
  mode: 'live' | 'test';
  owner_id: number;
  key_id: number;
  group_name: string;
  request_id: string;
  model: string;
  account_id: number;
  account_name: string;
  vendor: string;
  upstream_model: string;
  state: 'NOT_START' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  progress: number;
  fail_reason: string;
  fail_code: string;
  ticket: string | null;
  submitted: number;
  input: string;
  payload: string | null;
  files: string;
  hold_id: number | null;
  quota: number;
  price_version: string;
  callback_url: string | null;
  /** W3C trace context of the request that made it. */
  trace_parent: string | null;
  created_at: number;
  updated_at: number;
  submit_time: number | null;
  start_time: number | null;
  finish_time: number | null;
  next_check_at: number | null;
  deadline_at: number;
  checks: number;
  missing: number;
  faults: number;
  cancel_requested: number;
  deleted_at: number | null;
  /** When it may be claimed: `next_check_at`, or the end of the lease that holds it; null in an end state. */
  due_at: number | null;
  /** When it was put into the queue of its account; null for one that never waited. */
  queued_at: Generated<number | null>;
  /** 1 while it waits for room at its account. */
  waiting: Generated<number>;
  queue_turn: Generated<number>;
  /** When the vendor's latest webhook about it was signed. */
  vendor_webhook_at: Generated<number | null>;
}

/** What a task that waits, or has left the queue and not reached its vendor, is submitted with. */
export interface QueuedTaskRow {
  task_id: string;
  /** That of the task: who came first goes first. */
  number: number;
  account_id: number;
  owner_id: number;
  priority: number;
  weight: number;
  waiting: number;
  expires_at: number;
  input: string;
}

export interface JobQueueRow {
  account_id: number;
  /** Whose turn it is, as core wrote it. */
  turn: string | null;
}

export interface TaskEventRow {
  id: Generated<number>;
  task_id: string;
  state: TaskRow['state'];
  progress: number;
  at: number;
}

export interface IdempotencyRow {
  key_id: number;
  idempotency_key: string;
  fingerprint: string;
  task_id: string | null;
  claimed_at: number;
  expires_at: number;
  status: number | null;
  headers: string | null;
  body: Uint8Array | null;
}

export interface DeliveryRow {
  number: Generated<number>;
  id: string;
  /** Whose turn it takes: `7 live`. */
  tenant: string;
  task_id: string;
  key_id: number;
  url: string;
  body: string;
  attempts: number;
  next_attempt_at: number | null;
  delivered_at: number | null;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  /** When it may be claimed: `next_attempt_at`, or the end of the lease that holds it. */
  due_at: number | null;
}

export interface FileRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  task_id: string | null;
  mime: string;
  size: number;
  location: string;
  created_at: number;
  expires_at: number;
  /** Of uploaded files, arriving ones and parts; null: made by a vendor. */
  purpose: string | null;
  filename: string | null;
  /** SHA-256, hexadecimal. */
  digest: string | null;
  /** 1 while bytes are still to come, and of parts of an upload. */
  arriving: Generated<number>;
  upload_id: string | null;
}

export interface UploadRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  filename: string;
  purpose: string;
  mime: string;
  size: number | null;
  status: 'pending' | 'completed' | 'cancelled';
  file_id: string | null;
  keep_seconds: number | null;
  created_at: number;
  expires_at: number;
}

export interface SubjectRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  account_id: number;
  task_id: string;
  created_at: number;
}

export interface SettingRow {
  name: string;
  value: string;
}

export interface AuditRow {
  id: Generated<number>;
  at: number;
  actor: string;
  action: string;
  subject: string;
  before: string | null;
  after: string | null;
  request_id: string | null;
}

export interface MaintenanceJobRow {
  id: Generated<number>;
  kind: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
  parameters: string;
  actor: string;
  done: number;
  total: Generated<number | null>;
  /** Kind and parameters in one word while it waits or runs. */
  open_as: Generated<string | null>;
  /** Which of the places it has while it runs. */
  slot: Generated<number | null>;
  process: Generated<string | null>;
  alive_until: Generated<number | null>;
  cancel_requested_at: Generated<number | null>;
  created_at: number;
  started_at: Generated<number | null>;
  ended_at: Generated<number | null>;
  expires_at: Generated<number | null>;
  error: Generated<string | null>;
  result: Generated<string | null>;
  file: Generated<string | null>;
  file_expires_at: Generated<number | null>;
}

export interface CachedContentRow {
  name: string;
  owner_id: number;
  mode: 'live' | 'test';
  key_id: number;
  account_id: number;
  model: string;
  tokens: number;
  about: string;
  created_at: number;
  expires_at: number;
}

/** Something that a vendor keeps, by the hash of its id. */
export interface VendorIdRow {
  hash: string;
  owner_id: number;
  mode: 'live' | 'test';
  account_id: number;
  expires_at: number;
}

/** One hour (UTC) of usage rows and the file that was written of them. */
export interface UsageExportRow {
  /** Its first millisecond since 1970. */
  hour: number;
  /** What the file has: so many rows, and the last entry's id. */
  row_count: number;
  last_entry: number;
  /** Who writes it, and until when nobody else does; null when nobody does. */
  claimed_by: string | null;
  claimed_until: number | null;
  exported_at: number | null;
}

/** A keyed hash of what a response is found by. */
export interface ResponseMarkRow {
  response_id: string;
  mark: string;
}

/** A response that is kept, or worked on. What was said is sealed. */
export interface ResponseRow {
  id: string;
  kind: 'response' | 'chat-completion';
  owner_id: number;
  mode: 'live' | 'test';
  key_id: number;
  model: string;
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  background: number;
  previous_id: string | null;
  conversation_id: string | null;
  request_id: string;
  created_at: number;
  expires_at: number;
  /** Bytes of what is sealed, events included. */
  size: number;
  asked: Uint8Array;
  reply: Uint8Array;
  hold_id: number | null;
  submitted: number;
  cancel_requested: number;
  /** The process that works on it. */
  claimed_by: string | null;
  /** When it may be claimed: since it was made, or from the end of a claim; null when nothing is to be done. */
  due_at: number | null;
}

export interface BatchRow {
  id: string;
  format: 'openai' | 'anthropic' | 'gemini';
  owner_id: number;
  mode: 'live' | 'test';
  key_id: number;
  endpoint: string;
  status: 'receiving' | 'validating' | 'in_progress' | 'finalizing' | 'completed' | 'failed' | 'expired' | 'cancelled';
  /** JSON of what its format keeps. */
  detail: string;
  waiting: number;
  succeeded: number;
  errored: number;
  cancelled: number;
  expired: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  /** Bytes of its lines and their results. */
  size: number;
  created_at: number;
  expires_at: number;
  started_at: number | null;
  finalizing_at: number | null;
  ended_at: number | null;
  cancelled_at: number | null;
  input_file_id: string | null;
  output_file_id: string | null;
  error_file_id: string | null;
  /** JSON of what is wrong with its input. */
  faults: string | null;
  /** 1 when it was deleted: the next sweep removes it. */
  removed: number;
  /** The process that reads its input, ends its lines or writes its results. */
  claimed_by: string | null;
  /** When it may be claimed for that; null when nothing is to be done. */
  due_at: number | null;
}

export interface BatchLineRow {
  batch_id: string;
  number: number;
  custom_id: string;
  model: string;
  state: 'waiting' | 'succeeded' | 'errored' | 'cancelled' | 'expired';
  /** Empty when the line has ended. */
  body: Uint8Array;
  bytes: number;
  submitted: number;
  attempts: number;
  /** JSON of the ids of what it has set aside. */
  holds: string | null;
  request_id: string | null;
  status_code: number | null;
  result: Uint8Array | null;
  claimed_by: string | null;
  /** When it may be claimed; null when it has ended. */
  due_at: number | null;
  /** 1 it waits to be sent in a vendor's batch, 2 it is in one, 3 that one has answered, 4 it is sent by itself; else 0. */
  stage: Generated<number>;
  handed_at: number | null;
  account_id: number | null;
  vendor_model: string | null;
  vendor_group: string | null;
  vendor_batch: string | null;
  /** The JSON that the vendor is sent, then what it has answered. */
  exchange: Uint8Array | null;
  exchange_bytes: Generated<number>;
  vendor_status: number | null;
}

/** A batch at a vendor's. */
export interface VendorBatchRow {
  id: string;
  batch_id: string;
  account_id: number;
  vendor_model: string;
  vendor_group: string;
  state: 'planned' | 'uploaded' | 'asked' | 'looking' | 'running' | 'ended' | 'done';
  lines: number;
  /** Of all bodies. */
  bytes: number;
  /** JSON of what its vendor gave to find it again. */
  ticket: string;
  created_at: number;
  asked_at: number | null;
  attempts: number;
  /** 1 when the vendor was told that it is cancelled. */
  cancel_told: number;
  claimed_by: string | null;
  due_at: number | null;
}

export interface ResponseEventRow {
  response_id: string;
  /** The sequence number of the last event. */
  last_number: number;
  sealed: Uint8Array;
}

export interface ConversationRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  created_at: number;
  expires_at: number;
  size: number;
  sealed: Uint8Array;
}

export interface ConversationItemRow {
  conversation_id: string;
  position: number;
  id: string;
  sealed: Uint8Array;
}

export interface StreamLogRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  format: string;
  state: 'open' | 'ended' | 'cut' | 'lost';
  /** Of the clock that decides on leases. */
  alive_until: number;
  expires_at: number;
  created_at: number;
  events: number;
  /** Of its batches. */
  size: number;
}

export interface StreamBatchRow {
  stream_id: string;
  first_event: number;
  last_event: number;
  bytes: Uint8Array;
}

/** What queries that are not written in SQL name of a request; libs/store/src/request-rows.ts has all of it. */
export interface RequestPlaceRow {
  place: number;
}

/** `name=value` of a request. */
export interface RequestPlaceTagRow {
  tag: string;
  place: number;
  payer: number;
  caller: number;
  outcome: number;
}

/** What many requests have in common. */
export interface RequestNameRow {
  id: Generated<number>;
  name: string;
  seen_at: number;
}

/** What was asked and answered. */
export interface RequestContentRow {
  at: number;
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  sealed: Uint8Array;
}

/** Sums of a minute or an hour, by owner and mode; the owner 0 is everybody. */
export interface RequestTotalRow {
  owner_id: number;
  mode: 'live' | 'test';
  size: 'minute' | 'hour';
  start: number;
  requests: number;
  errors: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  charged: number;
}

/** How many requests of them took how long, in bins. */
export interface RequestTimeRow {
  owner_id: number;
  mode: 'live' | 'test';
  size: 'minute' | 'hour';
  start: number;
  measure: 'ms' | 'first_byte';
  bin: number;
  count: number;
}

/** How many requests of a key lost a parameter on a day. */
export interface DroppedParameterRow {
  day: number;
  key_id: number;
  model: string;
  parameter: string;
  owner_id: number;
  mode: 'live' | 'test';
  requests: number;
  first_at: number;
  last_at: number;
  reason: string;
}

/** What a chat request read from its vendor's prompt cache, as JSON. */
export interface CacheTurnRow {
  at: number;
  id: string;
  key_id: number;
  detail: string;
}

/** Sums of a key's chat requests of a day, by the cause of their loss. */
export interface CacheDayRow {
  day: number;
  key_id: number;
  model: string;
  cause: string;
  owner_id: number;
  mode: 'live' | 'test';
  requests: number;
  input_tokens: number;
  read_tokens: number;
  lost_tokens: number;
  lost_units: number;
  charged: number;
}

export interface ConsoleSessionRow {
  id: string;
  hash: string;
  admin_key_hash: string | null;
  key_id: number | null;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  ended_at: number | null;
  address: string | null;
  client: string | null;
  issuer: string | null;
  subject: string | null;
  person: string | null;
  role: 'admin' | 'owner' | 'member' | null;
  sealed_id_token: string | null;
}

export interface PersonRow {
  id: Generated<number>;
  issuer: string;
  subject: string;
  name: string;
  role: 'admin' | 'owner' | 'member';
  owner_id: number | null;
  sign_ins: number;
  first_at: number;
  last_at: number;
  blocked_at: number | null;
}

export interface RealtimeSecretRow {
  hash: string;
  key_id: number;
  sealed_session: string;
  created_at: number;
  expires_at: number;
}

export interface VendorFileRow {
  file_id: string;
  account_id: number;
  vendor_id: string;
  name: string;
  created_at: number;
  expires_at: number;
}

export interface ConfigEntryRow {
  section: 'models' | 'accounts' | 'budgets';
  name: string;
  kept: string;
  version: number;
}

export interface ConfigChangeRow {
  id: number;
  at: number;
  actor: string;
  request_id: string | null;
  section: 'models' | 'accounts' | 'budgets';
  name: string;
  before: string | null;
  after: string | null;
  undoes: number | null;
}

/** What has been raised, and whose turn it is: that one has a process, and `at` is its end. */
export interface AlertNameRow {
  name: string;
  at: number;
  process: string | null;
}

export interface AlertMessageRow {
  id: Generated<number>;
  channel: string;
  type: string;
  text: string;
  data: string;
  attempts: number;
  created_at: number;
  due_at: number | null;
  sent_at: number | null;
  /** The first of those that went out together. */
  sent_as: number | null;
  last_error: string | null;
}
