/**
 * A program: `postgres-supervisor.ts FOLDER CHOICE [LEFT_PID LEFT_FOLDER]`. Starts one PostgreSQL for tests, says in the registry where it is,
 * and stops it when none of the registered test processes lives any more. It outlives a killed test run only by seconds.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { findPostgres, makeDataFolder, type PostgresPrograms, serverUser } from './postgres-programs.ts';
import { isAlive, openRegistry, readServer } from './postgres-registry.ts';

/** Between two test processes of one run the server stays. */
const LINGER_MS = 3000;
const LOOK_AGAIN_MS = 250;
const START_MS = 30_000;
const STOP_MS = 5000;

const [folder = '', choice = '', leftPid, leftFolder] = process.argv.slice(2);
const registry = openRegistry(folder);

async function keep(): Promise<void> {
  const user = serverUser();
  const data = makeDataFolder(user);
  try {
    const server = await start(findPostgres(choice, user, data), user, join(data, 'data'));
    try {
      report("state = 'ready', url = ?", `postgres://postgres@127.0.0.1:${server.port}/postgres`);
      report('folder = ?', data);
      report('pid = ?', server.child.pid ?? 0);
      await lastUserGone(server.child);
    } finally {
      await stop(server.child);
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

function report(change: string, value: string | number): void {
  registry.exclusively((database) =>
    database.prepare(`update server set ${change} where supervisor = ?`).run(value, process.pid),
  );
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(programs: PostgresPrograms, user: ReturnType<typeof serverUser>, data: string): Promise<Server> {
  const who = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const options = { ...who, cwd: '/', env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' } };
  const made = spawnSync(
    programs.initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...options, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  // The port is free when asked for, and rarely taken before PostgreSQL binds it: then another is tried.
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const child = spawn(programs.postgres, ['-D', data, '-p', String(port), ...SETTINGS], {
      ...options,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    if (await isReady(child)) return { child, port };
    await stop(child);
    if (attempt === 5) throw new Error('postgres does not start; its words are in supervisor.log.');
  }
}

/** Safe to lose, quick to use, reachable from this machine only. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=64MB',
  'log_min_messages=log',
  'log_line_prefix=',
].flatMap((setting) => ['-c', setting]);

async function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), START_MS);
    const done = (ready: boolean): void => {
      clearTimeout(timer);
      resolve(ready);
    };
    child.once('error', () => done(false));
    child.once('exit', () => done(false));
    child.stderr?.on('data', (bytes: Buffer) => {
      const text = bytes.toString();
      process.stderr.write(text);
      if (text.includes('ready to accept connections')) done(true);
    });
  });
}

/** Resolves when no user has lived for a while (the registry then knows of no server any more), or the server died by itself. */
async function lastUserGone(child: ChildProcess): Promise<void> {
  let lonelySince: number | undefined;
  let asked = false;
  process.once('SIGTERM', () => (asked = true));
  while (child.exitCode === null && child.signalCode === null) {
    const users = registry.exclusively((database) => {
      const pids = database.prepare('select pid from users').all() as { pid: number }[];
      const living = pids.filter(({ pid }) => isAlive(pid));
      for (const { pid } of pids) {
        if (!isAlive(pid)) database.prepare('delete from users where pid = ?').run(pid);
      }
      if (living.length > 0) lonelySince = undefined;
      else lonelySince ??= Date.now();
      const leaving = asked || (lonelySince !== undefined && Date.now() - lonelySince >= LINGER_MS);
      if (leaving || readServer(database)?.supervisor !== process.pid) {
        database.prepare('delete from server where supervisor = ?').run(process.pid);
        return 0;
      }
      return 1;
    });
    if (users === 0) return;
    await pause(LOOK_AGAIN_MS);
  }
  registry.exclusively((database) => database.prepare('delete from server where supervisor = ?').run(process.pid));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  // SIGINT: PostgreSQL's fast shutdown; SIGQUIT: at once.
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGQUIT'), STOP_MS);
  await gone;
  clearTimeout(timer);
}

/** A supervisor that was killed has left its server behind: stopped only if the pid is still that server's. */
async function removeLeftOver(pid: number, data: string): Promise<void> {
  const file = join(data, 'data', 'postmaster.pid');
  if (pid > 0 && existsSync(file) && readFileSync(file, 'utf8').split('\n')[0] === String(pid) && isAlive(pid)) {
    process.kill(pid, 'SIGQUIT');
    for (let waited = 0; isAlive(pid) && waited < STOP_MS; waited += LOOK_AGAIN_MS) await pause(LOOK_AGAIN_MS);
  }
  if (data !== '') rmSync(data, { recursive: true, force: true });
}

async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

try {
  if (leftPid !== undefined && leftFolder !== undefined) await removeLeftOver(Number(leftPid), leftFolder);
  await keep();
} catch (error) {
  console.error(error);
  report("state = 'failed', message = ?", error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  registry.close();
}
