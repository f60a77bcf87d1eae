import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

/** Where test processes and the server's supervisor find each other: a SQLite file, because its lock dies with whoever holds it. */
export interface Registry {
  /** Runs `work` while no other process does. */
  exclusively<T>(work: (database: DatabaseSync) => T): T;
  close(): void;
}

export interface ServerRow {
  readonly supervisor: number;
  readonly state: 'starting' | 'ready' | 'failed';
  readonly url: string;
  readonly message: string;
  /** Of the postgres process, once it runs. */
  readonly pid: number;
  readonly folder: string;
}

const START_TIMEOUT_MS = 90_000;
const LOOK_AGAIN_MS = 50;

export function openRegistry(folder: string): Registry {
  const database = new DatabaseSync(join(folder, 'registry.db'));
  database.exec('pragma busy_timeout = 30000');
  const exclusively = <T>(work: (database: DatabaseSync) => T): T => {
    database.exec('begin immediate');
    try {
      const result = work(database);
      database.exec('commit');
      return result;
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  };
  exclusively(() =>
    database.exec(`
      create table if not exists server (
        supervisor integer not null, state text not null, url text not null, message text not null, pid integer not null, folder text not null
      );
      create table if not exists users (pid integer primary key)`),
  );
  return { exclusively, close: () => database.close() };
}

export function readServer(database: DatabaseSync): ServerRow | undefined {
  return database.prepare('select * from server').get() as ServerRow | undefined;
}

/** Whether a process of that id runs, whoever owns it. In containers without an init, the dead stay in the list as zombies. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const status = `/proc/${pid}/stat`;
    return !existsSync(status) || !readFileSync(status, 'utf8').includes(') Z ');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The url of a server that runs anyway, if tests are to use one. */
export function givenPostgres(): string | undefined {
  const choice = process.env['TEST_POSTGRES'] ?? '';
  return /^postgres(ql)?:\/\//.test(choice) ? choice : undefined;
}

/** The url of a running server; this process counts as its user until it ends. */
export async function sharedPostgres(): Promise<string> {
  const given = givenPostgres();
  if (given !== undefined) return given;
  const choice = process.env['TEST_POSTGRES'] ?? '';
  const folder = privateFolder(choice);
  const registry = openRegistry(folder);
  try {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (let isFirst = true; ; isFirst = false) {
      // A failure that an earlier run has left behind is tried again; one that comes while we wait is told.
      const server = registry.exclusively((database) => signIn(database, folder, choice, isFirst));
      if (server.state === 'ready') return server.url;
      if (server.state === 'failed') throw new Error(`No PostgreSQL for the tests: ${server.message}`);
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start; see ${join(folder, 'supervisor.log')}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  } finally {
    registry.close();
  }
}

/** Signs this process in as a user; starts a supervisor when none lives. */
function signIn(database: DatabaseSync, folder: string, choice: string, retry: boolean): ServerRow {
  database.prepare('insert or ignore into users (pid) values (?)').run(process.pid);
  const server = readServer(database);
  if (server !== undefined && (server.state === 'failed' ? !retry : isAlive(server.supervisor))) return server;
  const left = server === undefined ? [] : [String(server.pid), server.folder];
  const supervisor = startSupervisor(folder, choice, left);
  database.exec('delete from server');
  const row: ServerRow = { supervisor, state: 'starting', url: '', message: '', pid: 0, folder: '' };
  database
    .prepare('insert into server (supervisor, state, url, message, pid, folder) values (?, ?, ?, ?, ?, ?)')
    .run(row.supervisor, row.state, row.url, row.message, row.pid, row.folder);
  return row;
}

function startSupervisor(folder: string, choice: string, left: readonly string[]): number {
  const program = join(dirname(fileURLToPath(import.meta.url)), 'postgres-supervisor.ts');
  const log = openSync(join(folder, 'supervisor.log'), 'w');
  const child = spawn(process.execPath, [program, folder, choice, ...left], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir() },
  });
  child.unref();
  if (child.pid === undefined) throw new Error('The supervisor of the test PostgreSQL could not be started.');
  return child.pid;
}

/** One per user, checkout and choice of server, readable by that user alone. */
function privateFolder(choice: string): string {
  const { uid } = userInfo();
  const checkout = createHash('sha256')
    .update(`${import.meta.url} ${choice}`)
    .digest('hex')
    .slice(0, 12);
  const folder = join(tmpdir(), `model-gateway-postgres-${uid}-${checkout}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).uid !== uid) throw new Error(`${folder} belongs to somebody else: remove it or set TMPDIR.`);
  return folder;
}
