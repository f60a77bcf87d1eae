/** Whole answers with nothing in them, where a model's row wants another one in their place: `retries.on: [empty_answer]`. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';

const TOKENS = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const says = (message: JsonObject): JsonObject => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  usage: TOKENS,
});
const EMPTY = says({ content: '' });
const HELLO = says({ content: 'Hello' });
/** 100 tokens in and 10 out, in quota units: $1 and $10 per million, 500,000 units a dollar. */
const ONE = 100;

/** What the vendor answers, by the name of the model: one after another, the last for ever; a number is a status. */
let script: Record<string, readonly (JsonObject | number)[]>;
let asked: string[];
let vendor: Server;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.once('end', () => {
      const { model } = JSON.parse(body) as { model: string };
      const answers = script[model] ?? [];
      const answer = answers[Math.min(asked.filter((each) => each === model).length, answers.length - 1)] ?? 500;
      asked.push(model);
      response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(typeof answer === 'number' ? { error: { message: 'no' } } : answer));
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
  const price = 'price: { input: 1, output: 10 }, limits: { max_output_tokens: 100 }';
  const offer = (model: string, more = ''): string => `{ account: up, model: ${model}, dialect: openai-chat${more} }`;
  gateway = await openTestGateway({
    yaml: `extends: none
accounts: [{ name: up, vendor: openai-compatible, base_url: '${url}', credentials: { api_key: k } }]
models:
  - { code: two, kind: chat, ${price}, retries: { on: [empty_answer] }, offers: [${offer('first')}, ${offer('second', ', priority: 2')}] }
  - { code: alone, kind: chat, ${price}, retries: { on: [empty_answer] }, offers: [${offer('first')}] }
  - { code: usual, kind: chat, ${price}, offers: [${offer('first')}, ${offer('second', ', priority: 2')}] }
`,
  });
});
beforeEach(() => {
  asked = [];
  script = { first: [EMPTY], second: [HELLO] };
});
afterAll(async () => {
  await gateway.close();
  vendor.close();
});

async function ask(model: string, path = '/v1/chat/completions') {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }),
  });
  const requestId = reply.headers.get('x-request-id') ?? '';
  const text = await reply.text();
  const { ledger } = gateway.server.parts.store;
  await until(async () => {
    await gateway.server.own.flush();
    return (await ledger.entries({ requestId, kind: 'capture', limit: 1 })).length > 0;
  });
  const [entry] = await ledger.entries({ requestId, kind: 'capture', limit: 1 });
  return { status: reply.status, text, charged: entry?.charged, detail: entry?.detail };
}

it.each(['/v1/chat/completions', '/v1/messages'])('%s: another one is asked, and both are paid', async (path) => {
  const { status, text, charged, detail } = await ask('two', path);
  expect({ status, asked }).toEqual({ status: 200, asked: ['first', 'second'] });
  expect(text).toContain('Hello');
  expect(charged).toBe(2 * ONE);
  expect(detail).toMatchObject({ beside: [{ why: 'empty_answer', usage: { inputTokens: 100, outputTokens: 10 } }] });
});

it('a lone one is asked again', async () => {
  script = { first: [EMPTY, HELLO] };
  const { text, charged } = await ask('alone');
  expect(asked).toEqual(['first', 'first']);
  expect(text).toContain('Hello');
  expect(charged).toBe(2 * ONE);
});

it('a second empty one is what the caller gets', async () => {
  script = { first: [EMPTY], second: [EMPTY] };
  const { status, text, charged } = await ask('two');
  expect({ status, asked }).toEqual({ status: 200, asked: ['first', 'second'] });
  expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: '' } }] });
  expect(charged).toBe(2 * ONE);
});

it('when nobody else answers, what was answered with nothing is paid, and no more', async () => {
  script = { first: [EMPTY], second: [503] };
  const { status, charged } = await ask('two');
  expect(status).toBeGreaterThanOrEqual(500);
  expect(charged).toBe(ONE);
});

it.each([
  [
    'calls of tools',
    { content: null, tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }] },
  ],
  ['a refusal', { content: null, refusal: 'No.' }],
])('an answer with %s is none', async (_what, message) => {
  script = { first: [says(message)] };
  expect((await ask('two')).charged).toBe(ONE);
  expect(asked).toEqual(['first']);
});

it('where nobody asks for it an empty answer is an answer', async () => {
  const { status, charged } = await ask('usual');
  expect({ status, asked, charged }).toEqual({ status: 200, asked: ['first'], charged: ONE });
});
