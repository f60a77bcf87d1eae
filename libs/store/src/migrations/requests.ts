/** The log of requests. Released: never edited. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { statements, type Words } from './statements.ts';

/** Every index ends with the place in the log, so that a page of any search is read in its order. */
export const requestLog = ({ clustered, isServer }: Words): Migration =>
  statements(
    `create table requests (
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
    )${clustered}`,
    `create index requests_by_owner on requests (owner_id, mode, at, id)`,
    // Most requests are chat and go well: these are found by the time alone.
    `create index requests_by_kind on requests (kind, at, id) where kind <> 'chat'`,
    `create index requests_failed on requests (failed, at, id) where failed is not null`,
    `create index requests_by_error on requests (error, at, id) where error is not null`,
    // On SQLite the gateway itself would pay for it with every request.
    ...(isServer ? [`create index requests_by_model on requests (model, at, id)`] : []),
    `create table request_tags (
      tag text not null,
      at bigint not null,
      id text not null,
      primary key (tag, at, id)
    )${clustered}`,
    `create index request_tags_by_time on request_tags (at)`,
    // What is counted by minute and by hour, whoever reads it later: a year of rows is too many to add up.
    `create table request_totals (
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
    )${clustered}`,
    `create index request_totals_by_time on request_totals (size, start)`,
    `create table request_times (
      owner_id bigint not null,
      mode text not null,
      size text not null,
      start bigint not null,
      measure text not null,
      bin bigint not null,
      count bigint not null,
      primary key (owner_id, mode, size, start, measure, bin)
    )${clustered}`,
    `create index request_times_by_time on request_times (size, start)`,
    `create table console_sessions (
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
    )`,
    `create unique index console_sessions_by_hash on console_sessions (hash)`,
    `create index console_sessions_by_key on console_sessions (key_id, created_at)`,
    `create index console_sessions_by_end on console_sessions (expires_at)`,
  );

export const requestContents = ({ bytes }: Words): Migration =>
  statements(
    `alter table keys add column keep_bodies bigint not null default 0`,
    // What was asked and answered is sealed, and goes with its owner. Apart from the row of the request, which is read far more often.
    `create table request_contents (
      at bigint not null,
      id text not null,
      owner_id bigint not null references owners (id) on delete cascade,
      mode text not null,
      sealed ${bytes} not null,
      primary key (at, id)
    )`,
    `create index request_contents_by_owner on request_contents (owner_id)`,
  );

/** How many requests of a key lost a parameter, by day. */
export const droppedParameters = ({ clustered }: Words): Migration =>
  statements(
    `create table dropped_parameters (
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
    )${clustered}`,
  );

/** What vendors' prompt caches did: by request, and by day. */
export const promptCaches = ({ clustered }: Words): Migration =>
  statements(
    `create table cache_turns (
      at bigint not null,
      id text not null,
      key_id bigint not null,
      detail text not null,
      primary key (at, id)
    )${clustered}`,
    `create index cache_turns_by_key on cache_turns (key_id, at)`,
    `create table cache_days (
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
    )${clustered}`,
  );

/*
 * Small rows for the log of requests: what many requests have in common is kept once, and a place is one number. The tables of 0015 stay, empty,
 * for replicas of the version before; what those still write is taken over from time to time.
 */

const CALLER = ['key_id', 'owner_id', 'mode', 'client'] as const;
const OUTCOME = [
  ...['mode', 'operation', 'kind', 'model', 'status', 'error', 'aborted', 'streamed', 'account_id', 'vendor'],
  ...['upstream_model', 'route', 'attempts'],
] as const;
/** Most requests are chat and go well. */
const USUAL = `(case when r.kind = 'chat' and r.status < 400 then -1 else 1 end)`;
const PAYER = `r.owner_id * 2 + (case r.mode when 'test' then 1 else 0 end)`;
const FIRST_OF_MOMENT = '(r.at - 1577836800000) * 4096';

export const requestRows = ({ id, isServer }: Words): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const text of tables(id)) await sql.raw(text).execute(db);
    await copyRequests(db, { isServer, slot: 'row_number() over (partition by r.at order by r.id) - 1' });
    // Made when all is there: so they are written once.
    for (const text of indexes(isServer)) await sql.raw(text).execute(db);
    await copyTags(db);
    const emptied = ['requests', 'request_tags'];
    for (const table of emptied) await sql.raw(`${isServer ? 'truncate' : 'delete from'} ${table}`).execute(db);
  },
});

function tables(id: string): readonly string[] {
  return [
    // Who asked, and with which program.
    `create table request_callers (
      id ${id},
      name text not null,
      payer bigint not null,
      key_id bigint not null,
      client text,
      seen_at bigint not null
    )`,
    `create unique index request_callers_by_name on request_callers (name)`,
    `create index request_callers_by_key on request_callers (key_id)`,
    // What was asked for, who was asked, and what came of it.
    `create table request_outcomes (
      id ${id},
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
    )`,
    `create unique index request_outcomes_by_name on request_outcomes (name)`,
    // A place is the moment and a number within it; an outcome is negative where it is the usual one; a payer is an owner and its mode.
    `create table request_log (
      place ${id.includes('autoincrement') ? 'integer not null' : 'bigint not null'} primary key,
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
    )`,
    // With what searches look for, so that they need not look up every row.
    `create table request_log_tags (
      tag text not null,
      place bigint not null,
      payer bigint not null,
      caller bigint not null,
      outcome bigint not null,
      primary key (tag, place)
    )${id.includes('autoincrement') ? ' without rowid' : ''}`,
  ];
}

/** A server reads what an index includes without the rows themselves, which lie anywhere on its disk. */
function indexes(isServer: boolean): readonly string[] {
  return [
    isServer
      ? `create index request_log_by_payer on request_log (payer, place) include (outcome, caller)`
      : `create index request_log_by_payer on request_log (payer)`,
    isServer
      ? `create index request_log_by_outcome on request_log (outcome, place) include (payer, caller)`
      : `create index request_log_by_outcome on request_log (outcome) where outcome > 0`,
    `create index request_log_tags_by_place on request_log_tags (place)`,
  ];
}

export interface CopyOptions {
  readonly isServer: boolean;
  /** SQL of a row's number within its moment, 0 to 4095. */
  readonly slot: string;
}

/** Copies what the tables of 0015 have; rows whose number is taken are left out. */
export async function copyRequests<T>(db: Kysely<T>, { isServer, slot }: CopyOptions): Promise<void> {
  // Who writes there now waits: nothing comes between the copy and the removal.
  if (isServer) await sql`lock table requests, request_tags in access exclusive mode`.execute(db);
  const known = (columns: readonly string[]): string => `select ${nameOf(columns)} as name, max(r.at) as seen_at`;
  const grouped = (columns: readonly string[]): string => `from requests as r where true group by ${columns.map((column) => `r.${column}`).join(', ')}`; // prettier-ignore
  const latest = (table: string): string =>
    `on conflict (name) do update set seen_at = case when excluded.seen_at > ${table}.seen_at then excluded.seen_at else ${table}.seen_at end`;
  const own = OUTCOME.map((column) => `r.${column}`).join(', ');
  const slots = `select r.*, ${slot} as slot from requests as r`;
  for (const text of [
    `insert into request_callers (name, seen_at, payer, key_id, client)
      ${known(CALLER)}, ${PAYER}, r.key_id, r.client ${grouped(CALLER)} ${latest('request_callers')}`,
    `insert into request_outcomes (name, seen_at, ${OUTCOME.join(', ')})
      ${known(OUTCOME)}, ${own} ${grouped(OUTCOME)} ${latest('request_outcomes')}`,
    `insert into request_log (place, id, payer, caller, outcome, address, ms, first_byte_ms, asked_ms, input_tokens, cached_tokens, output_tokens,
        charged, detail)
      select ${FIRST_OF_MOMENT} + r.slot, r.id, ${PAYER}, request_callers.id, ${USUAL} * request_outcomes.id, r.address, r.ms, r.first_byte_ms,
        r.asked_ms, r.input_tokens, r.cached_tokens, r.output_tokens, r.charged, r.detail
      from (${slots}) as r
      join request_callers on request_callers.name = ${nameOf(CALLER)}
      join request_outcomes on request_outcomes.name = ${nameOf(OUTCOME)}
      where r.slot < 4096
      on conflict do nothing`,
  ])
    await sql.raw(text).execute(db);
}

/** The same of their tags, which are found by their row. */
export async function copyTags<T>(db: Kysely<T>): Promise<void> {
  const first = FIRST_OF_MOMENT;
  await sql
    .raw(
      `insert into request_log_tags (tag, place, payer, caller, outcome)
        select r.tag, request_log.place, request_log.payer, request_log.caller, request_log.outcome from request_tags as r
        join request_log on request_log.place >= ${first} and request_log.place < ${first} + 4096 and request_log.id = r.id
        where true on conflict do nothing`,
    )
    .execute(db);
}

/** All of it in one text; what is absent is a character that no text of the log has. */
function nameOf(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(cast(r.${column} as text), '\u0002')`).join(` || '\u0001' || `);
}
