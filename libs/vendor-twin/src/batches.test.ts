/** Batches of the vendors that have them: strict about what they take, on the twin's clock (docs/wire/batches.md). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from './index.ts';

const HOUR_MS = 3_600_000;
let now = Date.UTC(2026, 10, 26);
let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', clock: () => now, seconds: { batch: 3600 } });
});
afterAll(async () => twin.close());

const HEADERS = {
  openai: { authorization: `Bearer ${TWIN_CREDENTIALS.openai['api_key']}` },
  gemini: { 'x-goog-api-key': TWIN_CREDENTIALS.gemini['api_key'] ?? '' },
  anthropic: { 'x-api-key': TWIN_CREDENTIALS.anthropic['api_key'] ?? '', 'anthropic-version': '2023-06-01' },
};
interface Shown {
  readonly id: string;
  readonly status: string;
  readonly errors: { readonly data: readonly { readonly message: string }[] };
  readonly name: string;
  readonly response: { readonly responsesFile: string };
  readonly output_file_id: string;
  readonly error_file_id: string;
}
async function ask(vendor: keyof typeof HEADERS, path: string, body?: object | 'DELETE') {
  const isForm = body instanceof FormData;
  const reply = await fetch(`${twin.baseUrl(vendor)}${path}`, {
    method: body === undefined ? 'GET' : body === 'DELETE' ? body : 'POST',
    headers: { ...HEADERS[vendor], ...(typeof body === 'object' && !isForm && { 'content-type': 'application/json' }) },
    ...(typeof body === 'object' && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    text,
    json: (text.startsWith('{') ? JSON.parse(text.split('\n')[0]!) : {}) as Shown,
  };
}
const lineOf = (id: string, model = 'gpt-5.2', url = '/v1/chat/completions') => ({
  ...{ custom_id: id, method: 'POST', url },
  body: { model, messages: [{ role: 'user', content: `Line ${id}` }] },
});
async function batchOf(lines: readonly object[]) {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(lines.map((line) => `${JSON.stringify(line)}\n`)), 'in.jsonl');
  const file = await ask('openai', '/files', form);
  const asked = { input_file_id: file.json.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  return ask('openai', '/batches', { ...asked, metadata: { name: 'mine' } });
}

async function googleBatchOf(line: string): Promise<Shown> {
  const upload = async (address: string, headers: Record<string, string>, body: string) =>
    fetch(address, { method: 'POST', headers: { ...HEADERS.gemini, ...headers }, body });
  const begun = await upload(
    `${twin.baseUrl('gemini')}/upload/v1beta/files`,
    {
      ...{ 'content-type': 'application/json', 'x-goog-upload-command': 'start' },
      ...{ 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-header-content-length': String(line.length) },
    },
    JSON.stringify({ file: { display_name: 'in.jsonl' } }),
  );
  const ended = await upload(
    begun.headers.get('x-goog-upload-url') ?? '',
    { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
    line,
  );
  const { file } = (await ended.json()) as { readonly file: { readonly name: string } };
  const batch = { displayName: 'mine', inputConfig: { fileName: file.name } };
  return (await ask('gemini', '/v1beta/models/gemini-3.1-pro:batchGenerateContent', { batch })).json;
}

it.each([
  ['two models', [lineOf('a'), lineOf('b', 'gpt-4.1')], /same model/],
  ['an id twice', [lineOf('a'), lineOf('a')], /duplicate/],
  ['another endpoint', [lineOf('a', 'gpt-5.2', '/v1/responses')], /does not match/],
  ['nothing', [], /empty/],
])('OpenAI fails a file with %s, and runs nothing of it', async (_, lines, message) => {
  const { json } = await batchOf(lines);
  expect([json.status, json.errors.data[0]?.message]).toEqual(['failed', expect.stringMatching(message)]);
});

it('OpenAI refuses a file that is not there, another window and long metadata', async () => {
  const asked = { input_file_id: 'file-x', endpoint: '/v1/chat/completions', completion_window: '24h' };
  for (const body of [asked, { ...asked, completion_window: '1h' }, { ...asked, metadata: { a: 'x'.repeat(513) } }])
    expect((await ask('openai', '/batches', body)).status).toBe(400);
});

it('OpenAI answers evenly over time, is found by its metadata, and tells what was not run apart', async () => {
  const { json } = await batchOf([lineOf('a'), lineOf('b')]);
  expect((await ask('openai', '/batches?limit=1')).json).toMatchObject({
    data: [{ id: json.id, status: 'in_progress', metadata: { name: 'mine' } }],
  });
  now += HOUR_MS / 2;
  const { json: cancelled } = await ask('openai', `/batches/${json.id}/cancel`, {});
  expect(cancelled).toMatchObject({ status: 'cancelled', request_counts: { total: 2, completed: 1 } });
  expect((await ask('openai', `/files/${cancelled.output_file_id}/content`)).json).toMatchObject({
    ...{ custom_id: 'a', error: null, response: { status_code: 200, body: { object: 'chat.completion' } } },
  });
  expect((await ask('openai', `/files/${cancelled.error_file_id}/content`)).json).toMatchObject({
    ...{ custom_id: 'b', response: null, error: { code: 'batch_cancelled' } },
  });
});

it('a file of results that is removed stays away, however often its batch is looked at', async () => {
  const { json } = await batchOf([lineOf('a')]);
  now += HOUR_MS;
  const { output_file_id: file } = (await ask('openai', `/batches/${json.id}`)).json;
  expect((await ask('openai', `/files/${file}`, 'DELETE')).status).toBe(200);
  expect((await ask('openai', `/batches/${json.id}`)).json.output_file_id).toBe(file);
  expect((await ask('openai', `/files/${file}/content`)).status).toBe(404);

  const line = JSON.stringify({ key: 'a', request: { contents: [{ parts: [{ text: 'Line a' }] }] } });
  const { name } = await googleBatchOf(line);
  now += HOUR_MS;
  const { responsesFile } = (await ask('gemini', `/v1beta/${name}`)).json.response;
  const content = `/download/v1beta/${responsesFile}:download?alt=media`;
  expect((await ask('gemini', content)).status).toBe(200);
  expect((await ask('gemini', `/v1beta/${responsesFile}`, 'DELETE')).status).toBe(200);
  expect((await ask('gemini', `/v1beta/${name}`)).json.response.responsesFile).toBe(responsesFile);
  expect((await ask('gemini', content)).status).toBe(404);
});

it('who looks twice at once does not have a line answered twice', async () => {
  const { json } = await batchOf([lineOf('once'), lineOf('again')]);
  now += HOUR_MS;
  twin.requests.clear();
  await Promise.all([1, 2, 3].map(() => ask('openai', `/batches/${json.id}`)));
  expect(twin.requests.list({ operation: 'chat' })).toHaveLength(2);
});

it.each([
  ['an id that has other signs', [{ custom_id: 'a b', params: {} }]],
  ['an id twice', ['a', 'a'].map((id) => ({ custom_id: id, params: {} }))],
  ['a stream', [{ custom_id: 'a', params: { stream: true } }]],
  ['another member', [{ custom_id: 'a', params: {}, method: 'POST' }]],
  ['nothing', []],
])('Anthropic refuses %s', async (_, requests) => {
  expect((await ask('anthropic', '/v1/messages/batches', { requests })).status).toBe(400);
});
