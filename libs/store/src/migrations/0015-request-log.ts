import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

/** Every index ends with the place in the log, so that a page of any search is read in its order. */
export const requestLog = ({ clustered, isServer }: Words): Migration =>
  statements(
    `create table requests (
      at bigint not null,
      id text not null,
      owner_id bigint not null,
      mode text not null,
      key_id bigint not null,
      operation text not null,
      kind text,
      model text,
      status bigint not null,
      failed bigint,
      error text,
      aborted bigint not null,
      streamed bigint not null,
      ms bigint not null,
      first_byte_ms bigint,
      account_id bigint,
      vendor text,
      upstream_model text,
      asked_ms bigint,
      route text,
      attempts bigint not null,
      input_tokens bigint,
      cached_tokens bigint,
      output_tokens bigint,
      charged bigint not null,
      address text,
      client text,
      detail text,
      primary key (at, id)
    )${clustered}`,
    `create index requests_by_owner on requests (owner_id, mode, at, id)`,
    // Most requests are chat and go well: these are found by the time alone.
    `create index requests_by_kind on requests (kind, at, id) where kind <> 'chat'`,
    `create index requests_failed on requests (failed, at, id) where failed is not null`,
    `create index requests_by_error on requests (error, at, id) where error is not null`,
    // On SQLite the gateway itself would pay for it with every request.
    ...(isServer ? [`create index requests_by_model on requests (model, at, id)`] : []),
    `create table request_tags (
      tag text not null,
      at bigint not null,
      id text not null,
      primary key (tag, at, id)
    )${clustered}`,
    `create index request_tags_by_time on request_tags (at)`,
    // What is counted by minute and by hour, whoever reads it later: a year of rows is too many to add up.
    `create table request_totals (
      owner_id bigint not null,
      mode text not null,
      size text not null,
      start bigint not null,
      requests bigint not null,
      errors bigint not null,
      input_tokens bigint not null,
      cached_tokens bigint not null,
      output_tokens bigint not null,
      charged bigint not null,
      primary key (owner_id, mode, size, start)
    )${clustered}`,
    `create index request_totals_by_time on request_totals (size, start)`,
    `create table request_times (
      owner_id bigint not null,
      mode text not null,
      size text not null,
      start bigint not null,
      measure text not null,
      bin bigint not null,
      count bigint not null,
      primary key (owner_id, mode, size, start, measure, bin)
    )${clustered}`,
    `create index request_times_by_time on request_times (size, start)`,
    `create table console_sessions (
      id text not null primary key,
      hash text not null,
      admin_key_hash text,
      key_id bigint,
      created_at bigint not null,
      last_used_at bigint not null,
      expires_at bigint not null,
      ended_at bigint,
      address text,
      client text
    )`,
    `create unique index console_sessions_by_hash on console_sessions (hash)`,
    `create index console_sessions_by_key on console_sessions (key_id, created_at)`,
    `create index console_sessions_by_end on console_sessions (expires_at)`,
  );
