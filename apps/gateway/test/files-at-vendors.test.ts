/** Large uploaded files in chat requests: uploaded once to each vendor, named from then on, and deleted there with the file. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const KB = 1024;
const HEAD = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n';
const VENDORS = { 'gpt-5.2': 'openai', 'claude-sonnet-5': 'anthropic', 'gemini-3.1-pro': 'gemini' } as const;
type Model = keyof typeof VENDORS;
const MODELS = Object.keys(VENDORS) as Model[];

let gateway: TestGateway;
let now = Date.now();
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway({ clock: () => now, files: '{ at_vendors_from: 64kb }' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.twin.requests.clear();
});

/** A document that no other is like. */
function documentOf(bytes = 70 * KB): Buffer {
  return Buffer.concat([Buffer.from(`${HEAD}% ${(made += 1)}\n`), Buffer.alloc(bytes, 0xe2)]);
}

async function upload(bytes: Buffer, key = gateway.liveKey): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob([new Uint8Array(bytes)]), 'a "b" <c>.pdf');
  const headers = { authorization: `Bearer ${key}` };
  const reply = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  return ((await reply.json()) as { readonly id: string }).id;
}

async function ask(path: string, body: JsonObject, key = gateway.liveKey) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await reply.text();
  return { status: reply.status, text: reply.status === 200 ? '' : text };
}

const FORMATS: Readonly<Record<string, (model: string, id: string) => readonly [string, JsonObject]>> = {
  'chat completions': (model, id) => [
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }] },
  ],
  'streamed chat completions': (model, id) => [
    '/v1/chat/completions',
    { model, stream: true, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }] },
  ],
  responses: (model, id) => [
    '/v1/responses',
    { model, store: false, input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] },
  ],
  messages: (model, id) => [
    '/v1/messages',
    {
      ...{ model, max_tokens: 100 },
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: id } }] }],
    },
  ],
  generateContent: (model, id) => [
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ fileData: { fileUri: id.replace('file-', 'files/') } }] }] },
  ],
};
const chat = FORMATS['chat completions']!;

/** Of a vendor: how often it was given a file, was asked, and deleted one. */
function seen(model: Model) {
  const of = (operation: string) =>
    gateway.twin.requests.list().filter((each) => each.vendor === VENDORS[model] && each.operation === operation);
  const uploads = of('upload').length / (model === 'gemini-3.1-pro' ? 2 : 1);
  const asked = [...of('chat'), ...of('responses')];
  return { uploads, deleted: of('file').length, asked: asked.length, last: asked.at(-1)?.body ?? '' };
}

async function remove(id: string): Promise<void> {
  const headers = { authorization: `Bearer ${gateway.liveKey}` };
  await fetch(`${gateway.url}/v1/files/${id}`, { method: 'DELETE', headers });
}

it.each([
  ...MODELS.map((model) => ['chat completions', model] as const),
  ['streamed chat completions', 'claude-sonnet-5'],
  ['responses', 'gpt-5.2'],
  ['responses', 'gemini-3.1-pro'],
  ['messages', 'claude-sonnet-5'],
  ['messages', 'gpt-5.2'],
  ['generateContent', 'gemini-3.1-pro'],
] as const)('%s: %s is given the file once, and its name from then on', async (format, model) => {
  const bytes = documentOf();
  const id = await upload(bytes);
  for (const _time of ['first', 'second'])
    expect(await ask(...FORMATS[format]!(model, id))).toEqual({ status: 200, text: '' });
  const { uploads, asked, last } = seen(model);
  expect({ uploads, asked }).toEqual({ uploads: 1, asked: 2 });
  expect(last.length).toBeLessThan(10_000);
  expect(last).not.toContain(id);
  await remove(id);
  expect(await gateway.server.vendorFiles.sweep()).toBe(1);
  expect(seen(model).deleted).toBe(1);
  expect(await gateway.server.vendorFiles.sweep()).toBe(0);
});

it('requests at once upload once', async () => {
  const id = await upload(documentOf());
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask(...chat('gpt-5.2', id))));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(seen('gpt-5.2')).toMatchObject({ uploads: 1, asked: 4 });
});

it.each(MODELS)(
  '%s has lost the file: the request goes on with its bytes, and the next uploads it anew',
  async (model) => {
    const bytes = documentOf();
    const id = await upload(bytes);
    await ask(...chat(model, id));
    gateway.twin.loseFiles();
    gateway.twin.requests.clear();
    expect(await ask(...chat(model, id))).toEqual({ status: 200, text: '' });
    expect(seen(model)).toMatchObject({ uploads: 0, asked: 2 });
    expect(seen(model).last).toContain(bytes.subarray(0, 3000).toString('base64'));
    expect(await ask(...chat(model, id))).toEqual({ status: 200, text: '' });
    expect(seen(model)).toMatchObject({ uploads: 1, asked: 3 });
  },
);

it('what the vendor is about to end is uploaded anew', async () => {
  const id = await upload(documentOf());
  await ask(...chat('gemini-3.1-pro', id));
  now += 47.5 * 3_600_000;
  await ask(...chat('gemini-3.1-pro', id));
  expect(seen('gemini-3.1-pro')).toMatchObject({ uploads: 2, asked: 2 });
});

it('a vendor that takes no files gets the bytes, and is not asked again for a while', async () => {
  const bytes = documentOf();
  const id = await upload(bytes);
  gateway.twin.faults.next('openai', 'upload', { kind: 'status', status: 404 });
  for (const _time of ['first', 'second']) expect((await ask(...chat('gpt-5.2', id))).status).toBe(200);
  expect(seen('gpt-5.2')).toMatchObject({ uploads: 1, asked: 2 });
  expect(seen('gpt-5.2').last).toContain(bytes.subarray(0, 3000).toString('base64'));
  now += 11 * 60_000;
  expect((await ask(...chat('gpt-5.2', id))).status).toBe(200);
  expect(seen('gpt-5.2')).toMatchObject({ uploads: 2, asked: 3 });
});

it('what is small, or a text, or the caller’s own bytes goes in the request', async () => {
  const small = await upload(documentOf(1000));
  const text = await upload(Buffer.alloc(70 * KB, 'The tide. '));
  for (const id of [small, text]) expect((await ask(...chat('gpt-5.2', id))).status).toBe(200);
  const data = `data:application/pdf;base64,${documentOf().toString('base64')}`;
  const content = [{ type: 'file', file: { filename: 'a.pdf', file_data: data } }];
  const own = { model: 'gpt-5.2', messages: [{ role: 'user', content }] };
  expect((await ask('/v1/chat/completions', own)).status).toBe(200);
  expect(seen('gpt-5.2')).toMatchObject({ uploads: 0, asked: 3 });
});

it('another owner’s file is never uploaded, and the same bytes of two owners are two files there', async () => {
  const bytes = documentOf();
  const [one, other] = [await upload(bytes), await upload(bytes, gateway.otherKey)];
  expect((await ask(...chat('gpt-5.2', one), gateway.otherKey)).status).toBe(404);
  expect(seen('gpt-5.2').uploads).toBe(0);
  expect((await ask(...chat('gpt-5.2', one))).status).toBe(200);
  expect((await ask(...chat('gpt-5.2', other), gateway.otherKey)).status).toBe(200);
  expect(seen('gpt-5.2').uploads).toBe(2);
});
