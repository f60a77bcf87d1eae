import type { Generated } from 'kysely';

/** The rows as they lie in either database: integers (milliseconds, quota units, 0 and 1 for false and true) and text (JSON too). */
export interface Tables {
  readonly counters: CounterRow;
  readonly owners: OwnerRow;
  readonly keys: KeyRow;
  readonly ledger_entries: EntryRow;
  readonly key_windows: WindowRow;
  readonly leases: LeaseRow;
  readonly tasks: TaskRow;
  readonly task_events: TaskEventRow;
  readonly idempotency: IdempotencyRow;
  readonly webhook_deliveries: DeliveryRow;
  readonly files: FileRow;
  readonly subjects: SubjectRow;
  readonly settings: SettingRow;
  readonly audit_log: AuditRow;
  readonly vendor_ids: VendorIdRow;
}

/** `keys`: the version of all keys; `owners`: the last id given out. */
export interface CounterRow {
  name: 'keys' | 'owners';
  value: number;
}

export interface OwnerRow {
  id: number;
  name: string;
  group_name: string;
  /** null = no limit. */
  credit_limit: number | null;
  balance: number;
  created_at: number;
  /** Until then every request of this owner's is written down before it is begun: a process with its money has died. */
  careful_until: Generated<number>;
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
  webhook_secret: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  last_used_at: number | null;
  declared: number;
  rotated_from: number | null;
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
  /** After a crash: charged for what was at risk, and not yet made up for by charges that came late. */
  settled: number;
}

export interface TaskRow {
  number: Generated<number>;
  id: string;
  kind: 'video' | 'subject';
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

/** Something that a vendor keeps, by the hash of its id. */
export interface VendorIdRow {
  hash: string;
  owner_id: number;
  mode: 'live' | 'test';
  account_id: number;
  expires_at: number;
}
