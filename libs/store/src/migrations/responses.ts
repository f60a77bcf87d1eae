/** Kept responses, streams and batches. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements, type Words } from './statements.ts';

export const responses = ({ bytes }: Words): Migration =>
  statements(
    // What callers wrote and models answered is sealed; `due_at` stands while one is to be worked on, or is.
    `create table responses (
      id text not null primary key,
      owner_id bigint not null,
      mode text not null,
      key_id bigint not null,
      model text not null,
      status text not null,
      background bigint not null,
      previous_id text,
      conversation_id text,
      request_id text not null,
      created_at bigint not null,
      expires_at bigint not null,
      size bigint not null,
      asked ${bytes} not null,
      reply ${bytes} not null,
      hold_id bigint,
      submitted bigint not null,
      cancel_requested bigint not null,
      claimed_by text,
      due_at bigint
    )`,
    `create index responses_due on responses (due_at) where due_at is not null`,
    `create index responses_of_tenant on responses (owner_id, mode, expires_at, size)`,
    `create index responses_by_end on responses (expires_at)`,
    `create table response_events (
      response_id text not null references responses (id),
      last_number bigint not null,
      sealed ${bytes} not null,
      primary key (response_id, last_number)
    )`,
    `create table conversations (
      id text not null primary key,
      owner_id bigint not null,
      mode text not null,
      created_at bigint not null,
      expires_at bigint not null,
      size bigint not null,
      sealed ${bytes} not null
    )`,
    `create index conversations_of_tenant on conversations (owner_id, mode, expires_at, size)`,
    `create index conversations_by_end on conversations (expires_at)`,
    `create table conversation_items (
      conversation_id text not null references conversations (id),
      position bigint not null,
      id text not null,
      sealed ${bytes} not null,
      primary key (conversation_id, position)
    )`,
  );

/** Chat completions are kept among responses; `mark` is a keyed hash of what they are found by. */
export const keptCompletions = (): Migration =>
  statements(
    `alter table responses add column kind text not null default 'response'`,
    `create index responses_by_time on responses (owner_id, mode, kind, created_at, id)`,
    `create table response_marks (
      response_id text not null references responses (id),
      mark text not null,
      primary key (response_id, mark)
    )`,
    `create index response_marks_by_mark on response_marks (mark, response_id)`,
  );

export const streamLogs = ({ bytes }: Words): Migration =>
  statements(
    `create table stream_logs (
      id text not null primary key,
      owner_id bigint not null,
      mode text not null,
      format text not null,
      state text not null,
      alive_until bigint not null,
      expires_at bigint not null,
      created_at bigint not null,
      events bigint not null default 0,
      size bigint not null default 0
    )`,
    `create index stream_logs_tenant on stream_logs (owner_id, mode, created_at)`,
    `create index stream_logs_expiry on stream_logs (expires_at)`,
    `create table stream_batches (
      stream_id text not null references stream_logs (id) on delete cascade,
      first_event bigint not null,
      last_event bigint not null,
      bytes ${bytes} not null,
      primary key (stream_id, first_event)
    )`,
  );

/** A stream that begins counts those that run, and now and then adds up what its tenant keeps: neither reads what has ended row by row. */
export const streamLogIndexes = (): Migration =>
  statements(
    `create index stream_logs_open on stream_logs (owner_id, mode, alive_until) where state = 'open'`,
    `drop index stream_logs_tenant`,
    `create index stream_logs_tenant on stream_logs (owner_id, mode, created_at, size)`,
  );

/** `due_at` of a batch or a line stands while something is to be done with it, or is. */
export const batches = ({ bytes }: Words): Migration =>
  statements(
    `create table batches (
      id text not null primary key,
      format text not null,
      owner_id bigint not null,
      mode text not null,
      key_id bigint not null,
      endpoint text not null,
      status text not null,
      detail text not null,
      waiting bigint not null default 0,
      succeeded bigint not null default 0,
      errored bigint not null default 0,
      cancelled bigint not null default 0,
      expired bigint not null default 0,
      input_tokens bigint not null default 0,
      cached_tokens bigint not null default 0,
      output_tokens bigint not null default 0,
      reasoning_tokens bigint not null default 0,
      size bigint not null default 0,
      created_at bigint not null,
      expires_at bigint not null,
      started_at bigint,
      finalizing_at bigint,
      ended_at bigint,
      cancelled_at bigint,
      input_file_id text,
      output_file_id text,
      error_file_id text,
      faults text,
      removed bigint not null default 0,
      claimed_by text,
      due_at bigint
    )`,
    `create index batches_of_tenant on batches (owner_id, mode, created_at)`,
    `create index batches_due on batches (due_at) where due_at is not null`,
    `create index batches_running on batches (created_at) where status = 'in_progress'`,
    `create index batches_ended on batches (ended_at) where ended_at is not null`,
    `create table batch_lines (
      batch_id text not null references batches (id),
      number bigint not null,
      custom_id text not null,
      model text not null,
      state text not null,
      body ${bytes} not null,
      bytes bigint not null,
      submitted bigint not null default 0,
      attempts bigint not null default 0,
      holds text,
      request_id text,
      status_code bigint,
      result ${bytes},
      claimed_by text,
      due_at bigint,
      primary key (batch_id, number)
    )`,
    `create index batch_lines_due on batch_lines (batch_id, due_at, number) where due_at is not null`,
    `create index batch_lines_submitted on batch_lines (request_id) where submitted = 1 and due_at is not null`,
    `create index batch_lines_running on batch_lines (batch_id, due_at, number) where submitted = 1 and due_at is not null`,
  );

export const vendorBatches = ({ bytes }: Words): Migration =>
  statements(
    `alter table batch_lines add column stage bigint not null default 0`,
    `alter table batch_lines add column handed_at bigint`,
    `alter table batch_lines add column account_id bigint`,
    `alter table batch_lines add column vendor_model text`,
    `alter table batch_lines add column vendor_group text`,
    `alter table batch_lines add column vendor_batch text`,
    `alter table batch_lines add column exchange ${bytes}`,
    `alter table batch_lines add column exchange_bytes bigint not null default 0`,
    `alter table batch_lines add column vendor_status bigint`,
    `create index batch_lines_handed_over on batch_lines (batch_id, account_id, vendor_model, vendor_group, number) where stage = 1`,
    `create index batch_lines_at_vendor on batch_lines (vendor_batch, number) where stage = 2`,
    `create table vendor_batches (
      id text not null primary key,
      batch_id text not null references batches (id),
      account_id bigint not null,
      vendor_model text not null,
      vendor_group text not null,
      state text not null,
      lines bigint not null,
      bytes bigint not null,
      ticket text not null,
      created_at bigint not null,
      asked_at bigint,
      attempts bigint not null default 0,
      cancel_told bigint not null default 0,
      claimed_by text,
      due_at bigint
    )`,
    `create index vendor_batches_due on vendor_batches (due_at) where due_at is not null`,
    `create index vendor_batches_of_batch on vendor_batches (batch_id)`,
    `create index vendor_batches_of_account on vendor_batches (account_id)`,
  );

/** Planning reads its sums from the index alone, and finds batches that are not whole yet. */
export const vendorBatchPlanning = (): Migration =>
  statements(
    `drop index batch_lines_handed_over`,
    `create index batch_lines_handed_over on batch_lines (batch_id, account_id, vendor_model, vendor_group, number, handed_at, exchange_bytes, stage) where stage = 1`,
    `create index vendor_batches_planned on vendor_batches (id) where state = 'planned' and due_at is null`,
  );
