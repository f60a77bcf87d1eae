/** Copies of a SQLite database: made while a gateway works on it, and put in its place when none does. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { GatewayError } from '@model-gateway/contracts';
import { Kysely, sql } from 'kysely';
import { sqliteCode } from './database.ts';
import { migrations } from './migrations/index.ts';
import { sqlitePathOf } from './sqlite-path.ts';
import { lockSqlite } from './sqlite-lock.ts';
import { readerDialect } from './sqlite-reader.ts';
import { realSqlitePath } from './sqlite.ts';

export interface BackupReport {
  /** The whole name of the file. */
  readonly file: string;
  readonly bytes: number;
  /** Rows that tell an operator what is in it. */
  readonly owners: number;
  readonly tasks: number;
  readonly entries: number;
}

export interface RestoreReport extends BackupReport {
  /** Where the database that was there before lies now; absent when there was none. */
  readonly kept?: string;
}

/**
 * Writes a consistent copy of the database of a `sqlite:` url to a new file, readable by this user only, while a gateway works on it. Throws
 * GatewayError: `invalid_request` for another kind of url, a database that is not there or a file that is; `unavailable` when it is damaged.
 */
export function backupDatabase(url: string, file: string): BackupReport {
  const source = existingDatabase(url);
  const target = resolve(file);
  if (existsSync(target)) throw refused(`${target} already exists: choose another file name`, 'file');
  requireFolder(target);
  const partial = `${target}.part`;
  rmSync(partial, { force: true });
  // Made first, so that nobody else can read it for a moment.
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    copyByVacuum(source, partial);
    const report = inspect(partial);
    toDisk(partial);
    renameSync(partial, target);
    toDisk(dirname(target));
    return { ...report, file: target };
  } catch (error) {
    throw damaged(error, source) ?? error;
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * Puts a copy in the place of the database of a `sqlite:` url, and keeps the one that was there beside it. Throws GatewayError: `conflict`
 * while a gateway has the database or when the copy is of a newer version, `invalid_request` when it is no copy or is damaged; then nothing
 * has changed.
 */
export async function restoreDatabase(url: string, file: string, stamp: string): Promise<RestoreReport> {
  const target = realSqlitePath(sqlitePathOf(url));
  const source = resolve(file);
  if (!existsSync(source)) throw refused(`${source} is not there`, 'file');
  if (existsSync(target) && statSync(source).ino === statSync(target).ino)
    throw refused('that file is the database itself', 'file');
  const lock = await lockSqlite(target);
  const partial = `${target}.part`;
  try {
    rmSync(partial, { force: true });
    copyFileSync(source, partial);
    chmodSync(partial, 0o600);
    const report = inspect(partial);
    toDisk(partial);
    const kept = existsSync(target) ? setAside(target, stamp) : undefined;
    renameSync(partial, target);
    toDisk(dirname(target));
    return { ...report, file: target, ...(kept !== undefined && { kept }) };
  } catch (error) {
    throw damaged(error, source) ?? error;
  } finally {
    for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(`${partial}${rest}`, { force: true });
    lock.release();
  }
}

export interface BackupWatch {
  /** The number of the job that copies: it tells the copy from others. */
  readonly name: string;
  /** Ends it: it rejects then, with the signal's reason, and leaves no file. */
  readonly signal: AbortSignal;
  /** Told how much of it is done, in pages: each is copied, and then checked. */
  readonly tell: (done: number, total: number) => void;
}

/** The number of a job, and what SQLite keeps beside a database. */
const OWN_NAME = /^\d+(?:-(?:journal|wal|shm))?$/;
/** Pages that are copied at a time, each time for some milliseconds in a thread. */
const PAGES_AT_ONCE = 500;

/**
 * As `backupDatabase`, in the process of the gateway that works on the database: a part at a time, so that nobody waits for it. The copy lies
 * beside the database until `removeCopy`; what an earlier one left there is removed. Throws `unavailable` where the disk has no room for it and
 * for another copy.
 */
export async function backupBeside(url: string, { name, signal, tell }: BackupWatch): Promise<BackupReport> {
  const source = existingDatabase(url);
  const mark = `${basename(source)}.backup-job-`;
  // Nothing else is removed: people keep copies of their own there.
  for (const left of readdirSync(dirname(source)))
    if (left.startsWith(mark) && OWN_NAME.test(left.slice(mark.length))) await removeCopy(join(dirname(source), left));
  requireRoom(source);
  const target = join(dirname(source), `${mark}${name}`);
  closeSync(openSync(target, 'wx', 0o600));
  const database = new DatabaseSync(source, { readOnly: true });
  try {
    // One snapshot: a transaction that reads sees nothing of what is written meanwhile, so the copy is not begun again.
    database.exec('pragma busy_timeout = 10000; begin');
    const pages = Number(database.prepare('pragma page_count').get()?.['page_count']);
    database.prepare('select count(*) from sqlite_master').get();
    await backup(database, target, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => {
        signal.throwIfAborted();
        tell(totalPages - remainingPages, 2 * totalPages);
      },
    });
    database.exec('rollback');
    const report = await checkInThread(target, pages, { signal, tell });
    signal.throwIfAborted();
    return report;
  } catch (error) {
    await removeCopy(target);
    signal.throwIfAborted();
    throw damaged(error, source) ?? error;
  } finally {
    database.close();
  }
}

/** Removes a copy, and what a SQLite that was cut off leaves beside it: in a thread, for the disk takes its time with a large file. */
export async function removeCopy(file: string): Promise<void> {
  for (const rest of ['', '-wal', '-shm', '-journal']) await rm(`${file}${rest}`, { force: true });
}

/** A copy that fills the disk would stop the gateway: there must be room for two, and for a tenth of the database more. */
function requireRoom(source: string): void {
  const { bavail, bsize } = statfsSync(dirname(source));
  const { size } = statSync(source);
  const needed = Math.ceil(2.1 * size);
  if (bavail * bsize >= needed) return;
  throw new GatewayError(
    'unavailable',
    `a backup of ${size} bytes needs ${needed} bytes of room on the disk of the database, and there are ${bavail * bsize}`,
  );
}

/** As `inspect`, of a copy that was just made; table by table, in a thread. */
async function checkInThread(
  file: string,
  pages: number,
  { signal, tell }: Pick<BackupWatch, 'signal' | 'tell'>,
): Promise<BackupReport> {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = delete');
  database.close();
  const copy = new Kysely<Record<string, never>>({ dialect: readerDialect(file) });
  const stop = (): void => void copy.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const number = async (text: string): Promise<number> =>
    Number((await sql.raw<{ count: number }>(text).execute(copy)).rows[0]?.count);
  try {
    const { rows: tables } = await sql
      .raw<{ name: string }>(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
      .execute(copy);
    for (const [at, { name }] of tables.entries()) {
      const check = `pragma integrity_check("${name.replaceAll('"', '""')}")`;
      const { rows } = await sql.raw<{ integrity_check: string }>(check).execute(copy);
      signal.throwIfAborted();
      if (rows[0]?.integrity_check !== 'ok') throw damagedCopy(file);
      tell(pages + Math.floor((pages * (at + 1)) / tables.length), 2 * pages);
    }
    return {
      file,
      bytes: statSync(file).size,
      owners: await number('select count(*) as count from owners'),
      tasks: await number('select count(*) as count from tasks'),
      entries: await number('select count(*) as count from ledger_entries'),
    };
  } finally {
    signal.removeEventListener('abort', stop);
    await copy.destroy();
  }
}

function existingDatabase(url: string): string {
  const path = resolve(sqlitePathOf(url));
  if (!existsSync(path)) throw refused(`there is no database at ${path}`, 'database.url');
  return path;
}

/** One snapshot, whatever is written meanwhile; a page that cannot be read fails it. */
function copyByVacuum(source: string, target: string): void {
  const database = new DatabaseSync(source, { readOnly: true });
  try {
    database.exec('pragma busy_timeout = 10000');
    database.prepare('vacuum into ?').run(target);
  } finally {
    database.close();
  }
}

/** Whether every page and index is whole, and every migration known. Answers what is in it. */
function inspect(file: string): BackupReport {
  const database = new DatabaseSync(file);
  try {
    // A copy is one file: what has to be read beside it is not there any more.
    database.exec('pragma journal_mode = delete');
    const [first] = database.prepare('pragma integrity_check(1)').all();
    if (first?.['integrity_check'] !== 'ok') throw damagedCopy(file);
    const applied = appliedMigrations(database);
    if (applied === undefined)
      throw refused(`${basename(file)} is a SQLite database, but not one of the gateway`, 'file');
    const known = migrations('sqlite');
    const unknown = applied.find((name) => known[name] === undefined);
    if (unknown !== undefined)
      throw new GatewayError(
        'conflict',
        `The copy was made by a newer version of the gateway (it has the migration ${unknown}): restore it with that version, or one after it.`,
        { param: 'file' },
      );
    const count = (table: string): number =>
      Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count']);
    return {
      file,
      bytes: statSync(file).size,
      owners: count('owners'),
      tasks: count('tasks'),
      entries: count('ledger_entries'),
    };
  } finally {
    database.close();
  }
}

function appliedMigrations(database: DatabaseSync): string[] | undefined {
  const table = database.prepare(`select 1 as found from sqlite_master where name = 'kysely_migration'`).get();
  if (table === undefined) return undefined;
  return database
    .prepare('select name from kysely_migration')
    .all()
    .map((row) => String(row['name']));
}

/** With its journals: what is in them belongs to it. */
function setAside(target: string, stamp: string): string {
  const kept = `${target}.before-restore-${stamp}`;
  for (const part of ['-wal', '-shm', ''])
    if (existsSync(`${target}${part}`)) renameSync(`${target}${part}`, `${kept}${part}`);
  return kept;
}

function toDisk(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

function requireFolder(file: string): void {
  if (!existsSync(dirname(file))) throw refused(`the folder ${dirname(file)} is not there`, 'file');
}

function refused(message: string, param: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}

function damagedCopy(file: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_request', `${basename(file)} is damaged, or is not a SQLite database`, {
    param: 'file',
    cause,
  });
}

function damaged(error: unknown, file: string): GatewayError | undefined {
  const code = sqliteCode(error) & 0xff;
  return code === 11 || code === 26 ? damagedCopy(file, error) : undefined;
}
