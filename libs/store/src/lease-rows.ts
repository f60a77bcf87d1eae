import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AtRisk } from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/*
 * What a batch of charges changes in its leases. Every run and every user has a lease of its own, so a batch may change as many leases as it
 * has charges: SQLite runs a prepared statement for each of them, PostgreSQL one statement for all.
 */

export interface LeaseChange {
  /** What is in flight on the lease from now on; as it was when absent. */
  readonly atRisk?: AtRisk | undefined;
  /** Quota units to spend of it; 0 when absent. */
  readonly draw?: number;
}

interface ChangedRow {
  readonly id: number;
  readonly draw: number;
  readonly units: number | null;
  readonly requests: string | null;
}

const CHANGE = `update leases set spent = spent + ?, at_risk = coalesce(?, at_risk), at_risk_requests = iif(?, ?, at_risk_requests)
  where id = ? and closed_at is null and spent + ? <= amount`;
const prepared = new WeakMap<DatabaseSync, StatementSync>();

/**
 * Changes leases by their ids, in the order of ids, so that two replicas never wait for each other in a ring. Answers those it has changed: a
 * lease that is closed, or has less left than is to be spent, stays as it was.
 */
export async function changeLeases(
  tx: Database,
  changes: ReadonlyMap<number, LeaseChange>,
): Promise<ReadonlySet<number>> {
  const rows = [...changes].map(rowOf).sort((a, b) => a.id - b.id);
  return tx.sqlite === undefined ? changeTogether(tx, rows) : changeEach(tx.sqlite, rows);
}

function rowOf([id, { atRisk, draw = 0 }]: readonly [number, LeaseChange]): ChangedRow {
  if (atRisk === undefined) return { id, draw, units: null, requests: null };
  const { units, requests } = atRisk;
  return { id, draw, units, requests: requests.length === 0 ? null : JSON.stringify(requests) };
}

function changeEach(sqlite: DatabaseSync, rows: readonly ChangedRow[]): ReadonlySet<number> {
  let statement = prepared.get(sqlite);
  if (statement === undefined) prepared.set(sqlite, (statement = sqlite.prepare(CHANGE)));
  const changed = new Set<number>();
  for (const { id, draw, units, requests } of rows) {
    const spent = BigInt(draw);
    const [atRisk, isWritten] = units === null ? [null, 0] : [BigInt(units), 1];
    if (statement.run(spent, atRisk, isWritten, requests, BigInt(id), spent).changes !== 0) changed.add(id);
  }
  return changed;
}

async function changeTogether(tx: Database, rows: readonly ChangedRow[]): Promise<ReadonlySet<number>> {
  const changed = await sql<{ id: number }>`
    with new as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (id bigint, draw bigint, units bigint, requests text)),
    locked as (
      select leases.id from leases where leases.id in (select new.id from new) order by leases.id for no key update)
    update leases set spent = leases.spent + new.draw, at_risk = coalesce(new.units, leases.at_risk),
      at_risk_requests = case when new.units is null then leases.at_risk_requests else new.requests end
    from new join locked on locked.id = new.id
    where leases.id = new.id and leases.closed_at is null and leases.spent + new.draw <= leases.amount
    returning leases.id`.execute(tx.db);
  return new Set(changed.rows.map(({ id }) => id));
}
