import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RequestTotal, TotalOf } from '@model-gateway/core';
import type { Database } from './database.ts';
import { addingTo, addSums, type SumTable } from './sums.ts';

const OF = ['owner_id', 'mode', 'size', 'start'] as const;
const TOTALS: SumTable = {
  name: 'request_totals',
  keys: OF,
  sums: ['requests', 'errors', 'input_tokens', 'cached_tokens', 'output_tokens', 'charged'],
};
const TIMES: SumTable = { name: 'request_times', keys: [...OF, 'measure', 'bin'], sums: ['count'] };

/** In one order everywhere, so that two replicas never wait for each other in a ring. */
export async function addTotals(tx: Database, totals: readonly (TotalOf & RequestTotal)[]): Promise<void> {
  const inOrder = totals.toSorted(
    (a, b) => a.ownerId - b.ownerId || compare(a.mode, b.mode) || compare(a.size, b.size) || a.start - b.start,
  );
  if (tx.sqlite === undefined) await addTogether(tx, inOrder);
  else addPrepared(tx.sqlite, inOrder);
}

interface Statements {
  readonly total: StatementSync;
  readonly time: StatementSync;
}

const prepared = new WeakMap<DatabaseSync, Statements>();

/** They are many, a row for each bin: what builds queries would cost more than they do. */
function addPrepared(sqlite: DatabaseSync, totals: readonly (TotalOf & RequestTotal)[]): void {
  let statements = prepared.get(sqlite);
  if (statements === undefined) {
    const prepare = (table: SumTable): StatementSync => {
      const { insert, columns, add } = addingTo(table);
      return sqlite.prepare(`${insert} (${Array<string>(columns).fill('?').join(', ')}) ${add}`);
    };
    statements = { total: prepare(TOTALS), time: prepare(TIMES) };
    prepared.set(sqlite, statements);
  }
  const { total, time } = statements;
  for (const each of totals) {
    const { ownerId, mode, size, start } = each;
    total.run(ownerId, mode, size, start, ...sumsOf(each));
    for (const [measure, bins] of measuresOf(each))
      for (const [bin, count] of bins) time.run(ownerId, mode, size, start, measure, bin, count);
  }
}

async function addTogether(tx: Database, totals: readonly (TotalOf & RequestTotal)[]): Promise<void> {
  const of = ({ ownerId, mode, size, start }: TotalOf & RequestTotal) => [ownerId, mode, size, start] as const;
  await addSums(
    tx,
    TOTALS,
    totals.map((each) => [...of(each), ...sumsOf(each)]),
  );
  const times = totals.flatMap((each) =>
    measuresOf(each).flatMap(([measure, bins]) => bins.map(([bin, count]) => [...of(each), measure, bin, count])),
  );
  await addSums(tx, TIMES, times);
}

/** In the order of the columns. */
function sumsOf(total: RequestTotal): readonly number[] {
  const { requests, errors, inputTokens, cachedInputTokens, outputTokens, charged } = total;
  return [requests, errors, inputTokens, cachedInputTokens, outputTokens, charged];
}

function measuresOf({
  ms,
  firstByteMs,
}: RequestTotal): readonly (readonly [string, readonly (readonly [number, number])[]])[] {
  return (
    [
      ['first_byte', firstByteMs],
      ['ms', ms],
    ] as const
  ).map(([name, bins]) => [name, [...bins].sort(([a], [b]) => a - b)]);
}

/** Steps that have any, oldest first. */
export async function readTotals(
  { db }: Database,
  of: TotalOf,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly RequestTotal[]> {
  const { owner_id: ownerId, mode, size } = placeOf(of);
  const times = await db
    .selectFrom('request_times')
    .select(['start', 'measure', 'bin', 'count'])
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('size', '=', size)
    .where('start', '>=', from)
    .where('start', '<', to)
    .execute();
  const bins = new Map<string, Map<number, number>>();
  for (const { start, measure, bin, count } of times) {
    const name = `${start} ${measure}`;
    const known = bins.get(name) ?? new Map<number, number>();
    bins.set(name, known.set(bin, count));
  }
  const rows = await db
    .selectFrom('request_totals')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('size', '=', size)
    .where('start', '>=', from)
    .where('start', '<', to)
    .orderBy('start')
    .execute();
  return rows.map((row) => ({
    start: row.start,
    requests: row.requests,
    errors: row.errors,
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_tokens,
    outputTokens: row.output_tokens,
    charged: row.charged,
    ms: bins.get(`${row.start} ms`) ?? new Map<number, number>(),
    firstByteMs: bins.get(`${row.start} first_byte`) ?? new Map<number, number>(),
  }));
}

export async function sweepTotals({ db }: Database, size: TotalOf['size'], before: number): Promise<void> {
  for (const table of ['request_times', 'request_totals'] as const)
    await db.deleteFrom(table).where('size', '=', size).where('start', '<', before).execute();
}

function placeOf({ ownerId, mode, size }: TotalOf) {
  return { owner_id: ownerId, mode, size };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
