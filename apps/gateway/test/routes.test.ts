/** Models that lead to other models: over real sockets, all four formats, plain and streamed, with the twin's faults. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { askInFormat, chargesOf, FORMATS, type Format, type Question } from './ask-in-format.ts';

const NARROW = 'sk-narrow-key-0123456789abcdefghij';
let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    keys: `  - { name: narrow, key: ${NARROW}, owner: 1, models: [smart] }\n`,
    yaml: `models:
  - { code: smart, routes: [{ model: gpt-5-mini }], fallbacks: { on_error: [claude-haiku-4-5, gemini-2.5-flash], on_context_too_long: [gemini-2.5-flash], on_content_refusal: [claude-haiku-4-5] } }
  - { code: by-size, aliases: [sized], routes: [{ model: smart }, { model: gemini-2.5-flash, when: { input_tokens: { from: 2000 } } }] }
  - { code: by-inputs, routes: [{ model: gpt-5-mini }, { model: claude-haiku-4-5, when: { inputs: [tools, image] } }] }
  - { code: by-tag, routes: [{ model: gpt-5-mini }, { model: claude-haiku-4-5, when: { tags: { team: [ads, 'search-*'] } } }] }
  - { code: gpt-5.2, fallbacks: { on_error: [claude-haiku-4-5] } }
  - { code: 'any/*', routes: [{ model: own/x }] }
  - { code: 'own/*', kind: chat, price: { input: 1, output: 2 }, limits: { max_input_tokens: 1000, max_output_tokens: 1000 }, offers: [{ account: openai, model: gpt-5-mini, dialects: [openai-chat] }] }
default_model: smart
`,
  });
});
afterEach(async () => {
  gateway.twin.faults.clear();
  // What cooled is well again.
  now += 3_600_000;
  for (const model of ['gpt-5-mini', 'gpt-5.2', 'claude-haiku-4-5', 'gemini-2.5-flash'])
    expect((await ask('chat', model)).status).toBe(200);
});
afterAll(() => gateway.close());

type Vendor = Parameters<TestGateway['twin']['faults']['always']>[0];
type Asked = Pick<Question, 'text' | 'stream' | 'key' | 'extra'>;

function ask(format: Format, model: string, asked: Asked = {}) {
  return askInFormat(gateway, { format, model, ...asked });
}

async function lastEntry(): Promise<JsonObject> {
  const [entry = {}] = await chargesOf(gateway);
  return entry;
}

describe.each(FORMATS)('%s', (format) => {
  it.each([false, true])('goes where the route leads (stream: %s)', async (stream) => {
    const reply = await ask(format, 'smart', { stream });
    expect(reply).toMatchObject({ status: 200, route: 'gpt-5-mini; route; weighted', attempts: '1' });
  });

  it.each([false, true])('falls back when the vendor fails, and again (stream: %s)', async (stream) => {
    gateway.twin.faults.always('openai', '*', { kind: 'status', status: 503 });
    expect(await ask(format, 'smart', { stream })).toMatchObject({
      status: 200,
      route: 'claude-haiku-4-5; on_error',
      attempts: '2',
    });
    gateway.twin.faults.always('anthropic', '*', { kind: 'reset' });
    expect(await ask(format, 'smart', { stream })).toMatchObject({ status: 200, route: 'gemini-2.5-flash; on_error' });
  });

  it.each([
    {
      name: 'an input that is too long',
      code: 'context_length_exceeded',
      goesTo: 'gemini-2.5-flash; on_context_too_long',
    },
    {
      name: 'a refusal of the content',
      code: 'content_policy_violation',
      goesTo: 'claude-haiku-4-5; on_content_refusal',
    },
  ])('has a model of its own for $name', async ({ code, goesTo }) => {
    const body = { error: { message: 'no', type: 'invalid_request_error', param: null, code } };
    gateway.twin.faults.always('openai', '*', { kind: 'status', status: 400, body });
    for (const stream of [false, true])
      expect(await ask(format, 'smart', { stream })).toMatchObject({ status: 200, route: goesTo, attempts: '2' });
    // Without such a model it is what the vendor said.
    expect(await ask(format, 'gpt-5-mini')).toMatchObject({ status: 400, route: null });
  });

  it('a request that is wrong is nobody’s fault and goes nowhere else', async () => {
    const body = { error: { message: 'no', type: 'invalid_request_error', param: null, code: null } };
    gateway.twin.faults.always('openai', '*', { kind: 'status', status: 400, body });
    expect(await ask(format, 'smart')).toMatchObject({ status: 400, attempts: '1' });
  });
});

describe('money', () => {
  it('the bill names the model that answered and the code that was asked', async () => {
    await ask('chat', 'smart');
    expect(await lastEntry()).toMatchObject({ model: 'gpt-5-mini', detail: { asked: 'smart' } });
    gateway.twin.faults.always('openai', '*', { kind: 'status', status: 503 });
    await ask('chat', 'sized');
    expect(await lastEntry()).toMatchObject({ model: 'claude-haiku-4-5', detail: { asked: 'by-size' } });
    await ask('chat', 'claude-haiku-4-5');
    expect(((await lastEntry())['detail'] as JsonObject)['asked']).toBeUndefined();
  });

  it('an estimate is that of the dearest that may answer', async () => {
    const estimate = async (model: string): Promise<number> => {
      const reply = await fetch(`${gateway.url}/v1/estimate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          endpoint: '/v1/chat/completions',
          body: { model, max_tokens: 1000, messages: [{ role: 'user', content: 'hi' }] },
        }),
      });
      return ((await reply.json()) as { quota: number }).quota;
    };
    const each = await Promise.all(['gpt-5-mini', 'claude-haiku-4-5', 'gemini-2.5-flash'].map(estimate));
    expect(await estimate('smart')).toBe(Math.max(...each));
  });
});

describe('who may', () => {
  it('a key that may use the code may use it whatever it leads to, and nothing else', async () => {
    expect(await ask('chat', 'smart', { key: NARROW })).toMatchObject({
      status: 200,
      route: 'gpt-5-mini; route; weighted',
    });
    expect((await ask('chat', 'gpt-5-mini', { key: NARROW })).status).toBe(403);
    expect((await ask('chat', 'by-size', { key: NARROW })).status).toBe(403);
  });

  it('an unknown name is the default model, for keys that may use that', async () => {
    expect(await ask('messages', 'no-such-model')).toMatchObject({ status: 200, route: 'gpt-5-mini; route; weighted' });
    expect((await ask('messages', 'no-such-model', { key: NARROW })).status).toBe(200);
    const reply = await fetch(`${gateway.url}/v1/models/no-such-model`, {
      headers: { authorization: `Bearer ${gateway.liveKey}` },
    });
    expect(reply.status).toBe(404);
  });
});

describe('conditions', () => {
  it('the size of the input', async () => {
    expect(await ask('chat', 'by-size')).toMatchObject({ route: 'gpt-5-mini; route; weighted' });
    const long = 'word '.repeat(3000);
    expect(await ask('chat', 'by-size', { text: long })).toMatchObject({ route: 'gemini-2.5-flash; route; weighted' });
  });

  it('what comes with the request, whatever the format calls it', async () => {
    const parameters = { type: 'object', properties: {} };
    const tools: Record<Format, JsonObject> = {
      chat: { tools: [{ type: 'function', function: { name: 'f', parameters } }] },
      responses: { tools: [{ type: 'function', name: 'f', parameters, strict: false }] },
      messages: { tools: [{ name: 'f', input_schema: parameters }] },
      gemini: { tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] },
    };
    for (const format of FORMATS) {
      expect(await ask(format, 'by-inputs')).toMatchObject({ route: 'gpt-5-mini; route; weighted' });
      expect(await ask(format, 'by-inputs', { extra: tools[format] })).toMatchObject({
        status: 200,
        route: 'claude-haiku-4-5; route; weighted',
      });
    }
  });

  it.each([
    ['ads', 'claude-haiku-4-5'],
    ['search-eu', 'claude-haiku-4-5'],
    ['adsx', 'gpt-5-mini'],
    ['', 'gpt-5-mini'],
  ])('a tag of the metadata: %s', async (team, model) => {
    for (const format of ['chat', 'responses'] as const)
      expect(await ask(format, 'by-tag', { extra: { metadata: { team } } })).toMatchObject({
        route: `${model}; route; weighted`,
      });
  });
});

it('a model with fallbacks alone keeps its own offers first', async () => {
  expect(await ask('chat', 'gpt-5.2')).toMatchObject({ status: 200, route: 'gpt-5.2; own; weighted' });
  gateway.twin.faults.always('openai', '*', { kind: 'status', status: 500 });
  expect(await ask('chat', 'gpt-5.2')).toMatchObject({ status: 200, route: 'claude-haiku-4-5; on_error' });
});

it('what cools is passed over without being asked, and asked last when the others fail', async () => {
  gateway.twin.faults.always('openai' satisfies Vendor, '*', { kind: 'status', status: 429 });
  await ask('chat', 'smart');
  expect(await ask('chat', 'smart')).toMatchObject({ route: 'claude-haiku-4-5; on_error', attempts: '1' });
});

it('counting tokens asks whom the request would go to', async () => {
  const reply = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'smart', messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect(reply.status).toBe(200);
});

it('wildcards may lead and be led to; the bill names the model by its name', async () => {
  expect(await ask('chat', 'any/thing')).toMatchObject({ status: 200, route: 'own/x; route; weighted' });
  expect(await lastEntry()).toMatchObject({ model: 'own/x', detail: { asked: 'any/thing' } });
});

it('test keys are routed, too, and pay with play money', async () => {
  expect(await ask('messages', 'smart', { key: gateway.testKey })).toMatchObject({
    route: 'gpt-5-mini; route; weighted',
  });
  expect(await lastEntry()).toMatchObject({ owner_id: -1, model: 'gpt-5-mini' });
});

it.each(['openai', 'anthropic', 'gemini'])(
  'a model that only leads to others is listed, in the form of %s',
  async (form) => {
    const list = async (path: string): Promise<string> => {
      const reply = await fetch(`${gateway.url}${path}?format=${form}`, {
        headers: { authorization: `Bearer ${gateway.liveKey}` },
      });
      expect(reply.status).toBe(200);
      return reply.text();
    };
    expect(await list('/v1/models')).toContain('by-size');
    expect(await list('/v1/models/by-size')).toContain('by-size');
    expect(await list('/v1/models/sized')).toContain('by-size');
  },
);
