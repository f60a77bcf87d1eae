-- Written by tools/schema-dump.mjs from the migrations; PostgreSQL differs in identity and byte columns and in `without rowid` only.

create table alert_messages (
  id integer not null primary key autoincrement,
  channel text not null,
  type text not null,
  text text not null,
  data text not null,
  attempts bigint not null,
  created_at bigint not null,
  due_at bigint,
  sent_at bigint,
  sent_as bigint,
  last_error text
);

create index alert_messages_due on alert_messages (channel, due_at) where due_at is not null;

create index alert_messages_sent on alert_messages (channel, sent_at) where sent_at is not null;

create table alert_names (
  name text not null primary key,
  at bigint not null,
  process text
);

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

create table batch_lines (
  batch_id text not null references batches (id),
  number bigint not null,
  custom_id text not null,
  model text not null,
  state text not null,
  body blob not null,
  bytes bigint not null,
  submitted bigint not null default 0,
  attempts bigint not null default 0,
  holds text,
  request_id text,
  status_code bigint,
  result blob,
  claimed_by text,
  due_at bigint, stage bigint not null default 0, handed_at bigint, account_id bigint, vendor_model text, vendor_group text, vendor_batch text, exchange blob, exchange_bytes bigint not null default 0, vendor_status bigint,
  primary key (batch_id, number)
);

create index batch_lines_at_vendor on batch_lines (vendor_batch, number) where stage = 2;

create index batch_lines_due on batch_lines (batch_id, due_at, number) where due_at is not null;

create index batch_lines_handed_over on batch_lines (batch_id, account_id, vendor_model, vendor_group, number, handed_at, exchange_bytes, stage) where stage = 1;

create index batch_lines_running on batch_lines (batch_id, due_at, number) where submitted = 1 and due_at is not null;

create index batch_lines_submitted on batch_lines (request_id) where submitted = 1 and due_at is not null;

create table batches (
  id text not null primary key,
  format text not null,
  owner_id bigint not null,
  mode text not null,
  key_id bigint not null,
  endpoint text not null,
  status text not null,
  detail text not null,
  waiting bigint not null default 0,
  succeeded bigint not null default 0,
  errored bigint not null default 0,
  cancelled bigint not null default 0,
  expired bigint not null default 0,
  input_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  size bigint not null default 0,
  created_at bigint not null,
  expires_at bigint not null,
  started_at bigint,
  finalizing_at bigint,
  ended_at bigint,
  cancelled_at bigint,
  input_file_id text,
  output_file_id text,
  error_file_id text,
  faults text,
  removed bigint not null default 0,
  claimed_by text,
  due_at bigint
);

create index batches_due on batches (due_at) where due_at is not null;

create index batches_ended on batches (ended_at) where ended_at is not null;

create index batches_of_tenant on batches (owner_id, mode, created_at);

create index batches_running on batches (created_at) where status = 'in_progress';

create table cache_days (
  day bigint not null,
  key_id bigint not null,
  model text not null,
  cause text not null,
  owner_id bigint not null,
  mode text not null,
  requests bigint not null,
  input_tokens bigint not null,
  read_tokens bigint not null,
  lost_tokens bigint not null,
  lost_units bigint not null,
  charged bigint not null,
  primary key (day, key_id, model, cause)
) without rowid;

create table cache_turns (
  at bigint not null,
  id text not null,
  key_id bigint not null,
  detail text not null,
  primary key (at, id)
) without rowid;

create index cache_turns_by_key on cache_turns (key_id, at);

create table cached_contents (
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
);

create index cached_contents_by_end on cached_contents (expires_at);

create index cached_contents_of_owner on cached_contents (owner_id, mode, name);

create table config_changes (
  id bigint not null primary key,
  at bigint not null,
  actor text not null,
  request_id text,
  section text not null,
  name text not null,
  before text,
  after text,
  undoes bigint
);

create index config_changes_by_entry on config_changes (section, name, id);

create table config_entries (
  section text not null,
  name text not null,
  kept text not null,
  version bigint not null,
  primary key (section, name)
) without rowid;

create table console_sessions (
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
    , issuer text, subject text, person text, role text, sealed_id_token text);

create index console_sessions_by_end on console_sessions (expires_at);

create unique index console_sessions_by_hash on console_sessions (hash);

create index console_sessions_by_key on console_sessions (key_id, created_at);

create index console_sessions_by_person on console_sessions (subject) where subject is not null;

create table conversation_items (
  conversation_id text not null references conversations (id),
  position bigint not null,
  id text not null,
  sealed blob not null,
  primary key (conversation_id, position)
);

create table conversations (
  id text not null primary key,
  owner_id bigint not null,
  mode text not null,
  created_at bigint not null,
  expires_at bigint not null,
  size bigint not null,
  sealed blob not null
);

create index conversations_by_end on conversations (expires_at);

create index conversations_of_tenant on conversations (owner_id, mode, expires_at, size);

create table counters (
  name text not null primary key,
  value bigint not null
);

create table dropped_parameters (
  day bigint not null,
  key_id bigint not null,
  model text not null,
  parameter text not null,
  owner_id bigint not null,
  mode text not null,
  requests bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  reason text not null,
  primary key (day, key_id, model, parameter)
) without rowid;

create table files (
  id text not null primary key,
  owner_id bigint not null,
  mime text not null,
  size bigint not null,
  location text not null,
  created_at bigint not null,
  expires_at bigint not null
    , mode text not null default 'live', task_id text, purpose text, filename text, digest text, arriving bigint not null default 0, upload_id text);

create index files_by_task on files (task_id) where task_id is not null;

create index files_by_upload on files (upload_id) where upload_id is not null;

create index files_expiry on files (expires_at);

create index files_uploaded on files (owner_id, mode, created_at, id, expires_at, size) where purpose is not null;

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

create table job_queues (account_id bigint not null primary key, turn text);

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
    , keep_bodies bigint not null default 0, tags text not null default '{}');

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
    , recalled bigint not null default 0, at_risk bigint not null default 0, settled bigint not null default 0, overdraft bigint not null default 0, at_risk_requests text, scopes text);

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
    , scopes text);

create index ledger_by_key on ledger_entries (key_id, id) where key_id is not null;

create index ledger_by_owner on ledger_entries (owner_id, id);

create index ledger_by_task on ledger_entries (task_id) where task_id is not null;

create index ledger_captures_by_time on ledger_entries (created_at) where kind = 'capture';

create unique index ledger_closed_once on ledger_entries (hold_id) where closes = 1;

create unique index ledger_request_once on ledger_entries (request_id, (case when kind = 'capture' and closes = 0 then 0 else id end)) where request_id is not null;

create index ledger_scoped on ledger_entries (created_at, id) where scopes is not null;

create unique index ledger_topped_up_once on ledger_entries (owner_id, idempotency_key) where idempotency_key is not null;

create table maintenance_jobs (
  id integer not null primary key autoincrement,
  kind text not null,
  state text not null,
  parameters text not null,
  actor text not null,
  done bigint not null,
  total bigint,
  open_as text,
  slot bigint,
  process text,
  alive_until bigint,
  cancel_requested_at bigint,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  expires_at bigint,
  error text,
  result text,
  file text,
  file_expires_at bigint
);

create index maintenance_jobs_by_end on maintenance_jobs (expires_at) where expires_at is not null;

create index maintenance_jobs_files on maintenance_jobs (file_expires_at) where file_expires_at is not null;

create unique index maintenance_jobs_open on maintenance_jobs (open_as) where open_as is not null;

create unique index maintenance_jobs_slots on maintenance_jobs (slot) where slot is not null;

create table owners (
  id bigint not null primary key,
  name text not null,
  group_name text not null,
  credit_limit bigint,
  balance bigint not null,
  created_at bigint not null
    , careful_until bigint not null default 0, declared bigint not null default 0, monthly_budget bigint, low_balance bigint, organization text);

create index owners_by_name on owners (name);

create table people (
  id integer not null primary key autoincrement,
  issuer text not null,
  subject text not null,
  name text not null,
  role text not null,
  owner_id bigint,
  sign_ins bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  blocked_at bigint
);

create index people_by_last on people (last_at);

create unique index people_by_subject on people (issuer, subject);

create table queued_tasks (
  task_id text not null primary key references tasks (id),
  number bigint not null,
  account_id bigint not null,
  owner_id bigint not null,
  priority bigint not null,
  weight bigint not null,
  waiting bigint not null,
  expires_at bigint not null,
  input text not null
);

create index queued_tasks_waiting on queued_tasks (account_id, owner_id, priority desc, number, weight) where waiting = 1;

create table realtime_secrets (
  hash text not null primary key,
  key_id bigint not null references keys (id),
  sealed_session text not null,
  created_at bigint not null,
  expires_at bigint not null
);

create index realtime_secrets_by_end on realtime_secrets (expires_at);

create index realtime_secrets_of_key on realtime_secrets (key_id, created_at);

create table request_callers (
  id integer not null primary key autoincrement,
  name text not null,
  payer bigint not null,
  key_id bigint not null,
  client text,
  seen_at bigint not null
);

create index request_callers_by_key on request_callers (key_id);

create unique index request_callers_by_name on request_callers (name);

create table request_contents (
  at bigint not null,
  id text not null,
  owner_id bigint not null references owners (id) on delete cascade,
  mode text not null,
  sealed blob not null,
  primary key (at, id)
);

create index request_contents_by_owner on request_contents (owner_id);

create table request_log (
  place integer not null primary key,
  id text not null,
  payer bigint not null,
  caller bigint not null,
  outcome bigint not null,
  address text,
  ms bigint not null,
  first_byte_ms bigint,
  asked_ms bigint,
  input_tokens bigint,
  cached_tokens bigint,
  output_tokens bigint,
  charged bigint not null,
  detail text
);

create index request_log_by_outcome on request_log (outcome) where outcome > 0;

create index request_log_by_payer on request_log (payer);

create table request_log_tags (
  tag text not null,
  place bigint not null,
  payer bigint not null,
  caller bigint not null,
  outcome bigint not null,
  primary key (tag, place)
) without rowid;

create index request_log_tags_by_place on request_log_tags (place);

create table request_outcomes (
  id integer not null primary key autoincrement,
  name text not null,
  mode text not null,
  operation text not null,
  kind text,
  model text,
  status bigint not null,
  error text,
  aborted bigint not null,
  streamed bigint not null,
  account_id bigint,
  vendor text,
  upstream_model text,
  route text,
  attempts bigint not null,
  seen_at bigint not null
);

create unique index request_outcomes_by_name on request_outcomes (name);

create table request_tags (
  tag text not null,
  at bigint not null,
  id text not null,
  primary key (tag, at, id)
) without rowid;

create index request_tags_by_time on request_tags (at);

create table request_times (
  owner_id bigint not null,
  mode text not null,
  size text not null,
  start bigint not null,
  measure text not null,
  bin bigint not null,
  count bigint not null,
  primary key (owner_id, mode, size, start, measure, bin)
) without rowid;

create index request_times_by_time on request_times (size, start);

create table request_totals (
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
) without rowid;

create index request_totals_by_time on request_totals (size, start);

create table requests (
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
) without rowid;

create index requests_by_error on requests (error, at, id) where error is not null;

create index requests_by_kind on requests (kind, at, id) where kind <> 'chat';

create index requests_by_owner on requests (owner_id, mode, at, id);

create index requests_failed on requests (failed, at, id) where failed is not null;

create table response_events (
  response_id text not null references responses (id),
  last_number bigint not null,
  sealed blob not null,
  primary key (response_id, last_number)
);

create table response_marks (
  response_id text not null references responses (id),
  mark text not null,
  primary key (response_id, mark)
);

create index response_marks_by_mark on response_marks (mark, response_id);

create table responses (
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
  asked blob not null,
  reply blob not null,
  hold_id bigint,
  submitted bigint not null,
  cancel_requested bigint not null,
  claimed_by text,
  due_at bigint
    , kind text not null default 'response');

create index responses_by_end on responses (expires_at);

create index responses_by_time on responses (owner_id, mode, kind, created_at, id);

create index responses_due on responses (due_at) where due_at is not null;

create index responses_of_tenant on responses (owner_id, mode, expires_at, size);

create table runs (
  key_id bigint not null,
  run text not null,
  requests bigint not null,
  started_at bigint not null,
  seen_at bigint not null, last_request text, answers bigint not null default 0,
  primary key (key_id, run)
) without rowid;

create index runs_seen on runs (seen_at);

create table scope_windows (
  scope text not null,
  kind text not null check (kind in ('hour', 'day', 'week', 'month', 'total')),
  start bigint not null,
  used bigint not null,
  cap bigint not null,
  since bigint not null,
  changed_at bigint not null,
  primary key (scope, kind, start)
) without rowid;

create index scope_windows_changed on scope_windows (changed_at);

create table settings (name text not null primary key, value text not null);

create table stream_batches (
  stream_id text not null references stream_logs (id) on delete cascade,
  first_event bigint not null,
  last_event bigint not null,
  bytes blob not null,
  primary key (stream_id, first_event)
);

create table stream_logs (
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
);

create index stream_logs_expiry on stream_logs (expires_at);

create index stream_logs_open on stream_logs (owner_id, mode, alive_until) where state = 'open';

create index stream_logs_tenant on stream_logs (owner_id, mode, created_at, size);

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
    , trace_parent text, queued_at bigint, waiting bigint not null default 0, queue_turn bigint not null default 0, vendor_webhook_at bigint);

create index tasks_by_owner on tasks (owner_id, mode, number);

create index tasks_due on tasks (account_id, due_at, state) where due_at is not null;

create index tasks_jobs on tasks (account_id)
  where state in ('NOT_START', 'IN_PROGRESS') and waiting = 0 and kind = 'video';

create index tasks_next_due on tasks (due_at) where due_at is not null;

create table uploads (
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
);

create index uploads_expiry on uploads (expires_at);

create index uploads_pending on uploads (owner_id, mode) where status = 'pending';

create table usage_exports (
  hour bigint not null primary key,
  row_count bigint not null,
  last_entry bigint not null,
  claimed_by text,
  claimed_until bigint,
  exported_at bigint
);

create table vendor_batches (
  id text not null primary key,
  batch_id text not null references batches (id),
  account_id bigint not null,
  vendor_model text not null,
  vendor_group text not null,
  state text not null,
  lines bigint not null,
  bytes bigint not null,
  ticket text not null,
  created_at bigint not null,
  asked_at bigint,
  attempts bigint not null default 0,
  cancel_told bigint not null default 0,
  claimed_by text,
  due_at bigint
);

create index vendor_batches_due on vendor_batches (due_at) where due_at is not null;

create index vendor_batches_of_account on vendor_batches (account_id);

create index vendor_batches_of_batch on vendor_batches (batch_id);

create index vendor_batches_planned on vendor_batches (id) where state = 'planned' and due_at is null;

create table vendor_files (
  file_id text not null,
  account_id bigint not null,
  vendor_id text not null,
  name text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (file_id, account_id)
);

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

create index webhook_deliveries_by_tenant on webhook_deliveries (tenant, number);

create index webhook_deliveries_due on webhook_deliveries (tenant, due_at) where due_at is not null;
