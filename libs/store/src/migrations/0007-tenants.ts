import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

/** Owner and mode separate files, subjects and webhooks too; files go with their task. */
export const tenants = (): Migration =>
  statements(
    // Files of before are of either mode; they are opened by signed links only and are over within days.
    `alter table files add column mode text not null default 'live'`,
    `alter table files add column task_id text`,
    `create index files_by_task on files (task_id) where task_id is not null`,
    `create table subjects_by_mode (
      id text not null,
      owner_id bigint not null,
      mode text not null,
      account_id bigint not null,
      task_id text not null,
      created_at bigint not null,
      constraint subjects_by_mode_key primary key (id, mode)
    )`,
    `insert into subjects_by_mode (id, owner_id, mode, account_id, task_id, created_at)
      select id, owner_id, mode, account_id, task_id, created_at from subjects`,
    `drop table subjects`,
    `alter table subjects_by_mode rename to subjects`,
    `drop index tasks_by_owner`,
    `create index tasks_by_owner on tasks (owner_id, mode, number)`,
    `alter table webhook_deliveries add column tenant text not null default ''`,
    `update webhook_deliveries set tenant =
      coalesce((select tasks.owner_id || ' ' || tasks.mode from tasks where tasks.id = webhook_deliveries.task_id), '')`,
    `drop index webhook_deliveries_due`,
    `create index webhook_deliveries_due on webhook_deliveries (tenant, due_at) where due_at is not null`,
  );
