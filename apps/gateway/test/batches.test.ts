/** Batches by the official SDKs, over models of several vendors: every line once, one bill each, its errors apart. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic, { NotFoundError } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

const POOR_KEY = 'sk-live-poor-0123456789abcdefgh';
const RUN_KEY = 'sk-live-of-runs-0123456789abcdef';
const NARROW_KEY = 'sk-live-narrow-0123456789abcdef';
let gateway: TestGateway;
let anthropic: Anthropic;
let openai: OpenAI;

/** Nothing works by itself: lines run when `work` says so. */
beforeAll(async () => {
  gateway = await openTestGateway({
    keys: `  - { name: poor, key: ${POOR_KEY}, owner: 3, limits: { spend_total: 0.000001 } }
  - { name: of runs, key: ${RUN_KEY}, owner: 3, limits: { spend_per_run: 0.000001 } }
  - { name: narrow, key: ${NARROW_KEY}, owner: 4, models: [claude-*], limits: { requests_per_minute: 1 } }`,
    pollTasks: false,
    // What vendors' own batches do with lines is vendor-batches.test.ts.
    yaml: 'batches: { vendor: never }',
  });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.liveKey, maxRetries: 0 });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(() => gateway.close());

const work = (): Promise<void> => gateway.server.batches.workAll();
const question = (customId: string, text: string, model = 'claude-sonnet-5') => ({
  custom_id: customId,
  params: { model, max_tokens: 200, messages: [{ role: 'user' as const, content: text }] },
});
async function resultsOf(id: string, by = anthropic) {
  const all: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await by.messages.batches.results(id)) all.push(result);
  return all;
}
async function entriesOf(id: string, ownerId = 1) {
  const all = await gateway.server.parts.store.ledger.entries({ ownerId, limit: 10_000 });
  return all.filter(({ detail, holdId }) =>
    [detail, all.find((other) => other.id === holdId)?.detail].some((each) => each?.['batch'] === id),
  );
}

it('answers every line by its model, bills each once, and says what was wrong with one of them', async () => {
  const models = ['claude-sonnet-5', 'gpt-5.2', 'gemini-3.1-pro', 'qwen3-max'];
  const requests = [
    ...models.map((model, index) => question(`line-${index}`, `Question ${index}`, model)),
    question('unknown', 'Hello', 'no-such-model'),
    { custom_id: 'wrong', params: { ...question('', 'Hi').params, messages: 'none' as never } },
  ];
  const made = await anthropic.messages.batches.create({ requests });
  expect(made).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
  expect(made.request_counts).toEqual({ processing: 6, succeeded: 0, errored: 0, canceled: 0, expired: 0 });
  expect(gateway.twin.requests.list()).toEqual([]);
  await work();
  const ended = await anthropic.messages.batches.retrieve(made.id);
  expect(ended.processing_status).toBe('ended');
  expect(ended.request_counts).toEqual({ processing: 0, succeeded: 4, errored: 2, canceled: 0, expired: 0 });
  const results = await resultsOf(made.id);
  expect(results.map((each) => each.custom_id)).toEqual(requests.map((each) => each.custom_id));
  for (const [index] of models.entries()) {
    const { result } = results[index] ?? {};
    if (result?.type !== 'succeeded') throw new Error(`line ${index}: ${JSON.stringify(result)}`);
    expect(JSON.stringify(result.message.content)).toContain(`Question ${index}`);
  }
  expect(results.slice(4).map(({ result }) => result)).toMatchObject([
    { type: 'errored', error: { type: 'error', error: { type: 'invalid_request_error' } } },
    { type: 'errored', error: { type: 'error', error: { type: 'invalid_request_error' } } },
  ]);
  expect(gateway.twin.requests.list()).toHaveLength(models.length);
  const entries = await entriesOf(made.id);
  expect(entries.map(({ kind }) => kind).sort()).toEqual([...models.map(() => 'capture'), ...models.map(() => 'hold')]);
  for (const { kind, charged, detail } of entries)
    if (kind === 'capture') {
      expect(charged).toBeGreaterThan(0);
      expect(detail).toMatchObject({ batch: made.id, endpoint: '/v1/messages' });
    }
  expect(await gateway.server.parts.store.ledger.verify()).toEqual([]);
});

it('belongs to its owner, mode and form', async () => {
  const { id } = await anthropic.messages.batches.create({ requests: [question('a', 'Mine')] });
  for (const apiKey of [gateway.otherKey, gateway.testKey]) {
    const stranger = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
    await expect(stranger.messages.batches.retrieve(id)).rejects.toThrow(NotFoundError);
    await expect(stranger.messages.batches.cancel(id)).rejects.toThrow(NotFoundError);
    await expect(stranger.messages.batches.delete(id)).rejects.toThrow(NotFoundError);
    await expect(stranger.messages.batches.results(id)).rejects.toThrow(NotFoundError);
    expect((await stranger.messages.batches.list()).data.map((each) => each.id)).not.toContain(id);
  }
  const other = await fetch(`${gateway.url}/v1beta/batches/${id}`, { headers: { 'x-api-key': gateway.liveKey } });
  expect(other.status).toBe(404);
  await anthropic.messages.batches.cancel(id);
  await work();
});

it('what waits is cancelled for nothing, deleted only when it has ended, and listed newest first', async () => {
  const first = await anthropic.messages.batches.create({ requests: [question('a', 'One'), question('b', 'Two')] });
  const second = await anthropic.messages.batches.create({ requests: [question('a', 'Three')] });
  const page = await anthropic.messages.batches.list({ limit: 1 });
  expect([page.data[0]?.id, page.has_more]).toEqual([second.id, true]);
  const next = await anthropic.messages.batches.list({ limit: 1, after_id: second.id });
  expect(next.data[0]?.id).toBe(first.id);
  expect((await anthropic.messages.batches.list({ limit: 1, before_id: first.id })).data[0]?.id).toBe(second.id);
  await expect(anthropic.messages.batches.delete(first.id)).rejects.toThrow(/has not ended/);
  const cancelled = await anthropic.messages.batches.cancel(first.id);
  expect(cancelled).toMatchObject({ processing_status: 'canceling', cancel_initiated_at: expect.any(String) });
  await work();
  const ended = await anthropic.messages.batches.retrieve(first.id);
  expect([ended.processing_status, ended.request_counts.canceled]).toEqual(['ended', 2]);
  expect((await resultsOf(first.id)).map(({ result }) => result.type)).toEqual(['canceled', 'canceled']);
  expect(await entriesOf(first.id)).toEqual([]);
  expect(gateway.twin.requests.list()).toHaveLength(1);
  expect(await anthropic.messages.batches.cancel(first.id)).toEqual(ended);
  expect(await anthropic.messages.batches.delete(first.id)).toEqual({ id: first.id, type: 'message_batch_deleted' });
  await expect(anthropic.messages.batches.retrieve(first.id)).rejects.toThrow(NotFoundError);
});

it('a line may do what its key may, and not how often: models and money count, requests a minute do not', async () => {
  const narrow = new Anthropic({ baseURL: gateway.url, apiKey: NARROW_KEY, maxRetries: 0 });
  const made = await narrow.messages.batches.create({
    requests: [question('a', 'One'), question('b', 'Two'), question('c', 'Three', 'gpt-5.2')],
  });
  await work();
  const types = (await resultsOf(made.id, narrow)).map(({ result }) =>
    result.type === 'errored' ? result.error.error.type : result.type,
  );
  expect(types).toEqual(['succeeded', 'succeeded', 'permission_error']);
});

it.each([
  ['an id twice', [question('a', 'One'), question('a', 'Two')], /requests\[1\]\.custom_id is used twice/],
  ['a stream', [{ custom_id: 'a', params: { ...question('a', 'x').params, stream: true as never } }], /do not stream/],
  ['an id with a blank', [question('a b', 'One')], /custom_id/],
  ['nothing', [], /requests/],
])('refuses %s', async (_, requests, message) => {
  await expect(anthropic.messages.batches.create({ requests })).rejects.toThrow(message);
});

it.each(['v1', 'v1beta'])('is made, read and cancelled in Google’s form, at %s', async (apiVersion) => {
  const google = new GoogleGenAI({
    apiKey: gateway.liveKey,
    httpOptions: { baseUrl: gateway.url, apiVersion },
  });
  const made = await google.batches.create({
    model: 'claude-sonnet-5',
    src: ['One', 'Two'].map((text, index) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      metadata: { key: `line ${index}` },
    })),
    config: { displayName: 'numbers' },
  });
  expect(made).toMatchObject({ displayName: 'numbers', state: 'JOB_STATE_RUNNING', model: 'models/claude-sonnet-5' });
  await work();
  const ended = await google.batches.get({ name: made.name ?? '' });
  expect(ended.state).toBe('JOB_STATE_SUCCEEDED');
  const answers = ended.dest?.inlinedResponses ?? [];
  expect(answers.map(({ metadata }) => metadata)).toEqual([{ key: 'line 0' }, { key: 'line 1' }]);
  expect(answers.map(({ response }) => response?.candidates?.[0]?.content?.parts?.at(-1)?.text)).toEqual([
    expect.stringContaining('One'),
    expect.stringContaining('Two'),
  ]);
  const listed: string[] = [];
  for await (const job of await google.batches.list()) listed.push(job.name ?? '');
  expect(listed).toContain(made.name);
  await google.batches.cancel({ name: made.name ?? '' });
  await google.batches.delete({ name: made.name ?? '' });
  await expect(google.batches.get({ name: made.name ?? '' })).rejects.toThrow(/no batch/);
});

it.each([
  ['its key', POOR_KEY],
  ['its run', RUN_KEY],
])('a line waits for money that %s does not have, and no vendor is asked', async (_whose, apiKey) => {
  const poor = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
  const made = await poor.messages.batches.create({ requests: [question('a', 'One')] });
  await work();
  expect(gateway.twin.requests.list()).toEqual([]);
  expect((await poor.messages.batches.retrieve(made.id)).request_counts.processing).toBe(1);
  expect(await entriesOf(made.id, 3)).toEqual([]);
  await poor.messages.batches.cancel(made.id);
  await work();
  expect((await poor.messages.batches.retrieve(made.id)).processing_status).toBe('ended');
});

const CHAT = '/v1/chat/completions';
const chatLine = (customId: string, content: string, model = 'gpt-5.2') => ({
  ...{ custom_id: customId, method: 'POST', url: CHAT },
  body: { model, messages: [{ role: 'user', content }] },
});
async function batchOf(lines: readonly (object | string)[], endpoint: OpenAI.BatchCreateParams['endpoint'] = CHAT) {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const file = await openai.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
  return openai.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h', metadata: { a: 'b' } });
}
async function linesOf(fileId: string | null | undefined): Promise<Record<string, unknown>[]> {
  const text = await (await openai.files.content(fileId ?? '')).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('runs an uploaded file, and writes what was answered and what was refused to files', async () => {
  const made = await batchOf([
    chatLine('one', 'First', 'claude-sonnet-5'),
    chatLine('two', 'Second'),
    chatLine('three', 'Third', 'no-such-model'),
  ]);
  expect(made).toMatchObject({ object: 'batch', status: 'validating', metadata: { a: 'b' }, output_file_id: null });
  await work();
  const ended = await openai.batches.retrieve(made.id);
  expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 2, failed: 1 } });
  expect(ended.usage?.total_tokens).toBeGreaterThan(0);
  const output = await linesOf(ended.output_file_id);
  expect(output).toMatchObject([
    { custom_id: 'one', error: null, response: { status_code: 200, body: { object: 'chat.completion' } } },
    { custom_id: 'two', error: null, response: { status_code: 200, body: { model: 'gpt-5.2' } } },
  ]);
  expect(JSON.stringify(output[0])).toContain('First');
  expect(await linesOf(ended.error_file_id)).toMatchObject([
    { custom_id: 'three', error: null, response: { status_code: 400, body: { error: { code: 'model_not_found' } } } },
  ]);
  expect((await openai.batches.list({ limit: 1 })).data[0]?.id).toBe(made.id);
  expect(await openai.batches.cancel(made.id)).toEqual(ended);
  const stranger = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.otherKey, maxRetries: 0 });
  await expect(stranger.batches.retrieve(made.id)).rejects.toThrow(/no batch/);
  await expect(
    stranger.batches.create({ input_file_id: made.input_file_id, endpoint: CHAT, completion_window: '24h' }),
  ).rejects.toThrow(/no file/);
});

it.each([
  ['/v1/responses', { model: 'claude-sonnet-5', input: 'Hi' }, { object: 'response' }],
  ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hi' }, { object: 'list' }],
  ['/v1/moderations', { input: 'Hi' }, { results: [{ flagged: false }] }],
  ['/v1/images/generations', { model: 'gpt-image-2', prompt: 'A cat' }, { data: [{}] }],
] as const)('runs lines of %s', async (url, body, answer) => {
  const made = await batchOf([{ custom_id: 'a', method: 'POST', url, body }], url);
  await work();
  const ended = await openai.batches.retrieve(made.id);
  expect([ended.status, ended.error_file_id]).toEqual(['completed', null]);
  expect(await linesOf(ended.output_file_id)).toMatchObject([{ response: { status_code: 200, body: answer } }]);
});

it('a line that wants its picture as a task is told to leave that out: the picture would be drawn for nothing', async () => {
  const url = '/v1/images/generations';
  const body = { model: 'gpt-image-2', prompt: 'A cat', async: true };
  const made = await batchOf([{ custom_id: 'a', method: 'POST', url, body }], url);
  await work();
  const ended = await openai.batches.retrieve(made.id);
  const refusal = { error: { param: 'async', message: expect.stringContaining('leave async out') as string } };
  expect(await linesOf(ended.error_file_id)).toMatchObject([{ response: { status_code: 400, body: refusal } }]);
  expect(gateway.twin.requests.list()).toEqual([]);
});

it('a file with wrong lines is refused as a whole: each is named, and nothing runs', async () => {
  const { id } = await batchOf([
    chatLine('a', 'One'),
    '{"custom_id": "b", ',
    chatLine('a', 'Again'),
    { ...chatLine('d', 'Elsewhere'), url: '/v1/responses' },
    { ...chatLine('e', 'Get'), method: 'GET' },
    { ...chatLine('f', 'x'), body: { ...chatLine('f', 'x').body, stream: true } },
    { ...chatLine('g', 'x'), body: 'text' },
    `{"custom_id": "h", "body": "${'x'.repeat(17 * 1024 * 1024)}"}`,
  ]);
  await work();
  const failed = await openai.batches.retrieve(id);
  expect([failed.status, failed.request_counts?.total, failed.failed_at]).toEqual(['failed', 0, expect.any(Number)]);
  expect(failed.errors?.data?.map(({ code, line }) => [line, code])).toEqual([
    [2, 'invalid_json_line'],
    [3, 'duplicate_custom_id'],
    [4, 'invalid_url'],
    [5, 'invalid_method'],
    [6, 'invalid_request'],
    [7, 'invalid_request'],
    [8, 'line_too_large'],
  ]);
  expect(gateway.twin.requests.list()).toEqual([]);
  const empty = await batchOf(['\n']);
  await work();
  expect((await openai.batches.retrieve(empty.id)).errors?.data?.[0]?.code).toBe('empty_file');
});

it('a line that asks for its answer in the background is refused: the file would have a stub of it', async () => {
  const url = '/v1/responses';
  const body = { model: 'claude-sonnet-5', input: 'Hi', background: true };
  const { id } = await batchOf([{ custom_id: 'a', method: 'POST', url, body }], url);
  await work();
  const failed = await openai.batches.retrieve(id);
  expect([failed.status, failed.errors?.data]).toMatchObject([
    'failed',
    [{ line: 1, code: 'invalid_request', param: 'body.background', message: expect.stringContaining('background') }],
  ]);
  expect(gateway.twin.requests.list()).toEqual([]);
});

it('a file of another purpose is refused', async () => {
  const file = await openai.files.create({ file: await toFile(Buffer.from('{}'), 'a.jsonl'), purpose: 'user_data' });
  await expect(
    openai.batches.create({ input_file_id: file.id, endpoint: CHAT, completion_window: '24h' }),
  ).rejects.toThrow(/purpose/);
});

it('result files live as long as files may, and no longer', async () => {
  const file = await openai.files.create({ file: await toFile(Buffer.from('{}'), 'in.jsonl'), purpose: 'batch' });
  for (const seconds of [60, 1e14])
    await expect(
      openai.batches.create({
        ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
        output_expires_after: { anchor: 'created_at', seconds },
      }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('3600') });
});

it('a batch is cancelled before its file is read', async () => {
  const made = await batchOf([chatLine('a', 'One')]);
  expect((await openai.batches.cancel(made.id)).status).toBe('cancelled');
  await work();
  expect(gateway.twin.requests.list()).toEqual([]);
  expect((await openai.batches.retrieve(made.id)).status).toBe('cancelled');
});

it('the commands make a batch of a file of prompts, and show what became of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batches-'));
  const env = { MODEL_GATEWAY_URL: gateway.url, MODEL_GATEWAY_API_KEY: gateway.liveKey };
  const run = (...line: readonly string[]) => runCommand(['batches', ...line], { env });
  const prompts = join(folder, 'prompts.txt');
  await writeFile(
    prompts,
    'When is high tide?\n\n{"custom_id": "b", "params": {"messages": [{"role": "user", "content": "And low?"}]}}\n',
  );
  expect(await run('create', prompts)).toMatchObject({ code: 2, error: expect.stringContaining('-m') });
  const made = JSON.parse((await run('create', prompts, '-m', 'gpt-5.2', '--json')).out) as { id: string };
  await work();
  expect((await run('get', made.id)).out).toMatch(/ended +0 +2 +0/);
  const results = (await run('results', made.id)).out.trimEnd().split('\n');
  expect(results.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)).toEqual(['line-1', 'b']);
  expect(results[1]).toContain('And low?');
  const output = join(folder, 'out.jsonl');
  await run('results', made.id, '-o', output);
  expect((await readFile(output, 'utf8')).trimEnd().split('\n')).toEqual(results);
  expect((await run('list')).out).toContain(made.id);
  expect((await run('delete', made.id)).out).toContain('is deleted');
  expect((await run('cancel', made.id)).error).toContain('no batch');
  await rm(folder, { recursive: true });
});
