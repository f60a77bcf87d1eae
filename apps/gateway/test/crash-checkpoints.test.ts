/** Kill -9 in the middle of streams: what the next process finds is charged by what had come, and by all that was set aside where a model thinks unseen. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { JsonObject } from '@model-gateway/contracts';
import { openStore } from '@model-gateway/store';
import { startGatewayProcess } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const KEY = 'sk-checkpoints-0123456789abcdef';
const MOST_OUTPUT = 1_000;
const OUTPUT_PRICE = 100;
const UNITS_PER_TOKEN = (OUTPUT_PRICE * 500_000) / 1e6;
const RESERVED = MOST_OUTPUT * UNITS_PER_TOKEN;
let twin: VendorTwin;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', chunkDelayMs: 3 });
});
afterAll(() => twin.close());

/** Streams until about so many tokens have come, kills the process, and answers what was charged for it and what the vendor bills. */
async function killAt(tokens: number, asked: { readonly path: string; readonly body: JsonObject }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-checkpoints-'));
  const url = `sqlite:${folder}/gateway.db`;
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: '${url}' }
twin: { enabled: false }
files: { folder: '${folder}/files' }
keys: [{ name: checkpoints, key: ${KEY} }]
accounts: [{ id: 1, name: vendor, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }]
models:
  - { code: chat, kind: chat, limits: { max_output_tokens: ${MOST_OUTPUT} }, offers: [{ account: vendor, model: gpt-5.2, dialect: openai-chat }], price: { input: 1, output: ${OUTPUT_PRICE} } }
  - { code: responses, kind: chat, limits: { max_output_tokens: ${MOST_OUTPUT} }, offers: [{ account: vendor, model: gpt-5.2, dialect: openai-responses }], price: { input: 1, output: ${OUTPUT_PRICE} } }
`,
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  try {
    const before = twin.ledger.totals('openai').outputTokens;
    const answers = twin.ledger.answers('openai').length;
    const reply = await fetch(`${gateway.url}${asked.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...asked.body, stream: true }),
    });
    let text = '';
    const reader = reply.body!.getReader();
    while ((text.match(/"(?:content|delta)":"[^"]/g) ?? []).length < tokens) {
      const read = await reader.read();
      if (read.done) throw new Error(text.slice(-500));
      text += Buffer.from(read.value).toString('latin1');
    }
    // The ledger has what was noted this much ago.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await gateway.kill();
    await reader.cancel().catch(() => undefined);
    for (let round = 0; round < 200 && twin.ledger.answers('openai').length === answers; round++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const store = await openStore(url, { beside: true });
    await store.ledger.closeExpiredLeases(Date.now(), { process: 'nobody' });
    const entries = await store.ledger.entries({ kind: 'capture', limit: 100 });
    const differences = await store.ledger.verify();
    await store.close();
    expect(differences).toEqual([]);
    expect(entries.every(({ detail }) => detail['crashSettlement'] === true)).toBe(true);
    return {
      charged: entries.reduce((sum, { charged }) => sum + charged, 0),
      billed: (twin.ledger.totals('openai').outputTokens - before) * UNITS_PER_TOKEN,
    };
  } finally {
    await gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const QUESTION = `[[twin:long=${MOST_OUTPUT - 100}]] Tell me of the sea.`;
const chat = (more: JsonObject = {}) => ({
  path: '/v1/chat/completions',
  body: { model: 'chat', messages: [{ role: 'user', content: QUESTION }], ...more },
});

it.each([
  { name: 'forwarded', asked: chat() },
  { name: 'translated', asked: { path: '/v1/responses', body: { model: 'chat', input: QUESTION } } },
])('a stream that is $name is charged what had come, and a little more', async ({ asked }) => {
  const { charged, billed } = await killAt(100, asked);
  expect(billed).toBeGreaterThan(0);
  expect(charged).toBeGreaterThanOrEqual(billed * 0.85);
  expect(charged).toBeLessThan(billed + RESERVED * 0.2);
});

it('a model that was asked to think is charged all that was set aside: its vendor may bill it', async () => {
  const { charged } = await killAt(20, chat({ reasoning_effort: 'high' }));
  expect(charged).toBeGreaterThanOrEqual(RESERVED);
});
