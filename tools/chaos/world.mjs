/** One gateway by the users' command, with its database, its Redis and its vendors around it, each of which can be broken. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres, startRedis } from './servers.mjs';
import { startRelay } from './relay.mjs';
import { startFlags } from '../npm-start.mjs';
import { startTcpProxy } from './tcp-proxy.mjs';

const COMMAND = fileURLToPath(new URL('../../apps/gateway/bin/gateway.mjs', import.meta.url));
const TWIN = fileURLToPath(new URL('twin-process.mjs', import.meta.url));
const INSIDE = new URL('inside.mjs', import.meta.url).href;
/** On a machine that is busy with other things, too. */
const START_MS = 120_000;
const RESTART_MS = 200;
const LOOK_MS = 100;

export const KEY = 'sk-chaos-0123456789abcdef0123';
export const ADMIN_KEY = 'admin-chaos-0123456789abcdef';
/** What must stand nowhere: the vendors' credentials, the admin key, the client's key, the password of the database. */
const DATABASE_PASSWORD = 'chaos-password-of-the-database';

/** Starts everything. `options`: `database` ('sqlite' or 'postgres'), `redis`, `folder` for the SQLite file, `vendorHost`. */
export async function openWorld(options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-chaos-'));
  chmodSync(folder, 0o755);
  const closing = [() => rmSync(folder, { recursive: true, force: true })];
  const world = { folder, log: '', options };
  try {
    const twin = await startTwin();
    closing.push(() => twin.child.kill('SIGKILL'));
    world.twin = twin;
    world.relay = await startRelay(twin.url);
    closing.push(() => world.relay.close());
    if (options.database === 'postgres') {
      world.postgres = await startPostgres();
      closing.push(() => world.postgres.close());
      world.databaseProxy = await startTcpProxy(() => world.postgres.port());
      closing.push(() => world.databaseProxy.close());
    }
    if (options.redis === true) {
      world.redis = await startRedis();
      closing.push(() => world.redis.close());
    }
    const dataFolder =
      options.dataFolder === undefined ? join(folder, 'data') : await options.dataFolder(folder, closing);
    mkdirSync(dataFolder, { recursive: true });
    world.dataFolder = dataFolder;
    world.databaseFile = join(dataFolder, 'gateway.db');
    world.databaseUrl =
      options.database === 'postgres'
        ? `postgres://postgres:${DATABASE_PASSWORD}@127.0.0.1:${world.databaseProxy.port}/postgres`
        : `sqlite:${world.databaseFile}`;
    world.secrets = [
      ...Object.values(twin.credentials).flatMap((credentials) => Object.values(credentials)),
      ADMIN_KEY,
      KEY,
      DATABASE_PASSWORD,
    ].filter((text) => text.length >= 12 && !/^https?:/.test(text));
    const port = await freePort();
    world.url = `http://127.0.0.1:${port}`;
    world.control = join(folder, 'control.json');
    setControl(world, {});
    writeFileSync(join(folder, 'gateway.yaml'), configText(world, port));
    addGateway(world);
    closing.push(() => world.gateway.stop());
    await world.gateway.start();
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
  world.close = () => closeAll(closing);
  return world;
}

/** Tells the gateway's process of another clock or another name resolution; it is read within a quarter of a second. */
export function setControl(world, change) {
  writeFileSync(world.control, JSON.stringify({ clockMs: 0, dns: 'works', ...change }));
}

async function closeAll(closing) {
  for (const close of closing.toReversed()) await close();
}

/** The process, and a supervisor that starts it again as long as it is `kept`. */
function addGateway(world) {
  let child;
  let kept = false;
  let peak = 0;
  const exits = [];
  const sampler = setInterval(() => {
    try {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child?.pid}/status`, 'utf8'))?.[1];
      // A process that has just ended has no memory any more.
      if (kilobytes === undefined) return;
      world.gateway.rss = Number(kilobytes) / 1024;
      peak = Math.max(peak, world.gateway.rss);
    } catch {
      // Between two lives.
    }
  }, LOOK_MS);
  sampler.unref();

  const spawnOnce = () => {
    child = spawn(process.execPath, ['--no-warnings', ...startFlags(), '--import', INSIDE, COMMAND, 'serve'], {
      cwd: world.folder,
      env: {
        PATH: process.env.PATH,
        TMPDIR: world.folder,
        GATEWAY_CONFIG: join(world.folder, 'gateway.yaml'),
        GATEWAY_ADMIN_KEY: ADMIN_KEY,
        LOG_LEVEL: 'info',
        CHAOS_CONTROL: world.control,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (world.log += String(bytes)));
    child.once('exit', (code, signal) => {
      exits.push(code ?? signal);
      if (kept) setTimeout(() => kept && spawnOnce(), RESTART_MS).unref();
    });
  };
  world.gateway = {
    exits,
    rss: 0,
    peakMb: () => peak,
    /** Now; the heap is what the process itself has written down last. */
    memory() {
      try {
        return {
          rssMb: world.gateway.rss,
          heapMb: JSON.parse(readFileSync(`${world.control}.memory`, 'utf8')).heapUsed / 1_048_576,
        };
      } catch {
        return { rssMb: world.gateway.rss, heapMb: 0 };
      }
    },
    pid: () => child.pid,
    /** Resolves when it listens. */
    async start() {
      kept = true;
      spawnOnce();
      if (!(await isReady(world, START_MS))) throw new Error(`the gateway did not start:\n${world.log.slice(-2_000)}`);
    },
    /** Runs the command once without the supervisor; resolves with its exit code and what it said. */
    async startOnce(ms = START_MS) {
      const from = world.log.length;
      kept = false;
      spawnOnce();
      const mine = child;
      const timer = setTimeout(() => mine.kill('SIGKILL'), ms);
      const [code] = await once(mine, 'close');
      clearTimeout(timer);
      return { code, said: world.log.slice(from) };
    },
    signal: (signal) => child.kill(signal),
    unsupervised: () => (kept = false),
    async exited() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode ?? child.signalCode;
    },
    async stop() {
      kept = false;
      clearInterval(sampler);
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Whether `/readyz` says yes within `ms`. */
export async function isReady({ url }, ms) {
  const until = Date.now() + ms;
  while (Date.now() < until) {
    try {
      const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) });
      await reply.text();
      if (reply.status === 200) return true;
    } catch {
      // Not yet.
    }
    await sleep(LOOK_MS);
  }
  return false;
}

async function startTwin() {
  const child = fork(TWIN, { execArgv: ['--no-warnings'], env: { PATH: process.env.PATH } });
  const [hello] = await once(child, 'message');
  return {
    ...hello,
    child,
    async jobs() {
      child.send('jobs');
      const [{ jobs }] = await once(child, 'message');
      return jobs;
    },
  };
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function configText(world, port) {
  const { folder, databaseUrl, twin, relay, redis, options } = world;
  const throughRelay = (address) =>
    address.replace(new URL(twin.url).host, `${options.vendorHost ?? '127.0.0.1'}:${relay.port}`);
  const account = (id, vendor, more = {}) =>
    JSON.stringify({
      id,
      name: vendor,
      vendor,
      base_url: throughRelay(twin.baseUrls[vendor]),
      credentials: twin.credentials[vendor],
      timeout_seconds: { connect: 1, first_byte: 2, idle: 2 },
      ...more,
    });
  return `server: { port: ${port}, drain_seconds: 5, workers: ${options.workers ?? 1} }
database: { url: '${databaseUrl}' }
${redis === undefined ? '' : `redis: { url: 'redis://127.0.0.1:${redis.port}' }`}
tasks: { poll_seconds: 0.5 }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: chaos, key: ${KEY}, limits: { spend_per_month: 100000, requests_per_minute: 1000000 } }]
extends: none
accounts:
  - ${account(1, 'openai', { dialects: ['openai-chat'] })}
  - ${account(4, 'ark')}
  - ${account(6, 'tencent-vod')}
  - ${account(8, 'minimax')}
models:
  - { code: edit, kind: image-edit, offers: [{ account: openai, model: gpt-image-1.5 }], price: { image: 0.04 } }
  - { code: chat, kind: chat, offers: [{ account: openai, model: gpt-5.2 }], limits: { max_output_tokens: 4096 }, price: { input: 1, output: 2 } }
  - { code: doubao-seedance-2-0-fast, kind: video, body: content, usual_seconds: 1, limits: { durations: { min: 4, max: 15, default: 5 } }, offers: [{ account: ark, model: doubao-seedance-2-0-fast-260128 }], price: { output_tokens: 2 } }
  - { code: kling-v3-omni, kind: video, body: omni, usual_seconds: 1, limits: { omni: true, durations: { min: 3, max: 15, default: 5 } }, offers: [{ account: tencent-vod, model: Kling/3.0-Omni }], price: { second: 0.1 } }
  - { code: MiniMax-Hailuo-2.3, kind: video, body: prompt, usual_seconds: 1, limits: { durations: { values: [6, 10], default: 6 } }, offers: [{ account: minimax, model: MiniMax-Hailuo-2.3 }], price: { video: 0.28 } }
`;
}
