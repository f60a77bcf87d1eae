/** Answers in the background over two replicas, on one PostgreSQL: whoever dies, a model is asked once and one bill is written. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hashKey, newKeyText } from '@model-gateway/core';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway, until } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import OpenAI from 'openai';

const CLAIM_MS = 30_000;
const YAML = `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }
extends: none
accounts: [{ id: 1, name: anthropic, vendor: anthropic, credentials: { api_key: '\${NO_KEY}' }, on_disconnect: abort }]
models:
  - code: claude
    kind: chat
    limits: { max_input_tokens: 200000, max_output_tokens: 64000 }
    offers: [{ account: anthropic, model: claude-sonnet-4-5-20250929, dialect: anthropic-messages }]
    price: { input: 3, output: 15 }`;

let now = Date.now();
let database: TestDatabase;
let twin: VendorTwin;
let one: TestGateway;
let two: TestGateway;
const clientOf = ({ url, liveKey }: TestGateway): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: liveKey, maxRetries: 0 });

beforeAll(async () => {
  database = await openTestDatabase('postgres');
  twin = await startVendorTwin({ media: 'tiny' });
  const options = { databaseUrl: database.url, twin, yaml: YAML, clock: () => now };
  one = await openTestGateway(options);
  two = await openTestGateway(options);
});
beforeEach(() => twin.requests.clear());
afterAll(async () => {
  await one.close();
  await two.close();
  await twin.close();
  await database.close();
});

const ask = async (input: string): Promise<string> =>
  (await clientOf(one).responses.create({ model: 'claude', input, background: true, max_output_tokens: 500 })).id;
const read = (id: string): Promise<OpenAI.Responses.Response> => clientOf(two).responses.retrieve(id);
const workOf = (gateway: TestGateway): Promise<void> => gateway.server.responses?.workAll() ?? Promise.resolve();

/** How what was set aside for the last one ended. */
async function settled(): Promise<readonly [kind: string, charged: number][]> {
  const all = await one.server.parts.store.ledger.entries({ ownerId: 1, order: 'newest', limit: 50 });
  const hold = all.find(({ kind, requestId }) => kind === 'hold' && requestId !== undefined);
  return all.filter(({ holdId }) => holdId === hold?.id).map(({ kind, charged }) => [kind, charged]);
}

it('what a process asked for when it died has failed, is asked of nobody else, and costs nothing', async () => {
  const id = await ask('Hello [[twin:hang]]');
  const dying = workOf(one);
  await until(async () => (await read(id)).status === 'in_progress');
  await until(async () => twin.requests.list().length === 1);
  await workOf(two);
  expect((await read(id)).status).toBe('in_progress');
  // From here on the first is silent.
  now += CLAIM_MS;
  await workOf(two);
  const lost = await read(id);
  expect(lost.status).toBe('failed');
  expect(lost.error?.message).toMatch(/the model is not asked twice and nothing was charged: send the request again/);
  expect(await settled()).toEqual([['release', 0]]);
  expect(twin.requests.list()).toHaveLength(1);
  // It was not dead: it hears that the answer is no longer its own, and writes nothing.
  await one.server.responses?.renew();
  await dying;
  expect(await read(id)).toEqual(lost);
  expect(await settled()).toEqual([['release', 0]]);
  const events: string[] = [];
  for await (const { type } of await clientOf(one).responses.retrieve(id, { stream: true })) events.push(type);
  expect(events).toEqual(['response.created', 'response.queued', 'response.failed']);
});

it('an answer that waited until its key expired is not asked for, and says why', async () => {
  const { keys } = one.server.parts.store;
  const text = newKeyText('live');
  const known = await keys.findByHash(hashKey(one.liveKey));
  if (known === undefined) throw new Error('the live key is not there');
  const { id: _id, createdAt: _createdAt, ...scope } = known;
  const made = { ...scope, name: 'for a minute', hash: hashKey(text), declared: false, expiresAt: now + 60_000 };
  await keys.create(made, now);
  const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: text, maxRetries: 0 });
  const { id } = await client.responses.create({ model: 'claude', input: 'Hello', background: true });
  now += 60_000;
  await workOf(one);
  const late = await read(id);
  expect([late.status, late.error?.message]).toEqual(['failed', 'the key of the request was revoked or has expired']);
  expect(twin.requests.list()).toEqual([]);
  expect(await settled()).toEqual([['release', 0]]);
});

it('what a process had claimed and asked nobody for is made by another', async () => {
  const id = await ask('Hello');
  await one.server.parts.store.responses.claimDue({ by: 'dead', now, until: now + CLAIM_MS, limit: 10, except: [] });
  await workOf(two);
  expect((await read(id)).status).toBe('queued');
  now += CLAIM_MS;
  await Promise.all([workOf(one), workOf(two)]);
  expect((await read(id)).status).toBe('completed');
  expect(twin.requests.list()).toHaveLength(1);
  expect(await settled()).toEqual([['capture', expect.any(Number)]]);
});

it('what is renewed is nobody else’s, however long it takes; each replica can cancel it', async () => {
  const id = await ask('Hello [[twin:hang]]');
  const working = workOf(one);
  await until(async () => twin.requests.list().length === 1);
  for (let each = 0; each < 3; each++) {
    now += CLAIM_MS - 1;
    await one.server.responses?.renew();
    await workOf(two);
  }
  expect((await read(id)).status).toBe('in_progress');
  expect((await clientOf(two).responses.cancel(id)).status).toBe('cancelled');
  await one.server.responses?.renew();
  await working;
  expect((await read(id)).status).toBe('cancelled');
  expect(await settled()).toEqual([['capture', expect.any(Number)]]);
  expect(twin.requests.list()).toHaveLength(1);
});

it('a clock that jumps does not take an answer from the process that makes it', async () => {
  const id = await ask('Hello [[twin:slow=300]]');
  const working = workOf(one);
  await until(async () => twin.requests.list().length === 1);
  now += 10 * CLAIM_MS;
  await workOf(one);
  await working;
  expect((await read(id)).status).toBe('completed');
  expect(await settled()).toEqual([['capture', expect.any(Number)]]);
});

it('what one makes is followed at the other', async () => {
  const id = await ask('Count to ten.');
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  const stream = await clientOf(two).responses.retrieve(id, { stream: true });
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  await workOf(one);
  await reading;
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
  expect(events.at(-1)?.type).toBe('response.completed');
});

it('a long history is set aside for by its true length, however short the question', async () => {
  const held = async (previous?: string): Promise<number> => {
    const { id } = await clientOf(one).responses.create({
      model: 'claude',
      input: 'And?',
      background: true,
      max_output_tokens: 10,
      previous_response_id: previous ?? null,
    });
    const [hold] = await one.server.parts.store.ledger.entries({ ownerId: 1, order: 'newest', kind: 'hold', limit: 1 });
    await clientOf(one).responses.cancel(id);
    return -(hold?.amount ?? 0);
  };
  const short = await held();
  const long = await clientOf(one).responses.create({ model: 'claude', input: 'word '.repeat(20_000) });
  // 100,000 bytes are 100,000 tokens at most, at 3 dollars a million and 500,000 units a dollar.
  expect(await held(long.id)).toBeGreaterThan(short + 100_000 * 1.5);
});
