/** Callers who hang up early: on thoughts, text, sound, pictures, drafts. The vendor's own books say what it bills. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startVendorTwin } from '../../../libs/vendor-twin/src/index.ts';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { DOLLAR, enrol, readBooks } from './payers.mjs';

const LONG = 300;
const FLUSH_MS = 1_500;
const LONGEST_WAIT_MS = 8_000;
const LIMITS = 'limits: { max_output_tokens: 4096 }';
const PRICE = { input: 1, output: 10 };

const messages = (text) => [{ role: 'user', content: `[[twin:long=${LONG}]] ${text}` }];
const chat = (fields) => ({
  kind: 'chat',
  vendor: 'openai',
  offer: 'model: gpt-5.2, dialect: openai-chat',
  price: PRICE,
  path: () => '/v1/chat/completions',
  body: { stream: true, messages: messages('Tell me of the sea.'), ...fields },
  heard: /"content":"[^"]/,
});
/** What is asked, and what has been heard when the caller leaves. */
const CASES = {
  text: chat({}),
  thoughts: chat({ messages: messages('[[twin:think]] Tell me.'), reasoning_effort: 'high' }),
  unseen: { ...chat({ messages: messages('[[twin:think]] Tell me.'), reasoning_effort: 'high' }), heard: /data: / },
  sound: {
    ...chat({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } }),
    offer: 'model: gpt-audio, dialect: openai-chat',
    price: { ...PRICE, output_audio: 10 },
    heard: /"audio":\{"data"/,
  },
  picture: {
    kind: 'chat',
    vendor: 'gemini',
    offer: 'model: gemini-2.5-flash-image, dialect: gemini-generate',
    price: { ...PRICE, output_image: 10 },
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Draw a boat.' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'] },
    },
    heard: /"data"/,
  },
  drafts: {
    kind: 'image, body: messages',
    vendor: 'openai',
    offer: 'model: gpt-image-1',
    price: PRICE,
    path: () => '/v1/images/generations',
    body: { prompt: 'a paper boat', stream: true, partial_images: 2 },
    heard: /^event: /m,
  },
  speech: {
    kind: 'speech',
    vendor: 'openai',
    offer: 'model: gpt-4o-mini-tts',
    price: PRICE,
    path: () => '/v1/audio/speech',
    body: { input: 'word '.repeat(300), voice: 'alloy', stream_format: 'sse' },
    heard: /audio/,
  },
};
/** What the account says of callers who leave; nothing is the usual setting. */
const SETTINGS = { usual: '', drain: ', on_disconnect: drain', abort: ', on_disconnect: abort' };
/** Read to the end, so that the gateway knows how fast the model is. */
const READING = 'reading';
/** Vendors that bill on when their stream is closed: by the usual setting they are read to the end. */
const BILLING_ON = ['gemini'];
/** Events after which a vendor that is to be cut stands still until it is: all that it generated has then come, however busy the machine is. */
const STALL_AFTER = 12;
/** What estimates of the text that came may miss: five tokens, or a tenth. */
const MARGIN = { units: 25, share: 0.1 };
/** Who leaves pays no more than who reads on, but for the margin of what is reckoned by the time. */
const MOST_OF_WHOLE = 1.25;

/** Whether the vendor's answer is read to its end. */
function isReadOn(setting, { vendor, kind, body }) {
  if (setting !== 'usual') return setting === 'drain';
  return kind !== 'chat' || body.stream === false || BILLING_ON.includes(vendor);
}

/** What is asked by callers who end it by a deadline of their own, whole and streamed. */
const DEADLINES = {
  whole: { ...CASES.text, body: { ...CASES.text.body, stream: false } },
  stream: CASES.text,
  'thoughts-whole': { ...CASES.thoughts, body: { ...CASES.thoughts.body, stream: false } },
  'thoughts-stream': CASES.thoughts,
};
/** The vendor takes longer than the caller allows. */
const SLOW_MS = 400;
const DEADLINE_SECONDS = '0.1';

/** Every case with every setting, each by a payer of his own, who hangs up as soon as something has come. */
export function hangUpEarly({ say }) {
  return chargedOf(CASES, leave, { say });
}

/** The same, by the deadline that a request may set, before anything has come. */
export function endByDeadline({ say }) {
  const leaveLate = async (url, twin, payer, whole) => {
    const asked = DEADLINES[payer.asked];
    twin.faults.next('openai', '*', { kind: 'slow', ms: SLOW_MS });
    const reply = await ask(url, payer, asked, { 'x-gateway-timeout': DEADLINE_SECONDS });
    const text = await reply.text();
    if (!text.includes('x-gateway-timeout')) throw new Error(`${payer.name} was answered ${reply.status} ${text}`);
    await sleep(2 * SLOW_MS + LONG * 2);
    // Nobody knows what a vendor bills that was cut before it answered: what it has read at least.
    return isReadOn(payer.setting, asked) ? whole : { units: 1 };
  };
  return chargedOf(DEADLINES, leaveLate, { say });
}

/** Every case with every setting; `leaveBy` resolves with what the vendor bills of the answer that was left. */
async function chargedOf(cases, leaveBy, { say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const twin = await startVendorTwin({ media: 'tiny', chunkDelayMs: 1 });
  const payers = Object.keys(SETTINGS).flatMap((setting) =>
    [...Object.keys(cases), READING].map((asked) => ({
      name: `${asked}-${setting}`,
      asked,
      setting,
      cap: 10 * DOLLAR,
      secret: `sk-attack-${asked}-${setting}-0123456789abcdef`,
      billed: () => 0,
    })),
  );
  await enrol(database.url, payers);
  const all = { ...cases, [READING]: CASES.text };
  writeFileSync(
    join(folder, 'gateway.yaml'),
    configOf({ databaseUrl: database.url, folder, payers, twin, cases: all }),
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  try {
    const readers = payers.filter(({ asked }) => asked === READING);
    // The gateway knows a model's usual rate by answers that have ended.
    for (const reader of readers) {
      const known = twin.ledger.answers('openai').length;
      await (await ask(gateway.url, reader, CASES.text)).text();
      reader.bill = reader.whole = await billAfter(twin, 'openai', known);
    }
    for (const payer of payers.filter(({ asked }) => asked !== READING)) {
      payer.whole = await wholeBill(twin, cases[payer.asked]);
      payer.bill = await leaveBy(gateway.url, twin, payer, payer.whole);
    }
    await sleep(FLUSH_MS);
    await gateway.kill();
    const { books, differences } = await readBooks(database.url, payers);
    const words = books.map(({ payer, charged }) => {
      const { name, bill, whole } = payer;
      say(`${name}: charged ${charged}, the vendor bills ${bill.units.toFixed(0)}, of a whole answer ${whole?.units}`);
      faults.push(...faultsOf(payer, all[payer.asked], charged));
      return `${name} ${Math.round((100 * charged) / (whole ?? bill).units)} %`;
    });
    faults.push(...differences.map(({ message }) => `ledger verify: ${message}`));
    return { measured: `charged of what a whole answer costs: ${words.join(', ')}`, faults };
  } finally {
    await gateway.kill();
    await twin.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function faultsOf({ name, setting, bill, whole }, asked, charged) {
  if (charged === 0) return [`${name} cost nothing`];
  // Sound and pictures that are cut by the operator's word cost what came of them; the vendor bills what it bills.
  if (asked.kind !== 'chat' && setting === 'abort') return [];
  const margin = Math.max(MARGIN.units, bill.units * MARGIN.share);
  const least = isReadOn(setting, asked) ? bill.units : bill.units - margin;
  if (charged < Math.floor(least)) return [`${name} cost ${charged} of ${bill.units}`];
  const most = (whole?.units ?? Infinity) * MOST_OF_WHOLE;
  return charged > most ? [`${name} cost ${charged}, and ${whole.units} for who reads on`] : [];
}

/** Hangs up as soon as something has come, or all that its vendor sends before it is cut; resolves with what the vendor bills. */
async function leave(url, twin, payer) {
  const { name, asked, setting } = payer;
  const { vendor, heard } = CASES[asked];
  const known = twin.ledger.answers(vendor).length;
  const stalls = vendor === 'openai' && CASES[asked].kind === 'chat' && !isReadOn(setting, CASES[asked]);
  if (stalls) twin.faults.next(vendor, '*', { kind: 'stall', afterEvents: STALL_AFTER });
  const over = new AbortController();
  const reply = await ask(url, payer, CASES[asked], {}, over.signal);
  if (reply.status !== 200) throw new Error(`${name} was answered ${reply.status} ${await reply.text()}`);
  let text = '';
  for await (const chunk of reply.body) {
    text += Buffer.from(chunk).toString('latin1');
    if (stalls ? text.split('data: ').length > STALL_AFTER : heard.test(text)) break;
  }
  over.abort();
  return billAfter(twin, vendor, known);
}

/** What the vendor bills of an answer that is read to its end: the same question, asked of it directly. Undefined where that is not asked here. */
async function wholeBill(twin, asked) {
  if (asked.vendor !== 'openai' || asked.kind !== 'chat') return undefined;
  const known = twin.ledger.answers('openai').length;
  const [, name] = /model: ([^,]+)/.exec(asked.offer);
  const address = twin.baseUrl('openai').replace(/\/v1$/, '');
  await (await ask(address, { name, secret: twin.credentials('openai').api_key }, asked)).text();
  return billAfter(twin, 'openai', known);
}

function ask(url, { name, secret }, { path, body }, headers, signal) {
  return fetch(`${url}${path(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...(path().includes('/models/') ? {} : { model: name }), ...body }),
    ...(signal !== undefined && { signal }),
  });
}

/** The vendor's bill of what it answers after the first `known`; `units` of quota. */
async function billAfter(twin, vendor, known) {
  const until = Date.now() + LONGEST_WAIT_MS;
  while (twin.ledger.answers(vendor).length === known && Date.now() < until) await sleep(20);
  const { inputTokens = 0, outputTokens = 0 } = twin.ledger.answers(vendor)[known]?.billed ?? {};
  return { units: ((inputTokens * PRICE.input + outputTokens * PRICE.output) * DOLLAR) / 1e6 };
}

function configOf({ databaseUrl, folder, payers, twin, cases }) {
  const accounts = Object.entries(SETTINGS).flatMap(([setting, more], at) =>
    ['openai', 'gemini'].map(
      (vendor, index) =>
        `  - { id: ${at * 2 + index + 1}, name: ${vendor}-${setting}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor).api_key}' }${more} }`,
    ),
  );
  const rows = payers.map(({ name, asked, setting }) => {
    const { kind, vendor, offer, price } = cases[asked];
    const prices = Object.entries(price).map(([item, dollars]) => `${item}: ${dollars}`);
    const limits = kind === 'speech' ? '' : `${LIMITS}, `;
    return `  - { code: ${name}, kind: ${kind}, ${limits}price: { ${prices.join(', ')} }, offers: [{ account: ${vendor}-${setting}, ${offer} }] }`;
  });
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
accounts:
${accounts.join('\n')}
models:
${rows.join('\n')}
`;
}
