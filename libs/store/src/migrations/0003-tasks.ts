import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

export const tasks = ({ id }: Words): Migration =>
  statements(
    `create table tasks (
      number ${id},
      id text not null unique,
      kind text not null,
      mode text not null,
      owner_id bigint not null,
      key_id bigint not null,
      group_name text not null,
      request_id text not null,
      model text not null,
      account_id bigint not null,
      account_name text not null,
      vendor text not null,
      upstream_model text not null,
      state text not null check (state in ('NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE')),
      progress bigint not null check (progress >= 0 and progress <= 100),
      fail_reason text not null,
      fail_code text not null,
      ticket text,
      submitted bigint not null,
      input text not null,
      payload text,
      files text not null,
      hold_id bigint references ledger_entries (id),
      quota bigint not null,
      price_version text not null,
      callback_url text,
      created_at bigint not null,
      updated_at bigint not null,
      submit_time bigint,
      start_time bigint,
      finish_time bigint,
      next_check_at bigint,
      deadline_at bigint not null,
      checks bigint not null,
      missing bigint not null,
      faults bigint not null,
      cancel_requested bigint not null,
      deleted_at bigint,
      due_at bigint
    )`,
    `create index tasks_by_owner on tasks (owner_id, number)`,
    // due_at is set for open tasks only: the index holds the queue and nothing else.
    `create index tasks_due on tasks (account_id, due_at, state) where due_at is not null`,
    `create index tasks_next_due on tasks (due_at) where due_at is not null`,
    `create table task_events (
      id ${id},
      task_id text not null references tasks (id),
      state text not null,
      progress bigint not null,
      at bigint not null
    )`,
    `create index task_events_by_task on task_events (task_id, id)`,
  );
