import type { DroppedCount, DayFilter } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { addSums, type SumTable } from './sums.ts';

const DROPPED: SumTable = {
  name: 'dropped_parameters',
  keys: ['day', 'key_id', 'model', 'parameter'],
  facts: ['owner_id', 'mode'],
  sums: ['requests'],
  merged: {
    first_at:
      'case when excluded.first_at < dropped_parameters.first_at then excluded.first_at else dropped_parameters.first_at end',
    last_at:
      'case when excluded.last_at > dropped_parameters.last_at then excluded.last_at else dropped_parameters.last_at end',
    reason:
      'case when excluded.last_at >= dropped_parameters.last_at then excluded.reason else dropped_parameters.reason end',
  },
};

/** Sums of days in one order everywhere, so that two replicas never wait for each other in a ring. */
export function inDayOrder<Row extends Pick<DroppedCount, 'day' | 'keyId' | 'model'>>(
  rows: readonly Row[],
  lastOf: (row: Row) => string,
): readonly Row[] {
  const nameOf = (row: Row): string => `${row.model}\u0001${lastOf(row)}`;
  return rows.toSorted((a, b) => a.day - b.day || a.keyId - b.keyId || (nameOf(a) < nameOf(b) ? -1 : 1));
}

export async function addDropped(tx: Database, counts: readonly DroppedCount[]): Promise<void> {
  const rows = inDayOrder(counts, ({ parameter }) => parameter).map((each) => [
    ...[each.day, each.keyId, each.model, each.parameter, each.ownerId, each.mode],
    ...[each.requests, each.firstAt, each.lastAt, each.reason],
  ]);
  await addSums(tx, DROPPED, rows);
}

interface DroppedSum {
  readonly key_id: number;
  readonly owner_id: number;
  readonly mode: 'live' | 'test';
  readonly model: string;
  readonly parameter: string;
  readonly requests: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly reason: string;
}

/** What a filter says of rows of days. */
export function daysWanted({ ownerId, mode, keyId, model, from, to }: DayFilter): RawBuilder<unknown> {
  const conditions = [
    sql`day >= ${from}`,
    sql`day <= ${to}`,
    ...(ownerId === undefined ? [] : [sql`owner_id = ${ownerId}`]),
    ...(mode === undefined ? [] : [sql`mode = ${mode}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** The most requests first. A line has the reason of its last day. */
export async function readDropped({ db }: Database, filter: DayFilter): Promise<readonly Omit<DroppedCount, 'day'>[]> {
  const { rows } = await sql<DroppedSum>`
    select sums.*, latest.reason from (
      select key_id, owner_id, mode, model, parameter, cast(sum(requests) as bigint) as requests, min(first_at) as first_at,
        max(last_at) as last_at, max(day) as day
      from dropped_parameters where ${daysWanted(filter)}
      group by key_id, owner_id, mode, model, parameter
      order by requests desc, last_at desc limit ${filter.limit}
    ) as sums
    join dropped_parameters as latest on latest.day = sums.day and latest.key_id = sums.key_id and latest.model = sums.model
      and latest.parameter = sums.parameter
    order by sums.requests desc, sums.last_at desc`.execute(db);
  return rows.map((row) => ({
    keyId: row.key_id,
    ownerId: row.owner_id,
    mode: row.mode,
    model: row.model,
    parameter: row.parameter,
    requests: row.requests,
    firstAt: row.first_at,
    lastAt: row.last_at,
    reason: row.reason,
  }));
}
