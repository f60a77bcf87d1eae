import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

export const jobQueue = (): Migration =>
  statements(
    `alter table tasks add column queued_at bigint`,
    `alter table tasks add column waiting bigint not null default 0`,
    // Counts the times that a task left the queue: whoever has an older one has lost it.
    `alter table tasks add column queue_turn bigint not null default 0`,
    // What an account has at work: counted before another job is given to it. By the state, not by due_at, which every poll changes.
    `create index tasks_jobs on tasks (account_id)
      where state in ('NOT_START', 'IN_PROGRESS') and waiting = 0 and kind = 'video'`,
    `create table queued_tasks (
      task_id text not null primary key references tasks (id),
      number bigint not null,
      account_id bigint not null,
      owner_id bigint not null,
      priority bigint not null,
      weight bigint not null,
      waiting bigint not null,
      expires_at bigint not null,
      input text not null
    )`,
    `create index queued_tasks_waiting on queued_tasks (account_id, owner_id, priority desc, number, weight) where waiting = 1`,
    `create table job_queues (account_id bigint not null primary key, turn text)`,
  );
