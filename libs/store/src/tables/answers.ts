/** Answers that are kept, and those that come later or in batches. */
import type { Generated } from 'kysely';

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

/** The tables by name. */
export interface AnswerTables {
  readonly stream_logs: StreamLogRow;
  readonly stream_batches: StreamBatchRow;
  readonly responses: ResponseRow;
  readonly response_events: ResponseEventRow;
  readonly response_marks: ResponseMarkRow;
  readonly batches: BatchRow;
  readonly batch_lines: BatchLineRow;
  readonly vendor_batches: VendorBatchRow;
  readonly conversations: ConversationRow;
  readonly conversation_items: ConversationItemRow;
}
