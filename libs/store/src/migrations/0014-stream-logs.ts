import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

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
