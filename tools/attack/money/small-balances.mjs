/**
 * Owners with $0.06 and a model whose worst case nearly is as much: an honest one sends four small chats to a slow vendor, hostile ones send
 * 64 at once that use all they may.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedVendor } from '../../../libs/testing/src/scripted-vendor.ts';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { DOLLAR, enrol, OVERDRAFT, readBooks } from './payers.mjs';

const CENTS = 0.06 * DOLLAR;
const OUTPUT = 128_000;
const PRICE = { input: 0.05, output: 0.4 };
const SMALL_OUTPUT = 150;
const HONEST = 4;
const RACERS = 64;
/** An answer of a model that thinks. */
const HONEST_MS = 6_000;
const HOSTILE_MS = 100;
const ROUNDS = 3;
const FLUSH_MS = 1_500;

/** Counts answers of the honest owner, and what the vendor bills for the others. */
export async function spendTheLastCents({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const billed = new Map();
  const vendor = await startScriptedVendor(async ({ json }) => {
    const honest = json.model === 'honest';
    await sleep(honest ? HONEST_MS : HOSTILE_MS);
    const usage = { prompt_tokens: 10, completion_tokens: honest ? SMALL_OUTPUT : OUTPUT };
    const units = ((usage.prompt_tokens * PRICE.input + usage.completion_tokens * PRICE.output) * DOLLAR) / 1e6;
    billed.set(json.model, (billed.get(json.model) ?? 0) + units);
    return { json: answerOf({ ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }) };
  });
  const names = ['honest', ...(short ? ['hostile'] : ['hostile', 'again', 'more'])];
  const payers = names.map((name) => ({
    name,
    cap: CENTS,
    secret: `sk-attack-${name}-0123456789abcdef`,
    billed: () => billed.get(name) ?? 0,
  }));
  await enrol(database.url, payers);
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, names, vendor }));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  try {
    const [honest, ...hostile] = payers;
    const answers = await Promise.all(Array.from({ length: HONEST }, () => ask(gateway.url, honest)));
    const answered = answers.filter(({ status }) => status === 200).length;
    if (answered < HONEST)
      faults.push(`${answered} of ${HONEST} small chats were answered: ${JSON.stringify(answers)}`);
    for (const payer of hostile)
      for (let round = 0; round < ROUNDS; round++)
        await Promise.all(Array.from({ length: RACERS }, () => ask(gateway.url, payer)));
    await sleep(FLUSH_MS);
    await gateway.kill();
    const { books, differences } = await readBooks(database.url, payers);
    for (const { payer, billed: units, charged, balance } of books) {
      const most = payer.cap + OVERDRAFT;
      if (units > most) faults.push(`${payer.name}: the vendor billed ${units} units of ${most}`);
      if (charged > most) faults.push(`${payer.name}: ${charged} units were charged of ${most}`);
      if (balance < -OVERDRAFT) faults.push(`${payer.name} owes ${-balance} units`);
    }
    faults.push(...differences.map(({ message }) => `ledger verify: ${message}`));
    const dear = books.slice(1).map(({ billed: units }) => `$${(units / DOLLAR).toFixed(2)}`);
    return { measured: `${answered} of ${HONEST} small chats answered; 64 dear ones cost ${dear.join(', ')}`, faults };
  } finally {
    await gateway.kill();
    await vendor.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function answerOf(usage) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage,
  };
}

async function ask(url, { name, secret }) {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: name, messages: [{ role: 'user', content: 'hi' }] }),
  });
  return { status: reply.status, text: (await reply.text()).slice(0, 120) };
}

function configText({ databaseUrl, folder, names, vendor }) {
  const rows = names.map(
    (name) =>
      `  - { code: ${name}, kind: chat, limits: { max_input_tokens: 1000, max_output_tokens: ${OUTPUT} }, price: { input: ${PRICE.input}, output: ${PRICE.output} }, offers: [{ account: one, model: ${name}, dialect: openai-chat }] }`,
  );
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
accounts: [{ id: 1, name: one, vendor: openai, base_url: '${vendor.url}/v1', credentials: { api_key: none }, max_concurrency: 5000 }]
models:
${rows.join('\n')}
`;
}
