// npm run bench: the gateway against the floor (floor.mjs) in one run, in interleaved rounds, each alone on the first core; load and
// upstream on the second. Prints ratios. `--quick` for shorter rounds, `--only=chat,stream,crossing,latency,memory` to choose.
import '../needs-node-24.mjs';
import { fork, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStreams, percentile, requestBytes, runLoad } from './load.mjs';
import { startUpstream } from './upstream.mjs';

const quick = process.argv.includes('--quick');
const only = process.argv
  .find((word) => word.startsWith('--only='))
  ?.slice(7)
  .split(',');
const wanted = (name) => only === undefined || only.includes(name);
const ROUNDS = quick ? 3 : 5;
const SECONDS = quick ? 2 : 4;
/** Before the first round: code that has run a few thousand times only is not yet the code that runs all day. */
const WARM_SECONDS = quick ? 6 : 12;
const KEY = 'sk-bench-0123456789abcdef0123456789';
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
const pin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
if (pin) spawnSync('taskset', ['-pc', '1', String(process.pid)]);
const upstream = await startUpstream();
writeFileSync(
  join(folder, 'gateway.yaml'),
  `server: { port: 0 }
database: { url: "sqlite:${folder}/bench.db" }
twin: { enabled: false }
files: { folder: "${folder}/files" }
keys: [{ name: bench, key: ${KEY}, limits: { requests_per_minute: 100000000, spend_total: 1000000 } }]
accounts:
  - { id: 1, name: up, vendor: openai, base_url: "http://127.0.0.1:${upstream.port}/v1", credentials: { api_key: upstream-key-0123456789 }, max_concurrency: 4096 }
models:
  - { code: bench-model, kind: chat, limits: { max_output_tokens: 1000 }, offers: [{ account: up, model: bench-model, dialect: openai-chat }], price: { input: 1, output: 2 } }
`,
);

async function start(name, file, args, { env = {}, out = 'ignore' } = {}) {
  const child = fork(here(file), args, {
    env: { ...process.env, ...env },
    execArgv: [
      '--no-warnings',
      ...(process.env.BENCH_PROFILE ? ['--cpu-prof', '--cpu-prof-dir=' + process.env.BENCH_PROFILE] : []),
    ],
    stdio: ['ignore', out, 'inherit', 'ipc'],
  });
  const { port } = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error(`${name} did not start`)));
  });
  if (pin) spawnSync('taskset', ['-apc', '0', String(child.pid)]);
  const usage = () =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send('usage');
    });
  return { name, port, usage, stop: () => child.kill(process.env.BENCH_PROFILE ? 'SIGINT' : 'SIGKILL') };
}

const floor = await start('floor', './floor.mjs', [`http://127.0.0.1:${upstream.port}`]);
const gateway = await start('gateway', './target.mjs', [], {
  env: { GATEWAY_CONFIG: join(folder, 'gateway.yaml') },
  out: openSync(join(folder, 'log'), 'w'),
});
const targets = [floor, gateway];

const prompt = 'A paper boat drifts under a bridge at dawn, and the gulls wake one by one. '.repeat(24);
const body = (extra) => ({
  model: 'bench-model',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: prompt },
  ],
  ...extra,
});
const bytesFor = (target, extra) =>
  target.bytes?.(extra) ?? requestBytes(target.port, '/v1/chat/completions', KEY, body(extra));
/** The same question in Anthropic's words: the gateway translates both ways. */
const crossing = {
  ...gateway,
  name: 'crossing',
  bytes: (extra) =>
    requestBytes(gateway.port, '/v1/messages', KEY, {
      model: 'bench-model',
      max_tokens: 1000,
      system: 'Be brief.',
      messages: [{ role: 'user', content: prompt }],
      ...extra,
    }),
};

async function measure(target, options, extra) {
  const before = await target.usage();
  const report = await runLoad({ port: target.port, bytes: bytesFor(target, extra), ...options });
  const after = await target.usage();
  const cpu = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system;
  return {
    ...report,
    cpuPerRequest: cpu / report.requests,
    cpuPerChunk: cpu / Math.max(1, report.chunks),
    perSecond: report.requests / report.seconds,
    chunksPerSecond: report.chunks / report.seconds,
  };
}

/** Rounds of all targets in turn; the median of each number. */
async function rounds(options, extra, read, over = targets) {
  const seen = new Map(over.map((target) => [target.name, []]));
  for (const target of over)
    await runLoad({
      port: target.port,
      bytes: bytesFor(target, extra),
      connections: options.connections,
      seconds: WARM_SECONDS,
    });
  for (let round = 0; round < ROUNDS; round++) {
    for (const target of round % 2 === 0 ? over : [...over].reverse()) {
      const report = await measure(target, options, extra);
      if (report.badStatus > 0) throw new Error(`${target.name} answered ${report.badStatus} requests with an error`);
      seen.get(target.name).push(read(report));
    }
  }
  return new Map(
    [...seen].map(([name, list]) => [
      name,
      Object.fromEntries(
        Object.keys(list[0]).map((key) => [
          key,
          percentile(
            list.map((each) => each[key]),
            0.5,
          ),
        ]),
      ),
    ]),
  );
}

const rows = [];
const say = (what, floorValue, gatewayValue, ratio, budget) => {
  rows.push([what, floorValue, gatewayValue, ratio, budget]);
  console.log(
    [what.padEnd(34), floorValue.padStart(14), gatewayValue.padStart(14), ratio.padStart(9), budget].join('  '),
  );
};
console.log(
  `floor = node:http + undici; ${ROUNDS} interleaved rounds of ${SECONDS} s; ${pin ? 'each target alone on core 0' : 'not pinned to cores'}\n`,
);
console.log(
  ['', 'floor', 'gateway', 'ratio', 'budget']
    .map((word, index) =>
      index === 0 ? word.padEnd(34) : index < 3 ? word.padStart(14) : index === 3 ? word.padStart(9) : word,
    )
    .join('  '),
);

try {
  if (wanted('chat')) {
    const result = await rounds({ connections: 64, seconds: SECONDS }, {}, ({ perSecond, cpuPerRequest }) => ({
      perSecond,
      cpuPerRequest,
    }));
    const [f, g] = [result.get('floor'), result.get('gateway')];
    say(
      'chat, requests/s',
      f.perSecond.toFixed(0),
      g.perSecond.toFixed(0),
      (g.perSecond / f.perSecond).toFixed(2),
      '>= 0.50',
    );
    say(
      'chat, CPU µs/request',
      f.cpuPerRequest.toFixed(0),
      g.cpuPerRequest.toFixed(0),
      (g.cpuPerRequest / f.cpuPerRequest).toFixed(2),
      '<= 2.0',
    );
  }
  if (wanted('stream')) {
    const result = await rounds(
      { connections: 32, seconds: SECONDS },
      { stream: true, stream_options: { include_usage: true } },
      ({ chunksPerSecond, cpuPerChunk, firstBytes }) => ({
        chunksPerSecond,
        cpuPerChunk,
        first: percentile(firstBytes, 0.5),
      }),
    );
    const [f, g] = [result.get('floor'), result.get('gateway')];
    say(
      'stream, chunks/s',
      f.chunksPerSecond.toFixed(0),
      g.chunksPerSecond.toFixed(0),
      (g.chunksPerSecond / f.chunksPerSecond).toFixed(2),
      '>= 0.85',
    );
    say(
      'stream, CPU µs/chunk',
      f.cpuPerChunk.toFixed(1),
      g.cpuPerChunk.toFixed(1),
      (g.cpuPerChunk / f.cpuPerChunk).toFixed(2),
      '',
    );
  }
  if (wanted('crossing')) {
    // Here the first column is the gateway in the same dialect.
    const over = [gateway, crossing];
    const whole = await rounds(
      { connections: 64, seconds: SECONDS },
      {},
      ({ cpuPerRequest }) => ({ cpuPerRequest }),
      over,
    );
    const [same, crossed] = [whole.get('gateway').cpuPerRequest, whole.get('crossing').cpuPerRequest];
    say(
      'crossing, CPU µs/request (to same)',
      same.toFixed(0),
      crossed.toFixed(0),
      (crossed / same).toFixed(2),
      '<= 1.5',
    );
    const pieces = await rounds(
      { connections: 32, seconds: SECONDS },
      { stream: true },
      ({ cpuPerChunk }) => ({ cpuPerChunk }),
      over,
    );
    const [samePiece, crossedPiece] = [pieces.get('gateway').cpuPerChunk, pieces.get('crossing').cpuPerChunk];
    say(
      'crossing, CPU µs/chunk (added)',
      samePiece.toFixed(1),
      crossedPiece.toFixed(1),
      (crossedPiece - samePiece).toFixed(1),
      '<= 15 added',
    );
  }
  if (wanted('latency')) {
    const result = await rounds({ connections: 32, seconds: SECONDS, rate: 300 }, {}, ({ latencies }) => ({
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    }));
    const [f, g] = [result.get('floor'), result.get('gateway')];
    say(
      '300/s, p50 ms (added over floor)',
      f.p50.toFixed(2),
      g.p50.toFixed(2),
      (g.p50 - f.p50).toFixed(2),
      '<= 0.6 over direct',
    );
    say(
      '300/s, p99 ms (added over floor)',
      f.p99.toFixed(2),
      g.p99.toFixed(2),
      (g.p99 - f.p99).toFixed(2),
      '<= 3 over direct',
    );
  }
  if (wanted('memory')) {
    const requests = quick ? 10_000 : 50_000;
    await runLoad({ port: gateway.port, bytes: bytesFor(gateway, {}), connections: 64, seconds: 120, requests });
    await runLoad({ port: floor.port, bytes: bytesFor(floor, {}), connections: 64, seconds: 120, requests });
    const [f, g] = [await floor.usage(), await gateway.usage()];
    const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(0);
    say(`resident MB after ${requests} requests`, megabytes(f.rss), megabytes(g.rss), '', '<= 220');
    const count = quick ? 200 : 1000;
    const perStream = [];
    for (const target of targets) {
      const before = await target.usage();
      const close = await openStreams({
        port: target.port,
        bytes: bytesFor(target, { stream: true, user: 'hold' }),
        count,
      });
      const after = await target.usage();
      perStream.push((after.rss - before.rss) / count / 1024);
      close();
    }
    say('KB per idle open stream', perStream[0].toFixed(0), perStream[1].toFixed(0), '', '<= 60');
  }
} finally {
  for (const target of targets) target.stop();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
