/** Owners, their keys, the console and the configuration. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements, type Words } from './statements.ts';

export const keysAndOwners = ({ id }: Words): Migration =>
  statements(
    `create table counters (
      name text not null primary key,
      value bigint not null
    )`,
    `insert into counters (name, value) values ('keys', 0), ('owners', 0)`,
    `create table owners (
      id bigint not null primary key,
      name text not null,
      group_name text not null,
      credit_limit bigint,
      balance bigint not null,
      created_at bigint not null
    )`,
    `create table keys (
      id ${id},
      name text not null,
      hash text not null unique,
      hint text not null,
      mode text not null,
      owner_id bigint not null references owners (id),
      group_name text not null,
      models text not null,
      ip_ranges text not null,
      limits text not null,
      webhook_secret text,
      expires_at bigint,
      revoked_at bigint,
      created_at bigint not null,
      last_used_at bigint,
      declared bigint not null,
      rotated_from bigint references keys (id),
      name_free bigint not null
    )`,
    // One live key per name and owner; whoever frees a name (expiry, rotation) says so in name_free.
    `create unique index keys_live_name on keys (owner_id, name) where revoked_at is null and name_free = 0`,
    `create index keys_rotated_from on keys (rotated_from) where rotated_from is not null`,
  );

export const settings = (): Migration =>
  statements(`create table settings (name text not null primary key, value text not null)`);

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

export const auditLog = ({ id }: Words): Migration =>
  statements(
    `create table audit_log (
      id ${id},
      at bigint not null,
      actor text not null,
      action text not null,
      subject text not null,
      before text,
      after text,
      request_id text
    )`,
    `create index audit_log_by_subject on audit_log (subject, id)`,
  );

/** Rows of the configuration over those of the file, and every change of them; the counter is the id of the last one. */
export const configEntries = ({ clustered }: Words): Migration =>
  statements(
    `create table config_entries (
      section text not null,
      name text not null,
      kept text not null,
      version bigint not null,
      primary key (section, name)
    )${clustered}`,
    `create table config_changes (
      id bigint not null primary key,
      at bigint not null,
      actor text not null,
      request_id text,
      section text not null,
      name text not null,
      before text,
      after text,
      undoes bigint
    )`,
    `create index config_changes_by_entry on config_changes (section, name, id)`,
    `insert into counters (name, value) values ('config', 0)`,
  );

/** Tags of keys, and the deliveries of one tenant in the order of their making. */
export const ownLists = (): Migration =>
  statements(
    `alter table keys add column tags text not null default '{}'`,
    `create index webhook_deliveries_by_tenant on webhook_deliveries (tenant, number)`,
  );

/** Who signed in with an identity provider, and as what; all null in sessions that began with a key. */
export const singleSignOn = (): Migration =>
  statements(
    `alter table console_sessions add column issuer text`,
    `alter table console_sessions add column subject text`,
    `alter table console_sessions add column person text`,
    `alter table console_sessions add column role text`,
    `alter table console_sessions add column sealed_id_token text`,
    // Claims name owners.
    `create index owners_by_name on owners (name)`,
  );

/** Owners of the configuration file. */
export const declaredOwners = (): Migration =>
  statements(`alter table owners add column declared bigint not null default 0`);

/** Tokens of realtime sessions, which stand for a key; what they open is sealed by the token. */
export const realtimeSecrets = (): Migration =>
  statements(
    `create table realtime_secrets (
      hash text not null primary key,
      key_id bigint not null references keys (id),
      sealed_session text not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    `create index realtime_secrets_of_key on realtime_secrets (key_id, created_at)`,
    `create index realtime_secrets_by_end on realtime_secrets (expires_at)`,
  );

/** What an owner means to spend in a month, and the balance below which it is warned. */
export const ownerBudgets = (): Migration =>
  statements(`alter table owners add column monthly_budget bigint`, `alter table owners add column low_balance bigint`);

/** The organization that an owner belongs to. */
export const organizations = (): Migration => statements(`alter table owners add column organization text`);

/** Contents that vendors keep by name: whose they are, where they lie, until when they are paid. */
export const cachedContents = (): Migration =>
  statements(
    `create table cached_contents (
      name text not null primary key,
      owner_id bigint not null,
      mode text not null,
      key_id bigint not null,
      account_id bigint not null,
      model text not null,
      tokens bigint not null,
      about text not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    `create index cached_contents_of_owner on cached_contents (owner_id, mode, name)`,
    `create index cached_contents_by_end on cached_contents (expires_at)`,
  );

/** People whom an identity provider signed in. Those of sessions that are open are among them at their next sign-in. */
export const people = ({ id }: Words): Migration =>
  statements(
    `create table people (
      id ${id},
      issuer text not null,
      subject text not null,
      name text not null,
      role text not null,
      owner_id bigint,
      sign_ins bigint not null,
      first_at bigint not null,
      last_at bigint not null,
      blocked_at bigint
    )`,
    `create unique index people_by_subject on people (issuer, subject)`,
    `create index people_by_last on people (last_at)`,
    // Sessions of a person are counted and ended.
    `create index console_sessions_by_person on console_sessions (subject) where subject is not null`,
  );
