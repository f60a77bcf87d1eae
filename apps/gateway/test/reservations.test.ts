/** What is set aside, sent and billed, end to end: caps, tiers, betas, background, and reports beyond the model's limits. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, startScriptedVendor, type ScriptedVendor, type TestGateway } from '@model-gateway/testing';

let vendor: ScriptedVendor;
let gateway: TestGateway;
let tokens = { input: 10, output: 5 };

beforeAll(async () => {
  vendor = await startScriptedVendor(({ path }) => ({ json: answerOf(path) }));
  const key = 'credentials: { api_key: vendor-key-0123456789 }';
  const row = `kind: chat, limits: { max_input_tokens: 1000, max_output_tokens: 100 }, price: { input: 10, output: 100, cache_write: 12.5, factors: { service_tier: { priority: 2 } } }`;
  gateway = await openTestGateway({
    yaml: `extends: none\naccounts:
  - { id: 1, name: openai, vendor: openai, base_url: '${vendor.url}/v1', ${key} }
  - { id: 2, name: anthropic, vendor: anthropic, base_url: '${vendor.url}', ${key} }
  - { id: 3, name: gemini, vendor: gemini, base_url: '${vendor.url}', ${key} }
models:
  - { code: chat, ${row}, offers: [{ account: openai, model: m, dialect: openai-chat }] }
  - { code: responses, ${row}, offers: [{ account: openai, model: m, dialect: openai-responses }] }
  - { code: messages, ${row}, offers: [{ account: anthropic, model: m, dialect: anthropic-messages }] }
  - { code: generate, ${row}, offers: [{ account: gemini, model: m, dialect: gemini-generate }] }
`,
  });
});
beforeEach(() => {
  vendor.requests.length = 0;
  tokens = { input: 10, output: 5 };
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

function answerOf(path: string): JsonObject {
  const { input, output } = tokens;
  if (path.endsWith('/messages'))
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    };
  if (path.includes('generateContent'))
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    };
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  if (path.endsWith('/responses')) {
    const content = [{ type: 'output_text', text: 'ok', annotations: [] }];
    const output0 = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content };
    const told = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output: [output0],
      usage: told,
    };
  }
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, finish_reason: 'stop', logprobs: null },
    ],
    usage,
  };
}

interface Reply {
  readonly status: number;
  readonly dropped: string | null;
  readonly id: string | null;
  readonly json: JsonObject;
}
async function post(path: string, body: JsonObject, headers: Record<string, string> = {}): Promise<Reply> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: reply.status,
    dropped: reply.headers.get('x-gateway-dropped'),
    id: reply.headers.get('x-request-id'),
    json: (await reply.json()) as JsonObject,
  };
}
const user = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const sent = (): JsonObject => vendor.requests.at(-1)?.json as JsonObject;
const estimated = async (endpoint: string, body: JsonObject): Promise<JsonObject> =>
  (await post('/v1/estimate', { endpoint, body })).json;

/** The bill as the ledger keeps it. */
async function billOf(id: string | null): Promise<JsonObject> {
  for (;;) {
    const reply = await fetch(`${gateway.url}/admin/ledger?request_id=${id}`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    const { data } = (await reply.json()) as { data: JsonObject[] };
    const found = data.find((entry) => entry['request_id'] === id);
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a cap above what the model gives', () => {
  it.each<[string, string, JsonObject, JsonObject]>([
    ['chat', '/v1/chat/completions', { model: 'chat', messages: user, max_tokens: 5_000 }, { max_tokens: 100 }],
    [
      'responses',
      '/v1/responses',
      { model: 'responses', input: 'hi', max_output_tokens: 5_000 },
      { max_output_tokens: 100 },
    ],
    ['messages', '/v1/messages', { model: 'messages', messages: user, max_tokens: 5_000 }, { max_tokens: 100 }],
    [
      'generate',
      '/v1beta/models/generate:generateContent',
      { contents, generationConfig: { maxOutputTokens: 5_000, temperature: 0 } },
      { generationConfig: { maxOutputTokens: 100, temperature: 0 } },
    ],
    [
      'a translation to Responses',
      '/v1/chat/completions',
      { model: 'responses', messages: user, max_tokens: 5_000 },
      { max_output_tokens: 100 },
    ],
    [
      'a translation to chat',
      '/v1/messages',
      { model: 'chat', messages: user, max_tokens: 5_000 },
      { max_completion_tokens: 100 },
    ],
  ])('is lowered on the way to the vendor, and named: %s', async (_name, path, body, expected) => {
    const { status, dropped } = await post(path, body);
    expect([status, dropped]).toEqual([200, expect.stringMatching(/max|generationConfig/)]);
    expect(sent()).toMatchObject(expected);
  });

  it('within the limit leaves the caller’s bytes as they are', async () => {
    const { dropped } = await post('/v1/chat/completions', { model: 'chat', messages: user, max_tokens: 100 });
    expect([dropped, sent()['max_tokens']]).toEqual([null, 100]);
  });
});

describe('background: true', () => {
  it.each(['responses', 'chat', 'messages', 'generate'])('is refused at a model of %s', async (model) => {
    const { status, json } = await post('/v1/responses', { model, input: 'hi', background: true });
    expect([status, json['error']]).toMatchObject([400, { param: 'background' }]);
    expect(vendor.requests).toHaveLength(0);
  });

  it('is refused by an estimate, too; false and null are not', async () => {
    const error = (await estimated('/v1/responses', { model: 'responses', input: 'hi', background: true }))['error'];
    expect(error).toMatchObject({ param: 'body.background' });
    for (const background of [false, null])
      expect((await post('/v1/responses', { model: 'responses', input: 'hi', background })).status).toBe(200);
  });
});

describe('a service tier', () => {
  it.each(['auto', 'default'])('%s is harmless', async (tier) => {
    const { status, id } = await post('/v1/chat/completions', { model: 'chat', messages: user, service_tier: tier });
    expect(status).toBe(200);
    expect((await billOf(id))['amount']).toBe(-(10 * 10 + 5 * 100) / 2);
  });

  it('with a price is multiplied, in the estimate and in the bill', async () => {
    const body = { model: 'chat', messages: user, max_tokens: 5 };
    const [plain, dear] = [
      await estimated('/v1/chat/completions', body),
      await estimated('/v1/chat/completions', { ...body, service_tier: 'priority' }),
    ];
    expect(dear['items']).toMatchObject([{ factor: 2 }, { factor: 2 }]);
    expect(Number(dear['quota'])).toBeGreaterThan(2 * Number(plain['quota']) - 2);
    const { id } = await post('/v1/chat/completions', { ...body, service_tier: 'priority' });
    expect((await billOf(id))['amount']).toBe(-(10 * 10 + 5 * 100));
  });

  it.each<[string, JsonObject, number]>([
    ['/v1/chat/completions', { model: 'chat', messages: user, service_tier: 'scale' }, 2],
    ['/v1/chat/completions', { model: 'chat', messages: user, service_tier: 'x_unknown' }, 2],
    ['/v1/responses', { model: 'responses', input: 'hi', service_tier: 'ultrafast' }, 2],
    ['/v1/messages', { model: 'messages', messages: user, max_tokens: 5, speed: 'fast' }, 6],
    ['/v1/messages', { model: 'messages', messages: user, max_tokens: 5, inference_geo: 'us' }, 1.1],
    ['/v1beta/models/generate:generateContent', { contents, serviceTier: 'flex' }, 2],
  ])('%s %j without a price passes and costs %d times as much', async (path, body, factor) => {
    const { status, id } = await post(path, body);
    expect(status).toBe(200);
    expect(vendor.requests[0]?.json).toMatchObject(
      Object.fromEntries(Object.entries(body).filter(([name]) => /service|speed|geo/.test(name))),
    );
    const bill = await billOf(id);
    const lines = (bill['detail'] as { lines: { item: string; factor: number }[] }).lines;
    expect(new Set(lines.map((line) => line.factor))).toEqual(new Set([factor]));
  });
});

it('betas travel, known or not', async () => {
  const headers = { 'anthropic-beta': 'files-api-2025-04-14,context-1m-2025-08-07,x-unknown' };
  const { status, dropped } = await post('/v1/messages', { model: 'messages', messages: user, max_tokens: 5 }, headers);
  expect([status, dropped]).toEqual([200, null]);
  expect(vendor.requests[0]?.headers['anthropic-beta']).toBe(headers['anthropic-beta']);
});

it('a report beyond the model’s limits is billed at them, and the bill keeps it', async () => {
  tokens = { input: 2 ** 40, output: 2 ** 40 };
  const { id } = await post('/v1/chat/completions', { model: 'chat', messages: user });
  const { amount, detail } = await billOf(id);
  expect(amount).toBe(-(1_000 * 10 + 100 * 100) / 2);
  expect(detail).toMatchObject({ usage: { inputTokens: 1_000 }, reported: { inputTokens: 2 ** 40 } });
});

describe('an estimate', () => {
  it('of a body that refers outside is the worst case of its model', async () => {
    const body = { model: 'responses', input: 'hi', previous_response_id: 'resp_0', max_output_tokens: 1 };
    expect((await estimated('/v1/responses', body))['items']).toMatchObject([
      { item: 'cache_write', quantity: 1_000 },
      { item: 'output', quantity: 100 },
    ]);
  });

  it('of an ordinary request is small', async () => {
    const { usd } = await estimated('/v1/chat/completions', { model: 'chat', messages: user, max_tokens: 5 });
    expect(usd).toBeLessThan(0.005);
  });
});
