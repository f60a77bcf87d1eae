/** Kept responses and streams. Released: never edited. */
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
