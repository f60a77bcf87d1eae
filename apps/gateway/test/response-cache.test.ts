/** The response cache: what is given again, to whom, for how much, and what never is. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { LedgerEntry } from '@model-gateway/core';
import { hasTestRedis, openTestGateway, openTestRedis, type TestGateway } from '@model-gateway/testing';

const FORMATS = ['chat', 'responses', 'messages', 'gemini'] as const;
type Format = (typeof FORMATS)[number];
const OTHER_TEST_KEY = 'sk-test-other-0123456789abcdef01';
const TTL = 600;
let now = Date.UTC(2026, 10, 22, 12);
let gateway: TestGateway;
let count = 0;

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    keys: `  - { name: other-test, key: ${OTHER_TEST_KEY}, owner: 2 }\n`,
    yaml: `models:
  - { code: gpt-5.2, cache: { ttl_seconds: ${TTL} } }
  - { code: claude-haiku-4-5, cache: { ttl_seconds: ${TTL} } }
  - { code: gpt-5-mini, cache: { ttl_seconds: ${TTL}, when: always, share: 0.5 } }
  - { code: smart, routes: [{ model: gemini-2.5-flash }], cache: { ttl_seconds: ${TTL}, share: 1 } }
`,
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.twin.faults.clear();
  count++;
});

interface Asked {
  readonly model?: string;
  readonly stream?: boolean;
  readonly text?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly temperature?: number | undefined;
  readonly extra?: JsonObject;
  readonly signal?: AbortSignal;
}
interface Told {
  readonly status: number;
  readonly cache: string | null;
  readonly account: string | null;
  readonly requestId: string;
  readonly text: string;
}

function bodyOf(
  format: Format,
  { model, stream, text, temperature, extra }: Required<Pick<Asked, 'model' | 'stream' | 'text'>> & Asked,
) {
  const warm = temperature === undefined ? {} : { temperature };
  const messages = [{ role: 'user', content: text }];
  const bodies: Record<Format, readonly [string, Record<string, Json>]> = {
    chat: ['/v1/chat/completions', { model, stream, messages, ...warm }],
    responses: ['/v1/responses', { model, stream, input: text, ...warm }],
    messages: ['/v1/messages', { model, stream, max_tokens: 300, messages, ...warm }],
    gemini: [
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents: [{ role: 'user', parts: [{ text }] }], generationConfig: warm },
    ],
  };
  const [path, body] = bodies[format];
  return [path, { ...body, ...extra }] as const;
}
function fetched(format: Format, asked: Asked): Promise<Response> {
  const { key = gateway.testKey, headers = {}, signal } = asked;
  const usual = { model: 'gpt-5.2', stream: false, text: `Question ${count}`, temperature: 0 };
  const [path, body] = bodyOf(format, { ...usual, ...asked });
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}
async function ask(format: Format, asked: Asked = {}): Promise<Told> {
  const reply = await fetched(format, asked);
  return {
    status: reply.status,
    cache: reply.headers.get('x-gateway-cache'),
    account: reply.headers.get('x-gateway-account'),
    requestId: reply.headers.get('x-request-id') ?? '',
    text: await reply.text(),
  };
}
const vendorAsked = (): number => gateway.twin.requests.list().length;
async function chargeOf({ requestId }: Told): Promise<LedgerEntry> {
  await gateway.server.own.flush();
  const entries = await gateway.server.parts.store.ledger.entries({ requestId, kind: 'capture', limit: 5 });
  expect(entries).toHaveLength(1);
  return entries[0]!;
}
/** What each of them was told, and how often a vendor was asked meanwhile. */
async function twice(format: Format, first: Asked, second: Asked = first) {
  const before = vendorAsked();
  const told = [await ask(format, first), await ask(format, second)] as const;
  return { told, asked: vendorAsked() - before, caches: told.map(({ cache }) => cache) };
}

describe.each(FORMATS)('%s', (format) => {
  it.each([
    { stream: false, model: 'gpt-5.2' },
    { stream: true, model: 'gpt-5.2' },
    { stream: false, model: 'claude-haiku-4-5' },
    { stream: true, model: 'claude-haiku-4-5' },
  ])('$model, stream: $stream: the same bytes, the vendor asked once, a bill that says so', async (asked) => {
    const { told, asked: times, caches } = await twice(format, asked);
    const [first, second] = told;
    expect([first.status, second.status, times]).toEqual([200, 200, 1]);
    expect(caches).toEqual(['miss', 'hit']);
    expect(second.text).toBe(first.text);
    expect([first.account === null, second.account]).toEqual([false, null]);
    const [paid, given] = [await chargeOf(first), await chargeOf(second)];
    expect(paid.charged).toBeGreaterThan(0);
    expect(paid.detail['cache']).toBeUndefined();
    expect(given).toMatchObject({ charged: 0, model: asked.model, detail: { cache: { share: 0 }, lines: [] } });
    expect(given.detail['usage']).toEqual(paid.detail['usage']);
    expect(given.accountId).toBeUndefined();
  });

  it('a stream and a whole answer are two answers', async () => {
    expect((await twice(format, { stream: false }, { stream: true })).caches).toEqual(['miss', 'miss']);
  });

  it('nobody else’s: another owner, the other mode, another format', async () => {
    expect((await ask(format, { key: gateway.testKey })).cache).toBe('miss');
    for (const key of [gateway.liveKey, gateway.otherKey, OTHER_TEST_KEY])
      expect((await ask(format, { key })).cache).toBe('miss');
    for (const other of FORMATS.filter((each) => each !== format)) expect((await ask(other)).cache).toBe('miss');
  });

  it.each([1, 0.1, undefined])('temperature %s: not looked at', async (temperature) => {
    const { caches, asked } = await twice(format, { temperature });
    expect([caches, asked]).toEqual([[null, null], 2]);
  });

  it('cut streams and hung-up callers leave nothing', async () => {
    const text = `[[twin:cut]] cut ${count}`;
    expect((await twice(format, { stream: true, text })).caches).toEqual(['miss', 'miss']);
    const left = { stream: true, text: `[[twin:long=200]] left ${count}` };
    const over = new AbortController();
    const reply = await fetched(format, { ...left, signal: over.signal });
    await reply.body?.getReader().read();
    over.abort();
    const next = await ask(format, left);
    expect(next.cache).toBe('miss');
    expect((await ask(format, left)).text).toBe(next.text);
  });
});

it.each<readonly [string, Asked]>([
  ['a word', { text: 'Question!' }],
  ['a setting', { extra: { seed: 7 } }],
  ['whose it is', { extra: { user: 'somebody' } }],
  ['a tool', { extra: { tools: [{ type: 'function', function: { name: 'a' } }] } }],
  ['the model', { model: 'claude-haiku-4-5' }],
  ['a tag of the way', { headers: { 'x-gateway-tags': 'team=ads' } }],
  ['a ceiling', { headers: { 'x-gateway-max-cost': '3' } }],
])('changed: %s', async (_name, changed) => {
  expect((await twice('chat', {}, changed)).caches).toEqual(['miss', 'miss']);
  expect((await ask('chat', changed)).cache).toBe('hit');
});

it.each([
  ['chat', { tools: [{ type: 'function', function: { name: 'a' } }], web_search_options: {} }],
  ['responses', { tools: [{ type: 'web_search' }] }],
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['gemini', { tools: [{ googleSearch: {} }] }],
] as const)('%s: tools that the vendor runs find something else tomorrow', async (format, extra) => {
  const model = format === 'messages' ? 'claude-haiku-4-5' : 'gpt-5.2';
  expect((await ask(format, { model, extra: extra as unknown as JsonObject })).cache).toBeNull();
});

it('what a vendor keeps changes behind its id', async () => {
  const first = JSON.parse((await ask('responses', { model: 'gpt-5-mini', temperature: undefined })).text) as {
    id: string;
  };
  const asked = { model: 'gpt-5-mini', temperature: undefined, extra: { previous_response_id: first.id } };
  expect((await twice('responses', asked)).caches).toEqual([null, null]);
});

describe('words of the caller', () => {
  const no = { headers: { 'x-gateway-cache': 'no-store' } };
  const refresh = { headers: { 'x-gateway-cache': 'refresh' } };
  it('no-store neither takes nor leaves an answer', async () => {
    expect((await twice('chat', no, {})).caches).toEqual([null, 'miss']);
    expect((await ask('chat', no)).cache).toBeNull();
    expect((await ask('chat')).cache).toBe('hit');
  });
  it('refresh takes the place of what is kept', async () => {
    const { told, caches } = await twice('chat', {}, refresh);
    expect(caches).toEqual(['miss', 'miss']);
    const third = await ask('chat');
    expect([third.cache, third.text]).toEqual(['hit', told[1].text]);
    expect(third.text).not.toBe(told[0].text);
  });
  it.each(['', 'yes', 'no-cache'])('another word is none: %s', async (word) => {
    const told = await ask('messages', { headers: { 'x-gateway-cache': word } });
    expect([told.status, told.text]).toEqual([400, expect.stringMatching(/x-gateway-cache .*no-store or refresh/)]);
  });
});

it('after its time it is asked for anew', async () => {
  expect((await ask('chat')).cache).toBe('miss');
  now += TTL * 1000 - 1;
  expect((await ask('chat')).cache).toBe('hit');
  now += 1;
  expect((await ask('chat')).cache).toBe('miss');
});

it('refusals leave nothing, and free whoever waits', async () => {
  gateway.twin.faults.next('openai', 'chat', { kind: 'status', status: 400 });
  const refused = await ask('chat');
  expect(refused.status).toBe(400);
  expect((await ask('chat')).cache).toBe('miss');
});

describe('a stampede', () => {
  it.each([false, true])('of fifty asks the vendor once and pays once (stream: %s)', async (stream) => {
    const before = vendorAsked();
    const asked = { stream, text: `[[twin:long=40]] all at once ${count}` };
    const told = await Promise.all(Array.from({ length: 50 }, () => ask('chat', asked)));
    expect(vendorAsked() - before).toBe(1);
    expect(told.filter(({ cache }) => cache === 'miss')).toHaveLength(1);
    expect(new Set(told.map(({ text }) => text)).size).toBe(1);
    const charges = await Promise.all(told.map(chargeOf));
    expect(charges.filter(({ charged }) => charged > 0)).toHaveLength(1);
  });

  it('whose first one fails: the others are answered', async () => {
    gateway.twin.faults.next('openai', 'chat', { kind: 'status', status: 400 });
    const told = await Promise.all(Array.from({ length: 10 }, () => ask('chat')));
    expect(told.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(told.filter(({ cache }) => cache === 'hit')).toHaveLength(8);
  });
});

describe('the operator’s share', () => {
  it('is charged for what is given, and computed again from its entry', async () => {
    const { told, caches } = await twice('chat', {
      model: 'gpt-5-mini',
      temperature: 1,
      text: `[[twin:long=90]] ${count}`,
    });
    expect(caches).toEqual(['miss', 'hit']);
    const [paid, given] = [await chargeOf(told[0]), await chargeOf(told[1])];
    expect(Math.abs(given.charged - paid.charged / 2)).toBeLessThanOrEqual(0.5);
    expect(given.detail).toMatchObject({ cache: { share: 0.5 } });
  });
  it('of a route is by the prices of the row that answered', async () => {
    const { told, caches } = await twice('chat', { model: 'smart' });
    expect(caches).toEqual(['miss', 'hit']);
    const [paid, given] = [await chargeOf(told[0]), await chargeOf(told[1])];
    expect(given).toMatchObject({ charged: paid.charged, model: 'gemini-2.5-flash', detail: { asked: 'smart' } });
  });
  it('all bills agree with their lines', async () => {
    const reply = await fetch(`${gateway.server.adminUrl}/admin/ledger/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    expect(await reply.json()).toMatchObject({ differences: [] });
  });
});

it('other models, and other requests, are as they were', async () => {
  expect((await twice('chat', { model: 'gemini-2.5-flash' })).caches).toEqual([null, null]);
  const reply = await fetch(`${gateway.url}/v1/images/generations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.testKey}`,
      'content-type': 'application/json',
      'x-gateway-cache': 'refresh',
    },
    body: JSON.stringify({ model: 'gpt-image-2', prompt: 'a boat' }),
  });
  expect([reply.status, await reply.text()]).toEqual([
    400,
    expect.stringContaining('x-gateway-cache is for chat requests'),
  ]);
});

const describeRedis = hasTestRedis() ? describe : describe.skip;
describeRedis('two replicas with Redis', () => {
  it('ask once together, and give each other’s answers', async () => {
    const redis = await openTestRedis();
    const twin = gateway.twin;
    const yaml = `redis: { url: '${redis.url}' }\nmodels: [{ code: gpt-5.2, cache: { ttl_seconds: 60 } }]\n`;
    const replicas = await Promise.all([openTestGateway({ twin, yaml }), openTestGateway({ twin, yaml })]);
    const body = JSON.stringify({
      model: 'gpt-5.2',
      temperature: 0,
      stream: true,
      messages: [{ role: 'user', content: '[[twin:long=40]] over replicas' }],
    });
    const askOn = async ({ url, testKey }: TestGateway): Promise<readonly [string | null, string]> => {
      const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
      const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
      return [reply.headers.get('x-gateway-cache'), await reply.text()];
    };
    const before = vendorAsked();
    const told = await Promise.all(Array.from({ length: 20 }, (_none, index) => askOn(replicas[index % 2]!)));
    expect(vendorAsked() - before).toBe(1);
    expect(told.filter(([cache]) => cache === 'miss')).toHaveLength(1);
    expect(new Set(told.map(([, text]) => text)).size).toBe(1);
    for (const replica of replicas) await replica.close();
    await redis.close();
  });
});
