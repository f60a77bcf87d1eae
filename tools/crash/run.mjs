/** A run: lives and deaths of the gateway's replicas under its clients, then the comparison of the books. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig, startServer } from '../../apps/gateway/src/index.ts';
import { openTestDatabase } from '../../libs/testing/src/database.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';
import { pino } from 'pino';
import { createSeededRandom } from '../seeded-random.mjs';
import { auditRun } from './audit.mjs';
import { createClients } from './clients.mjs';
import { createProcessPool } from './process-pool.mjs';
import { startReceiver } from './receiver.mjs';

const STEPS = [
  'queue.picked',
  'submit.intent',
  'submit.marked',
  'submit.asking',
  'submit.asked',
  'submit.ticket',
  'poll.claimed',
  'poll.answered',
  'settle.ending',
  'settle.ended',
  'cancel.marked',
  'cancel.asked',
  'webhook.sent',
];
/** Lives between two deaths at every step that end at no step at all. */
const AT_RANDOM = 3;
const KEY = 'sk-crash-0123456789abcdef0123';
const ADMIN_KEY = 'admin-crash-0123456789abcdef';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** A process that does not get to its step is killed anyway. */
const LONGEST_LIFE_MS = 8_000;
/** Past every lease and grace: what dead processes held has fallen due. */
const LATER_MS = 30 * 60_000;
const MINUTE_MS = 60_000;
const POLL_SECONDS = 0.5;

/** Resolves with the deaths by step, the table of the books and the broken promises. `say` hears of progress. */
export async function runCrash(options) {
  const {
    kills,
    minutes,
    replicas,
    database: kind,
    surface,
    clients: count,
    seed,
    maxJobs,
    say = () => undefined,
  } = options;
  const random = createSeededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-crash-'));
  const database = await openTestDatabase(kind);
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const twin = await startVendorTwin({ media: 'tiny', seconds: { video: 2 }, clock });
  const receiver = await startReceiver({ secret: SECRET, random });
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, configText({ folder, databaseUrl: database.url, twin, maxJobs }));
  const env = { GATEWAY_CONFIG: file, LOG_LEVEL: 'fatal', GATEWAY_ADMIN_KEY: ADMIN_KEY };
  const settings = await prepare(env, database.url, folder);
  const processPool = await createProcessPool({
    surface,
    ahead: replicas + 1,
    cwd: folder,
    env,
    cacheFolder: join(folder, 'cache'),
    most: kills + replicas,
  });
  const places = Array.from({ length: replicas }, () => ({ url: undefined, child: undefined }));
  const urls = () => places.flatMap(({ url }) => url ?? []);
  const clients = createClients({ key: KEY, adminKey: ADMIN_KEY, count, random, urls, receiver });

  const deaths = Object.fromEntries([...STEPS, 'at random'].map((step) => [step, { kills: 0 }]));
  const draw = deck(random);
  const began = Date.now();
  let killed = 0;
  /** One replica's lives and deaths. */
  const dieAgainAndAgain = async (place) => {
    while (killed < kills && Date.now() - began < minutes * MINUTE_MS) {
      const step = draw();
      const child = await processPool.next();
      place.child = child;
      const gone = once(child, 'exit').finally(() => (place.url = undefined));
      const born = once(child, 'message').then(
        ([{ url }]) => (place.url = child.signalCode === null ? url : undefined),
      );
      born.catch(() => undefined);
      // What is due at the start is polled at once: later polls leave clients the time to begin something.
      const most = step?.startsWith('submit.') === true ? 3 : 6;
      const crashAt = step === undefined ? undefined : `${step}:${1 + Math.floor(random() * most)}`;
      child.send({ crashAt, engine: settings });
      const timer = new AbortController();
      const after = (ms) => sleep(ms, false, { signal: timer.signal }).catch(() => true);
      const ages = [after(LONGEST_LIFE_MS)];
      if (step === undefined) ages.push(born.then(() => after(random() * 600)));
      const natural = await Promise.race([gone.then(() => true), ...ages]);
      timer.abort();
      child.kill('SIGKILL');
      const [code, signal] = await gone;
      if (signal !== 'SIGKILL') throw new Error(`the gateway ended by itself with ${code ?? signal}`);
      killed += 1;
      deaths[natural && step !== undefined ? step : 'at random'].kills += 1;
      if (killed % 100 === 0) say(`${killed} kills, ${clients.acknowledged.size} tasks acknowledged`);
    }
  };

  try {
    clients.start();
    await Promise.all(places.map(dieAgainAndAgain));
    processPool.close();
    const seconds = (Date.now() - began) / 1000;
    await clients.stop();
    ahead = LATER_MS;
    receiver.calm();
    const server = await startServer({ config: readConfig(env), now: clock, log: pino({ level: 'silent' }) });
    try {
      say('the last process runs; every intent is asked once more');
      await clients.resolveAll(server.url);
      say('the books are compared');
      const passTime = () => (ahead += MINUTE_MS);
      const { rows, faults } = await auditRun({ server, twin, clients, receiver, passTime });
      return { killed, seconds, deaths, rows: Object.fromEntries(rows), faults };
    } finally {
      await server.close();
    }
  } finally {
    processPool.close();
    for (const { child } of places) child?.kill('SIGKILL');
    receiver.close();
    await twin.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lets a whole gateway make tables and keys; what it read of its configuration is what the engine alone is given. */
async function prepare(env, databaseUrl, folder) {
  const server = await startServer({ config: readConfig(env), now: () => Date.now(), log: pino({ level: 'silent' }) });
  const catalogue = server.catalogue();
  await server.close();
  return { databaseUrl, filesFolder: join(folder, 'files'), catalogue, pollSeconds: POLL_SECONDS, adminKey: ADMIN_KEY };
}

/** Every step once, in an order of its own each time, and a few deaths at no step. */
function deck(random) {
  let cards = [];
  return () => {
    if (cards.length === 0) {
      cards = [...STEPS, ...Array.from({ length: AT_RANDOM }, () => undefined)];
      for (let last = cards.length - 1; last > 0; last--) {
        const other = Math.floor(random() * (last + 1));
        [cards[last], cards[other]] = [cards[other], cards[last]];
      }
    }
    return cards.pop();
  };
}

function configText({ folder, databaseUrl, twin, maxJobs }) {
  const account = (id, vendor) =>
    JSON.stringify({
      id,
      name: vendor,
      vendor,
      base_url: twin.baseUrl(vendor),
      credentials: twin.credentials(vendor),
      max_jobs: maxJobs,
    });
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
tasks: { poll_seconds: ${POLL_SECONDS} }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: crash, key: ${KEY}, webhook_secret: ${SECRET} }]
extends: none
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
