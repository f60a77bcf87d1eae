import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteAdapter, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';
import { GatewayError } from '@model-gateway/contracts';
import { sqliteCode } from './database.ts';

/** Prepared statements kept per connection; the house's queries are a few hundred texts. */
const STATEMENTS_KEPT = 500;

/** kysely's own adapter runs migrations outside a transaction; SQLite's DDL is transactional, so a crash must leave none half done. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }
}

/** Opens a file (its folder is made) or `:memory:` with full durability, as a kysely dialect. */
export function openSqlite(path: string): { dialect: SqliteDialect; database: DatabaseSync; close: () => void } {
  const database = new DatabaseSync(path);
  // Hashes and webhook secrets are for the gateway's own user. The journals beside it get the file's own mode.
  if (path !== ':memory:') closeToOthers(path);
  // synchronous=full: what was acknowledged must survive a power cut, not only a killed process.
  database.exec(
    'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory',
  );
  return { dialect: new NodeSqliteDialect({ database: forKysely(database) }), database, close: () => database.close() };
}

function closeToOthers(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // The file of another user, who lets us write: it is that user's to close.
  }
}

/** What kysely expects of better-sqlite3, from node:sqlite. */
function forKysely(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => {
      prepared.clear();
      database.close();
    },
    prepare: (text) => {
      const known = prepared.get(text);
      if (known !== undefined) return known;
      // A transaction that reads first and writes later must not find that another process wrote in between.
      const statement = wrap(database.prepare(text === 'begin' ? 'begin immediate' : text));
      if (prepared.size >= STATEMENTS_KEPT) prepared.delete(prepared.keys().next().value ?? '');
      prepared.set(text, statement);
      return statement;
    },
  };
}

function wrap(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toSqlite)),
    run: (parameters) => statement.run(...parameters.map(toSqlite)),
    *iterate(parameters) {
      yield* statement.iterate(...parameters.map(toSqlite));
    },
  };
}

/** node:sqlite binds every number as a floating-point value; money and times are integers, in expressions too. */
function toSqlite(value: unknown): SQLInputValue {
  return Number.isInteger(value) ? BigInt(value as number) : (value as SQLInputValue);
}

export interface SqliteLock {
  readonly isHeldByOther: boolean;
  /** May be called more than once. */
  readonly release: () => void;
}

/**
 * Keeps every other process out of a database file until `release`; the kernel lets go when the holder dies, however it dies.
 * Throws GatewayError `conflict` naming the holder's pid. A lock by pid alone would lie in containers, where every process is 1.
 */
export function lockSqlite(path: string): SqliteLock {
  const lock = new DatabaseSync(`${path}-lock`);
  closeToOthers(`${path}-lock`);
  try {
    lock.exec('pragma journal_mode = delete; pragma busy_timeout = 0; begin immediate');
  } catch (error) {
    const holder = readHolder(lock);
    lock.close();
    if (!isBusy(error)) throw error;
    throw new GatewayError(
      'conflict',
      `The SQLite database ${basename(path)} is in use by another gateway process${holder}. One process at a time can have it: stop the other one, or use PostgreSQL for several.`,
      { cause: error },
    );
  }
  lock.exec('create table if not exists holder (pid integer not null); delete from holder');
  lock.prepare('insert into holder (pid) values (?)').run(BigInt(process.pid));
  lock.exec('commit');
  // The pid is readable by others from here on; the lock itself is this second, never ending transaction.
  try {
    lock.exec('begin immediate');
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    isHeldByOther: false,
    release: () => {
      if (lock.isOpen) lock.close();
    },
  };
}

/** The same, but says that somebody else has it instead of throwing. */
export function tryLockSqlite(path: string): SqliteLock {
  try {
    return lockSqlite(path);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { isHeldByOther: true, release: () => undefined };
  }
}

function readHolder(lock: DatabaseSync): string {
  try {
    const pid = lock.prepare('select pid from holder').get()?.['pid'];
    return typeof pid === 'number' ? ` (pid ${pid})` : '';
  } catch {
    return '';
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED, extended codes included. */
function isBusy(error: unknown): boolean {
  const code = sqliteCode(error) & 0xff;
  return code === 5 || code === 6;
}

/** One name for one file, however it was written: the lock lies beside the real file. */
export function realSqlitePath(path: string): string {
  const whole = resolve(path);
  mkdirSync(dirname(whole), { recursive: true, mode: 0o700 });
  return existsSync(whole) ? realpathSync(whole) : join(realpathSync(dirname(whole)), basename(whole));
}
