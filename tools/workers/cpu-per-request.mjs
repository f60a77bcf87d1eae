/**
 * Does a chat cost more CPU with two workers than with one? For machines whose cores are shared with the load: throughput says nothing there, the
 * CPU of all the gateway's processes for each request does.
 *
 *   npx node tools/workers/cpu-per-request.mjs [rounds] [chats] [connections]
 *
 * One after the other in turns, against the bench's own vendor, as `npm start` runs it: limits that are counted, ledger, log.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, openSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startUpstream } from '../bench/upstream.mjs';

const MAIN = fileURLToPath(new URL('../../apps/gateway/src/main.ts', import.meta.url));
const KEY = 'sk-bench-0123456789abcdef0123456789';
const TICK_MICROS = 10_000;
const [, , rounds = '3', chats = '5000', connections = '32'] = process.argv;
const BODY = JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content: 'Hello, how are you?' }] });

const upstream = await startUpstream();
const upstreamPort = upstream.port ?? upstream.address().port;
const gateways = [];
for (const workers of [1, 2]) gateways.push(await start(workers));
// Until the code is compiled: each worker has its own.
for (const gateway of gateways) await load(gateway, Number(chats) * gateway.workers);
console.log('round  workers  chats/s  CPU µs a chat  (of them the primary)');
const all = new Map(gateways.map(({ workers }) => [workers, []]));
for (let round = 1; round <= Number(rounds); round++) {
  for (const gateway of gateways) {
    const before = cpu(gateway.child.pid);
    const begun = performance.now();
    const done = await load(gateway, Number(chats));
    const seconds = (performance.now() - begun) / 1000;
    const after = cpu(gateway.child.pid);
    const each = (after.all - before.all) / done;
    all.get(gateway.workers).push(each);
    const primary = gateway.workers === 1 ? '' : ((after.own - before.own) / done).toFixed(1);
    console.log(
      `${round}      ${gateway.workers}        ${(done / seconds).toFixed(0).padStart(6)}  ${each.toFixed(0).padStart(12)}  ${primary}`,
    );
  }
}
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
console.log(`two workers / one: ${(median(all.get(2)) / median(all.get(1))).toFixed(2)}`);
for (const { child, folder } of gateways) {
  child.kill('SIGTERM');
  await once(child, 'exit');
  rmSync(folder, { recursive: true });
}
process.exit(0);

async function start(workers) {
  const folder = mkdtempSync(join(tmpdir(), 'workers-cpu-'));
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0, drain_seconds: 1 }
database: { url: "sqlite:${folder}/gateway.db" }
twin: { enabled: false }
files: { folder: "${folder}/files" }
keys: [{ name: bench, key: ${KEY}, limits: { requests_per_minute: 100000000, tokens_per_minute: 1000000000000, spend_total: 1000000 } }]
extends: none
accounts: [{ id: 1, name: same, vendor: openai, base_url: "http://127.0.0.1:${upstreamPort}/v1", credentials: { api_key: upstream-key-0123456789 }, max_concurrency: 4096 }]
models: [{ code: bench-model, kind: chat, limits: { max_output_tokens: 1000, max_input_tokens: 100000 }, offers: [{ account: same, model: bench-model, dialect: openai-chat }], price: { input: 1, output: 2 } }]
`,
  );
  const log = join(folder, 'log');
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, ['--no-warnings', MAIN, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, GATEWAY_CONFIG: join(folder, 'gateway.yaml'), GATEWAY_WORKERS: String(workers) },
    stdio: ['ignore', output, output],
  });
  for (;;) {
    const port = /listens on \S+:(\d+)/.exec(readFileSync(log, 'utf8'))?.[1];
    if (port !== undefined) {
      // The others come after the first.
      await sleep(4_000);
      return { workers, child, folder, port: Number(port) };
    }
    if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
    await sleep(50);
  }
}

async function load({ port }, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
  let begun = 0;
  const loop = async () => {
    while (begun++ < count) {
      const asking = request({
        port,
        agent,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-length': BODY.length },
      });
      asking.end(BODY);
      const [reply] = await once(asking, 'response');
      reply.resume();
      await once(reply, 'end');
      if (reply.statusCode !== 200) throw new Error(`status ${reply.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: Number(connections) }, loop));
  agent.destroy();
  return count;
}

function cpu(pid) {
  const of = (each) => {
    const stat = readFileSync(`/proc/${each}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
  };
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  const own = of(pid);
  return { own, all: children.reduce((sum, child) => sum + of(child), own) };
}
