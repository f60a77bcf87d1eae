/** The ledger, leases of owners, and what they were used for. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements, type Words } from './statements.ts';

export const ledger = ({ id }: Words): Migration =>
  statements(
    `create table ledger_entries (
      id ${id},
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
    )`,
    // A hold is closed by one capture or one release, whoever comes first.
    `create unique index ledger_closed_once on ledger_entries (hold_id) where closes = 1`,
    // A journalled charge is kept once however often its batch is sent again.
    `create unique index ledger_charged_once on ledger_entries (request_id) where kind = 'capture' and closes = 0`,
    `create unique index ledger_topped_up_once on ledger_entries (owner_id, idempotency_key) where idempotency_key is not null`,
    `create index ledger_by_owner on ledger_entries (owner_id, id)`,
    `create index ledger_by_key on ledger_entries (key_id, id) where key_id is not null`,
    `create index ledger_by_request on ledger_entries (request_id) where request_id is not null`,
    `create index ledger_by_task on ledger_entries (task_id) where task_id is not null`,
    `create index ledger_captures_by_time on ledger_entries (created_at) where kind = 'capture'`,
    `create table key_windows (
      key_id bigint not null,
      kind text not null check (kind in ('day', 'month', 'total')),
      start bigint not null,
      used bigint not null,
      primary key (key_id, kind, start)
    )`,
    `create table leases (
      id bigint not null primary key references ledger_entries (id),
      owner_id bigint not null,
      key_id bigint not null,
      amount bigint not null,
      spent bigint not null check (spent >= 0 and spent <= amount),
      process text not null,
      expires_at bigint not null,
      closed_at bigint,
      created_at bigint not null
    )`,
    `create index leases_open on leases (expires_at) where closed_at is null`,
  );

export const recalledLeases = (): Migration =>
  statements(`alter table leases add column recalled bigint not null default 0`);

export const crashSettlement = (): Migration =>
  statements(
    // What a lease's process may have had in flight when it last wrote, and what was charged for that after its death.
    `alter table leases add column at_risk bigint not null default 0`,
    `alter table leases add column settled bigint not null default 0`,
    // A process of this owner's died until shortly before: nothing is begun that the database does not know of.
    `alter table owners add column careful_until bigint not null default 0`,
    `create index leases_open_of_owner on leases (owner_id) where closed_at is null`,
  );

export const requestsAtRisk = (): Migration =>
  // Which requests `at_risk` is of, so that after a crash each is charged by itself.
  statements(`alter table leases add column at_risk_requests text`);

export const overdraft = (): Migration =>
  statements(`alter table leases add column overdraft bigint not null default 0`);

/** Caps that several keys or owners spend from together, and those of a run. */
export const spendScopes = ({ clustered }: Words): Migration =>
  statements(
    `create table scope_windows (
      scope text not null,
      kind text not null check (kind in ('hour', 'day', 'week', 'month', 'total')),
      start bigint not null,
      used bigint not null,
      cap bigint not null,
      since bigint not null,
      changed_at bigint not null,
      primary key (scope, kind, start)
    )${clustered}`,
    `create index scope_windows_changed on scope_windows (changed_at)`,
    `alter table ledger_entries add column scopes text`,
    `alter table leases add column scopes text`,
    `create index ledger_scoped on ledger_entries (id) where scopes is not null`,
  );

export const runs = ({ clustered }: Words): Migration =>
  statements(
    `create table runs (
      key_id bigint not null,
      run text not null,
      requests bigint not null,
      started_at bigint not null,
      seen_at bigint not null,
      primary key (key_id, run)
    )${clustered}`,
    `create index runs_seen on runs (seen_at)`,
  );

/** Of the newest chat that was answered in a run: what it was, and how often in a row. */
export const repeatedCalls = (): Migration =>
  statements(
    `alter table runs add column last_request text`,
    `alter table runs add column answers bigint not null default 0`,
  );

export const telemetry = (): Migration =>
  statements(
    `alter table tasks add column trace_parent text`,
    // Hours of usage that were written to a bucket; `row_count` and `last_entry` say whether the file is still the whole hour.
    `create table usage_exports (
      hour bigint not null primary key,
      row_count bigint not null,
      last_entry bigint not null,
      claimed_by text,
      claimed_until bigint,
      exported_at bigint
    )`,
  );

/** One index finds the entries of a request and keeps it from being charged twice: every charge pays for each index. */
export const entriesByRequest = (): Migration =>
  statements(
    `create unique index ledger_request_once on ledger_entries (request_id, (case when kind = 'capture' and closes = 0 then 0 else id end)) where request_id is not null`,
    `drop index ledger_charged_once`,
    `drop index ledger_by_request`,
  );
