/** Answers in the background, by OpenAI's own SDK: polled, followed, resumed, cancelled; one bill each. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '@model-gateway/core';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import OpenAI, { BadRequestError, ConflictError, NotFoundError, PermissionDeniedError } from 'openai';

const KEY = Buffer.alloc(32, 7).toString('base64');
const POOR_KEY = 'sk-live-poor-0123456789abcdefgh';
let gateway: TestGateway;
let openai: OpenAI;

/** Nothing works by itself: answers are made when `work` says so. */
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${KEY}' }`,
    keys: `  - { name: poor, key: ${POOR_KEY}, owner: 3, limits: { spend_total: 0.000001 } }`,
    pollTasks: false,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(() => gateway.close());

const work = async (): Promise<void> => gateway.server.responses?.workAll();
const ask = (
  input: string,
  more: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {},
): Promise<OpenAI.Responses.Response> =>
  openai.responses.create({ model: 'claude-sonnet-5', input, max_output_tokens: 500, background: true, ...more });

/** What was set aside for answers in the background since then, and how that ended. */
async function entries(from: number, ownerId = 1) {
  const all = await gateway.server.parts.store.ledger.entries({ ownerId, limit: 10_000 });
  const holds = new Set(
    all.flatMap(({ id, kind, requestId }) => (id > from && kind === 'hold' && requestId !== undefined ? [id] : [])),
  );
  // Charges of requests that were answered at once come when their journal is written.
  return all.filter(({ id, holdId }) => holds.has(holdId ?? id));
}
async function newest(): Promise<number> {
  const [entry] = await gateway.server.parts.store.ledger.entries({ order: 'newest', limit: 1 });
  return entry?.id ?? 0;
}

describe.each(['claude-sonnet-5', 'gemini-3.1-pro', 'gpt-5.2-pro', 'gpt-5.2'])('%s', (model) => {
  it('is queued, made, and can be gone on from; what was set aside is settled by one bill', async () => {
    const from = await newest();
    const queued = await ask('I sail from Brest.', { model });
    expect(queued).toMatchObject({ status: 'queued', background: true, store: true, output: [], model });
    expect(gateway.twin.requests.list()).toEqual([]);
    const [hold, ...others] = await entries(from);
    expect([hold?.kind, others]).toEqual(['hold', []]);
    expect((await openai.responses.retrieve(queued.id)).status).toBe('queued');
    await expect(ask('Too early.', { model, previous_response_id: queued.id })).rejects.toThrow(ConflictError);
    await work();
    const done = await openai.responses.retrieve(queued.id);
    expect(done).toMatchObject({ id: queued.id, status: 'completed', background: true });
    expect(done.output_text).toContain('I sail from Brest.');
    const [, capture, ...more] = await entries(from);
    expect(capture).toMatchObject({ kind: 'capture', holdId: hold?.id, model, detail: { endpoint: '/v1/responses' } });
    expect(capture?.charged).toBeGreaterThan(0);
    expect(more).toEqual([]);
    expect(gateway.twin.requests.list()).toHaveLength(1);
    const next = await openai.responses.create({ model, input: 'And?', previous_response_id: done.id });
    expect(next.status).toBe('completed');
  });

  it('is followed from its beginning, and from behind any event', async () => {
    const stream = await openai.responses.create({ model, input: 'Count.', background: true, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const reading = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await work();
    await reading;
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error(`it ends with ${String(last?.type)}`);
    const { id } = last.response;
    expect(new Set(events.map((event) => ('response' in event ? event.response.id : id)))).toEqual(new Set([id]));
    for (const after of [0, 1, Math.floor(events.length / 2), events.length - 2, events.length - 1]) {
      const again: OpenAI.Responses.ResponseStreamEvent[] = [];
      for await (const event of await openai.responses.retrieve(id, { stream: true, starting_after: after }))
        again.push(event);
      expect(again).toEqual(events.slice(after + 1));
    }
    expect(gateway.twin.requests.list()).toHaveLength(1);
  });
});

it('what waits is cancelled for nothing; what has ended stays as it is', async () => {
  const from = await newest();
  const waiting = await ask('Never.');
  expect((await openai.responses.cancel(waiting.id)).status).toBe('cancelled');
  await work();
  expect(gateway.twin.requests.list()).toEqual([]);
  expect((await entries(from)).map(({ kind, charged }) => [kind, charged])).toEqual([
    ['hold', 0],
    ['release', 0],
  ]);
  const events: string[] = [];
  for await (const { type } of await openai.responses.retrieve(waiting.id, { stream: true })) events.push(type);
  expect(events).toEqual(['response.created', 'response.queued', 'response.failed']);
  expect((await openai.responses.cancel(waiting.id)).status).toBe('cancelled');
  const done = await ask('Done.');
  await work();
  expect((await openai.responses.cancel(done.id)).status).toBe('completed');
  const plain = await openai.responses.create({ model: 'claude-sonnet-5', input: 'Hi' });
  await expect(openai.responses.cancel(plain.id)).rejects.toThrow(
    /only a response with background: true can be cancelled/,
  );
  await expect(openai.responses.retrieve(plain.id, { stream: true })).rejects.toThrow(BadRequestError);
});

it('what is worked on is cancelled: what its model says until then is charged once', async () => {
  const from = await newest();
  const { id } = await ask('Hello [[twin:slow=400]]');
  const working = work();
  await until(async () => (await openai.responses.retrieve(id)).status === 'in_progress');
  await until(async () => gateway.twin.requests.list().length === 1);
  await expect(openai.responses.delete(id)).rejects.toThrow(ConflictError);
  expect((await openai.responses.cancel(id)).status).toBe('cancelled');
  await working;
  expect((await openai.responses.retrieve(id)).status).toBe('cancelled');
  expect((await entries(from)).map(({ kind }) => kind)).toEqual(['hold', 'capture']);
  await openai.responses.delete(id);
  await expect(openai.responses.retrieve(id)).rejects.toThrow(NotFoundError);
});

it.each([
  ['[[twin:400]]', 'failed'],
  ['[[twin:cut=3]]', 'failed'],
  ['[[twin:error-event=3]]', 'failed'],
])('a model that fails (%s): the response says so, and its stream ends', async (mark, status) => {
  const from = await newest();
  const { id } = await ask(`Hello ${mark}`);
  await work();
  const response = await openai.responses.retrieve(id);
  expect(response.status).toBe(status);
  expect(response.error?.message).toEqual(expect.any(String));
  const events: string[] = [];
  for await (const { type } of await openai.responses.retrieve(id, { stream: true })) events.push(type);
  expect(events.at(-1)).toBe('response.failed');
  expect((await entries(from)).map(({ kind }) => kind)).toHaveLength(2);
  await expect(ask('Go on.', { previous_response_id: id })).rejects.toThrow(
    /is failed; continue from one that is completed/,
  );
});

it('a conversation gets what was answered in the background', async () => {
  const conversation = await openai.conversations.create({});
  await ask('I sail from Brest.', { conversation: conversation.id });
  await work();
  const items = (await openai.conversations.items.list(conversation.id, { order: 'asc' })).data;
  expect(items.map((item) => ('role' in item ? item.role : item.type))).toEqual(['user', 'reasoning', 'assistant']);
});

it('who cannot pay is refused at once', async () => {
  const poor = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: POOR_KEY, maxRetries: 0 });
  const asked = poor.responses.create({ model: 'claude-sonnet-5', input: 'Hi', background: true });
  await expect(asked).rejects.toThrow(PermissionDeniedError);
  expect(await entries(0, 3)).toEqual([]);
});

it('what no model could be asked is refused at once, and nothing is set aside', async () => {
  const from = await newest();
  await expect(ask('Hi', { model: 'no-such-model' })).rejects.toThrow(/no-such-model/);
  await expect(ask('Hi', { input: [{ type: 'item_reference', id: 'msg_0' }] as never })).rejects.toThrow(/msg_0/);
  expect(await entries(from)).toEqual([]);
});

it('one of a batch that was taken before batches refused it is refused: its line would have a stub, and no bill', async () => {
  const { batches, parts } = gateway.server;
  const key = await parts.store.keys.findByHash(hashKey(gateway.liveKey));
  if (key === undefined) throw new Error('the gateway has no key');
  const from = await newest();
  const body = { model: 'claude-sonnet-5', input: 'Hi', background: true };
  const line = { number: 0, customId: 'a', model: body.model, body: Buffer.from(JSON.stringify(body)) };
  const made = { format: 'openai', key, labels: {}, endpoint: '/v1/responses', detail: {} } as const;
  const batch = await batches.create(made, [line]);
  await batches.workAll();
  const ended: unknown[] = [];
  for await (const { state, statusCode, result = '' } of batches.results(batch))
    ended.push([state, statusCode, Buffer.from(result).toString()]);
  expect(ended).toEqual([['errored', 400, expect.stringContaining('leave background out')]]);
  await work();
  expect(gateway.twin.requests.list()).toEqual([]);
  expect((await entries(from)).filter(({ kind }) => kind === 'capture')).toEqual([]);
});
