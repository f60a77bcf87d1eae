import type { DatabaseSync } from 'node:sqlite';
import { GatewayError } from '@model-gateway/contracts';
import type { Store } from '@model-gateway/core';
import { type Dialect, Kysely, sql } from 'kysely';
import { alertStore } from './alerts.ts';
import { auditStore } from './audit.ts';
import { readBacklog } from './backlog.ts';
import { batchStore } from './batches.ts';
import { vendorBatchStore } from './vendor-batches.ts';
import { configEntryStore } from './config-entries.ts';
import { consoleSessionStore } from './console-sessions.ts';
import { personStore } from './people.ts';
import { type Database, type DatabaseKind, type LeaseClock, transaction } from './database.ts';
import { fileStore } from './files.ts';
import { invariantStore } from './invariants.ts';
import { idempotencyStore } from './idempotency.ts';
import { jobQueueStore } from './job-queue.ts';
import { keyStore } from './keys.ts';
import { ledgerStore } from './ledger.ts';
import { migrateUp, requireLatest } from './migrate.ts';
import { ownerStore } from './owners.ts';
import { maintenanceJobStore } from './maintenance-jobs.ts';
import type { PatientPool } from './postgres-patience.ts';
import { openPostgres, unreachable } from './postgres.ts';
import { cachedContentStore } from './cached-contents.ts';
import { realtimeSecretStore } from './realtime-secrets.ts';
import { vendorFileStore } from './vendor-files.ts';
import { requestLogStore } from './requests.ts';
import { responseStore } from './responses.ts';
import { settingsStore } from './settings.ts';
import { unusableFile } from './sqlite-path.ts';
import { lockSqlite, type SqliteHost, type SqliteLock, tryLockSqlite } from './sqlite-lock.ts';
import { checkpointBeside } from './sqlite-checkpoint.ts';
import { readerDialect } from './sqlite-reader.ts';
import { openSqlite, realSqlitePath, refuseNetworkFileSystem } from './sqlite.ts';
import { runStore } from './runs.ts';
import { streamLogStore } from './stream-logs.ts';
import { subjectStore } from './subjects.ts';
import type { Tables } from './tables.ts';
import { taskStore } from './tasks.ts';
import { uploadedFileStore } from './uploaded-files.ts';
import { usageExportStore } from './usage-exports.ts';
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
  /** For the workers of one gateway: as `beside`, and they write to the SQLite file all the time, each without being held up by the others. */
  readonly worker?: boolean;
  /** Tests that have the clock in hand say `caller`; when absent PostgreSQL's own clock decides, and on SQLite that of its one process. */
  readonly leaseClock?: LeaseClock;
  /** Where this process runs; tests say another machine. */
  readonly host?: SqliteHost;
  /** What a database in memory begins with, as `serialize` of SQLite gives it; tests give tables, because making them takes longer than most tests. */
  readonly image?: Uint8Array;
}

/**
 * Opens `sqlite:./path/to/file.db`, `sqlite::memory:` or `postgres://…` and brings it up to date. Throws GatewayError: `invalid_request`
 * for another kind of url, `conflict` when another process has the SQLite file or a newer version made the database.
 */
export async function openStore(url: string, options: OpenOptions = {}): Promise<Store> {
  const { kind, dialect, sqlite, pool, lock, patience } = await openUrl(url, options);
  const db = new Kysely<Tables>({ dialect });
  const file = sqlite?.location() ?? undefined;
  // A command is over soon; its commits do what is to be done.
  const checkpoints =
    sqlite === undefined || file === undefined || options.beside === true ? undefined : checkpointBeside(sqlite, file);
  // A command holds up nobody but itself.
  const openReader = file === undefined || options.beside === true ? undefined : () => new Kysely<Tables>({ dialect: readerDialect(file) }); // prettier-ignore
  const reports = openReader?.();
  const close = async (): Promise<void> => {
    await checkpoints?.close();
    await reports?.destroy();
    await db.destroy();
    lock.release();
  };
  try {
    if (lock.isHeldByOther) await requireLatest(kind, db);
    else await migrateUp(kind, db, options.onMigrate);
    if (isBeside(options)) lock.release();
  } catch (error) {
    await close();
    throw (kind === 'postgres' ? unreachable(error) : unusableFile(error, url)) ?? error;
  }
  if (patience !== undefined) patience.bounded = true;
  const leaseClock = options.leaseClock ?? (kind === 'postgres' ? 'database' : 'caller');
  const database: Database = {
    kind,
    db,
    leaseClock,
    ...(sqlite !== undefined && { sqlite }),
    ...(openReader !== undefined && { openReader }),
    ...(reports !== undefined && { reports }),
  };
  return storeOver(database, { close, pool: () => pool?.() });
}

function storeOver(database: Database, { close, pool }: Pick<Store, 'close' | 'pool'>): Store {
  return {
    ...tablesOver(database),
    together: async (work) => transaction(database, (tx) => work(tablesOver(tx))),
    ping: async () => {
      await sql`select 1`.execute(database.db);
    },
    backlog: (now) => readBacklog(database, now),
    pool,
    close,
  };
}

function tablesOver(database: Database): Omit<Store, 'together' | 'backlog' | 'pool' | 'ping' | 'close'> {
  return {
    keys: keyStore(database),
    jobQueue: jobQueueStore(database),
    owners: ownerStore(database),
    ledger: ledgerStore(database),
    runs: runStore(database),
    tasks: taskStore(database),
    idempotency: idempotencyStore(database),
    webhooks: webhookStore(database),
    alerts: alertStore(database),
    files: fileStore(database),
    uploadedFiles: uploadedFileStore(database),
    subjects: subjectStore(database),
    settings: settingsStore(database),
    audit: auditStore(database),
    responses: responseStore(database),
    batches: batchStore(database),
    vendorBatches: vendorBatchStore(database),
    vendorIds: vendorIdStore(database),
    cachedContents: cachedContentStore(database),
    streamLogs: streamLogStore(database),
    usageExports: usageExportStore(database),
    invariants: invariantStore(database),
    requests: requestLogStore(database),
    consoleSessions: consoleSessionStore(database),
    people: personStore(database),
    realtimeSecrets: realtimeSecretStore(database),
    vendorFiles: vendorFileStore(database),
    configEntries: configEntryStore(database),
    maintenanceJobs: maintenanceJobStore(database),
  };
}

interface Opened {
  readonly kind: DatabaseKind;
  readonly dialect: Dialect;
  readonly sqlite?: DatabaseSync;
  readonly pool?: Store['pool'];
  /** To be released after the last query. */
  readonly lock: SqliteLock;
  readonly patience?: PatientPool;
}

function isBeside({ beside = false, worker = false }: OpenOptions): boolean {
  return beside || worker;
}

const NO_LOCK: SqliteLock = { isHeldByOther: false, release: () => undefined };

export async function openUrl(url: string, options: OpenOptions = {}): Promise<Opened> {
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { dialect, pool, patience } = await openPostgres(url, options.poolSize ?? 10);
    const state = () => ({ size: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
    return { kind: 'postgres', dialect, pool: state, lock: NO_LOCK, patience };
  }
  if (url === 'sqlite::memory:') {
    const { dialect, database } = openSqlite(':memory:', options);
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
  refuseNetworkFileSystem(file);
  const lock = await (isBeside(options) ? tryLockSqlite(file, options.host) : lockSqlite(file, options.host));
  try {
    const { dialect, database } = openSqlite(file, { shared: options.beside !== true });
    return { kind: 'sqlite', dialect, sqlite: database, lock };
  } catch (error) {
    lock.release();
    throw unusableFile(error, file) ?? error;
  }
}
