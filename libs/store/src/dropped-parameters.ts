import type { DroppedCount, DayFilter } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** Few enough for the places that one statement of SQLite may have. */
const ROWS_TOGETHER = 500;

/** Sums of days, a few at a time; in one order everywhere, so that two replicas never wait for each other in a ring. */
export function* dayRowsInOrder<Row extends Pick<DroppedCount, 'day' | 'keyId' | 'model'>>(
  rows: readonly Row[],
  lastOf: (row: Row) => string,
): Generator<readonly Row[]> {
  const nameOf = (row: Row): string => `${row.model}\u0001${lastOf(row)}`;
  const inOrder = rows.toSorted((a, b) => a.day - b.day || a.keyId - b.keyId || (nameOf(a) < nameOf(b) ? -1 : 1));
  for (let at = 0; at < inOrder.length; at += ROWS_TOGETHER) yield inOrder.slice(at, at + ROWS_TOGETHER);
}

export async function addDropped(tx: Database, counts: readonly DroppedCount[]): Promise<void> {
  for (const together of dayRowsInOrder(counts, ({ parameter }) => parameter)) {
    const rows = together.map((each) => sql`(${sql.join([each.day, each.keyId, each.model, each.parameter, each.ownerId, each.mode, each.requests, each.firstAt, each.lastAt, each.reason])})`); // prettier-ignore
    await sql`insert into dropped_parameters
      (day, key_id, model, parameter, owner_id, mode, requests, first_at, last_at, reason) values ${sql.join(rows)}
      on conflict (day, key_id, model, parameter) do update set
        requests = dropped_parameters.requests + excluded.requests,
        first_at = case when excluded.first_at < dropped_parameters.first_at then excluded.first_at else dropped_parameters.first_at end,
        reason = case when excluded.last_at >= dropped_parameters.last_at then excluded.reason else dropped_parameters.reason end,
        last_at = case when excluded.last_at > dropped_parameters.last_at then excluded.last_at else dropped_parameters.last_at end`.execute(
      tx.db,
    );
  }
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
