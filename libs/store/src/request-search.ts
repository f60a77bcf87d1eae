/** Searches of the log of requests: from the rows that one index gives, newest first, those that fit, page by page. */
import type { RequestFilter, RequestPage } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { OUTCOME_NUMBER } from './request-names.ts';
import { firstPlace, payerOf, SLOTS, tenantOf, timeOfPlace } from './request-places.ts';
import { labelsOf, toRequest, wholeRows, type WholeRow } from './request-rows.ts';

/** Rows that one page looks at, whatever it finds. */
const MOST_LOOKED_AT = 50_000;
/** The first step of a look. */
const FIRST_LOOK = 250;
/** How many times as many rows the next step has. */
const GROWTH = 4;
/** Milliseconds of a page; a step that would probably go beyond is left to the next one. */
const MOST_MS = 100;
/** Ranges of an index that are read at once. */
const MOST_RANGES = 100;
/** Outcomes that are told to a query by their numbers. */
const MOST_NUMBERS = 2_000;
const FIRST_FAILURE_CLASS = 4;

/** Places from one up to, but without, another. */
interface Span {
  readonly from?: number | undefined;
  readonly below?: number | undefined;
}

/** What one index gives: places with payer, outcome and caller, the newest first. */
type Source = (span: Span, limit: number) => RawBuilder<unknown>;

interface Search {
  /** Any of them has all that fits. */
  readonly sources: readonly [Source, ...Source[]];
  /** What is looked for among the rows of any source. */
  readonly fits: readonly RawBuilder<unknown>[];
}

/** One page of what fits; it ends after a bounded number of rows and a bounded time, and says where the next one begins. */
export async function searchRequests(
  database: Database,
  filter: RequestFilter,
  most = MOST_LOOKED_AT,
): Promise<RequestPage> {
  const started = performance.now();
  const [search, span] = await Promise.all([searchOf(database, filter), spanOf(database, filter)]);
  if (search === undefined) return { rows: [] };
  const { sources, fits } = search;
  const { limit } = filter;
  if (fits.length > 0 || sources.length > 1) return look(database, search, { span, limit, started, most });
  const { rows } = await wholeRows(sources[0](span, limit + 1)).execute(database.db);
  return pageOf(rows, limit);
}

interface Looking {
  readonly span: Span;
  readonly limit: number;
  /** By `performance.now()`. */
  readonly started: number;
  /** Rows that are looked at. */
  readonly most: number;
}

/**
 * Whatever no index has is looked for among rows of the best one, in steps that grow: a page ends when its time is over, too. How long a row
 * takes to be read is nothing that a number of them could bound: from a disk it is a hundred times as long as from memory.
 */
async function look(
  database: Database,
  { sources, fits }: Search,
  { span, limit, started, most }: Looking,
): Promise<RequestPage> {
  const source = sources.length === 1 ? sources[0] : await sparsest(database, sources, span);
  const rows: WholeRow[] = [];
  let below = span.below;
  for (let looked = 0, step = FIRST_LOOK; ;) {
    const began = performance.now();
    const found = await lookOnce(database, source({ ...span, below }, step), {
      fits,
      step,
      most: limit + 1 - rows.length,
    });
    rows.push(...found.rows);
    if (found.end === undefined || rows.length > limit) return pageOf(rows, limit);
    below = found.end.place;
    looked += step;
    step = Math.min(GROWTH * step, most - looked);
    const now = performance.now();
    if (step <= 0 || now - started + GROWTH * (now - began) > MOST_MS)
      return { ...pageOf(rows, limit), next: { at: timeOfPlace(below), id: found.end.id } };
  }
}

interface Look {
  readonly fits: readonly RawBuilder<unknown>[];
  /** Rows that are looked at, and that are wanted. */
  readonly step: number;
  readonly most: number;
}

interface Found {
  readonly rows: readonly WholeRow[];
  /** The last row that was looked at; absent when there are no more. */
  readonly end: { readonly place: number; readonly id: string } | undefined;
}

/** In one query: many searches need no other. */
async function lookOnce({ db }: Database, looked: RawBuilder<unknown>, { fits, step, most }: Look): Promise<Found> {
  const shown = sql`select place from looked ${whereAll(fits)} order by place desc limit ${most}`;
  const { rows } = await sql<
    { [Name in keyof WholeRow]: WholeRow[Name] | null } & { end_place: number | null; end_id: string | null }
  >`
    with looked as materialized (${looked})
    select ending.place as end_place, ending.id as end_id, whole.* from (select 1 as one) as always
    left join (select request_log.place, request_log.id from (select place from looked order by place desc limit 1 offset ${step - 1}) as last
      join request_log on request_log.place = last.place) as ending on true
    left join (${wholeRows(shown)}) as whole on true
    order by whole.place desc`.execute(db);
  const [first] = rows;
  const end =
    first === undefined || first.end_place === null ? undefined : { place: first.end_place, id: first.end_id ?? '' };
  return { rows: rows.flatMap((row) => (row.place === null ? [] : [row as WholeRow])), end };
}

/** The source whose first rows reach furthest back in time. */
async function sparsest({ db }: Database, sources: readonly [Source, ...Source[]], span: Span): Promise<Source> {
  const ends = await Promise.all(
    sources.map(async (source) => {
      const { rows } = await sql<{ place: number }>`select place from (${source(span, FIRST_LOOK)}) as looked
        order by place desc limit 1 offset ${FIRST_LOOK - 1}`.execute(db);
      return rows[0]?.place ?? -Infinity;
    }),
  );
  return sources[ends.indexOf(Math.min(...ends))] ?? sources[0];
}

function pageOf(rows: readonly WholeRow[], limit: number): RequestPage {
  const shown = rows.slice(0, limit).map(toRequest);
  const last = shown.at(-1);
  return { rows: shown, ...(rows.length > limit && last !== undefined && { next: { at: last.at, id: last.id } }) };
}

/** The place of a row; when there is none, the first of its millisecond. */
async function spanOf({ db }: Database, { from, to, after }: RequestFilter): Promise<Span> {
  let below = to === undefined ? Infinity : firstPlace(to);
  if (after !== undefined) {
    const first = firstPlace(after.at);
    const { rows } = await sql<{ place: number }>`select place from request_log
      where place >= ${first} and place < ${first + SLOTS} and id = ${after.id}`.execute(db);
    below = Math.min(below, rows[0]?.place ?? first);
  }
  return {
    from: from === undefined ? undefined : firstPlace(from),
    below: below === Infinity ? undefined : below,
  };
}

/** Undefined: nothing can fit. */
async function searchOf(database: Database, filter: RequestFilter): Promise<Search | undefined> {
  const { keyId, tag, identity } = filter;
  const wanted = outcomeConditions(filter);
  const [callers, outcomes] = await Promise.all([
    keyId === undefined ? undefined : callersOf(database, keyId),
    wanted.length === 0 ? undefined : outcomesOf(database, wanted),
  ]);
  const payers = callers === undefined ? payersOf(filter) : payersOfKey(callers, filter);
  if (callers?.length === 0 || payers?.length === 0 || outcomes?.length === 0) return undefined;
  const fits = [
    ...(payers === undefined ? [] : [isOneOf(database, 'payer', payers)]),
    ...(callers === undefined
      ? []
      : [
          isOneOf(
            database,
            'caller',
            callers.map(({ id }) => id),
          ),
        ]),
    ...(outcomes === undefined ? [] : [outcomeFits(database, outcomes, wanted)]),
  ];
  const [label, ...others] = [...(tag === undefined ? [] : [tag]), ...labelsOf({ identity })];
  if (label !== undefined) return { sources: [tagged(label)], fits: [...fits, ...others.map(isTagged)] };
  const isIndexed =
    outcomes !== undefined &&
    outcomes.length <= MOST_RANGES &&
    (database.kind !== 'sqlite' || outcomes.every((outcome) => outcome > 0));
  const [first = everything, ...more] = [
    ...(payers === undefined ? [] : [ranges(database, 'payer', payers)]),
    ...(isIndexed ? [ranges(database, 'outcome', outcomes)] : []),
  ];
  // What one index alone has needs no second look.
  const isExact = first !== everything && more.length === 0 && fits.length === 1;
  return { sources: [first, ...more], fits: isExact ? [] : fits };
}

function payersOf({ ownerId, mode }: RequestFilter): readonly number[] | undefined {
  if (ownerId === undefined) return undefined;
  return (mode === undefined ? (['live', 'test'] as const) : [mode]).map((each) => payerOf({ ownerId, mode: each }));
}

interface Caller {
  readonly id: number;
  readonly payer: number;
}

/** The index of payers serves for keys, too. */
async function callersOf({ db }: Database, keyId: number): Promise<readonly Caller[]> {
  return (await sql<Caller>`select id, payer from request_callers where key_id = ${keyId}`.execute(db)).rows;
}

function payersOfKey(callers: readonly Caller[], { ownerId, mode }: RequestFilter): readonly number[] {
  return [...new Set(callers.map(({ payer }) => payer))].filter((payer) => {
    const own = tenantOf(payer);
    return own.ownerId === (ownerId ?? own.ownerId) && own.mode === (mode ?? own.mode);
  });
}

/** What of a filter only outcomes say. */
function outcomeConditions({
  ownerId,
  keyId,
  mode,
  model,
  kind,
  statusClass,
  errors,
}: RequestFilter): readonly RawBuilder<unknown>[] {
  const knowsPayer = ownerId !== undefined || keyId !== undefined;
  const isFailure = statusClass !== undefined && statusClass >= FIRST_FAILURE_CLASS;
  return [
    ...(mode === undefined || knowsPayer ? [] : [sql`mode = ${mode}`]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
    ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
    ...(statusClass === undefined ? [] : [sql`status < ${isFailure ? statusClass * 100 + 100 : 400}`]),
    ...(isFailure ? [sql`status >= ${statusClass * 100}`] : []),
    ...(errors === undefined ? [] : [errors.length === 0 ? sql`1 = 0` : sql`error in (${sql.join(errors)})`]),
  ];
}

async function outcomesOf({ db }: Database, wanted: readonly RawBuilder<unknown>[]): Promise<readonly number[]> {
  const { rows } = await sql<{ number: number }>`
    select ${OUTCOME_NUMBER} as number from request_outcomes ${whereAll(wanted)} limit ${MOST_NUMBERS + 1}`.execute(db);
  return rows.map(({ number }) => number);
}

function outcomeFits(
  database: Database,
  outcomes: readonly number[],
  wanted: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  if (outcomes.length <= MOST_NUMBERS) return isOneOf(database, 'outcome', outcomes);
  return sql`exists (select 1 from request_outcomes where request_outcomes.id = abs(outcome) and ${sql.join(wanted, sql` and `)})`;
}

/** As one parameter: the texts of queries are kept prepared, and must not be as many as there are lists. */
function isOneOf({ kind }: Database, column: string, numbers: readonly number[]): RawBuilder<unknown> {
  return kind === 'sqlite'
    ? sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(numbers)}))`
    : sql`${sql.ref(column)} = any(${numbers}::bigint[])`;
}

const COLUMNS = sql.raw('place, payer, outcome, caller');
const everything: Source = (span, limit) =>
  sql`select ${COLUMNS} from request_log ${whereAll(within(span))} order by place desc limit ${limit}`;

function tagged(tag: string): Source {
  return (span, limit) =>
    sql`select ${COLUMNS} from request_log_tags ${whereAll([sql`tag = ${tag}`, ...within(span)])} order by place desc limit ${limit}`;
}

/** Of rows that are looked at. */
function isTagged(tag: string): RawBuilder<unknown> {
  return sql`exists (select 1 from request_log_tags as also where also.tag = ${tag} and also.place = looked.place)`;
}

/** Rows of some values of a column, from their ranges of its index: what each of them has first, then the newest of all. */
function ranges({ kind }: Database, name: 'payer' | 'outcome', values: readonly number[]): Source {
  const column = sql.ref(name);
  const [only] = values;
  if (values.length === 1)
    return (span, limit) =>
      sql`select ${COLUMNS} from request_log ${whereAll([sql`${column} = ${only}`, ...indexed(name, only), ...within(span)])} order by place desc limit ${limit}`;
  if (kind === 'postgres')
    return (span, limit) => sql`select ${COLUMNS} from unnest(${values}::bigint[]) as one (value) cross join lateral (
        select ${COLUMNS} from request_log ${whereAll([sql`${column} = one.value`, ...within(span)])} order by place desc limit ${limit}
      ) as found order by place desc limit ${limit}`;
  return (span, limit) => sql`select ${COLUMNS} from json_each(${JSON.stringify(values)}) as one
      join request_log on request_log.place in (
        select near.place from request_log as near
        ${whereAll([sql`near.${column} = one.value`, ...(name === 'outcome' ? [sql`near.outcome > 0`] : []), ...within(span, sql`near.place`)])}
        order by near.place desc limit ${limit}
      ) order by place desc limit ${limit}`;
}

/** SQLite's index of outcomes has the positive ones only, and has to be told that. */
function indexed(name: 'payer' | 'outcome', value: number | undefined): readonly RawBuilder<unknown>[] {
  return name === 'outcome' && value !== undefined && value > 0 ? [sql`outcome > 0`] : [];
}

function within({ from, below }: Span, place = sql`place`): readonly RawBuilder<unknown>[] {
  return [
    ...(from === undefined ? [] : [sql`${place} >= ${from}`]),
    ...(below === undefined ? [] : [sql`${place} < ${below}`]),
  ];
}

function whereAll(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}
