/** Vectors that are kept: what is given again, to whom, for how much, and what never is. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GoogleGenAI } from '@google/genai';
import type { Json } from '@model-gateway/contracts';
import type { LedgerEntry } from '@model-gateway/core';
import { hasTestRedis, openTestGateway, openTestRedis, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';

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
  - { code: text-embedding-3-small, price: { input: 1000 }, cache: { ttl_seconds: ${TTL}, share: 0.5 } }
  - { code: gemini-embedding-001, cache: { ttl_seconds: ${TTL} } }
guardrails:
  - { name: personal, mode: mask, models: [text-embedding-3-small], detect: [email] }
`,
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.twin.faults.clear();
  count++;
});

interface Asked {
  readonly key?: string;
  readonly body?: Record<string, Json>;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}
interface Told {
  readonly status: number;
  readonly cache: string | null;
  readonly account: string | null;
  readonly requestId: string;
  readonly text: string;
}
async function ask({ key = gateway.testKey, body, headers, path = '/v1/embeddings' }: Asked = {}): Promise<Told> {
  const reply = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'text-embedding-3-small', input: [`text ${count}`, 'another'], ...body }),
  });
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
  return entries[0] as LedgerEntry;
}
const caches = async (first: Asked, second: Asked): Promise<readonly (string | null)[]> => [
  (await ask(first)).cache,
  (await ask(second)).cache,
];

it('the same request: the vendor asked once, the same vectors, a bill that says so', async () => {
  const before = vendorAsked();
  const [first, second] = [await ask(), await ask()];
  expect(vendorAsked() - before).toBe(1);
  expect([first.cache, second.cache]).toEqual(['miss', 'hit']);
  expect(second.text).toBe(first.text);
  expect([first.account === null, second.account]).toEqual([false, null]);
  const [paid, given] = [await chargeOf(first), await chargeOf(second)];
  expect(paid.charged).toBeGreaterThan(1);
  expect(Math.abs(given.charged - paid.charged / 2)).toBeLessThanOrEqual(0.5);
  expect(given).toMatchObject({ model: 'text-embedding-3-small', detail: { cache: { share: 0.5 } } });
  expect(given.detail['usage']).toEqual(paid.detail['usage']);
  expect(paid.detail['cache']).toBeUndefined();
});

it('all bills agree with their lines', async () => {
  const reply = await fetch(`${gateway.server.adminUrl}/admin/ledger/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  expect(await reply.json()).toMatchObject({ differences: [] });
});

it.each<readonly [string, Asked]>([
  ['a text', { body: { input: ['text', 'another'] } }],
  ['the order', { body: { input: ['another', 'text'] } }],
  ['the length', { body: { dimensions: 8 } }],
  ['the encoding', { body: { encoding_format: 'base64' } }],
  ['whose it is', { body: { user: 'somebody' } }],
  ['a tag of the way', { headers: { 'x-gateway-tags': 'team=ads' } }],
])('changed: %s', async (_name, changed) => {
  expect(await caches({}, changed)).toEqual(['miss', 'miss']);
  expect((await ask(changed)).cache).toBe('hit');
});

it('nobody else’s: another owner, the other mode', async () => {
  await ask();
  for (const key of [gateway.liveKey, OTHER_TEST_KEY]) expect((await ask({ key })).cache).toBe('miss');
  expect((await ask()).cache).toBe('hit');
});

it('both SDKs, each in its own form', async () => {
  const apiKey = gateway.testKey;
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  const genai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
  const before = vendorAsked();
  const vectors = [];
  for (let time = 0; time < 2; time++) {
    const { data } = await openai.embeddings.create({ model: 'gemini-embedding-001', input: `SDK ${count}` });
    const { embeddings } = await genai.models.embedContent({ model: 'gemini-embedding-001', contents: `SDK ${count}` });
    vectors.push([data[0]?.embedding, embeddings?.[0]?.values]);
  }
  expect(vendorAsked() - before).toBe(2);
  expect(vectors[1]).toEqual(vectors[0]);
  expect(vectors[0]?.[0]).toHaveLength(3072);
});

it('after its time it is asked for anew', async () => {
  await ask();
  now += TTL * 1000 - 1;
  expect((await ask()).cache).toBe('hit');
  now += 1;
  expect((await ask()).cache).toBe('miss');
});

it('words of the caller', async () => {
  const no = { headers: { 'x-gateway-cache': 'no-store' } };
  const refresh = { headers: { 'x-gateway-cache': 'refresh' } };
  expect(await caches(no, {})).toEqual([null, 'miss']);
  expect(await caches(refresh, {})).toEqual(['miss', 'hit']);
  const other = await ask({ headers: { 'x-gateway-cache': 'yes' } });
  expect([other.status, other.text]).toEqual([400, expect.stringMatching(/no-store or refresh/)]);
});

it('a model without the setting is as it was', async () => {
  expect(await caches({ body: { model: 'text-embedding-v4' } }, { body: { model: 'text-embedding-v4' } })).toEqual([
    null,
    null,
  ]);
});

it('what is masked is looked for as it is sent', async () => {
  const of = (mail: string): Asked => ({ body: { input: `${mail} ${count}` } });
  expect(await caches(of('ann@example.com'), of('bob@example.org'))).toEqual(['miss', 'hit']);
});

describe('a stampede', () => {
  it('of thirty asks the vendor once and pays once', async () => {
    const before = vendorAsked();
    const told = await Promise.all(Array.from({ length: 30 }, () => ask()));
    expect(vendorAsked() - before).toBe(1);
    expect(told.filter(({ cache }) => cache === 'miss')).toHaveLength(1);
    expect(new Set(told.map(({ text }) => text)).size).toBe(1);
  });

  it('whose first one fails: the others are answered', async () => {
    gateway.twin.faults.next('openai', 'embedding', { kind: 'status', status: 400 });
    const told = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(told.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(told.filter(({ cache }) => cache === 'hit')).toHaveLength(6);
  });
});

const describeRedis = hasTestRedis() ? describe : describe.skip;
describeRedis('two replicas with Redis', () => {
  it('ask once together, and give each other’s vectors', async () => {
    const redis = await openTestRedis();
    const { twin } = gateway;
    const yaml = `redis: { url: '${redis.url}' }\nmodels: [{ code: text-embedding-3-small, cache: { ttl_seconds: 60 } }]\n`;
    const replicas = await Promise.all([openTestGateway({ twin, yaml }), openTestGateway({ twin, yaml })]);
    const before = vendorAsked();
    const told = await Promise.all(
      Array.from({ length: 12 }, async (_none, index) => {
        const { url, testKey } = replicas[index % 2] as TestGateway;
        const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ model: 'text-embedding-3-small', input: `over replicas ${count}` });
        return (await fetch(`${url}/v1/embeddings`, { method: 'POST', headers, body })).text();
      }),
    );
    expect(vendorAsked() - before).toBe(1);
    expect(new Set(told).size).toBe(1);
    for (const replica of replicas) await replica.close();
    await redis.close();
  });
});
