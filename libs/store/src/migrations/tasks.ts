/** Tasks, their queue, and answers kept for repeated requests. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements, type Words } from './statements.ts';

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

export const vendorIds = (): Migration =>
  statements(
    // What vendors keep, by the SHA-256 of its id: whose it is, and which account can be asked for it.
    `create table vendor_ids (
      hash text not null primary key,
      owner_id bigint not null,
      mode text not null,
      account_id bigint not null,
      expires_at bigint not null
    )`,
    `create index vendor_ids_by_end on vendor_ids (expires_at)`,
  );

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

/** Files that callers upload lie beside those that vendors made, so that one sweep cleans up after all of them. */
export const uploadedFiles = (): Migration =>
  statements(
    `alter table files add column purpose text`,
    `alter table files add column filename text`,
    `alter table files add column digest text`,
    `alter table files add column arriving bigint not null default 0`,
    `alter table files add column upload_id text`,
    // Lists pages, and adds up what an owner has.
    `create index files_uploaded on files (owner_id, mode, created_at, id, expires_at, size) where purpose is not null`,
    `create index files_by_upload on files (upload_id) where upload_id is not null`,
    `create table uploads (
      id text not null primary key,
      owner_id bigint not null,
      mode text not null,
      filename text not null,
      purpose text not null,
      mime text not null,
      size bigint,
      status text not null,
      file_id text,
      keep_seconds bigint,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    `create index uploads_expiry on uploads (expires_at)`,
    `create index uploads_pending on uploads (owner_id, mode) where status = 'pending'`,
  );

/** Uploaded files that vendors have, too. A row stays until its vendor has deleted the file. */
export const vendorFiles = (): Migration =>
  statements(
    `create table vendor_files (
      file_id text not null,
      account_id bigint not null,
      vendor_id text not null,
      name text not null,
      created_at bigint not null,
      expires_at bigint not null,
      primary key (file_id, account_id)
    )`,
  );
