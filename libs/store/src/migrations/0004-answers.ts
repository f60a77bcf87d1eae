import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

export const answers = ({ id, bytes }: Words): Migration =>
  statements(
    `create table idempotency (
      key_id bigint not null,
      idempotency_key text not null,
      fingerprint text not null,
      task_id text,
      claimed_at bigint not null,
      expires_at bigint not null,
      status bigint,
      headers text,
      body ${bytes},
      primary key (key_id, idempotency_key)
    )`,
    `create index idempotency_expiry on idempotency (expires_at)`,
    `create table webhook_deliveries (
      number ${id},
      id text not null unique,
      task_id text not null references tasks (id),
      key_id bigint not null,
      url text not null,
      body text not null,
      attempts bigint not null,
      next_attempt_at bigint,
      delivered_at bigint,
      last_status bigint,
      last_error text,
      created_at bigint not null,
      due_at bigint
    )`,
    `create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null`,
    `create index webhook_deliveries_by_task on webhook_deliveries (task_id)`,
    `create table files (
      id text not null primary key,
      owner_id bigint not null,
      mime text not null,
      size bigint not null,
      location text not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    `create index files_expiry on files (expires_at)`,
    `create table subjects (
      id text not null primary key,
      owner_id bigint not null,
      mode text not null,
      account_id bigint not null,
      task_id text not null,
      created_at bigint not null
    )`,
  );
