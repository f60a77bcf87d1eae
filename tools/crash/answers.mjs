/**
 * Kills the gateway with SIGKILL at random moments while clients ask for vectors, scores, verdicts and transcripts, and read streams that can
 * be resumed, on another replica where there is one; then looks whether anything was asked or paid twice, whether what was delivered is paid,
 * and whether a stream has a gap or an end that says nothing.
 *
 *   node_modules/.bin/node tools/crash/answers.mjs --kills 30 --database sqlite|postgres --replicas 1|2 [--clients 6] [--seed 1]
 *
 * Exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { readConfig, startServer } from '../../apps/gateway/src/index.ts';
import { openStore } from '../../libs/store/src/index.ts';
import { auditAnswers } from './answers-audit.mjs';
import { createAsker } from './answers-clients.mjs';
import { answersConfig, KEY } from './answers-config.mjs';
import { dieAgainAndAgain, openScene } from './scene.mjs';

/** A life ends at random after so many words of it were heard, however slow the machine is. */
const FIRST_WORDS = 40;
const LONGEST_REST_MS = 1_500;
/** A stream whose process is silent for so long is lost, by the database's clock on PostgreSQL. */
const LOST_MS = 21_000;
/** A dead replica's lease ends after a minute, is looked for every five seconds, and the others renew theirs every half minute. */
const KNOWN_MS = 95_000;

const { kind, kills, replicas, count, random, database, twin, env, pool, end } = await openScene(import.meta.url, {
  clients: '6',
  configText: answersConfig,
});
const { deaths, ended } = dieAgainAndAgain({ pool, replicas, kills }, (born) => ({
  order: {},
  life: born.then(lived),
}));
const { killedAt } = deaths;
const asker = createAsker({
  key: KEY,
  random,
  urls: deaths.urls,
  isOver: () => deaths.isOver,
});

await Promise.all([ended, ...Array.from({ length: count }, live)]);
pool.close();
await end({ killed: killedAt.length, ...(await audit()) });

async function lived() {
  const enough = asker.heardSoFar() + FIRST_WORDS;
  while (asker.heardSoFar() < enough) await sleep(10);
  await sleep(random() * LONGEST_REST_MS);
}

async function live() {
  while (!deaths.isOver) await asker.askOnce();
}

/** Whether what was begun just before may go unseen (docs/decisions/0005-chat-spends-from-leases.md): until replicas know of the first crash. */
function isForgiven(at) {
  return kind === 'sqlite' ? at === killedAt[0] : at - killedAt[0] < KNOWN_MS;
}

/** A last process tells what is kept of the streams; then what dead ones had at risk is settled, and the books are compared. */
async function audit() {
  if (kind === 'postgres') await sleep(LOST_MS);
  const server = await startServer({ config: readConfig(env), now: () => Date.now(), log: pino({ level: 'silent' }) });
  const kept = await asker.readAll(server.url).finally(() => server.close());
  const store = await openStore(database.url, { beside: true });
  try {
    await store.ledger.closeExpiredLeases(Date.now(), { process: 'nobody' });
    return await auditAnswers({ store, twin, intents: asker.intents, kept, forgiven: killedAt.filter(isForgiven) });
  } finally {
    await store.close();
  }
}
