/** Sessions over WebSockets that go on past their money, or past the end of their key. Each owner has a vendor of its own, which counts what it bills. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startVendorTwin } from '../../../libs/vendor-twin/src/index.ts';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { DOLLAR, enrol, MOST_OUTPUT, OVERDRAFT, readBooks } from './payers.mjs';

const ADMIN_KEY = 'admin-attack-0123456789abcdef0123456789';
const CAP = 0.25 * DOLLAR;
/** US dollars per million tokens: dear, so that a quarter is soon spent. */
const PRICE = { input: 10, output: 100 };
const SESSIONS = 6;
const TURNS = 12;
const REOPENED = 3;
const LONGEST_MS = 40_000;
const FLUSH_MS = 1_500;
/** Other processes know of a revoked key by then. */
const KNOWN_MS = 2_000;
const CLOSED_MS = 5_000;
const WORDS = 'tell me everything [[twin:long=400]]';
const GOOGLE = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';

/** What is said in each kind of session, which of what is told ends a turn, and whose model it is. */
const KINDS = {
  realtime: {
    ...{ vendor: 'openai', kind: 'realtime', model: 'gpt-realtime-2', path: (model) => `/v1/realtime?model=${model}` },
    begin: () => [],
    turn: () => [
      { type: 'conversation.item.create', item: { type: 'message', role: 'user', content: text('input_text') } },
      { type: 'response.create', response: { output_modalities: ['text'] } },
    ],
    isEnd: ({ type }) => type === 'response.done' || type === 'error',
  },
  translated: {
    ...{
      vendor: 'gemini',
      kind: 'realtime',
      model: 'gemini-3.1-flash-live',
      path: (model) => `/v1/realtime?model=${model}`,
    },
    begin: () => [{ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } }],
    turn: (model) => KINDS.realtime.turn(model),
    isEnd: ({ type }) => type === 'response.done' || type === 'error',
  },
  google: {
    ...{ vendor: 'gemini', kind: 'realtime', model: 'gemini-3.1-flash-live', path: () => GOOGLE },
    begin: (model) => [{ setup: { model: `models/${model}`, generationConfig: { responseModalities: ['TEXT'] } } }],
    turn: () => [{ clientContent: { turns: [{ role: 'user', parts: [{ text: WORDS }] }], turnComplete: true } }],
    isEnd: ({ serverContent }) => serverContent?.turnComplete === true,
  },
  responses: {
    ...{ vendor: 'openai', kind: 'chat', model: 'gpt-5.2', path: () => '/v1/responses' },
    begin: () => [],
    turn: (model, at) => [{ type: 'response.create', model, input: WORDS, store: false, stream_id: `lane-${at % 4}` }],
    isEnd: ({ type }) => /^(?:error|response\.(?:completed|failed|incomplete))$/.test(type),
  },
};

function text(type) {
  return [{ type, text: WORDS }];
}

export async function outliveMoneyAndKeys({ say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const payers = [];
  for (const [name, kind] of Object.entries(KINDS)) {
    const twin = await startVendorTwin({ media: 'tiny' });
    const secret = `sk-attack-${name}-0123456789abcdef`;
    const billed = () => {
      const { inputTokens, outputTokens } = twin.ledger.totals(kind.vendor);
      return ((inputTokens * PRICE.input + outputTokens * PRICE.output) * DOLLAR) / 1e6;
    };
    payers.push({ name, cap: CAP, secret, billed, twin, ...kind, slug: name });
  }
  await enrol(database.url, payers);
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, payers }));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { GATEWAY_ADMIN_KEY: ADMIN_KEY } });
  const faults = [];
  try {
    const revoked = await outliveKeys(gateway.url, payers, faults);
    say(revoked);
    const turns = await Promise.all(payers.map((payer) => outliveMoney(gateway.url, payer, faults)));
    await sleep(FLUSH_MS);
    await gateway.kill();
    const { books, differences } = await readBooks(database.url, payers);
    for (const { payer, billed, charged, balance } of books) {
      const most = payer.cap + OVERDRAFT;
      if (billed > most) faults.push(`${payer.name}: the vendor billed ${billed} units of ${most}`);
      if (charged > most) faults.push(`${payer.name}: ${charged} units were charged of ${most}`);
      if (charged < billed - 1)
        faults.push(`${payer.name}: ${charged} units were charged of ${billed} that the vendor billed`);
      if (balance < -OVERDRAFT) faults.push(`${payer.name} owes ${-balance} units`);
      if (billed < payer.cap / 2) faults.push(`${payer.name}: only ${billed} units were used`);
    }
    faults.push(...differences.map(({ message }) => `ledger verify: ${message}`));
    const spent = books.map(
      ({ payer, billed }, at) => `${payer.name}: ${turns[at]} turns, $${(billed / DOLLAR).toFixed(2)}`,
    );
    return { measured: `${spent.join('; ')}; ${revoked}`, faults };
  } finally {
    await gateway.kill();
    for (const { twin } of payers) await twin.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An open session, what ended in it, and the code that it was closed with; `refused` where none opens. */
async function openSession(url, { path, begin, isEnd, slug }, headers, protocols = []) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path(slug)}`, protocols, { headers });
  const session = { socket, ended: 0, told: [], code: undefined, refused: undefined };
  socket.on('error', () => undefined);
  socket.on('close', (code) => (session.code = code));
  socket.on('message', (data) => {
    const event = JSON.parse(data);
    if (!isEnd(event)) return;
    session.told.push(event);
    session.ended++;
  });
  session.refused = await Promise.race([
    once(socket, 'open').then(() => undefined),
    once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode),
  ]).catch(() => 0);
  if (session.refused === undefined) for (const message of begin(slug)) socket.send(JSON.stringify(message));
  return session;
}

const bearer = (secret) => ({ authorization: `Bearer ${secret}` });

/** Several sessions that ask on and on, and are opened again when they are closed; how many turns were asked for. */
async function outliveMoney(url, payer, faults) {
  let asked = 0;
  const talkOn = async () => {
    for (let again = 0; again < REOPENED; again++) {
      const session = await openSession(url, payer, bearer(payer.secret));
      if (session.refused !== undefined) return;
      for (let turn = 0; turn < TURNS && session.code === undefined; turn++) {
        const { ended } = session;
        for (const message of payer.turn(payer.slug, turn)) session.socket.send(JSON.stringify(message));
        asked++;
        await until(() => session.ended > ended || session.code !== undefined);
      }
      session.socket.terminate();
    }
  };
  const all = Promise.all(Array.from({ length: SESSIONS }, talkOn)).then(() => true);
  if ((await Promise.race([all, sleep(LONGEST_MS).then(() => false)])) === false)
    faults.push(`${payer.name}: turns are neither answered nor refused`);
  return asked;
}

/** A key of the same owner is revoked while a session of it is open, and while a client secret of it is good. */
async function outliveKeys(url, payers, faults) {
  const words = [];
  for (const payer of payers) {
    const { json: made } = await call(url, 'POST', '/admin/keys', {
      name: `${payer.name}-2`,
      owner_id: payer.ownerId,
      models: ['*'],
    });
    const open = await openSession(url, payer, bearer(made.secret));
    let secret;
    if (payer.path('').startsWith('/v1/realtime')) {
      const session = { type: 'realtime', model: payer.slug };
      secret = (await call(url, 'POST', '/v1/realtime/client_secrets', { session }, made.secret)).json.value;
    }
    const bySecret = secret && (await openSession(url, payer, {}, ['realtime', `openai-insecure-api-key.${secret}`]));
    for (const session of [open, bySecret])
      if (session?.refused !== undefined) faults.push(`${payer.name}: no session opens`);
    await call(url, 'DELETE', `/admin/keys/${made.key.id}`);
    await sleep(KNOWN_MS);
    const before = payer.billed();
    const again = secret && (await openSession(url, payer, {}, ['realtime', `openai-insecure-api-key.${secret}`]));
    if (again !== undefined && again.refused !== 401)
      faults.push(`${payer.name}: a secret of a revoked key opens a session`);
    for (const session of [open, bySecret]) {
      if (session === undefined) continue;
      for (const message of payer.turn(payer.slug, 0)) session.socket.send(JSON.stringify(message));
      await until(() => session.code !== undefined || session.ended > 0, CLOSED_MS);
      const isRefused = session.code === 1008 || session.told.every(({ type }) => type === 'error');
      if (!isRefused || (session.code === undefined && session.ended === 0))
        faults.push(
          `${payer.name}: a session of a revoked key goes on (closed: ${session.code}, ${session.ended} turns)`,
        );
      session.socket.terminate();
    }
    if (payer.billed() > before) faults.push(`${payer.name}: a revoked key was billed`);
    words.push(payer.name);
  }
  return `revoked keys and their secrets begin nothing more (${words.join(', ')})`;
}

async function until(isTrue, ms = LONGEST_MS) {
  const end = Date.now() + ms;
  while (!isTrue() && Date.now() < end) await sleep(10);
}

async function call(url, method, path, body, key = ADMIN_KEY) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return { json: text === '' ? {} : JSON.parse(text) };
}

function configText({ databaseUrl, folder, payers }) {
  const lines = (of) => payers.map(of).join('\n');
  const price = `price: { input: ${PRICE.input}, output: ${PRICE.output} }`;
  const limits = `limits: { max_output_tokens: ${MOST_OUTPUT} }`;
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
accounts:
${lines(({ name, vendor, twin }, at) => `  - { id: ${at + 1}, name: ${name}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor).api_key}' }, max_concurrency: 5000 }`)}
models:
${lines(({ name, kind, model }) => `  - { code: ${name}, kind: ${kind}, ${limits}, offers: [{ account: ${name}, model: ${model}${kind === 'chat' ? ', dialect: openai-responses' : ''} }], ${price} }`)}
`;
}
