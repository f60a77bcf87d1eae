/** Kill -9 in the middle of streams: what the next process finds is charged by what had come, and by all that was set aside where a model thinks unseen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { killStream, type Asked } from './killed-stream.ts';

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
async function killAt(tokens: number, asked: Asked) {
  const limits = `limits: { max_output_tokens: ${MOST_OUTPUT} }`;
  const price = `price: { input: 1, output: ${OUTPUT_PRICE} }`;
  const { charged, billed } = await killStream(
    { ...asked, body: { ...asked.body, stream: true } },
    {
      twin,
      vendor: 'openai',
      models: [
        `{ code: chat, kind: chat, ${limits}, offers: [{ account: vendor, model: gpt-5.2, dialect: openai-chat }], ${price} }`,
        `{ code: responses, kind: chat, ${limits}, offers: [{ account: vendor, model: gpt-5.2, dialect: openai-responses }], ${price} }`,
      ],
      isEnough: (text) => (text.match(/"(?:content|delta)":"[^"]/g) ?? []).length >= tokens,
    },
  );
  return { charged, billed: (billed.outputTokens ?? 0) * UNITS_PER_TOKEN };
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
