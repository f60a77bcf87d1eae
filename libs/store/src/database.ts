import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** Either database, as the tables' files see it. */
export interface Database {
  readonly kind: DatabaseKind;
  readonly db: Kysely<Tables>;
  /** SQLite's connection itself, for a statement that runs thousands of times a second. Only inside of a transaction: it is one for all. */
  readonly sqlite?: DatabaseSync;
  /** Opens a connection in a thread, for reading what is more than a page; absent where the database is a process of its own, or in memory. */
  readonly openReader?: () => Kysely<Tables>;
  /** One that stays open. */
  readonly reports?: Kysely<Tables>;
  /** Whose clock says when a lease has run out; the caller's when absent. */
  readonly leaseClock?: LeaseClock;
}

/** The database for a report, which may read much and changes nothing. Within a transaction it is that. */
export function forReports(database: Database): Database {
  return database.reports === undefined || database.db.isTransaction ? database : { ...database, db: database.reports };
}

/** `database`: one clock for all replicas, however wrong their own are. `caller`: the time that a call was given. */
export type LeaseClock = 'database' | 'caller';

/** Now, for the times of leases: milliseconds since 1970 of the clock that decides. */
export function leaseTime({ leaseClock }: Database, now: number): RawBuilder<number> {
  return leaseClock === 'database'
    ? sql<number>`cast(extract(epoch from now()) * 1000 as bigint)`
    : sql<number>`cast(${now} as bigint)`;
}

/** PostgreSQL's `deadlock detected` and `could not serialize`: the transaction did nothing and may be tried again. */
const TRANSIENT = new Set<unknown>(['40P01', '40001']);
const ATTEMPTS = 5;

/**
 * Runs `work` in one transaction: all of it or nothing. It may run again after a deadlock, so it must have no other effects. Within another
 * transaction it is a part of that one.
 */
export async function transaction<T>(database: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  if (database.db.isTransaction) return work(database);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.db.transaction().execute(async (db) => work({ ...database, db }));
    } catch (error) {
      if (attempt >= ATTEMPTS || !TRANSIENT.has(errorCode(error))) throw error;
    }
  }
}

/** Runs `work`, which only reads, on the database as it is at one moment. */
export function inSnapshot<T>({ kind, db }: Database, work: (tx: Database['db']) => Promise<T>): Promise<T> {
  const run = db.transaction();
  return (kind === 'postgres' ? run.setIsolationLevel('repeatable read').setAccessMode('read only') : run).execute(
    work,
  );
}

/**
 * A transaction for what may be lost by a power cut in the last moment (never half of it, never by a killed process): SQLite does not wait
 * for the disk. Whatever is committed in the usual way later brings it to the disk too.
 */
export async function journalTransaction<T>(database: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  const { sqlite } = database;
  if (sqlite === undefined) return transaction(database, work);
  return database.db.connection().execute(async (db) => {
    sqlite.exec('pragma synchronous = normal');
    try {
      return await transaction({ ...database, db }, work);
    } finally {
      sqlite.exec('pragma synchronous = full');
    }
  });
}

/**
 * Locks the rows it reads until the transaction ends. On SQLite the transaction is alone anyway. `for no key update`, because `for
 * update` would also wait for those who only refer to the row by a foreign key.
 */
export function forUpdate<DB, TB extends keyof DB, O>(
  database: Database,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return database.kind === 'postgres' ? query.forNoKeyUpdate() : query;
}

/** Locks the rows it reads and passes over those that somebody else has locked. */
export function forUpdateSkipLocked<DB, TB extends keyof DB, O>(
  database: Database,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return database.kind === 'postgres' ? query.forNoKeyUpdate().skipLocked() : query;
}

/** True when a unique index refused the row (PostgreSQL 23505; SQLite's extended codes for unique and primary key). */
export function isUniqueViolation(error: unknown): boolean {
  if (errorCode(error) === '23505') return true;
  return sqliteCode(error) === 2067 || sqliteCode(error) === 1555;
}

/** SQLite's extended result code; 0 for any other error. */
export function sqliteCode(error: unknown): number {
  return typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) : 0;
}

function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
