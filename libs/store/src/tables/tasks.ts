/** Tasks, and what tells of them. */
import type { Generated } from 'kysely';

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

export interface SubjectRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  account_id: number;
  task_id: string;
  created_at: number;
}

/** The tables by name. */
export interface TaskTables {
  readonly tasks: TaskRow;
  readonly task_events: TaskEventRow;
  readonly idempotency: IdempotencyRow;
  readonly webhook_deliveries: DeliveryRow;
  readonly subjects: SubjectRow;
  readonly queued_tasks: QueuedTaskRow;
  readonly job_queues: JobQueueRow;
}
