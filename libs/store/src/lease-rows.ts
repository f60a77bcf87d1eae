import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { AtRisk } from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/*
 * What a batch of charges changes in its leases. Every run and every user has a lease of its own, so a batch may change as many leases as it
 * has charges: SQLite runs a prepared statement for each of them, PostgreSQL one statement for all.
 *
 * Both functions answer the ids of the leases that they changed, and change them in the order of ids, so that two replicas never wait for
 * each other in a ring.
 */

const SET_AT_RISK = 'update leases set at_risk = ?, at_risk_requests = ? where id = ? and closed_at is null';
const DRAW = 'update leases set spent = spent + ? where id = ? and closed_at is null and spent + ? <= amount';
const prepared = new WeakMap<DatabaseSync, { readonly setAtRisk: StatementSync; readonly draw: StatementSync }>();

/** Writes what is in flight on each open lease. */
export async function setAtRisk(tx: Database, atRisk: ReadonlyMap<number, AtRisk>): Promise<ReadonlySet<number>> {
  const rows = [...atRisk]
    .map(([id, { units, requests }]) => ({
      id,
      units,
      requests: requests.length === 0 ? null : JSON.stringify(requests),
    }))
    .sort(byId);
  if (tx.sqlite !== undefined) {
    const statement = statementsOf(tx.sqlite).setAtRisk;
    return runEach(statement, rows, ({ id, units, requests }) => [BigInt(units), requests, BigInt(id)]);
  }
  const changed = await sql<{ id: number }>`
    with new as (select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (id bigint, units bigint, requests text)),
      locked as (select leases.id from leases where leases.id in (select new.id from new) order by leases.id for no key update)
    update leases set at_risk = new.units, at_risk_requests = new.requests
    from new join locked on locked.id = new.id
    where leases.id = new.id and leases.closed_at is null returning leases.id`.execute(tx.db);
  return new Set(changed.rows.map(({ id }) => id));
}

/** Spends quota units of open leases that have so many left. */
export async function drawFrom(tx: Database, draws: ReadonlyMap<number, number>): Promise<ReadonlySet<number>> {
  const rows = [...draws].map(([id, units]) => ({ id, units })).sort(byId);
  if (tx.sqlite !== undefined) {
    const statement = statementsOf(tx.sqlite).draw;
    return runEach(statement, rows, ({ id, units }) => [BigInt(units), BigInt(id), BigInt(units)]);
  }
  const changed = await sql<{ id: number }>`
    with new as (select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (id bigint, units bigint)),
      locked as (select leases.id from leases where leases.id in (select new.id from new) order by leases.id for no key update)
    update leases set spent = leases.spent + new.units
    from new join locked on locked.id = new.id
    where leases.id = new.id and leases.closed_at is null and leases.spent + new.units <= leases.amount
    returning leases.id`.execute(tx.db);
  return new Set(changed.rows.map(({ id }) => id));
}

function statementsOf(sqlite: DatabaseSync): { readonly setAtRisk: StatementSync; readonly draw: StatementSync } {
  let statements = prepared.get(sqlite);
  if (statements === undefined) {
    statements = { setAtRisk: sqlite.prepare(SET_AT_RISK), draw: sqlite.prepare(DRAW) };
    prepared.set(sqlite, statements);
  }
  return statements;
}

function runEach<T extends { readonly id: number }>(
  statement: StatementSync,
  rows: readonly T[],
  valuesOf: (row: T) => SQLInputValue[],
): ReadonlySet<number> {
  const changed = new Set<number>();
  for (const row of rows) if (statement.run(...valuesOf(row)).changes !== 0) changed.add(row.id);
  return changed;
}

function byId(one: { readonly id: number }, other: { readonly id: number }): number {
  return one.id - other.id;
}
