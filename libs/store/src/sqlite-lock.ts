/**
 * Who has a SQLite file. Processes of one machine are kept apart by a lock of the kernel; where several machines write to one file system the lock
 * may end at each of them, so the holder also writes every other second, into a file beside it, that it is still there.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/contracts';
import { sqliteCode } from './database.ts';
import { closeToOthers } from './sqlite.ts';

const BEAT_MS = 2_000;
/** Of who has not written for so long nobody is left. */
const SILENT_MS = 3 * BEAT_MS;
const LOOK_MS = 500;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** The machine that a process runs on. */
export interface SqliteHost {
  readonly name: string;
  /** Another one after each start of the machine, the same in all of its containers; empty where there is no such thing. */
  readonly boot: string;
  readonly pause: (ms: number) => Promise<void>;
}

export interface SqliteLock {
  readonly isHeldByOther: boolean;
  /** May be called more than once. */
  readonly release: () => void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly boot: string;
}

/**
 * Keeps every other process out of a database file until `release`; the kernel lets go when the holder dies, however it dies. Throws GatewayError
 * `conflict` naming the holder, which may be on another machine. A lock by pid alone would lie in containers, where every process is 1.
 */
export async function lockSqlite(path: string, host: SqliteHost = hostHere()): Promise<SqliteLock> {
  const { lock, busy } = takeLock(path);
  if (lock === undefined) throw busy;
  return hold(lock, path, host);
}

/** The same, but says that another process of this machine has it instead of throwing. */
export async function tryLockSqlite(path: string, host: SqliteHost = hostHere()): Promise<SqliteLock> {
  const { lock } = takeLock(path);
  if (lock !== undefined) return hold(lock, path, host);
  await requireSilence(path, host);
  return { isHeldByOther: true, release: () => undefined };
}

type Taken =
  | { readonly lock: DatabaseSync; readonly busy?: never }
  | { readonly lock?: never; readonly busy: GatewayError };

/** The kernel's lock, as a transaction that has begun. */
function takeLock(path: string): Taken {
  const lock = new DatabaseSync(`${path}-lock`);
  closeToOthers(`${path}-lock`);
  try {
    lock.exec('pragma journal_mode = delete; pragma busy_timeout = 0; begin immediate');
    return { lock };
  } catch (error) {
    const holder = holderIn(lock);
    lock.close();
    if (!isBusy(error)) throw error;
    return { busy: inUse(path, holder, error) };
  }
}

async function hold(lock: DatabaseSync, path: string, host: SqliteHost): Promise<SqliteLock> {
  try {
    await requireSilence(path, host);
    const own: Holder = { pid: process.pid, host: host.name, boot: host.boot };
    lock.exec('drop table if exists holder; create table holder (pid integer not null, host text not null)');
    lock.prepare('insert into holder (pid, host) values (?, ?)').run(BigInt(own.pid), own.host);
    lock.exec('commit');
    // The pid is readable by others from here on; the lock itself is this second, never ending transaction.
    lock.exec('begin immediate');
    const stop = keepBeating(path, own);
    return {
      isHeldByOther: false,
      release: () => {
        if (!lock.isOpen) return;
        stop();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

function inUse(path: string, holder: Pick<Holder, 'pid' | 'host'> | undefined, cause?: unknown): GatewayError {
  const where = holder === undefined || holder.host === hostname() ? '' : ` on ${holder.host}`;
  const who = holder === undefined ? '' : ` (pid ${holder.pid}${where})`;
  return new GatewayError(
    'conflict',
    `The SQLite database ${basename(path)} is in use by another gateway process${who}. One process at a time can have it: stop the other one, or use PostgreSQL for several.`,
    { cause },
  );
}

function holderIn(lock: DatabaseSync): Pick<Holder, 'pid' | 'host'> | undefined {
  try {
    const { pid, host } = lock.prepare('select * from holder').get() ?? {};
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until a holder on another machine has been silent for long enough, where one has not said goodbye. Throws `conflict` when it is not. */
async function requireSilence(path: string, host: SqliteHost): Promise<void> {
  const first = readBeat(path);
  const holder = holderOf(first);
  if (holder === undefined || isSameMachine(holder, host)) return;
  for (let waited = 0; waited < SILENT_MS; waited += LOOK_MS) {
    await host.pause(LOOK_MS);
    const current = readBeat(path);
    if (current === undefined) return;
    if (current !== first) throw inUse(path, holderOf(current) ?? holder);
  }
}

/** Their kernel is the same one, and its lock is all that is needed. */
function isSameMachine(holder: Holder, host: SqliteHost): boolean {
  return holder.boot === host.boot && (host.boot !== '' || holder.host === host.name);
}

/** Says every other second that the holder is there, until the function that is given back is called. It keeps no process alive. */
function keepBeating(path: string, own: Holder): () => void {
  const file = beatFile(path);
  let beat = 0;
  const write = (): void => {
    try {
      writeFileSync(file, JSON.stringify({ ...own, beat: ++beat }), { mode: 0o600 });
    } catch {
      // A disk that is full for a moment: what is in the file stays, and it is only looked at from elsewhere.
    }
  };
  write();
  const timer = setInterval(write, BEAT_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    rmSync(file, { force: true });
  };
}

function readBeat(path: string): string | undefined {
  try {
    return readFileSync(beatFile(path), 'utf8');
  } catch {
    return undefined;
  }
}

function holderOf(beat: string | undefined): Holder | undefined {
  try {
    const { pid, host, boot } = JSON.parse(beat ?? '') as Partial<Record<keyof Holder, unknown>>;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof boot !== 'string') return undefined;
    return { pid, host, boot };
  } catch {
    // Half written, by a holder that is there or has died of it: there was one, of whom nothing is known.
    return beat === undefined || beat === '' ? undefined : { pid: 0, host: '', boot: 'unknown' };
  }
}

function beatFile(path: string): string {
  return `${path}-holder`;
}

function hostHere(): SqliteHost {
  let boot = '';
  try {
    boot = readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    // Elsewhere than on Linux.
  }
  return { name: hostname(), boot, pause: (ms) => sleep(ms) };
}

/** SQLITE_BUSY and SQLITE_LOCKED, extended codes included. */
function isBusy(error: unknown): boolean {
  const code = sqliteCode(error) & 0xff;
  return code === 5 || code === 6;
}
