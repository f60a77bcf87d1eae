import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RequestRow } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { callerOf, outcomeOf, type Names } from './request-names.ts';
import { firstPlace, payerOf, SLOTS, tenantOf, timeOfPlace, wantedPlace } from './request-places.ts';
import { parse, present } from './rows.ts';

/*
 * The insert that every request pays for: prepared once on SQLite, one statement with an array for each column on PostgreSQL.
 */

const COLUMNS = [
  ...['place', 'id', 'payer', 'caller', 'outcome', 'address', 'ms', 'first_byte_ms', 'asked_ms', 'input_tokens'],
  ...['cached_tokens', 'output_tokens', 'charged', 'detail'],
] as const;
const TEXTS = new Set<string>(['id', 'address', 'detail']);
const NAMES = COLUMNS.join(', ');
/** Rows of one statement. */
const ROWS_TOGETHER = 20;
/** Somebody else may take a free place first. */
const MOST_TRIES = 20;

type Value = string | number | null;

const NONE: ReadonlyMap<string, number> = new Map();

/** Rows that are there already are left alone. Answers the places, by id, of those that have another one than they wanted. */
export async function insertRequests(
  tx: Database,
  rows: readonly RequestRow[],
  names: Names,
): Promise<ReadonlyMap<string, number>> {
  if (tx.sqlite === undefined) {
    const written = await insertUnnested(tx, rows, names);
    return written < rows.length ? placeRest(tx, rows, names) : NONE;
  }
  let moved = NONE;
  const { one, many } = statementsOf(tx.sqlite);
  const values: Value[] = [];
  for (let at = 0; at < rows.length;) {
    const isWhole = at + ROWS_TOGETHER <= rows.length;
    const end = isWhole ? at + ROWS_TOGETHER : at + 1;
    values.length = 0;
    for (let next = at; next < end; next++) addValues(values, names, { row: rows[next] as RequestRow, index: next });
    const { changes } = (isWhole ? many : one).run(...values);
    if (Number(changes) < end - at)
      moved = new Map([...moved, ...(await placeRest(tx, rows.slice(at, end), sliceOf(names, at, end)))]);
    at = end;
  }
  return moved;
}

function sliceOf({ callers, outcomes }: Names, from: number, to: number): Names {
  return { callers: callers.slice(from, to), outcomes: outcomes.slice(from, to) };
}

/** A column is an array: so names are sent once, and PostgreSQL reads no JSON. Answers how many were written. */
async function insertUnnested(
  tx: Database,
  rows: readonly RequestRow[],
  names: Names,
  place?: number,
): Promise<number> {
  const values: Value[] = [];
  rows.forEach((row, index) => addValues(values, names, { row, index, place }));
  const arrays = COLUMNS.map((name, column) => {
    const isText = TEXTS.has(name);
    let text = '{';
    for (let at = column; at < values.length; at += COLUMNS.length) {
      if (at > column) text += ',';
      const value = values[at] ?? null;
      text += value === null ? 'null' : isText ? quoted(String(value)) : String(value);
    }
    return sql`${`${text}}`}::${sql.raw(isText ? 'text[]' : 'bigint[]')}`;
  });
  const { numAffectedRows } =
    await sql`insert into request_log (${sql.raw(NAMES)}) select * from unnest(${sql.join(arrays)})
    on conflict do nothing`.execute(tx.db);
  return Number(numAffectedRows ?? 0);
}

/** In an array's literal. */
function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
}

interface Statements {
  readonly one: StatementSync;
  readonly many: StatementSync;
}

const prepared = new WeakMap<DatabaseSync, Statements>();

function statementsOf(sqlite: DatabaseSync): Statements {
  let statements = prepared.get(sqlite);
  if (statements === undefined) {
    statements = { one: insertOf(sqlite, 1), many: insertOf(sqlite, ROWS_TOGETHER) };
    prepared.set(sqlite, statements);
  }
  return statements;
}

/**
 * `or fail`: a statement of several rows that could be undone by itself keeps a copy of every page that it changes, which costs as much as
 * the rows. What fails here ends the transaction in any case.
 */
function insertOf(sqlite: DatabaseSync, rows: number): StatementSync {
  const row = `(${COLUMNS.map(() => '?').join(', ')})`;
  return sqlite.prepare(
    `insert or fail into request_log (${NAMES}) values ${Array<string>(rows).fill(row).join(', ')} on conflict do nothing`,
  );
}

interface Placed {
  readonly row: RequestRow;
  readonly index: number;
  readonly place?: number | undefined;
}

/** In the order of the columns. Whole numbers become integers by the columns' affinity. */
function addValues(values: Value[], names: Names, { row, index, place }: Placed): void {
  values.push(
    place ?? wantedPlace(row.at, row.id),
    row.id,
    payerOf(row),
    callerOf(names, index),
    outcomeOf(names, index, row),
    row.address ?? null,
    row.ms,
    row.firstByteMs ?? null,
    row.askedMs ?? null,
    row.inputTokens ?? null,
    row.cachedInputTokens ?? null,
    row.outputTokens ?? null,
    row.charged,
    detailOf(row),
  );
}

/** Of rows some of which were refused: those whose place another one has get the next that is free in their millisecond. */
async function placeRest(tx: Database, rows: readonly RequestRow[], names: Names): Promise<Map<string, number>> {
  const { rows: there } = await sql<Taken>`
    select place, id from request_log where place in (${sql.join(rows.map(({ at, id }) => wantedPlace(at, id)))})`.execute(
    tx.db,
  );
  const ids = new Map(there.map(({ place, id }) => [place, id]));
  const moved = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    if (ids.get(wantedPlace(row.at, row.id)) === row.id) continue;
    const place = await placeOne(tx, row, sliceOf(names, index, index + 1));
    if (place !== undefined) moved.set(row.id, place);
  }
  return moved;
}

interface Taken {
  readonly place: number;
  readonly id: string;
}

async function placeOne(tx: Database, row: RequestRow, names: Names): Promise<number | undefined> {
  const first = firstPlace(row.at);
  for (let turn = 0; turn < MOST_TRIES; turn++) {
    const { rows: there } = await sql<Taken>`
      select place, id from request_log where place >= ${first} and place < ${first + SLOTS}`.execute(tx.db);
    const own = there.find(({ id }) => id === row.id);
    if (own !== undefined) return own.place;
    const place = freePlace(wantedPlace(row.at, row.id), new Set(there.map((each) => each.place)));
    if (place === undefined || (await insertAt(tx, row, { names, place }))) return place;
  }
  return undefined;
}

async function insertAt(
  tx: Database,
  row: RequestRow,
  { names, place }: { readonly names: Names; readonly place: number },
): Promise<boolean> {
  if (tx.sqlite === undefined) return (await insertUnnested(tx, [row], names, place)) === 1;
  const values: Value[] = [];
  addValues(values, names, { row, index: 0, place });
  return Number(statementsOf(tx.sqlite).one.run(...values).changes) === 1;
}

/** From the one that is wanted on, around the millisecond; undefined when all are taken. */
function freePlace(wanted: number, taken: ReadonlySet<number>): number | undefined {
  const first = wanted - (((wanted % SLOTS) + SLOTS) % SLOTS);
  for (let step = 0; step < SLOTS; step++) {
    const place = first + ((wanted - first + step) % SLOTS);
    if (!taken.has(place)) return place;
  }
  return undefined;
}

type Detail = Pick<RequestRow, 'dropped' | 'guardrails' | 'tags' | 'identity' | 'failures' | 'clientRequestId'>;

function detailOf({ dropped, guardrails, tags, identity, failures, clientRequestId }: RequestRow): string | null {
  if ((dropped ?? guardrails ?? tags ?? identity ?? failures ?? clientRequestId) === undefined) return null;
  return JSON.stringify({ dropped, guardrails, tags, identity, failures, clientRequestId });
}

/** What a row is found by, beside its columns: its tags, and whom it was made for under names that no tag can have. */
export function labelsOf({ tags = {}, identity = {} }: Pick<RequestRow, 'tags' | 'identity'>): readonly string[] {
  return [
    ...Object.entries(tags).map(([name, value]) => `${name}=${value}`),
    ...Object.entries(identity).map(([member, value]) => `@${member}=${value}`),
  ];
}

/** A row with what it has in common with others. */
export interface WholeRow {
  readonly place: number;
  readonly id: string;
  readonly payer: number;
  readonly key_id: number;
  readonly client: string | null;
  readonly operation: string;
  readonly kind: string | null;
  readonly model: string | null;
  readonly status: number;
  readonly error: string | null;
  readonly aborted: number;
  readonly streamed: number;
  readonly account_id: number | null;
  readonly vendor: string | null;
  readonly upstream_model: string | null;
  readonly route: string | null;
  readonly attempts: number;
  readonly address: string | null;
  readonly ms: number;
  readonly first_byte_ms: number | null;
  readonly asked_ms: number | null;
  readonly input_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly output_tokens: number | null;
  readonly charged: number;
  readonly detail: string | null;
}

/** Selects whole rows of some places, a query with a column `place`; the newest first. */
export function wholeRows(places: RawBuilder<unknown>): RawBuilder<WholeRow> {
  return sql<WholeRow>`select r.place, r.id, r.payer, c.key_id, c.client, o.operation, o.kind, o.model, o.status, o.error, o.aborted, o.streamed,
      o.account_id, o.vendor, o.upstream_model, o.route, o.attempts, r.address, r.ms, r.first_byte_ms, r.asked_ms, r.input_tokens,
      r.cached_tokens, r.output_tokens, r.charged, r.detail
    from (${places}) as shown
    join request_log as r on r.place = shown.place
    join request_callers as c on c.id = r.caller
    join request_outcomes as o on o.id = abs(r.outcome)
    order by shown.place desc`;
}

export function toRequest(row: WholeRow): RequestRow {
  return {
    ...present({
      kind: row.kind,
      model: row.model,
      error: row.error,
      firstByteMs: row.first_byte_ms,
      accountId: row.account_id,
      vendor: row.vendor,
      upstreamModel: row.upstream_model,
      askedMs: row.asked_ms,
      route: row.route,
      inputTokens: row.input_tokens,
      cachedInputTokens: row.cached_tokens,
      outputTokens: row.output_tokens,
      address: row.address,
      client: row.client,
    }),
    ...(row.detail !== null && parse<Detail>(row.detail)),
    ...tenantOf(row.payer),
    id: row.id,
    at: timeOfPlace(row.place),
    keyId: row.key_id,
    operation: row.operation,
    status: row.status,
    aborted: row.aborted === 1,
    streamed: row.streamed === 1,
    ms: row.ms,
    attempts: row.attempts,
    charged: row.charged,
  };
}
