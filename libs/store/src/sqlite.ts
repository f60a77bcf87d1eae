import { chmodSync, existsSync, realpathSync, statfsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  SqliteAdapter,
  SqliteDialect,
  type Driver,
  type SqliteDatabase,
  type SqliteStatement,
  SqliteDriver,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely';
import { GatewayError } from '@model-gateway/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from './make-folder.ts';
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

class SharedSqliteDialect extends NodeSqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new PatientSqliteDriver({ database: this.#database });
  }
}

/** Node's types do not have it yet. */
type Deserializing = DatabaseSync & { deserialize(image: Uint8Array): void };

/**
 * Opens a file (its folder is made) or `:memory:` with full durability, as a kysely dialect. `shared`: other processes write to it all the
 * time, and waiting for them must not hold up the event loop. `image`: what a database in memory begins with.
 */
export function openSqlite(
  path: string,
  { shared = false, image }: { readonly shared?: boolean; readonly image?: Uint8Array } = {},
): { dialect: SqliteDialect; database: DatabaseSync; close: () => void } {
  const database = new DatabaseSync(path);
  if (image !== undefined) (database as Deserializing).deserialize(image);
  // Hashes and webhook secrets are for the gateway's own user. The journals beside it get the file's own mode.
  if (path !== ':memory:') closeToOthers(path);
  // synchronous=full: what was acknowledged must survive a power cut, not only a killed process.
  database.exec(
    'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory',
  );
  if (shared) database.exec('pragma busy_timeout = 0');
  const given = forKysely(database);
  const dialect = shared ? new SharedSqliteDialect(given) : new NodeSqliteDialect({ database: given });
  return { dialect, database, close: () => database.close() };
}

/** Hashes and secrets are for the gateway's own user. */
export function closeToOthers(path: string): void {
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
export function toSqlite(value: unknown): SQLInputValue {
  return Number.isInteger(value) ? BigInt(value as number) : (value as SQLInputValue);
}

/** By the numbers of statfs(2): file systems that other machines write to as well. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x5346414f, 'AFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

/**
 * Throws GatewayError `invalid_request` for a folder on a network file system: the write-ahead log needs memory that processes share, and machines
 * have none, so that two of them would damage the file.
 */
export function refuseNetworkFileSystem(file: string, typeOf = fileSystemOf): void {
  const name = NETWORK_FILE_SYSTEMS.get(typeOf(dirname(file)));
  if (name === undefined) return;
  throw new GatewayError(
    'invalid_request',
    `The SQLite database ${basename(file)} would lie on a network file system (${name}), where processes of two machines damage it: name a place on a local disk, or use PostgreSQL.`,
    { param: 'database.url' },
  );
}

function fileSystemOf(folder: string): number {
  try {
    // Some systems give it as a signed number.
    return statfsSync(folder).type >>> 0;
  } catch {
    return 0;
  }
}

/** One name for one file, however it was written: the lock lies beside the real file. Its folder is made. */
export function realSqlitePath(path: string): string {
  const whole = resolve(path);
  try {
    makeFolder(dirname(whole));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new GatewayError(
      'invalid_request',
      `The folder ${dirname(whole)} of the SQLite database cannot be created (${code}): set database.url to a place where it can.`,
      { param: 'database.url', cause: error },
    );
  }
  return existsSync(whole) ? realpathSync(whole) : join(realpathSync(dirname(whole)), basename(whole));
}

/** As long as SQLite itself waits elsewhere. */
const LONGEST_WAIT_MS = 5_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 8;
const BUSY = 5;

/** A driver whose statements are tried again, in turns of the event loop, while another process writes. */
export class PatientSqliteDriver extends SqliteDriver {
  readonly #patient = new WeakMap<DatabaseConnection, DatabaseConnection>();

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    const known = this.#patient.get(connection) ?? patient(connection);
    this.#patient.set(connection, known);
    return known;
  }
}

/**
 * Only what begins something can find the file busy: transactions take the writer's place at their beginning (`begin immediate`), so
 * nothing of theirs is ever done twice.
 */
function patient(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const until = performance.now() + LONGEST_WAIT_MS;
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
        try {
          return await connection.executeQuery<R>(query);
        } catch (error) {
          if ((sqliteCode(error) & 0xff) !== BUSY || performance.now() > until) throw error;
        }
        await sleep(pause);
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}
