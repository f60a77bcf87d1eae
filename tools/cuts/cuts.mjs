/**
 * Cuts streams at random bytes, by the client and by the vendor, through a running gateway process; then holds the gateway's bills against
 * the vendor twin's own books, and looks at memory and at the event loop while hundreds of clients hang up at once.
 *
 *   node_modules/.bin/node tools/cuts/cuts.mjs [--streams 2000] [--mass 400] [--width 24] [--seed 1] [--loop-ms 20]
 *
 * A stream whose vendor reported its usage must be billed exactly that. One that was cut before is billed by a marked local estimate: no
 * less than its client heard, no more than the whole answer. Prints figures; exit code 1 when a promise was broken.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { verifyAll } from '../../apps/gateway/src/resources/ledger/bills.ts';
import { openStore } from '../../libs/store/src/index.ts';
import { startGatewayProcess } from '../../libs/testing/src/gateway-process.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';
import { createSeededRandom } from '../seeded-random.mjs';
import { auditStreams } from './audit.mjs';
import { FORMATS } from './formats.mjs';
import { openStream, runStreams } from './streams.mjs';
import { readArguments } from '../read-arguments.mjs';

const WATCH = fileURLToPath(new URL('watch.mjs', import.meta.url));
const KEY = 'sk-cuts-0123456789abcdef0123';
const VENDORS = [
  { format: 'openai-chat', vendor: 'openai', model: 'gpt-5.2' },
  { format: 'openai-responses', vendor: 'openai', model: 'gpt-5.2' },
  { format: 'anthropic-messages', vendor: 'anthropic', model: 'claude-sonnet-4-5-20250929' },
  { format: 'gemini-generate', vendor: 'gemini', model: 'gemini-2.0-flash' },
];
const MODES = ['drain', 'abort'];
/** About what one token of an answer takes in a stream's events, for where to cut. */
const BYTES_PER_TOKEN = {
  'openai-chat': 190,
  'openai-responses': 200,
  'anthropic-messages': 110,
  'gemini-generate': 120,
};
const MASS_LONG = 600;
const MASS_PAUSE_MS = 20;
const MASS_WINDOW_MS = 5_000;
/** Resident memory is let settle first; then the first and the last fifth of what remains are compared. */
const WARM_SHARE = 0.3;
const MOST_GROWTH_MB = { resident: 32, heap: 8 };

const values = readArguments(import.meta.url, {
  streams: { type: 'string', default: '2000' },
  mass: { type: 'string', default: '400' },
  width: { type: 'string', default: '24' },
  seed: { type: 'string', default: '1' },
  'loop-ms': { type: 'string', default: '20' },
});
const [streams, mass, width] = [Number(values.streams), Number(values.mass), Number(values.width)];
const random = createSeededRandom(Number(values.seed));
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-cuts-'));
const database = `sqlite:${folder}/gateway.db`;
const twin = await startVendorTwin({ media: 'tiny' });
const slowTwin = await startVendorTwin({ media: 'tiny', chunkDelayMs: MASS_PAUSE_MS });
writeFileSync(join(folder, 'gateway.yaml'), configText());

const faults = [];
let gateway;
try {
  gateway = await startGatewayProcess({
    folder,
    logLevel: 'fatal',
    nodeFlags: ['--expose-gc', '--import', WATCH],
  });
  const began = Date.now();
  const memory = [];
  const sampling = setInterval(() => memory.push(residentMb()), 100);
  const heaps = [];
  const loads = [];
  const plans = Array.from({ length: streams }, (_, number) => planOf(number));
  const step = Math.max(1, Math.floor(streams / 20));
  await ask('reset');
  const told = await runStreams({ url: gateway.url, key: KEY }, plans, width, async (done) => {
    if (done % step === 0) {
      const { heapMb, ...times } = await ask('collect');
      heaps.push(heapMb);
      loads.push(times);
    }
  });
  loads.push(await ask('read'));
  const seconds = (Date.now() - began) / 1000;
  clearInterval(sampling);
  const massTold = await massDisconnect();
  // The drained ones of the last hang-up read on until their vendors have finished.
  await settled();
  const peakMb = statusMb('VmHWM');
  gateway.child.kill('SIGTERM');
  await once(gateway.child, 'exit');
  await report({ told, massTold, loads, memory, heaps, seconds, peakMb });
} finally {
  await gateway?.kill();
  await twin.close();
  await slowTwin.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults.slice(0, 40)) console.error(`BROKEN: ${fault}`);
console.log(faults.length === 0 ? 'every promise was kept' : `${faults.length} promises were broken`);
process.exit(faults.length === 0 ? 0 : 1);

/** Six of ten are cut by the client, one by the vendor, three are left whole. */
function planOf(number) {
  const { format } = VENDORS[Math.floor(random() * VENDORS.length)];
  const mode = MODES[Math.floor(random() * MODES.length)];
  const crosses = random() < 0.4;
  const callers = Object.keys(FORMATS);
  const caller = crosses ? callers[Math.floor(random() * callers.length)] : format;
  const long = 20 + Math.floor(random() * 600);
  const kind = random();
  return {
    number,
    vendorFormat: format,
    mode,
    caller,
    long,
    model: `${format}-${mode}`,
    ...(kind < 0.6 && { cutAt: Math.floor(random() * long * BYTES_PER_TOKEN[caller]) }),
    ...(kind >= 0.6 && kind < 0.7 && { vendorCut: Math.floor(random() * 40) }),
  };
}

/** Opens many slow streams, hangs up on all of them in one breath, and looks how long the gateway's event loop was held up. */
async function massDisconnect() {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const open = Array.from({ length: mass }, (_, index) => {
    const mode = MODES[index % MODES.length];
    const plan = {
      number: streams + index,
      vendorFormat: 'openai-chat',
      caller: 'openai-chat',
      mode,
      long: MASS_LONG,
      model: `mass-${mode}`,
    };
    return { plan, ...openStream({ url: gateway.url, key: KEY, agent }, plan) };
  });
  await Promise.all(open.map(({ heard }) => heard));
  await ask('reset');
  await sleep(MASS_WINDOW_MS);
  const before = await ask('reset');
  await sleep(50);
  for (const { cut } of open) cut();
  await sleep(MASS_WINDOW_MS);
  const after = await ask('read');
  console.log(`\n${mass} open streams, then all clients hang up at once; the gateway's event loop was held up, ms:`);
  console.table({
    'streaming before, on the clock': rounded(before.wall),
    'streaming before, by its own work': rounded(before.own),
    'from the hang-up on, on the clock': rounded(after.wall),
    'from the hang-up on, by its own work': rounded(after.own),
  });
  const limit = Number(values['loop-ms']);
  if (after.own.p99 >= limit)
    faults.push(
      `a mass disconnect held the event loop up for ${after.own.p99.toFixed(1)} ms (p99); ${limit} is the limit`,
    );
  return Promise.all(open.map(async ({ plan, ended }) => ({ plan, ...(await ended) })));
}

async function report({ told, massTold, loads, memory, heaps, seconds, peakMb }) {
  const store = await openStore(database);
  const entries = [];
  for (let after = 0; ; after = entries.at(-1).id) {
    const page = await store.ledger.entries({ kind: 'capture', after, limit: 1_000 });
    entries.push(...page);
    if (page.length < 1_000) break;
  }
  const differences = await verifyAll(store.ledger);
  await store.close();
  const all = [...told, ...massTold];
  const {
    rows,
    marked,
    free,
    refused,
    faults: found,
  } = auditStreams({
    told: all,
    entries,
    answers: [...twin.ledger.answers(), ...slowTwin.ledger.answers()],
  });
  faults.push(...found, ...differences.map(({ message }) => `ledger verify: ${message}`));

  const cutByClient = all.filter(
    ({ status, whole, plan }) => status < 400 && !whole && plan.vendorCut === undefined,
  ).length;
  const cutByVendor = all.filter(({ status, plan }) => status < 400 && plan.vendorCut !== undefined).length;
  console.log(
    `\n${streams} streams in ${seconds.toFixed(0)} s and ${mass} at once: ${cutByClient} cut by the client, ${cutByVendor} by the vendor, ${all.length - cutByClient - cutByVendor} whole or refused; ${entries.length} charges`,
  );
  console.log('\nbilled by what the vendor reported, against the vendor’s own books (tokens):');
  const total = [...rows.values()].reduce(
    (sum, each) => Object.fromEntries(Object.entries(each).map(([name, value]) => [name, value + (sum[name] ?? 0)])),
    {},
  );
  console.table(Object.fromEntries([...[...rows].sort(([a], [b]) => (a < b ? -1 : 1)), ['all', total]]));
  console.log('cut before the vendor could report: a local estimate, marked as one (tokens):');
  console.table({ estimated: whole(marked) });
  console.log('cut or broken before anything was said: costs nothing:');
  console.table({
    free: whole(free),
    'refused before anything was asked of the vendor, or when it broke off at once': refused,
  });
  console.log(`ledger verify: ${differences.length === 0 ? 'no differences' : `${differences.length} differences`}`);

  const warm = memory.slice(Math.floor(memory.length * WARM_SHARE));
  const resident = growth(warm);
  const heap = growth(heaps.slice(Math.floor(heaps.length * WARM_SHARE)));
  console.log(
    '\nmemory of the gateway, MB (fifths of the time after the first 30 %), and event loop while streams were cut, ms:',
  );
  console.table({ resident: rounded(resident), 'heap after collection': rounded(heap) });
  console.table({
    'event loop, on the clock': rounded(overall(loads, 'wall')),
    'event loop, by its own work': rounded(overall(loads, 'own')),
  });
  console.log(`resident peak of the whole run: ${peakMb.toFixed(0)} MB`);
  if (resident.growth > MOST_GROWTH_MB.resident)
    faults.push(`resident memory grew by ${resident.growth.toFixed(0)} MB`);
  if (heap.growth > MOST_GROWTH_MB.heap) faults.push(`the heap grew by ${heap.growth.toFixed(1)} MB`);
}

/** The middle p50 and p99, and the worst of all, of windows that no look at the heap is part of. */
function overall(windows, name) {
  const middle = (of) => windows.map((each) => each[name][of]).sort((a, b) => a - b)[windows.length >> 1] ?? 0;
  return { p50: middle('p50'), p99: middle('p99'), max: Math.max(...windows.map((each) => each[name].max)) };
}

/** Middle of the first and of the last fifth. */
function growth(samples) {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const middle = (part) => [...part].sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
  const [first, last] = [middle(samples.slice(0, fifth)), middle(samples.slice(-fifth))];
  return { first, last, growth: last - first, max: Math.max(0, ...samples) };
}

/** No charge has come for a while, and no account is busy. */
async function settled() {
  const store = await openStore(database, { beside: true });
  let seen = -1;
  for (let quiet = 0; quiet < 4;) {
    await sleep(500);
    const [last] = await store.ledger.entries({ kind: 'capture', order: 'newest', limit: 1 });
    quiet = last?.id === seen && slowTwinIsDone() ? quiet + 1 : 0;
    seen = last?.id ?? -1;
  }
  await store.close();
}

function slowTwinIsDone() {
  return slowTwin.ledger.answers().length >= mass;
}

function ask(what) {
  const answer = once(gateway.child, 'message');
  gateway.child.send(what);
  return answer.then(([told]) => told);
}

function statusMb(name) {
  const text = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
}
function residentMb() {
  return statusMb('VmRSS');
}

function configText() {
  const accounts = [];
  const models = [];
  const add = (code, account, { vendor, model, format }, from, mode) => {
    accounts.push(
      `  - { id: ${accounts.length + 1}, name: ${account}, vendor: ${vendor}, base_url: '${from.baseUrl(vendor)}', credentials: { api_key: '${from.credentials(vendor).api_key}' }, on_disconnect: ${mode}, max_concurrency: 5000 }`,
    );
    models.push(
      `  - { code: ${code}, kind: chat, limits: { max_output_tokens: 8192 }, offers: [{ account: ${account}, model: ${model}, dialect: ${format} }], price: { input: 1, output: 10 } }`,
    );
  };
  for (const mode of MODES) {
    for (const each of VENDORS) add(`${each.format}-${mode}`, `${each.format}-${mode}`, each, twin, mode);
    add(`mass-${mode}`, `mass-${mode}`, VENDORS[0], slowTwin, mode);
  }
  return `server: { port: 0, drain_seconds: 30 }
database: { url: '${database}' }
twin: { enabled: false }
files: { folder: '${folder}/files' }
keys: [{ name: cuts, key: ${KEY} }]
extends: none
accounts:
${accounts.join('\n')}
models:
${models.join('\n')}
`;
}

function rounded(row) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Math.round(value * 10) / 10]));
}
function whole(row) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Math.round(value)]));
}
