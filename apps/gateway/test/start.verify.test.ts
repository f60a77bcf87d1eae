/** How a gateway starts and ends, as people run it: in a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_PROGRAM } from '@model-gateway/testing';

const FAILING_STARTS = fileURLToPath(new URL('failing-starts.ts', import.meta.url));

/** Where Node keeps what it has compiled; nothing else of this process' settings. */
const CACHE =
  process.env['NODE_COMPILE_CACHE'] === undefined ? {} : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

/** Every part of a start, in its order. */
const PARTS = ['storage', 'twin', 'upstreams', 'access', 'money', 'tasks', 'idempotency', 'streams', 'listeners'];

let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-start-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly out: () => string;
  /** When it has ended by itself, or by a signal of the test. */
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly error: string }>;
}

/** Runs a program in the test's folder. */
function start(program: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(process.execPath, ['--no-warnings', ...program], {
    cwd: folder,
    env: { ...CACHE, PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, out, error }));
  return { child, out: () => out, ended };
}
const serve = (env: Readonly<Record<string, string>> = {}): Started => start([GATEWAY_PROGRAM, 'serve'], env);

async function listeningAt(started: Started): Promise<{ readonly url: string; readonly key: string }> {
  const isGone = started.ended.then(({ out, error }) => Promise.reject(new Error(`it ended:\n${out}\n${error}`)));
  isGone.catch(() => undefined);
  for (;;) {
    const [, url] = /listens on (\S+)/.exec(started.out()) ?? [];
    const [key] = /sk-test-\S+/.exec(started.out()) ?? [];
    if (url !== undefined && key !== undefined) return { url, key };
    const { stdout } = started.child;
    if (stdout === null) throw new Error('it has no output');
    await Promise.race([once(stdout, 'data'), isGone]);
  }
}
/** Below the ports that the system hands out by itself: the next one is not some other program's connection a moment later. */
async function occupied(): Promise<{ readonly server: Server; readonly port: number }> {
  for (;;) {
    const [server, port] = [createServer(), randomInt(20_000, 30_000)];
    const isOurs = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isOurs) return { server, port };
  }
}

/** Both ways to start: as one process, and with a worker for each core. */
const WAYS = availableParallelism() > 1 ? ['1', '2'] : ['1'];

describe.each(WAYS)('a start that fails says in one sentence what is wrong (workers: %s)', (workers) => {
  const serve = (env: Readonly<Record<string, string>> = {}): Started =>
    start([GATEWAY_PROGRAM, 'serve'], { GATEWAY_WORKERS: workers, ...env });

  it('a port in use: with the command that works', async () => {
    const { server, port } = await occupied();
    const { code, error } = await serve({ PORT: String(port) }).ended;
    expect(error).toMatch(new RegExp(`^port ${port} is in use; PORT=\\d+ npm start\n$`));
    expect(code).toBe(69);
    // Nothing was made that the next start would find.
    expect(readdirSync(folder)).toEqual([]);
    const advised = Number(/PORT=(\d+)/.exec(error)?.[1]);
    expect(advised).toBeGreaterThan(port);
    const second = serve({ PORT: String(advised) });
    expect((await listeningAt(second)).url).toBe(`http://127.0.0.1:${advised}`);
    server.close();
  });

  it('the admin port in use', async () => {
    const { server, port } = await occupied();
    writeFileSync(join(folder, 'gateway.yaml'), `server: { admin_port: ${port} }\n`);
    const { code, error } = await serve({ GATEWAY_CONFIG: 'gateway.yaml' }).ended;
    expect([code, error]).toEqual([69, `port ${port} is in use; set server.admin_port to another port\n`]);
    expect(readdirSync(folder)).toEqual(['gateway.yaml']);
    server.close();
  });

  it.each([
    {
      name: 'a database that is not there',
      env: { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/gone' },
      ends: 69,
      says: /^PostgreSQL cannot be used \(ECONNREFUSED\): [^\n]+\n$/,
    },
    {
      name: 'a Redis that is not there',
      env: { REDIS_URL: 'redis://:secret@127.0.0.1:1' },
      ends: 69,
      says: /^Redis cannot be used \(ECONNREFUSED\): [^\n]+\n$/,
    },
    {
      name: 'a database in a folder that cannot be made',
      env: { DATABASE_URL: 'sqlite:./a-file/gateway.db' },
      ends: 78,
      says: /^the folder \S+\/a-file cannot be written \(\w+\); set database\.url to a folder that can be written\n$/,
    },
    {
      name: 'files in a folder that cannot be made',
      env: { GATEWAY_CONFIG: 'gateway.yaml' },
      ends: 78,
      says: /^the folder \S+\/a-file\/files cannot be written \(ENOTDIR\); set files\.folder to a folder that can be written\n$/,
    },
  ])('$name', async ({ env, says, ends }) => {
    writeFileSync(join(folder, 'a-file'), '');
    writeFileSync(join(folder, 'gateway.yaml'), 'files: { folder: ./a-file/files }\n');
    const { code, error } = await serve(env).ended;
    expect(error).toMatch(says);
    expect(error).not.toContain('secret');
    expect(code).toBe(ends);
    expect(readdirSync(folder)).toEqual(['a-file', 'gateway.yaml']);
  });

  it('a database that a newer version has made', async () => {
    const database = new DatabaseSync(join(folder, 'newer.db'));
    database.exec(
      `create table kysely_migration (name text primary key, timestamp text not null);
       create table kysely_migration_lock (id text primary key, is_locked integer not null default 0);
       insert into kysely_migration_lock values ('migration_lock', 0);
       insert into kysely_migration values ('9999-from-the-future', '2030-01-01')`,
    );
    database.close();
    const { code, out, error } = await serve({ DATABASE_URL: 'sqlite:./newer.db' }).ended;
    expect([code, error]).toEqual([
      78,
      'The database was made by a newer version of the gateway (it has the migration 9999-from-the-future): start that version, or one after it.\n',
    ]);
    expect(out).toBe('');
  });

  it('a SQLite file that another gateway has', async () => {
    const first = serve();
    await listeningAt(first);
    const { code, error } = await serve().ended;
    expect(error).toMatch(
      new RegExp(
        `^The SQLite database gateway.db is in use by another gateway process \\(pid ${first.child.pid}\\)\\. [^\n]+\n$`,
      ),
    );
    expect(code).toBe(69);
  });
});

describe('a number of workers that cannot be', () => {
  const more = availableParallelism() + 1;
  it.each([
    {
      name: 'more than the cores, in the file',
      file: `server:\n  workers: ${more}\n`,
      env: { GATEWAY_CONFIG: 'gateway.yaml' },
      says: new RegExp(
        `server\\.workers: ${more} is more than the .*cores? of this machine: take .*, or auto \\(.*gateway\\.yaml:2:3\\)`,
      ),
    },
    {
      name: 'more than the cores, in the environment',
      file: '',
      env: { GATEWAY_WORKERS: String(more) },
      says: new RegExp(`GATEWAY_WORKERS: ${more} is more than`),
    },
    {
      name: 'no number',
      file: 'server: { workers: many }\n',
      env: { GATEWAY_CONFIG: 'gateway.yaml' },
      says: /server\.workers: expected a number of processes from 1 to the machine's cores, or auto/,
    },
    {
      name: 'none',
      file: '',
      env: { GATEWAY_WORKERS: '0' },
      says: /GATEWAY_WORKERS: expected a number/,
    },
  ])('$name', async ({ file, env, says }) => {
    writeFileSync(join(folder, 'gateway.yaml'), file);
    const { code, out, error } = await serve(env).ended;
    expect(error).toMatch(says);
    expect([code, out]).toEqual([78, '']);
  });
});

describe('a start that fails', () => {
  it('a fault after any part leaves nothing open: the process ends by itself', async () => {
    const env = { DATABASE_URL: 'sqlite:./faults/gateway.db', GATEWAY_CONFIG: '' };
    const { code, out, error } = await start([FAILING_STARTS, ...PARTS], env).ended;
    expect([code, error]).toEqual([0, '']);
    const starts = out
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { part: string; outcome: string; seen: string[]; before: string[]; open: string[] },
      );
    expect(starts.map(({ part }) => part)).toEqual(PARTS);
    for (const [index, { part, outcome, seen, before, open }] of starts.entries()) {
      expect([part, outcome, seen]).toEqual([part, `no ${part}`, PARTS.slice(0, index + 1)]);
      expect([part, open]).toEqual([part, before]);
    }
  });
});

describe('a start that works', () => {
  it('answers from the first connection on: nobody is accepted and left waiting', async () => {
    const { server, port } = await occupied();
    await new Promise((resolve) => server.close(resolve));
    const started = serve({ PORT: String(port) });
    let status: number | undefined;
    while (status === undefined) {
      // A connection that is refused is tried again; one that is accepted must be answered.
      status = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(60_000) }).then(
        ({ status: got }) => got,
        (error: unknown) => {
          if (error instanceof DOMException) throw error;
          return undefined;
        },
      );
    }
    expect(status).toBe(200);
    await listeningAt(started);
  });

  it('keeps its folders and files to its user', async () => {
    const started = serve();
    await listeningAt(started);
    const modeOf = (name: string): number => statSync(join(folder, name)).mode & 0o777;
    expect(['data', 'data/files', 'data/twin'].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect(modeOf('data/gateway.db')).toBe(0o600);
  });

  it('loses no line of its log at SIGTERM, and ends with code 0', async () => {
    const started = serve();
    const { url, key } = await listeningAt(started);
    const COUNT = 300;
    for (let round = 0; round < COUNT / 10; round++) {
      const headers = { authorization: `Bearer ${key}` };
      const replies = await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/v1/models`, { headers })));
      expect(await Promise.all(replies.map(async (reply) => (await reply.arrayBuffer(), reply.status)))).toEqual(
        Array<number>(10).fill(200),
      );
    }
    started.child.kill('SIGTERM');
    const { code, out } = await started.ended;
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => line.includes('"msg":"request"'))).toHaveLength(COUNT);
    expect(out).toContain('"msg":"shutting down: finishing running requests"');
  });

  it('goes on when nobody reads its log', async () => {
    const started = serve();
    const { url, key } = await listeningAt(started);
    started.child.stdout?.pause();
    const headers = { authorization: `Bearer ${key}` };
    // 300 bytes a line: more than a pipe takes.
    for (let round = 0; round < 40; round++) {
      const replies = await Promise.all(Array.from({ length: 25 }, () => fetch(`${url}/v1/models`, { headers })));
      for (const reply of replies) await reply.arrayBuffer();
    }
    started.child.stdout?.resume();
    started.child.kill('SIGTERM');
    const { code, out } = await started.ended;
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => line.includes('"msg":"request"'))).toHaveLength(1000);
  });
});
