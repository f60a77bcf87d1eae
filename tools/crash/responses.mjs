/**
 * Kills the gateway with SIGKILL at the steps of answers in the background, and at random moments, while clients ask, follow, cancel and go on;
 * then looks whether every acknowledged answer has one end and one bill, whether a model was asked twice, and whether a stream had a gap.
 *
 *   node_modules/.bin/node tools/crash/responses.mjs --kills 30 --database sqlite|postgres --replicas 1|2 [--clients 4] [--seed 1]
 *
 * Exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { pino } from 'pino';
import { readConfig, startServer } from '../../apps/gateway/src/index.ts';
import { dieAgainAndAgain, openScene } from './scene.mjs';

const STEPS = ['response.queued', 'response.submitted', 'response.ended', undefined];
const KEY = 'sk-crash-0123456789abcdef0123';
const LONGEST_LIFE_MS = 4_000;
/** Past every claim. */
const LATER_MS = 10 * 60_000;
const MODEL = 'claude';

const { kills, replicas, count, random, twin, env, pool, end } = await openScene(import.meta.url, {
  clients: '4',
  configText,
});
/** By id: the text that was asked, the events that were heard, and whether its caller has cancelled it. */
const acknowledged = new Map();
const faults = [];
let asked = 0;

const { deaths, ended } = dieAgainAndAgain({ pool, replicas, kills }, begin);
await Promise.all([ended, ...Array.from({ length: count }, live)]);
pool.close();
await end({ killed: deaths.killedAt.length, rows: await audit(), faults });

/** A process dies at a step, or at random. */
function begin(born) {
  const step = STEPS[Math.floor(random() * STEPS.length)];
  const order = { crashAt: step === undefined ? undefined : `${step}:${1 + Math.floor(random() * 8)}` };
  return { order, life: step === undefined ? born.then(() => sleep(random() * 1_500)) : sleep(LONGEST_LIFE_MS) };
}

function client() {
  const urls = deaths.urls();
  const url = urls[Math.floor(random() * urls.length)];
  return url === undefined
    ? undefined
    : new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0, timeout: 20_000 });
}

/** One client: asks, and now and then follows, cancels, or goes on from what has ended. */
async function live() {
  while (!deaths.isOver && asked < 900) {
    const openai = client();
    if (openai === undefined) await sleep(20);
    else await askOnce(openai).catch(() => sleep(20));
  }
}

async function askOnce(openai) {
  asked += 1;
  const text = `question-${asked}-of-all`;
  const ended = [...acknowledged].find(([, each]) => each.hasEnded && random() < 0.2)?.[0];
  const { id } = await openai.responses.create({
    model: MODEL,
    input: text,
    background: true,
    max_output_tokens: 400,
    previous_response_id: ended ?? null,
  });
  const answer = { text, heard: [], isCancelled: false, hasEnded: false };
  acknowledged.set(id, answer);
  const what = random();
  if (what < 0.15) {
    await openai.responses.cancel(id);
    answer.isCancelled = true;
  } else if (what < 0.6) {
    for await (const event of await openai.responses.retrieve(id, { stream: true })) {
      answer.heard.push(event);
      if (event.type === 'response.completed') answer.hasEnded = true;
    }
  }
}

/** A last process brings everything to its end; then the books are compared. */
async function audit() {
  const clock = () => Date.now() + LATER_MS;
  const server = await startServer({
    config: readConfig(env),
    now: clock,
    log: pino({ level: 'silent' }),
    pollTasks: false,
  });
  try {
    await server.responses.workAll();
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: KEY, maxRetries: 0 });
    const states = {};
    const requests = twin.requests.list().map(({ body }) => body);
    for (const [id, { text, heard, isCancelled }] of acknowledged) {
      const response = await openai.responses.retrieve(id);
      states[response.status] = (states[response.status] ?? 0) + 1;
      if (!['completed', 'failed', 'cancelled'].includes(response.status)) faults.push(`${id} is ${response.status}`);
      if (isCancelled && response.status === 'failed') faults.push(`${id} was cancelled and is failed`);
      // Its own question stands last in the request that was made for it.
      const times = requests.filter((body) => body.lastIndexOf('question-') === body.lastIndexOf(text)).length;
      if (times > 1) faults.push(`a model was asked ${times} times for ${id}`);
      if (response.status === 'completed' && times !== 1)
        faults.push(`${id} is completed and a model was asked ${times} times`);
      const events = [];
      for await (const event of await openai.responses.retrieve(id, { stream: true })) events.push(event);
      if (events.some(({ sequence_number: number }, index) => number !== index))
        faults.push(`the events of ${id} have a gap`);
      if (JSON.stringify(events.slice(0, heard.length)) !== JSON.stringify(heard))
        faults.push(`what was heard of ${id} is not what was kept`);
    }
    const { ledger } = server.parts.store;
    const entries = await ledger.entries({ ownerId: 1, limit: 100_000 });
    const holds = entries.filter(({ kind, requestId }) => kind === 'hold' && requestId !== undefined);
    for (const hold of holds) {
      const closings = entries.filter(({ holdId }) => holdId === hold.id);
      if (closings.length !== 1) faults.push(`hold ${hold.id} has ${closings.length} ends`);
    }
    for (const { message } of await ledger.verify()) faults.push(message);
    const captures = entries.filter(({ kind, holdId }) => kind === 'capture' && holds.some(({ id }) => id === holdId));
    return {
      acknowledged: acknowledged.size,
      ...states,
      holds: holds.length,
      captures: captures.length,
      asked: requests.length,
    };
  } finally {
    await server.close();
  }
}

function configText({ folder, database, twin }) {
  const account = {
    id: 1,
    name: 'anthropic',
    vendor: 'anthropic',
    base_url: twin.baseUrl('anthropic'),
    credentials: twin.credentials('anthropic'),
  };
  return `server: { port: 0, workers: 1 }
database: { url: '${database.url}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'], encryption_key: '${Buffer.alloc(32, 5).toString('base64')}' }
keys: [{ name: crash, key: ${KEY} }]
extends: none
accounts: [${JSON.stringify(account)}]
models:
  - code: ${MODEL}
    kind: chat
    limits: { max_input_tokens: 200000, max_output_tokens: 64000 }
    offers: [{ account: anthropic, model: claude-sonnet-4-5-20250929, dialect: anthropic-messages }]
    price: { input: 3, output: 15 }
`;
}
