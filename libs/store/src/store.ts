import type { DatabaseSync } from 'node:sqlite';
import { GatewayError } from '@model-gateway/contracts';
import type { Store } from '@model-gateway/core';
import { type Dialect, Kysely, sql } from 'kysely';
import { auditStore } from './audit.ts';
import { type Database, type DatabaseKind, type LeaseClock, transaction } from './database.ts';
import { fileStore } from './files.ts';
import { idempotencyStore } from './idempotency.ts';
import { keyStore } from './keys.ts';
import { ledgerStore } from './ledger.ts';
import { migrateUp, requireLatest } from './migrate.ts';
import { ownerStore } from './owners.ts';
import { openPostgres, unreachable } from './postgres.ts';
import { settingsStore } from './settings.ts';
import { lockSqlite, openSqlite, realSqlitePath, type SqliteLock, tryLockSqlite } from './sqlite.ts';
import { subjectStore } from './subjects.ts';
import type { Tables } from './tables.ts';
import { taskStore } from './tasks.ts';
import { vendorIdStore } from './vendor-ids.ts';
import { webhookStore } from './webhooks.ts';

export interface OpenOptions {
  /** Told the name of each migration that was run. */
  readonly onMigrate?: (name: string) => void;
  /** Connections to PostgreSQL at most; 10 when absent. */
  readonly poolSize?: number;
  /**
   * For short commands: shares a SQLite file with the gateway that has it, provided its schema is this version's, and keeps no gateway from
   * starting. What is written is seen there as another replica's changes are.
   */
  readonly beside?: boolean;
  /** Tests that have the clock in hand say `caller`; when absent PostgreSQL's own clock decides, and on SQLite that of its one process. */
  readonly leaseClock?: LeaseClock;
}

/**
 * Opens `sqlite:./path/to/file.db`, `sqlite::memory:` or `postgres://…` and brings it up to date. Throws GatewayError: `invalid_request`
 * for another kind of url, `conflict` when another process has the SQLite file or a newer version made the database.
 */
export async function openStore(url: string, options: OpenOptions = {}): Promise<Store> {
  const { kind, dialect, sqlite, lock } = openUrl(url, options);
  const db = new Kysely<Tables>({ dialect });
  const close = async (): Promise<void> => {
    await db.destroy();
    lock.release();
  };
  try {
    if (lock.isHeldByOther) await requireLatest(kind, db);
    else await migrateUp(kind, db, options.onMigrate);
    if (options.beside === true) lock.release();
  } catch (error) {
    await close();
    throw kind === 'postgres' ? (unreachable(error) ?? error) : error;
  }
  const leaseClock = options.leaseClock ?? (kind === 'postgres' ? 'database' : 'caller');
  return storeOver({ kind, db, leaseClock, ...(sqlite !== undefined && { sqlite }) }, close);
}

function storeOver(database: Database, close: () => Promise<void>): Store {
  return {
    ...tablesOver(database),
    together: async (work) => transaction(database, (tx) => work(tablesOver(tx))),
    ping: async () => {
      await sql`select 1`.execute(database.db);
    },
    close,
  };
}

function tablesOver(database: Database): Omit<Store, 'together' | 'ping' | 'close'> {
  return {
    keys: keyStore(database),
    owners: ownerStore(database),
    ledger: ledgerStore(database),
    tasks: taskStore(database),
    idempotency: idempotencyStore(database),
    webhooks: webhookStore(database),
    files: fileStore(database),
    subjects: subjectStore(database),
    settings: settingsStore(database),
    audit: auditStore(database),
    vendorIds: vendorIdStore(database),
  };
}

interface Opened {
  readonly kind: DatabaseKind;
  readonly dialect: Dialect;
  readonly sqlite?: DatabaseSync;
  /** To be released after the last query. */
  readonly lock: SqliteLock;
}

const NO_LOCK: SqliteLock = { isHeldByOther: false, release: () => undefined };

export function openUrl(url: string, options: OpenOptions = {}): Opened {
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { dialect } = openPostgres(url, options.poolSize ?? 10);
    return { kind: 'postgres', dialect, lock: NO_LOCK };
  }
  if (url === 'sqlite::memory:') {
    const { dialect, database } = openSqlite(':memory:');
    return { kind: 'sqlite', dialect, sqlite: database, lock: NO_LOCK };
  }
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined) {
    throw new GatewayError(
      'invalid_request',
      'The database url must be sqlite:./path/to/file.db, sqlite::memory: or postgres://user:password@host/database.',
      { param: 'database.url' },
    );
  }
  const file = realSqlitePath(path);
  const lock = options.beside === true ? tryLockSqlite(file) : lockSqlite(file);
  try {
    const { dialect, database } = openSqlite(file);
    return { kind: 'sqlite', dialect, sqlite: database, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}
