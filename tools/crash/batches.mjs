/**
 * Kills the gateway with SIGKILL at the steps of batches, and at random moments, while clients make them in each form and cancel some, for models that
 * are asked line by line and for models whose vendors have batches of their own; then looks whether every acknowledged batch has ended, whether every
 * line has one result, one bill and one request at its vendor, and whether the ledger adds up.
 *
 *   node_modules/.bin/node tools/crash/batches.mjs --kills 30 --database sqlite|postgres --replicas 1|2 [--clients 2] [--seed 1]
 *
 * Exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { pino } from 'pino';
import { readConfig, startServer } from '../../apps/gateway/src/index.ts';
import { dieAgainAndAgain, openScene } from './scene.mjs';

const STEPS = [
  'batch.received',
  'batch.created',
  'batch.read',
  'batch.line.submitted',
  'batch.line.ended',
  'batch.output.written',
  'batch.errors.written',
  'batch.finished',
  'batch.line.handed-over',
  'batch.vendor.planned',
  'batch.vendor.uploaded',
  'batch.vendor.asked',
  'batch.vendor.created',
  'batch.vendor.ended',
  'batch.vendor.fetched',
  'batch.vendor.removed',
  'batch.vendor.done',
  undefined,
];
const KEY = 'sk-crash-0123456789abcdef0123';
const LONGEST_LIFE_MS = 4_000;
/** Past every claim, within the day of a batch. */
const LATER_MS = 10 * 60_000;
const ONE_BY_ONE = 'claude';
/** Their vendors have batches: with a file and a name, and with neither. */
const IN_BATCHES = ['gpt-in-batches', 'claude-in-batches', 'gemini-in-batches'];
/** The twin remembers its last requests: those for answers are noted before it forgets them. */
const NOTE_MS = 20;
const ROUNDS = 8;
const LINES = 12;
const MOST_BATCHES = 40;

const { kills, replicas, count, random, twin, env, pool, end } = await openScene(import.meta.url, {
  clients: '2',
  configText,
});
/** By id: its form, and whether it was cancelled. */
const acknowledged = new Map();
const faults = [];
const asked = [];
let made = 0;
const noting = setInterval(noteAsked, NOTE_MS);

const { deaths, ended } = dieAgainAndAgain({ pool, replicas, kills }, begin);
await Promise.all([ended, ...Array.from({ length: count }, live)]);
pool.close();
clearInterval(noting);
await end({ killed: deaths.killedAt.length, rows: await audit(), faults });

/** A process dies at a step, or at random. */
function begin(born) {
  const step = STEPS[Math.floor(random() * STEPS.length)];
  const order = { crashAt: step === undefined ? undefined : `${step}:${1 + Math.floor(random() * 6)}` };
  const lifeMs = step === undefined ? random() * 1_500 : LONGEST_LIFE_MS;
  // A busy machine takes its time to begin.
  return { order, life: born.then(() => sleep(lifeMs)) };
}

/** One client: makes batches, and cancels some. */
async function live() {
  while (!deaths.isOver) {
    const urls = deaths.urls();
    const url = urls[Math.floor(random() * urls.length)];
    if (url === undefined || acknowledged.size >= MOST_BATCHES) await sleep(20);
    else await makeOne(url).catch(() => sleep(20));
    await sleep(random() * 200);
  }
}

async function makeOne(url) {
  const name = `batch-${(made += 1)}-of-all`;
  const model = random() < 0.4 ? ONE_BY_ONE : IN_BATCHES[Math.floor(random() * IN_BATCHES.length)];
  const texts = Array.from({ length: LINES }, (_, index) => `${name}-line-${index}.`);
  const isOpenAi = random() < 0.5;
  const api = isOpenAi ? openAiOf(url) : anthropicOf(url);
  const { id } = await api.make(texts, model);
  const batch = { isOpenAi, texts, model, isCancelled: false };
  acknowledged.set(id, batch);
  if (random() < 0.15) {
    await api.cancel(id);
    batch.isCancelled = true;
  }
}

function openAiOf(url) {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0, timeout: 20_000 });
  const endpoint = '/v1/chat/completions';
  const lineOf = (content, index, model) => ({
    ...{ custom_id: String(index), method: 'POST', url: endpoint },
    body: { model, max_tokens: 100, messages: [{ role: 'user', content }] },
  });
  const readFile = async (id) => {
    if (id === null || id === undefined) return [];
    const text = await (await openai.files.content(id)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return {
    async make(texts, model) {
      const text = texts.map((each, index) => JSON.stringify(lineOf(each, index, model))).join('\n');
      const file = await openai.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
      return openai.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
    },
    cancel: (id) => openai.batches.cancel(id),
    async results(id) {
      const { status, output_file_id: output, error_file_id: errors } = await openai.batches.retrieve(id);
      const lines = [...(await readFile(output)), ...(await readFile(errors))];
      return {
        isEnded: status === 'completed' || status === 'cancelled',
        lines: lines.map((line) => ({
          index: Number(line.custom_id),
          isSucceeded: line.response?.status_code === 200,
          text: JSON.stringify(line),
        })),
      };
    },
  };
}

function anthropicOf(url) {
  const { messages } = new Anthropic({ baseURL: url, apiKey: KEY, maxRetries: 0, timeout: 20_000 });
  const requestOf = (content, index, model) => ({
    custom_id: String(index),
    params: { model, max_tokens: 100, messages: [{ role: 'user', content }] },
  });
  return {
    make: (texts, model) =>
      messages.batches.create({ requests: texts.map((each, index) => requestOf(each, index, model)) }),
    cancel: (id) => messages.batches.cancel(id),
    async results(id) {
      const { processing_status: status, results_url: address } = await messages.batches.retrieve(id);
      const lines = [];
      if (address !== null)
        for await (const line of await messages.batches.results(id))
          lines.push({
            index: Number(line.custom_id),
            isSucceeded: line.result.type === 'succeeded',
            text: JSON.stringify(line),
          });
      return { isEnded: status === 'ended', lines };
    },
  };
}

/** A batch that was made and is not looked after has its lines run all the same: the twin runs them when it is asked for its list. */
async function runForgotten() {
  const { api_key: openai } = twin.credentials('openai');
  const { api_key: anthropic } = twin.credentials('anthropic');
  const { api_key: gemini } = twin.credentials('gemini');
  const lists = [
    [`${twin.baseUrl('openai')}/batches?limit=100`, { authorization: `Bearer ${openai}` }],
    [
      `${twin.baseUrl('anthropic')}/v1/messages/batches?limit=100`,
      { 'x-api-key': anthropic, 'anthropic-version': '2023-06-01' },
    ],
    [`${twin.baseUrl('gemini')}/v1beta/batches?pageSize=100`, { 'x-goog-api-key': gemini }],
  ];
  for (const [address, headers] of lists) await (await fetch(address, { headers })).arrayBuffer();
}

function noteAsked() {
  asked.push(...twin.requests.list({ operation: 'chat' }).map(({ body }) => body));
  twin.requests.clear();
}

/** A last process brings everything to its end; then the books are compared. */
async function audit() {
  let later = LATER_MS;
  const server = await startServer({
    config: readConfig(env),
    now: () => Date.now() + later,
    log: pino({ level: 'silent' }),
    pollTasks: false,
  });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await server.batches.workAll();
      later += LATER_MS;
      // Vendors have clocks of their own.
      await sleep(500);
    }
    await runForgotten();
    noteAsked();
    const states = { succeeded: 0, errored: 0 };
    for (const [id, batch] of acknowledged) {
      const api = batch.isOpenAi ? openAiOf(server.url) : anthropicOf(server.url);
      const { isEnded, lines } = await api.results(id);
      if (!isEnded) faults.push(`${id} has not ended`);
      const indexes = lines.map(({ index }) => index).sort((a, b) => a - b);
      // A batch whose file was not read yet when it was cancelled has no lines.
      const isUnread = batch.isOpenAi && batch.isCancelled && lines.length === 0;
      if (!isUnread && indexes.join() !== batch.texts.map((_, index) => index).join())
        faults.push(`${id} has results of the lines ${indexes.join()}`);
      for (const { index, isSucceeded, text } of lines) {
        states[isSucceeded ? 'succeeded' : 'errored'] += 1;
        const times = asked.filter((body) => body.includes(batch.texts[index])).length;
        // What a vendor has in its batch is found again, whoever dies.
        if (batch.model !== ONE_BY_ONE && !isSucceeded && !batch.isCancelled)
          faults.push(`line ${index} of ${id} was lost at its vendor: ${text.slice(0, 200)}`);
        if (times > 1) faults.push(`a model was asked ${times} times for line ${index} of ${id}`);
        if (isSucceeded && times !== 1) faults.push(`line ${index} of ${id} succeeded, and was asked ${times} times`);
        if (isSucceeded && !text.includes(batch.texts[index]))
          faults.push(`line ${index} of ${id} has another's answer`);
      }
    }
    const { ledger } = server.parts.store;
    const entries = await ledger.entries({ ownerId: 1, limit: 100_000 });
    const holds = entries.filter(({ kind, detail }) => kind === 'hold' && detail.batch !== undefined);
    for (const hold of holds) {
      const closings = entries.filter(({ holdId }) => holdId === hold.id);
      if (closings.length !== 1) faults.push(`hold ${hold.id} has ${closings.length} ends`);
    }
    const captures = entries.filter(({ kind, holdId }) => kind === 'capture' && holds.some(({ id }) => id === holdId));
    const lines = captures.map(({ detail }) => `${detail.batch} ${detail.line}`);
    if (new Set(lines).size !== lines.length) faults.push('a line was charged twice');
    // Batches that were made and not acknowledged are paid and have results, too.
    const known = captures.filter(({ detail }) => acknowledged.has(detail.batch)).length;
    if (known !== states.succeeded) faults.push(`${states.succeeded} lines succeeded, and ${known} were charged`);
    for (const { message } of await ledger.verify()) faults.push(message);
    return {
      batches: acknowledged.size,
      'at vendors': [...acknowledged.values()].filter(({ model }) => model !== ONE_BY_ONE).length,
      cancelled: [...acknowledged.values()].filter(({ isCancelled }) => isCancelled).length,
      ...states,
      holds: holds.length,
      captures: captures.length,
      asked: asked.length,
    };
  } finally {
    await server.close();
  }
}

function configText({ folder, database, twin }) {
  const accounts = ['anthropic', 'openai', 'gemini'].map((vendor, index) => ({
    ...{ id: index + 1, name: vendor, vendor },
    base_url: twin.baseUrl(vendor),
    credentials: twin.credentials(vendor),
  }));
  return `server: { port: 0, workers: 1 }
database: { url: '${database.url}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: crash, key: ${KEY} }]
extends: none
accounts: ${JSON.stringify(accounts)}
models:
${rowOf(ONE_BY_ONE, '{ account: anthropic, model: claude-sonnet-4-5-20250929, dialect: anthropic-messages }')}
${rowOf('gpt-in-batches', '{ account: openai, model: gpt-4.1, dialect: openai-chat }', 0.5)}
${rowOf('claude-in-batches', '{ account: anthropic, model: claude-sonnet-4-5-20250929, dialect: anthropic-messages }', 0.5)}
${rowOf('gemini-in-batches', '{ account: gemini, model: gemini-3.5-flash, dialect: gemini-generate }', 0.5)}
`;
}

function rowOf(code, offer, batch) {
  return `  - code: ${code}
    kind: chat
    limits: { max_input_tokens: 200000, max_output_tokens: 64000 }
    offers: [${offer}]
    price: { input: 3, output: 15${batch === undefined ? '' : `, batch: ${batch}`} }`;
}
