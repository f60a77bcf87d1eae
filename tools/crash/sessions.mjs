/**
 * Kills the gateway with SIGKILL at random moments while clients hold sessions over WebSockets: Responses, realtime in OpenAI's events at a vendor
 * that speaks them and translated for Gemini Live, and Google's own. Then looks whether every answer that was heard whole is charged, whether
 * anything is charged twice or a vendor was asked twice, whether what vendors billed is charged, and whether all that was set aside was given back.
 *
 *   node_modules/.bin/node tools/crash/sessions.mjs --kills 20 --database sqlite|postgres --replicas 1|2 [--clients 8] [--seed 1]
 *
 * Exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { UNITS_PER_DOLLAR } from '../../libs/contracts/src/index.ts';
import { openStore } from '../../libs/store/src/index.ts';
import { dieAgainAndAgain, openScene } from './scene.mjs';

const KEY = 'sk-crash-0123456789abcdef0123';
const SHORTEST_LIFE_MS = 3_000;
/** Beyond the shortest. */
const LIFE_SPREAD_MS = 3_000;
/** The ledger has what was noted this much ago: it writes within 150 ms, on a machine that is busy with this. */
const NOTED_MS = 1_000;
const ANSWER_MS = 20_000;
const LATER_MS = 3_600_000;
const MOST_TURNS = 2_000;
/** US dollars per million tokens. */
const PRICE = { input: 40, output: 240 };
const MOST_OUTPUT = 2_000;
/** Of what is set aside for an answer, a crash charges this much more than was noted of it. */
const CRASH_SHARE = 1 / 16;
const GOOGLE = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';

/** How each kind of session is opened, begun and asked, and which event ends an answer whole. */
const KINDS = {
  responses: {
    path: '/v1/responses',
    begin: [],
    turn: (text) => [
      { type: 'response.create', model: 'chat', input: text, store: false, max_output_tokens: MOST_OUTPUT },
    ],
    isWhole: ({ type }) => type === 'response.completed',
  },
  realtime: { path: '/v1/realtime?model=talk', begin: [], turn: spoken, isWhole: isDone },
  translated: {
    path: '/v1/realtime?model=live',
    begin: [{ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } }],
    turn: spoken,
    isWhole: isDone,
  },
  google: {
    path: GOOGLE,
    begin: [{ setup: { model: 'models/live', generationConfig: { responseModalities: ['TEXT'] } } }],
    turn: (text) => [{ clientContent: { turns: [{ role: 'user', parts: [{ text }] }], turnComplete: true } }],
    isWhole: ({ serverContent }) => serverContent?.turnComplete === true,
  },
};
const NAMES = Object.keys(KINDS);

function spoken(text) {
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  const response = { output_modalities: ['text'] };
  return [
    { type: 'conversation.item.create', item },
    { type: 'response.create', response },
  ];
}

function isDone({ type, response }) {
  return type === 'response.done' && response.status === 'completed';
}

const { kills, replicas, count, random, database, twin, pool, end } = await openScene(import.meta.url, {
  clients: '8',
  configText,
});
/** When each answer was heard whole, and what was asked when. */
const heardAt = [];
const asked = [];
const askedAt = [];
const faults = [];

const { deaths, ended } = dieAgainAndAgain({ pool, replicas, kills }, (born) => ({
  order: {},
  life: born.then(() => sleep(SHORTEST_LIFE_MS + random() * LIFE_SPREAD_MS)),
}));
await Promise.all([ended, ...Array.from({ length: count }, live)]);
pool.close();
// Vendors count what they were cut in, too.
await sleep(NOTED_MS);
await end({ killed: deaths.killedAt.length, rows: await audit(), faults });

/** One client: opens a session of one kind, asks on in it until it is closed or it has had enough, and opens another. */
async function live() {
  while (!deaths.isOver && asked.length < MOST_TURNS) {
    const urls = deaths.urls();
    const url = urls[Math.floor(random() * urls.length)];
    if (url === undefined) await sleep(20);
    else await talk(url, KINDS[NAMES[Math.floor(random() * NAMES.length)]]).catch(() => sleep(20));
  }
}

async function talk(url, { path, begin, turn, isWhole }) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { authorization: `Bearer ${KEY}` } });
  const listeners = new Set();
  const closed = new Promise((resolve) => socket.once('close', resolve)).then(() => 'closed');
  socket.on('error', () => undefined);
  socket.on('message', (data) => {
    const event = JSON.parse(data);
    for (const listener of listeners) listener(event);
  });
  const isOpen = await Promise.race([new Promise((resolve) => socket.once('open', () => resolve(true))), closed]);
  if (isOpen !== true) return sleep(20);
  for (const message of begin) socket.send(JSON.stringify(message));
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
    const text = `question-${asked.length}-of-all [[twin:long=${5 + Math.floor(random() * 40)}]] [[twin:pace=2]]`;
    asked.push(text);
    askedAt.push(Date.now());
    const whole = new Promise((resolve) => {
      const listener = (event) => {
        if (event.type === 'error') resolve('refused');
        if (!isWhole(event)) return;
        heardAt.push(Date.now());
        resolve('whole');
      };
      listeners.add(listener);
    });
    for (const message of turn(text)) socket.send(JSON.stringify(message));
    const how = await Promise.race([whole, closed, sleep(ANSWER_MS, 'late')]);
    listeners.clear();
    if (how === 'late') faults.push(`no answer, no refusal and no close in ${ANSWER_MS} ms: ${text}`);
    if (how !== 'whole') break;
  }
  socket.terminate();
  return undefined;
}

/** What dead processes have left is settled; then the books are compared. */
async function audit() {
  const store = await openStore(database.url, { beside: true });
  await store.ledger.closeExpiredLeases(Date.now() + LATER_MS, { process: 'nobody' });
  const entries = [];
  for (let after = 0; ; after = entries.at(-1).id) {
    const page = await store.ledger.entries({ ownerId: 1, after, limit: 1_000 });
    entries.push(...page);
    if (page.length < 1_000) break;
  }
  for (const { message } of await store.ledger.verify()) faults.push(message);
  await store.close();
  const captures = entries.filter(({ kind }) => kind === 'capture');
  const ids = captures.flatMap(({ requestId }) => requestId ?? []);
  if (new Set(ids).size !== ids.length) faults.push(`${ids.length - new Set(ids).size} requests are charged twice`);
  for (const { id } of entries.filter(({ kind, requestId }) => kind === 'hold' && requestId !== undefined)) {
    const ends = entries.filter(({ holdId }) => holdId === id).length;
    if (ends !== 1) faults.push(`hold ${id} has ${ends} ends`);
  }
  const settled = captures.filter(({ detail }) => detail.crashSettlement === true);
  // Just before a death nothing was noted yet.
  const isNoted = (at) => !deaths.killedAt.some((killedAt) => killedAt >= at && killedAt - at < NOTED_MS);
  const noted = heardAt.filter(isNoted);
  if (captures.length - settled.length < noted.length)
    faults.push(`${noted.length} answers were heard whole, and ${captures.length - settled.length} are charged`);
  const bodies = twin.requests.list('openai').map(({ body }) => JSON.stringify(body ?? ''));
  for (const text of asked) {
    const question = `${text.split(' ')[0]} `;
    // A session's later questions bring the earlier ones; this one's own stands last.
    const times = bodies.filter(
      (body) => body.includes(question) && body.lastIndexOf('question-') === body.lastIndexOf(question),
    ).length;
    if (times > 1) faults.push(`a vendor was asked ${times} times: ${question}`);
  }
  const charged = captures.reduce((sum, entry) => sum + entry.charged, 0);
  const billed = ['openai', 'gemini'].reduce((sum, vendor) => {
    const { inputTokens, outputTokens } = twin.ledger.totals(vendor);
    return sum + ((inputTokens * PRICE.input + outputTokens * PRICE.output) * UNITS_PER_DOLLAR) / 1e6;
  }, 0);
  const reserved = (MOST_OUTPUT * PRICE.output * UNITS_PER_DOLLAR) / 1e6;
  const cut = asked.length - heardAt.length;
  const unknown = askedAt.filter((at) => !isNoted(at)).length / asked.length;
  if (charged < billed * (0.99 - unknown))
    faults.push(`vendors billed ${Math.round(billed)} units, ${charged} are charged`);
  if (charged > billed + cut * reserved * CRASH_SHARE + 1)
    faults.push(`vendors billed ${Math.round(billed)} units for ${cut} that were cut, ${charged} are charged`);
  return {
    ...{
      asked: asked.length,
      whole: heardAt.length,
      'whole and noted': noted.length,
      captures: captures.length,
      settled: settled.length,
    },
    ...{ billed: Math.round(billed), charged },
  };
}

function configText({ folder, database: { url }, twin: vendors }) {
  const account = (id, vendor) => ({
    ...{ id, name: vendor, vendor, base_url: vendors.baseUrl(vendor), credentials: vendors.credentials(vendor) },
    max_concurrency: 1000,
  });
  const price = `price: { input: ${PRICE.input}, output: ${PRICE.output} }, limits: { max_output_tokens: ${MOST_OUTPUT} }`;
  return `server: { port: 0, workers: 1 }
database: { url: '${url}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: crash, key: ${KEY} }]
extends: none
accounts: [${JSON.stringify(account(1, 'openai'))}, ${JSON.stringify(account(2, 'gemini'))}]
models:
  - { code: chat, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-responses }], ${price} }
  - { code: talk, kind: realtime, offers: [{ account: openai, model: gpt-realtime-2 }], ${price} }
  - { code: live, kind: realtime, offers: [{ account: gemini, model: gemini-2.5-flash-native-audio-preview-12-2025 }], ${price} }
`;
}
