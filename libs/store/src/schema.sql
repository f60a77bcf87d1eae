-- Written by tools/schema-dump.mjs from the migrations; PostgreSQL differs in identity and byte columns only.

create table audit_log (
  id integer not null primary key autoincrement,
  at bigint not null,
  actor text not null,
  action text not null,
  subject text not null,
  before text,
  after text,
  request_id text
);

create index audit_log_by_subject on audit_log (subject, id);

create table counters (
  name text not null primary key,
  value bigint not null
);

create table files (
  id text not null primary key,
  owner_id bigint not null,
  mime text not null,
  size bigint not null,
  location text not null,
  created_at bigint not null,
  expires_at bigint not null
    , mode text not null default 'live', task_id text);

create index files_by_task on files (task_id) where task_id is not null;

create index files_expiry on files (expires_at);

create table idempotency (
  key_id bigint not null,
  idempotency_key text not null,
  fingerprint text not null,
  task_id text,
  claimed_at bigint not null,
  expires_at bigint not null,
  status bigint,
  headers text,
  body blob,
  primary key (key_id, idempotency_key)
);

create index idempotency_expiry on idempotency (expires_at);

create table key_windows (
  key_id bigint not null,
  kind text not null check (kind in ('day', 'month', 'total')),
  start bigint not null,
  used bigint not null,
  primary key (key_id, kind, start)
);

create table keys (
  id integer not null primary key autoincrement,
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
);

create unique index keys_live_name on keys (owner_id, name) where revoked_at is null and name_free = 0;

create index keys_rotated_from on keys (rotated_from) where rotated_from is not null;

create table leases (
  id bigint not null primary key references ledger_entries (id),
  owner_id bigint not null,
  key_id bigint not null,
  amount bigint not null,
  spent bigint not null check (spent >= 0 and spent <= amount),
  process text not null,
  expires_at bigint not null,
  closed_at bigint,
  created_at bigint not null
    , recalled bigint not null default 0, at_risk bigint not null default 0, settled bigint not null default 0);

create index leases_open on leases (expires_at) where closed_at is null;

create index leases_open_of_owner on leases (owner_id) where closed_at is null;

create table ledger_entries (
  id integer not null primary key autoincrement,
  owner_id bigint not null,
  key_id bigint,
  kind text not null check (kind in ('hold', 'capture', 'release', 'topup', 'adjust')),
  amount bigint not null,
  charged bigint not null check (charged >= 0),
  shortfall bigint not null check (shortfall >= 0),
  hold_id bigint references ledger_entries (id),
  closes bigint not null,
  capped bigint not null,
  request_id text,
  task_id text,
  model text,
  endpoint text,
  account_id bigint,
  price_version text,
  input_tokens bigint not null,
  output_tokens bigint not null,
  detail text not null,
  idempotency_key text,
  created_at bigint not null
);

create index ledger_by_key on ledger_entries (key_id, id) where key_id is not null;

create index ledger_by_owner on ledger_entries (owner_id, id);

create index ledger_by_request on ledger_entries (request_id) where request_id is not null;

create index ledger_by_task on ledger_entries (task_id) where task_id is not null;

create index ledger_captures_by_time on ledger_entries (created_at) where kind = 'capture';

create unique index ledger_charged_once on ledger_entries (request_id) where kind = 'capture' and closes = 0;

create unique index ledger_closed_once on ledger_entries (hold_id) where closes = 1;

create unique index ledger_topped_up_once on ledger_entries (owner_id, idempotency_key) where idempotency_key is not null;

create table owners (
  id bigint not null primary key,
  name text not null,
  group_name text not null,
  credit_limit bigint,
  balance bigint not null,
  created_at bigint not null
    , careful_until bigint not null default 0);

create table settings (name text not null primary key, value text not null);

create table "subjects" (
  id text not null,
  owner_id bigint not null,
  mode text not null,
  account_id bigint not null,
  task_id text not null,
  created_at bigint not null,
  constraint subjects_by_mode_key primary key (id, mode)
);

create table task_events (
  id integer not null primary key autoincrement,
  task_id text not null references tasks (id),
  state text not null,
  progress bigint not null,
  at bigint not null
);

create index task_events_by_task on task_events (task_id, id);

create table tasks (
  number integer not null primary key autoincrement,
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
);

create index tasks_by_owner on tasks (owner_id, mode, number);

create index tasks_due on tasks (account_id, due_at, state) where due_at is not null;

create index tasks_next_due on tasks (due_at) where due_at is not null;

create table vendor_ids (
  hash text not null primary key,
  owner_id bigint not null,
  mode text not null,
  account_id bigint not null,
  expires_at bigint not null
);

create index vendor_ids_by_end on vendor_ids (expires_at);

create table webhook_deliveries (
  number integer not null primary key autoincrement,
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
    , tenant text not null default '');

create index webhook_deliveries_by_task on webhook_deliveries (task_id);

create index webhook_deliveries_due on webhook_deliveries (tenant, due_at) where due_at is not null;
