/** Racers keep long streams open while the gateway's processes are killed again and again; then the books are compared. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestDatabase } from '../../../libs/testing/src/database.ts';
import { createSeededRandom } from '../../seeded-random.mjs';
import { createProcessPool } from '../target.mjs';
import {
  configText,
  createPayer,
  DOLLAR,
  enrol,
  MOST_OUTPUT,
  OVERDRAFT,
  readBooks,
  settleTheDead,
  WORST_CASE,
} from './payers.mjs';

const KILLS = 20;
const SHORT_ROUNDS = 2;
/** A process lives until it has found what the dead left and some streams have begun, and a little on: streams are in their middle. */
const LIFE_MS = { least: 1_300, more: 1_500 };
const BEGUN = 16;
const LONGEST_WAIT_MS = 6_000;
const BETWEEN_MS = 300;
const REFUSED_PAUSE_MS = 100;
const ADMIN_KEY = 'admin-attack-0123456789abcdef';

/** `replicas` processes over one database, 20 kills; resolves with the numbers in words and what broke the law. */
export async function killWhileStreaming({ database: kind, replicas, short, say }) {
  const random = createSeededRandom(7);
  const kills = short ? SHORT_ROUNDS * replicas : KILLS;
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openTestDatabase(kind);
  const payers = [
    await createPayer({ name: 'poor', cap: 1, racers: short ? 32 : 64 }),
    await createPayer({ name: 'rich', cap: 30, racers: short ? 16 : 64 }),
  ];
  await enrol(database.url, payers);
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, configText({ databaseUrl: database.url, folder, payers }));
  const pool = await createProcessPool({
    surface: 'whole',
    ahead: replicas + 1,
    cwd: folder,
    env: { GATEWAY_CONFIG: file, LOG_LEVEL: 'fatal', GATEWAY_ADMIN_KEY: ADMIN_KEY },
    cacheFolder: join(folder, 'cache'),
    most: kills,
  });
  const places = Array.from({ length: replicas }, () => ({ url: undefined, child: undefined }));
  const race = startRace(payers, () => places.flatMap(({ url }) => url ?? []));
  let killed = 0;
  try {
    while (killed < kills) {
      await Promise.all(places.map((place) => live(place, pool)));
      await race.hasBegun(BEGUN);
      await sleep(LIFE_MS.least + random() * LIFE_MS.more);
      for (const place of places) {
        await die(place);
        killed++;
        await sleep(random() * BETWEEN_MS);
      }
      await settleTheDead(database.url);
      say(`${killed} kills, ${payers.map(({ name, billed }) => `${name} ${dollars(billed())}`).join(', ')}`);
    }
    await race.stop();
    return report({ ...(await readBooks(database.url, payers)), killed, race });
  } finally {
    await race.stop();
    pool.close();
    for (const { child } of places) child?.kill('SIGKILL');
    for (const { twin } of payers) await twin.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function live(place, pool) {
  place.child = await pool.next();
  const born = once(place.child, 'message');
  place.child.send({});
  const [{ url }] = await born;
  place.url = url;
}

async function die(place) {
  const gone = once(place.child, 'exit');
  place.child.kill('SIGKILL');
  await gone;
  place.url = undefined;
}

/** Every racer has one stream open, always. */
function startRace(payers, urls) {
  let stopped = false;
  const counts = { begun: 0, whole: 0, refused: 0 };
  const over = new AbortController();
  const racer = async (payer, number) => {
    for (let round = 0; !stopped; round++) {
      const all = urls();
      const url = all[(number + round) % Math.max(1, all.length)];
      if (url === undefined) {
        await sleep(20);
        continue;
      }
      try {
        await askOnce(url, payer);
      } catch {
        await sleep(20); // the process died under it
      }
    }
  };
  const askOnce = async (url, { name, secret }) => {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: name,
        stream: true,
        max_completion_tokens: MOST_OUTPUT,
        messages: [{ role: 'user', content: `[[twin:long=${MOST_OUTPUT - 100}]] Tell me of the sea.` }],
      }),
      signal: over.signal,
    });
    if (reply.status === 200) counts.begun++;
    else counts.refused++;
    await reply.text();
    if (reply.status === 200) counts.whole++;
    else await sleep(REFUSED_PAUSE_MS);
  };
  const racing = Promise.all(
    payers.flatMap((payer) => Array.from({ length: payer.racers }, (_, number) => racer(payer, number))),
  );
  return {
    counts,
    /** Resolves when so many more streams have begun, or that takes too long: perhaps there is no money left. */
    async hasBegun(more) {
      const enough = counts.begun + more;
      const until = Date.now() + LONGEST_WAIT_MS;
      while (counts.begun < enough && Date.now() < until) await sleep(20);
    },
    async stop() {
      stopped = true;
      over.abort();
      await racing;
    },
  };
}

function report({ books, differences, killed, race }) {
  const faults = differences.map(({ message }) => `ledger verify: ${message}`);
  const words = [];
  for (const { payer, billed, charged, settled, shortfall, balance } of books) {
    const { name, cap } = payer;
    const forgiven = billed - charged;
    words.push(
      `${name}: cap ${dollars(cap)}, vendor ${dollars(billed)}, charged ${dollars(charged)} (crashes ${dollars(settled)}), shortfall ${dollars(shortfall)}`,
    );
    if (billed - cap > Math.max(WORST_CASE, OVERDRAFT))
      faults.push(`${name} had ${dollars(billed)} of a cap of ${dollars(cap)}`);
    if (forgiven > WORST_CASE) faults.push(`${name} had ${dollars(forgiven)} for nothing`);
    if (shortfall > WORST_CASE) faults.push(`${name} has a shortfall of ${dollars(shortfall)}`);
    if (charged > cap + OVERDRAFT || balance < -OVERDRAFT)
      faults.push(`${name} was charged ${dollars(charged)} of ${dollars(cap)}`);
    // A run in which nothing was delivered proves nothing.
    if (billed < WORST_CASE / 4) faults.push(`${name} was delivered next to nothing: ${dollars(billed)}`);
  }
  if (race.counts.begun === race.counts.whole) faults.push('no kill cut a stream');
  return {
    measured: `${killed} kills, ${race.counts.begun - race.counts.whole} of ${race.counts.begun} streams cut; ${words.join('; ')}`,
    faults,
  };
}

function dollars(units) {
  return `$${(units / DOLLAR).toFixed(2)}`;
}
