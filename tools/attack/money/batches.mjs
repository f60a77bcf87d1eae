/**
 * Owners with sixty cents make many batches at once, whose lines their vendor takes in batches of its own; one of them cancels each at another moment,
 * and one takes an input file of another's.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startVendorTwin } from '../../../libs/vendor-twin/src/index.ts';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { DOLLAR, enrol, readBooks } from './payers.mjs';

const CENTS = 0.6 * DOLLAR;
/** At the price of a batch twelve of the dearest lines fit into it. */
const PRICE = { input: 1, output: 100 };
const BATCH = 0.5;
const OUTPUT = 1_000;
const WORST_CASE = (OUTPUT * PRICE.output * BATCH * DOLLAR) / 1e6 + 100;
const VENDOR_SECONDS = 0.4;
const LINES = 5;
const CHAT = '/v1/chat/completions';
/** What is still without money then is cancelled. */
const PATIENCE_MS = 12_000;
const LONGEST_MS = 60_000;

/** Compares what vendors bill with what is charged, owner by owner. */
export async function raceBatches({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const payers = await Promise.all(['racer', 'canceller', 'thief'].map(createPayer));
  await enrol(database.url, payers);
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, payers }));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  try {
    const [racer, canceller, thief] = payers.map((payer) => apiOf(gateway.url, payer));
    const count = short ? 6 : 24;
    const file = await racer.upload(LINES);
    const [made, cancelled, stolen] = await Promise.all([
      Promise.all(Array.from({ length: count }, () => racer.create(file))),
      Promise.all(Array.from({ length: count }, (_, index) => cancelAt(canceller, (index * 3_000) / count))),
      thief.create(file),
    ]);
    if (stolen.status !== 404) faults.push(`another owner's input file: ${stolen.status} ${stolen.text.slice(0, 200)}`);
    await sleep(short ? PATIENCE_MS / 2 : PATIENCE_MS);
    const all = [...made.map(({ json }) => [racer, json.id]), ...cancelled.map(({ json }) => [canceller, json.id])];
    for (const [api, id] of all) await api.cancel(id);
    const counts = { completed: 0, total: 0 };
    for (const [api, id] of all) {
      const batch = await api.ended(id);
      if (batch === undefined) faults.push(`the batch ${id} does not end`);
      counts.completed += batch?.request_counts.completed ?? 0;
      counts.total += batch?.request_counts.total ?? 0;
    }
    await gateway.kill();
    const { books, differences } = await readBooks(database.url, payers);
    for (const { payer, billed, charged, shortfall, balance } of books) {
      if (charged > payer.cap) faults.push(`${payer.name}: ${charged} units were charged of ${payer.cap}`);
      // What is left of a balance may begin one line more.
      if (billed > payer.cap + WORST_CASE)
        faults.push(`${payer.name}: the vendor billed ${billed} units of ${payer.cap}`);
      // Each line is rounded.
      if (Math.abs(billed - charged - shortfall) > counts.total)
        faults.push(
          `${payer.name}: the vendor billed ${billed} units, ${charged} were charged, ${shortfall} were short`,
        );
      if (balance !== payer.cap - charged)
        faults.push(`${payer.name}: ${balance} units are left, ${charged} were charged`);
    }
    faults.push(...differences.map(({ message }) => `ledger verify: ${message}`));
    const spent = books.map(({ payer, charged }) => `${payer.name} $${(charged / DOLLAR).toFixed(3)}`);
    const measured = `${all.length} batches of ${LINES} lines, ${counts.completed} lines answered; another's file: ${stolen.status}; ${spent.join(', ')} of $${CENTS / DOLLAR}, as their vendors billed`;
    if (counts.completed === 0) faults.push('no line was answered');
    return { measured, faults };
  } finally {
    await gateway.kill();
    for (const { twin } of payers) await twin.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createPayer(name) {
  const twin = await startVendorTwin({ media: 'tiny', seconds: { batch: VENDOR_SECONDS } });
  return {
    ...{ name, twin, cap: CENTS, secret: `sk-attack-${name}-0123456789abcdef` },
    billed() {
      const { inputTokens, outputTokens } = twin.ledger.totals('openai');
      return ((inputTokens * PRICE.input + outputTokens * PRICE.output) * BATCH * DOLLAR) / 1e6;
    },
  };
}

async function cancelAt(api, ms) {
  const made = await api.create(await api.upload(LINES));
  await sleep(ms);
  await api.cancel(made.json.id);
  return made;
}

function apiOf(url, { name, secret }) {
  const send = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  return {
    async upload(lines) {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob(Array.from({ length: lines }, (_, index) => lineOf(name, index))), 'in.jsonl');
      return (await send('POST', '/v1/files', form)).json.id;
    },
    create: (file) => send('POST', '/v1/batches', { input_file_id: file, endpoint: CHAT, completion_window: '24h' }),
    cancel: (id) => send('POST', `/v1/batches/${id}/cancel`),
    async ended(id) {
      for (const until = Date.now() + LONGEST_MS; Date.now() < until; await sleep(100)) {
        const { json } = await send('GET', `/v1/batches/${id}`);
        if (['completed', 'failed', 'expired', 'cancelled'].includes(json.status)) return json;
      }
      return undefined;
    },
  };
}

function lineOf(model, index) {
  const body = {
    model,
    max_completion_tokens: OUTPUT,
    messages: [{ role: 'user', content: `Line ${index} [[twin:long=4000]]` }],
  };
  return `${JSON.stringify({ custom_id: String(index), method: 'POST', url: CHAT, body })}\n`;
}

function configText({ databaseUrl, folder, payers }) {
  const lines = (of) => payers.map(of).join('\n');
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
accounts:
${lines(({ name, twin }, index) => `  - { id: ${index + 1}, name: ${name}, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai').api_key}' } }`)}
models:
${lines(({ name }) => `  - { code: ${name}, kind: chat, limits: { max_output_tokens: ${OUTPUT} }, offers: [{ account: ${name}, model: gpt-5.2, dialect: openai-chat }], price: { input: ${PRICE.input}, output: ${PRICE.output}, batch: ${BATCH} } }`)}
`;
}
