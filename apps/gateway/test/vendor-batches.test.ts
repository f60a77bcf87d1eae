/** Lines that go to their vendors in the vendors' own batches: once, at the batch price, answered in the caller's dialect, whatever happens there. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A vendor's batch takes two hours. */
const BATCH_HOURS = 2;
let now = Date.UTC(2026, 10, 26);
let gateway: TestGateway;
let anthropic: Anthropic;
let openai: OpenAI;
/** Has each picture once: the next one who asks is told that the address has expired. */
let pictures: Server;
let picturesUrl: string;

beforeAll(async () => {
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const given = new Set<string | undefined>();
  pictures = createServer(({ url }, response) => {
    response.writeHead(given.has(url) ? 403 : 200, { 'content-type': 'image/png' }).end(picture);
    given.add(url);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => pictures.once('listening', resolve));
  const host = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  picturesUrl = `http://${host}`;
  gateway = await openTestGateway({
    clock: () => now,
    yaml: `security: { allow_private: ['${host}'] }
models:
  - { code: by-bytes, kind: chat, limits: { max_input_tokens: 1000000, max_output_tokens: 4096 }, price: { input: 2, output: 8, batch: 0.5 },
      offers: [{ account: gemini, model: gemini-3.1-pro-preview, dialect: gemini-generate, quirks: { media_urls: false } }] }`,
    twinOptions: { seconds: { batch: BATCH_HOURS * 3600 } },
  });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.liveKey, maxRetries: 0 });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
beforeEach(() => {
  gateway.twin.requests.clear();
  gateway.twin.faults.clear();
});
afterAll(async () => {
  await gateway.close();
  pictures.close();
});

const work = (): Promise<void> => gateway.server.batches.workAll();
async function later(ms: number): Promise<void> {
  now += ms;
  await work();
}
const question = (customId: string, content: string, model = 'claude-sonnet-5') => ({
  custom_id: customId,
  params: { model, max_tokens: 200, messages: [{ role: 'user' as const, content }] },
});
async function resultsOf(id: string) {
  const all: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await anthropic.messages.batches.results(id)) all.push(result);
  return all;
}
const asked = (operation: 'chat' | 'batch' | 'upload' | 'cancel' | 'list') => gateway.twin.requests.list({ operation });
async function entriesOf(id: string) {
  const all = await ledger().entries({ ownerId: 1, limit: 10_000 });
  const holds = all.filter(({ kind, detail }) => kind === 'hold' && detail['batch'] === id);
  const ids = new Set(holds.map((hold) => hold.id));
  return { holds, ends: all.filter(({ holdId }) => holdId !== undefined && ids.has(holdId)) };
}
/** The id of a request by itself. */
async function ask(model: string, text: string): Promise<string | null> {
  const reply = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.liveKey, 'content-type': 'application/json' },
    body: JSON.stringify(question('', text, model).params),
  });
  await reply.arrayBuffer();
  return reply.headers.get('x-request-id');
}
const ledger = () => gateway.server.parts.store.ledger;
interface BillLine {
  readonly item: string;
  readonly factor: number;
}
const linesOf = (entry: { readonly detail: Record<string, unknown> } | undefined): readonly BillLine[] =>
  (entry?.detail['lines'] ?? []) as readonly BillLine[];
const CHAT = '/v1/chat/completions';
const chatLine = (customId: string, content: string, model = 'gpt-5.2') => ({
  ...{ custom_id: customId, method: 'POST', url: CHAT },
  body: { model, messages: [{ role: 'user', content }] },
});
async function fileBatch(lines: readonly object[], endpoint: OpenAI.BatchCreateParams['endpoint'] = CHAT) {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const file = await openai.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
  return openai.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
}
async function fileLines(fileId: string | null | undefined): Promise<Record<string, unknown>[]> {
  const text = await (await openai.files.content(fileId ?? '')).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('each vendor', () => {
  it.each([
    ['claude-sonnet-5', 'anthropic', 0],
    ['gpt-5.2', 'openai', 1],
    ['gemini-3.1-pro', 'gemini', 2],
  ])('takes lines of %s in one batch, for half the price', async (model, vendor, uploads) => {
    const requests = ['One', 'Two', 'Three'].map((text, index) => question(`line-${index}`, text, model));
    const { id } = await anthropic.messages.batches.create({ requests });
    await work();
    expect(asked('batch').map((each) => each.vendor)).toEqual([vendor]);
    expect(asked('upload')).toHaveLength(uploads);
    expect(asked('chat')).toEqual([]);
    const { holds } = await entriesOf(id);
    expect(holds).toHaveLength(3);
    await later(HOUR_MS);
    expect((await anthropic.messages.batches.retrieve(id)).processing_status).toBe('in_progress');
    await later(BATCH_HOURS * HOUR_MS);
    const ended = await anthropic.messages.batches.retrieve(id);
    expect([ended.processing_status, ended.request_counts.succeeded]).toEqual(['ended', 3]);
    const results = await resultsOf(id);
    expect(results.map(({ custom_id: name, result }) => [name, result.type])).toEqual([
      ['line-0', 'succeeded'],
      ['line-1', 'succeeded'],
      ['line-2', 'succeeded'],
    ]);
    expect(JSON.stringify(results)).toMatch(/One.*Two.*Three/);
    // One of the three is asked again by itself, and has the same bill at twice the prices.
    const { ends } = await entriesOf(id);
    expect(ends.map(({ kind }) => kind)).toEqual(['capture', 'capture', 'capture']);
    const alone = await ask(model, 'Two');
    await gateway.server.own.flush();
    const single = (await ledger().entries({ ownerId: 1, limit: 10_000 })).find((each) => each.requestId === alone);
    const inBatch = ends.find(({ detail }) => detail['line'] === 1);
    expect(linesOf(inBatch)).toEqual(linesOf(single).map((line) => ({ ...line, factor: line.factor / 2 })));
    expect(linesOf(inBatch).length).toBeGreaterThan(0);
    expect(inBatch?.charged).toBeGreaterThan(0);
    expect(await ledger().verify()).toEqual([]);
  });
});

it('answers in the dialect of the caller, whoever the vendor is', async () => {
  const made = await fileBatch(
    ['claude-sonnet-5', 'gemini-3.1-pro', 'gpt-5.2'].map((model) => chatLine(model, `To ${model}`, model)),
  );
  await work();
  await work();
  expect(
    asked('batch')
      .map(({ vendor }) => vendor)
      .sort(),
  ).toEqual(['anthropic', 'gemini', 'openai']);
  await later(BATCH_HOURS * HOUR_MS);
  const ended = await openai.batches.retrieve(made.id);
  expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 3, failed: 0 } });
  const lines = await fileLines(ended.output_file_id);
  for (const [index, model] of ['claude-sonnet-5', 'gemini-3.1-pro', 'gpt-5.2'].entries())
    expect(lines[index]).toMatchObject({
      custom_id: model,
      response: {
        status_code: 200,
        body: {
          object: 'chat.completion',
          choices: [{ message: { content: expect.stringContaining(`To ${model}`) } }],
        },
      },
    });
  expect(ended.usage?.total_tokens).toBeGreaterThan(0);
});

it('reads an answer although the addresses of the pictures have expired since', async () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: `${picturesUrl}/once.png` } },
  ];
  const line = chatLine('picture', '', 'by-bytes');
  const made = await fileBatch([{ ...line, body: { ...line.body, messages: [{ role: 'user', content }] } }]);
  await work();
  expect(asked('batch')).toHaveLength(1);
  await later(BATCH_HOURS * HOUR_MS);
  const ended = await openai.batches.retrieve(made.id);
  expect(ended).toMatchObject({ status: 'completed', request_counts: { completed: 1, failed: 0 } });
  expect(await fileLines(ended.output_file_id)).toMatchObject([{ response: { body: { object: 'chat.completion' } } }]);
  const { ends } = await entriesOf(made.id);
  expect(ends.map(({ kind, charged }) => [kind, charged > 0])).toEqual([['capture', true]]);
});

it.each([
  ['/v1/responses', { model: 'gpt-5.2', input: 'Hi' }, { object: 'response' }],
  ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hi' }, { object: 'list' }],
] as const)('takes lines of %s', async (url, body, answer) => {
  const made = await fileBatch([{ custom_id: 'a', method: 'POST', url, body }], url);
  await work();
  expect(asked('batch')).toHaveLength(1);
  await later(BATCH_HOURS * HOUR_MS);
  const ended = await openai.batches.retrieve(made.id);
  expect([ended.status, ended.error_file_id]).toEqual(['completed', null]);
  expect(await fileLines(ended.output_file_id)).toMatchObject([{ response: { status_code: 200, body: answer } }]);
});

it('sends by itself what no batch takes: another tier, a model without a price for it, another kind', async () => {
  const made = await fileBatch([
    { ...chatLine('tier', 'Now'), body: { ...chatLine('', 'Now').body, service_tier: 'priority' } },
    chatLine('qwen', 'Hello', 'qwen3-max'),
  ]);
  await work();
  expect(asked('batch')).toEqual([]);
  expect((await openai.batches.retrieve(made.id)).request_counts).toMatchObject({ completed: 2 });
});

it('what no batch takes waits for room like any line that is sent by itself', async () => {
  const priority = { ...chatLine('tier', 'Now'), body: { ...chatLine('', 'Now').body, service_tier: 'priority' } };
  const isIdle = vi.spyOn(gateway.server.parts.router, 'isIdle').mockReturnValue(false);
  const made = await fileBatch([priority]);
  await work();
  expect(asked('chat')).toEqual([]);
  expect((await entriesOf(made.id)).holds).toEqual([]);
  isIdle.mockRestore();
  await later(10_000);
  expect(asked('chat')).toHaveLength(1);
  expect(await openai.batches.retrieve(made.id)).toMatchObject({
    status: 'completed',
    request_counts: { completed: 1 },
  });
});

describe('lines that fail', () => {
  it('a line that its vendor refuses is an error of the line; one that failed for now is sent by itself', async () => {
    const { id } = await anthropic.messages.batches.create({
      requests: [question('good', 'One'), question('bad', '[[twin:400]] no'), question('busy', '[[twin:529*1]] again')],
    });
    await work();
    await later(BATCH_HOURS * HOUR_MS);
    await later(MINUTE_MS);
    const results = await resultsOf(id);
    expect(results.map(({ custom_id: name, result }) => [name, result.type])).toEqual([
      ['good', 'succeeded'],
      ['bad', 'errored'],
      ['busy', 'succeeded'],
    ]);
    const { ends, holds } = await entriesOf(id);
    expect(holds).toHaveLength(4);
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['capture', 'capture', 'release', 'release']);
    const factors = ends.flatMap((end) => linesOf(end)).map(({ factor }) => factor);
    expect(new Set(factors)).toEqual(new Set([0.5, 1]));
  });

  it('a failure inside a 200 is a failure of the line: it is sent by itself, and what was set aside is given back', async () => {
    const error = { code: 'rate_limit_exceeded', message: 'Too busy.' };
    const body = { id: 'resp_1', object: 'response', status: 'failed', output: [], error };
    gateway.twin.faults.next('openai', 'responses', { kind: 'status', status: 200, body });
    const line = { custom_id: 'a', method: 'POST', url: '/v1/responses', body: { model: 'gpt-5.2', input: 'Hi' } };
    const made = await fileBatch([line], '/v1/responses');
    await work();
    await later(BATCH_HOURS * HOUR_MS);
    for (let looks = 0; looks < 4; looks++) await later(MINUTE_MS);
    expect(await openai.batches.retrieve(made.id)).toMatchObject({
      status: 'completed',
      request_counts: { completed: 1 },
    });
    const { ends } = await entriesOf(made.id);
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['capture', 'release']);
  });

  it('a cancelled batch is cancelled at its vendor: what it has answered by then is paid, the rest costs nothing', async () => {
    const made = await fileBatch([chatLine('a', 'One'), chatLine('b', 'Two')]);
    await work();
    now += HOUR_MS;
    await openai.batches.cancel(made.id);
    await work();
    const ended = await openai.batches.retrieve(made.id);
    expect([ended.status, ended.request_counts]).toEqual(['cancelled', { total: 2, completed: 1, failed: 0 }]);
    expect(await fileLines(ended.error_file_id)).toMatchObject([
      { custom_id: 'b', error: { code: 'batch_cancelled' } },
    ]);
    expect(asked('cancel')).toHaveLength(1);
    const { ends } = await entriesOf(made.id);
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['capture', 'release']);
  });
});

it('what a vendor has not run within a day expires, and costs nothing', async () => {
  const slow = await openTestGateway({ clock: () => now, twinOptions: { seconds: { batch: 48 * 3600 } } });
  try {
    const client = new Anthropic({ baseURL: slow.url, apiKey: slow.liveKey, maxRetries: 0 });
    const made = await client.messages.batches.create({ requests: [question('a', 'One'), question('b', 'Two')] });
    await slow.server.batches.workAll();
    for (const hours of [23, 2]) {
      now += hours * HOUR_MS;
      await slow.server.batches.workAll();
    }
    const { processing_status: status, request_counts: counts } = await client.messages.batches.retrieve(made.id);
    expect([status, counts]).toEqual(['ended', { processing: 0, succeeded: 1, errored: 0, canceled: 0, expired: 1 }]);
    const entries = await slow.server.parts.store.ledger.entries({ ownerId: 1, limit: 100 });
    expect(entries.map(({ kind }) => kind).sort()).toEqual(['capture', 'hold', 'hold', 'release']);
  } finally {
    await slow.close();
  }
});

describe('a vendor that is not well', () => {
  it('a creation without an answer is looked for, and its lines are sent once', async () => {
    gateway.twin.faults.next('openai', 'batch', { kind: 'no-answer' });
    const made = await fileBatch([chatLine('a', 'One'), chatLine('b', 'Two')]);
    await work();
    await later(10_000);
    expect(asked('list')).toHaveLength(1);
    await later(BATCH_HOURS * HOUR_MS);
    expect((await openai.batches.retrieve(made.id)).request_counts).toMatchObject({ completed: 2, failed: 0 });
    expect(asked('batch')).toHaveLength(1);
    expect(asked('chat')).toHaveLength(2);
  });

  it('a batch without a name is told from others by its results', async () => {
    const other = question('theirs', 'Not ours').params;
    gateway.twin.faults.next('anthropic', 'batch', { kind: 'no-answer' });
    const { id } = await anthropic.messages.batches.create({ requests: [question('a', 'Ours')] });
    await work();
    await fetch(`${gateway.twin.baseUrl('anthropic')}/v1/messages/batches`, {
      method: 'POST',
      headers: {
        'x-api-key': gateway.twin.credentials('anthropic')['api_key'] ?? '',
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify({ requests: [{ custom_id: 'theirs', params: other }] }),
    });
    await later(10_000);
    await later(3 * MINUTE_MS);
    await later(BATCH_HOURS * HOUR_MS);
    for (let looks = 0; looks < 5; looks++) await later(MINUTE_MS);
    const [result] = await resultsOf(id);
    expect(JSON.stringify(result)).toContain('Ours');
    // Two of the test's own, none of ours a second time.
    expect(asked('batch')).toHaveLength(2);
  });

  it('one that has never arrived is asked for again', async () => {
    gateway.twin.faults.next('openai', 'batch', { kind: 'reset' });
    const made = await fileBatch([chatLine('a', 'One')]);
    await work();
    for (let looks = 0; looks < 5; looks++) await later(MINUTE_MS);
    await later(BATCH_HOURS * HOUR_MS);
    expect((await openai.batches.retrieve(made.id)).request_counts).toMatchObject({ completed: 1 });
    expect(asked('chat')).toHaveLength(1);
  });

  it('one that certainly takes no batches has its lines sent by themselves', async () => {
    gateway.twin.faults.always('openai', 'batch', { kind: 'status', status: 400 });
    const made = await fileBatch([chatLine('a', 'One'), chatLine('b', 'Two')]);
    await work();
    const ended = await openai.batches.retrieve(made.id);
    expect(ended).toMatchObject({ status: 'completed', request_counts: { completed: 2 } });
    const { ends } = await entriesOf(made.id);
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['capture', 'capture', 'release', 'release']);
  });

  it('one that is busy is asked again later', async () => {
    gateway.twin.faults.next('openai', 'batch', { kind: 'status', status: 429 }, 2);
    const made = await fileBatch([chatLine('a', 'One')]);
    await work();
    await later(MINUTE_MS);
    await later(MINUTE_MS);
    expect(asked('batch')).toHaveLength(3);
    await later(BATCH_HOURS * HOUR_MS);
    expect((await openai.batches.retrieve(made.id)).status).toBe('completed');
    expect(asked('chat')).toHaveLength(1);
  });
});

it('a batch that is cancelled before it is sent is not sent', async () => {
  gateway.twin.faults.always('openai', 'upload', { kind: 'status', status: 503 });
  const made = await fileBatch([chatLine('a', 'One')]);
  await work();
  await openai.batches.cancel(made.id);
  await work();
  expect((await openai.batches.retrieve(made.id)).status).toBe('cancelled');
  expect(asked('batch')).toEqual([]);
  const { ends } = await entriesOf(made.id);
  expect(ends.map(({ kind }) => kind)).toEqual(['release']);
});
