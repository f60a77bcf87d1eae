/**
 * Payers of a dollar send 64 requests at once whose bodies are small and whose bills are not: they refer to state, files, addresses and
 * tools of the vendor, spell caps twice, ask for many answers or dearer service. The vendor bills the model's worst case for each.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { startScriptedVendor } from '../../../libs/testing/src/scripted-vendor.ts';
import { DOLLAR, enrol, OVERDRAFT, readBooks } from './payers.mjs';

const CONTEXT = 21_000;
const OUTPUT = 1_100;
const SEARCHES = 5;
/** US dollars: a worst case of 21.5 cents, and searches. */
const PRICE = { input: 5, output: 100, web_search: 0.01 };
const TIER_FACTOR = 2;
const RACERS = 64;
const VENDOR_MS = 25;
const FLUSH_MS = 1_500;

const responses = (fields) => ({ path: '/v1/responses', body: { input: 'hi', max_output_tokens: 16, ...fields } });
const chat = (fields) => ({
  path: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 16, ...fields },
});
const said = (part) => ({ messages: [{ role: 'user', content: [part] }] });
const message = (fields) => ({
  path: '/v1/messages',
  body: { max_tokens: 16, messages: [{ role: 'user', content: 'hi' }], ...fields },
});
const generate = (fields) => ({
  path: '/v1beta/models/MODEL:generateContent',
  body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 16 }, ...fields },
});
const ADDRESS = 'https://example.com/a';

/** `answers`: how many the vendor bills; `factor`: of the tier it was asked for; `searches`: it bills those. */
const VARIANTS = {
  state: responses({ previous_response_id: 'resp_1' }),
  conversation: responses({ conversation: 'conv_1' }),
  prompt: { ...responses({ prompt: { id: 'pmpt_1' } }), searches: SEARCHES },
  item: responses({ input: [{ type: 'item_reference', id: 'msg_0' }] }),
  file: responses({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }),
  search: { ...responses({ tools: [{ type: 'web_search' }] }), searches: SEARCHES },
  interpreter: responses({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
  picture: chat(said({ type: 'image_url', image_url: { url: ADDRESS } })),
  spoken: chat({ messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }),
  spellings: { ...chat({ max_tokens: 1, max_completion_tokens: OUTPUT }), own: true },
  // Words that other servers of the wire obey.
  predicted: { ...chat({ max_tokens: 1, n_predict: OUTPUT }), own: true },
  nested: { ...chat({ max_tokens: 1, options: { num_predict: OUTPUT } }), own: true },
  unheard: { ...chat({ max_tokens: 1, max_decode_steps: OUTPUT }), own: true },
  endless: { ...chat({ max_tokens: 1, max_completion_tokens: -1 }), own: true },
  best: { ...chat({ best_of: 8, max_tokens: OUTPUT }), own: true, answers: 8 },
  uncapped: { ...chat({ max_tokens: undefined }), own: true },
  several: { ...chat({ n: 8, max_tokens: OUTPUT }), own: true, answers: 8 },
  tier: { ...chat({ service_tier: 'priority', max_tokens: OUTPUT }), own: true, factor: TIER_FACTOR },
  document: message(said({ type: 'document', source: { type: 'url', url: ADDRESS } })),
  container: message({ container: 'container_1' }),
  cached: generate({ cachedContent: 'cachedContents/1' }),
  film: generate({ contents: [{ parts: [{ fileData: { fileUri: 'gs://bucket/film' } }] }] }),
  snake: generate({ cached_content: 'cachedContents/1' }),
};
const SHORT = ['predicted', 'best', 'state', 'search', 'picture', 'several', 'tier', 'document', 'film'];
/** Refused before anybody is asked: whose model, the request, the field that is named. */
const REFUSED = [
  ['picture', chat({ deferred: true }), 'deferred'],
  ['picture', chat({ models: ['document'] }), 'models'],
];

/** Every variant against a payer of its own; resolves with the numbers in words and what broke the law. */
export async function referElsewhere({ short, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const billed = new Map();
  const vendor = await startScriptedVendor(async ({ path, json }) => {
    await sleep(VENDOR_MS);
    const name = nameOf(path, json);
    const variant = VARIANTS[name] ?? {};
    billed.set(name, (billed.get(name) ?? 0) + worstCaseOf(variant));
    return { json: answerOf(path, variant) };
  });
  const names = short ? SHORT : Object.keys(VARIANTS);
  const payers = [...names, 'honest'].map((name) => ({
    name,
    cap: DOLLAR,
    secret: `sk-attack-${name}-0123456789abcdef`,
    billed: () => billed.get(name) ?? 0,
  }));
  await enrol(database.url, payers);
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, payers, vendor }));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  const measured = [];
  try {
    for (const payer of payers.filter(({ name }) => name !== 'honest')) {
      const { path, body } = VARIANTS[payer.name];
      const statuses = await Promise.all(Array.from({ length: RACERS }, () => send(gateway.url, payer, path, body)));
      const answered = statuses.filter(({ status }) => status === 200).length;
      if (answered === 0) faults.push(`${payer.name}: nothing was answered (${JSON.stringify(statuses[0])})`);
      say(`${payer.name}: ${answered} of ${RACERS} answered, $${(payer.billed() / DOLLAR).toFixed(2)} billed`);
    }
    const honest = payers.at(-1);
    const { path, body } = chat({ max_tokens: 10 });
    const { status, text } = await send(gateway.url, honest, path, body);
    if (status !== 200) faults.push(`an ordinary request of a payer of a dollar was refused: ${text}`);
    for (const [model, refused, field] of REFUSED) {
      const reply = await send(gateway.url, honest, refused.path, { model, ...refused.body });
      if (reply.status !== 400 || !reply.text.includes(field))
        faults.push(`${field} was answered ${reply.status} ${reply.text}, not a 400 that names it`);
    }
    await sleep(FLUSH_MS);
    await gateway.kill();
    const { books, differences } = await readBooks(database.url, payers);
    for (const { payer, billed: units, shortfall, balance } of books) {
      const worst = worstCaseOf(VARIANTS[payer.name] ?? {});
      const beyond = Math.max(0, units - payer.cap);
      if (payer.name !== 'honest') measured.push(`${payer.name} ${(beyond / worst).toFixed(2)}`);
      if (beyond > Math.max(worst, OVERDRAFT))
        faults.push(
          `${payer.name}: the vendor billed ${beyond} units beyond the funds; a worst case is ${worst}, the overdraft ${OVERDRAFT}`,
        );
      if (shortfall > worst) faults.push(`${payer.name}: a shortfall of ${shortfall} units; a worst case is ${worst}`);
      if (balance < -OVERDRAFT) faults.push(`${payer.name} owes ${-balance} units`);
    }
    faults.push(...differences.map(({ message: text2 }) => `ledger verify: ${text2}`));
    return { measured: `billed beyond the funds, in worst cases: ${measured.join(', ')}`, faults };
  } finally {
    await gateway.kill();
    await vendor.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the vendor bills, in quota units: all that the row allows, or, of a body that holds its own input, the output alone. */
function worstCaseOf({ own = false, answers = 1, factor = 1, searches = 0 }) {
  const tokens = (own ? 0 : CONTEXT * PRICE.input) + OUTPUT * answers * PRICE.output;
  return ((tokens * factor) / 1e6 + searches * PRICE.web_search) * DOLLAR;
}

function nameOf(path, json) {
  return /models\/([a-z]+):/.exec(path)?.[1] ?? json.model;
}

function answerOf(path, { own = false, answers = 1, searches = 0 }) {
  const [input, output] = [own ? 0 : CONTEXT, OUTPUT * answers];
  if (path.endsWith('/responses')) {
    const text = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [] };
    const calls = Array.from({ length: searches }, (_, index) => ({
      type: 'web_search_call',
      id: `ws_${index}`,
      status: 'completed',
    }));
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    return { id: 'resp_2', object: 'response', created_at: 1, status: 'completed', output: [...calls, text], usage };
  }
  if (path.endsWith('/messages'))
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: input, output_tokens: output },
    };
  if (path.includes(':generateContent'))
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

async function send(url, { name, secret }, path, body) {
  const reply = await fetch(`${url}${path.replace('MODEL', name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: name, ...body }),
  });
  return { status: reply.status, text: await reply.text() };
}

/** A model per payer at one vendor that speaks every dialect. */
function configText({ databaseUrl, folder, payers, vendor }) {
  const limits = `{ max_input_tokens: ${CONTEXT}, max_output_tokens: ${OUTPUT}, max_web_searches: ${SEARCHES} }`;
  const price = `{ input: ${PRICE.input}, output: ${PRICE.output}, web_search: ${PRICE.web_search}, factors: { service_tier: { priority: ${TIER_FACTOR} } } }`;
  const rows = payers.map(({ name }) => {
    const [account, dialect] = speakerOf(VARIANTS[name]?.path ?? '');
    return `  - { code: ${name}, kind: chat, limits: ${limits}, price: ${price}, offers: [{ account: ${account}, model: ${name}, ${dialect} }] }`;
  });
  const credentials = 'credentials: { api_key: none }, max_concurrency: 5000';
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'], unknown_vendor_ids: pass }
extends: none
accounts:
  - { id: 1, name: openai, vendor: openai, base_url: '${vendor.url}/v1', ${credentials} }
  - { id: 2, name: anthropic, vendor: anthropic, base_url: '${vendor.url}', ${credentials} }
  - { id: 3, name: gemini, vendor: gemini, base_url: '${vendor.url}', ${credentials} }
models:
${rows.join('\n')}
`;
}

function speakerOf(path) {
  if (path === '/v1/messages') return ['anthropic', 'dialect: anthropic-messages'];
  if (path.includes('generateContent')) return ['gemini', 'dialect: gemini-generate'];
  return ['openai', 'dialects: [openai-chat, openai-responses]'];
}
