/**
 * Kills the gateway with SIGKILL, at labelled steps and at random moments, while clients create, repeat and cancel tasks; then looks whether
 * anything was lost, started twice or paid twice. The vendor twin lives in this process and keeps the vendors' own books.
 *
 *   node_modules/.bin/node tools/crash/crash.mjs --kills 100 --database sqlite|postgres --replicas 1|2 [--clients 4] [--seed 1]
 *
 * Prints a table; exit code 1 when a promise was broken.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig, startServer } from '../../apps/gateway/src/index.ts';
import { openTestDatabase } from '../../libs/testing/src/database.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';
import { pino } from 'pino';
import { checkBooks } from './books.mjs';
import { createClients } from './clients.mjs';

const MAIN = fileURLToPath(new URL('../../apps/gateway/src/main.ts', import.meta.url));
const STEPS = [
  'submit.intent',
  'submit.marked',
  'submit.asking',
  'submit.asked',
  'submit.ticket',
  'poll.claimed',
  'poll.answered',
  'settle.ending',
  'settle.ended',
];
const KEY = 'sk-crash-0123456789abcdef0123';
/** A process that does not get to its step is killed anyway. */
const LONGEST_LIFE_MS = 2_500;
/** Past every lease and grace: what dead processes held has fallen due. */
const LATER_MS = 30 * 60_000;

const MINUTE_MS = 60_000;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    database: { type: 'string', default: 'sqlite' },
    replicas: { type: 'string', default: '1' },
    clients: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
  },
});
const kills = whole('kills');
const replicas = whole('replicas');
const dice = random(whole('seed'));
if (values.database !== 'sqlite' && values.database !== 'postgres') fail('--database is sqlite or postgres');
if (replicas > 1 && values.database === 'sqlite') fail('SQLite has one process: use --database postgres');

const folder = mkdtempSync(join(tmpdir(), 'model-gateway-crash-'));
const database = await openTestDatabase(values.database);
let ahead = 0;
const clock = () => Date.now() + ahead;
const twin = await startVendorTwin({ media: 'tiny', seconds: { video: 1 }, clock });
const file = join(folder, 'gateway.yaml');
writeFileSync(file, configText());

const places = Array.from({ length: replicas }, () => ({ url: undefined, child: undefined }));
const clients = createClients({
  key: KEY,
  count: whole('clients'),
  dice,
  urls: () => places.flatMap(({ url }) => url ?? []),
});
const killedAt = new Map();
let killed = 0;
let broken = ['the run did not come to its end'];
try {
  const began = Date.now();
  clients.start();
  await Promise.all(places.map(dieAgainAndAgain));
  await clients.stop();
  ahead = LATER_MS;
  const server = await startServer({
    config: readConfig({ GATEWAY_CONFIG: file }),
    now: clock,
    log: pino({ level: 'silent' }),
  });
  places[0].url = server.url;
  await clients.resolveAll(server.url);
  const { rows, faults } = await checkBooks({ server, twin, clients, passTime: () => (ahead += MINUTE_MS) });
  broken = faults;
  await server.close();
  console.log(
    `\n${killed} kills in ${((Date.now() - began) / 1000).toFixed(0)} s, ${values.database}, ${replicas} replica(s)`,
  );
  console.table(Object.fromEntries([...killedAt].sort()));
  console.table(Object.fromEntries(rows));
} finally {
  for (const { child } of places) child?.kill('SIGKILL');
  await twin.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of broken.slice(0, 50)) console.error(`BROKEN: ${fault}`);
console.log(broken.length === 0 ? 'every promise was kept' : `${broken.length} promises were broken`);
process.exit(broken.length === 0 ? 0 : 1);

/** One replica's lives and deaths. */
async function dieAgainAndAgain(place) {
  while (killed < kills) {
    const step = dice() < 0.7 ? STEPS[Math.floor(dice() * STEPS.length)] : undefined;
    const child = spawn(process.execPath, ['--no-warnings', MAIN, 'serve'], {
      cwd: folder,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        GATEWAY_CONFIG: file,
        LOG_LEVEL: 'fatal',
        ...(step !== undefined && { GATEWAY_CRASH_AT: `${step}:${1 + Math.floor(dice() * 4)}` }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    place.child = child;
    const gone = once(child, 'exit');
    void listening(child).then(
      (url) => (place.url = child.exitCode === null && child.signalCode === null ? url : undefined),
    );
    // A crash at a step may come before the first line: both count as a life.
    await Promise.race([gone, untilListening(place)]);
    const natural = await Promise.race([
      gone.then(() => true),
      sleep(step === undefined ? 50 + dice() * LONGEST_LIFE_MS : LONGEST_LIFE_MS * 2),
    ]);
    child.kill('SIGKILL');
    const [code, signal] = await gone;
    place.url = undefined;
    if (signal !== 'SIGKILL') throw new Error(`the gateway ended by itself with ${code ?? signal}`);
    killed += 1;
    const label = natural === true && step !== undefined ? step : 'at random';
    killedAt.set(label, { kills: (killedAt.get(label)?.kills ?? 0) + 1 });
  }
}

async function listening(child) {
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    const url = /listens on (\S+)/.exec(said)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}

async function untilListening(place) {
  while (place.url === undefined) await sleep(20);
}

function configText() {
  const account = (id, vendor) =>
    JSON.stringify({ id, name: vendor, vendor, base_url: twin.baseUrl(vendor), credentials: twin.credentials(vendor) });
  return `server: { port: 0 }
database: { url: '${database.url}' }
tasks: { poll_seconds: 0.5 }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: crash, key: ${KEY} }]
accounts:
  - ${account(4, 'ark')}
  - ${account(6, 'tencent-vod')}
  - ${account(8, 'minimax')}
models:
  - { code: doubao-seedance-2-0-fast, kind: video, body: content, usual_seconds: 1, limits: { durations: { min: 4, max: 15, default: 5 } }, offers: [{ account: ark, model: doubao-seedance-2-0-fast-260128 }], price: { output_tokens: 2 } }
  - { code: kling-v3-omni, kind: video, body: omni, usual_seconds: 1, limits: { omni: true, durations: { min: 3, max: 15, default: 5 } }, offers: [{ account: tencent-vod, model: Kling/3.0-Omni }], price: { second: 0.1 } }
  - { code: MiniMax-Hailuo-2.3, kind: video, body: prompt, usual_seconds: 1, limits: { durations: { values: [6, 10], default: 6 } }, offers: [{ account: minimax, model: MiniMax-Hailuo-2.3 }], price: { video: 0.28 } }
`;
}

function whole(name) {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 1) fail(`--${name} is a whole number from 1`);
  return number;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

/** Mulberry32: the same seed gives the same order of steps. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
