/** Uploaded files in chat requests of every format, by every vendor: what the vendor gets is the file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n').toString('base64');
const TEXT = 'The harbour has a lock of oak.';
const VENDORS = { 'gpt-5.2': 'openai', 'claude-sonnet-5': 'anthropic', 'gemini-3.1-pro': 'gemini' } as const;
type Model = keyof typeof VENDORS;

let gateway: TestGateway;
let ids: Readonly<Record<'png' | 'pdf' | 'text', string>>;

beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }
models: [{ code: gpt-5-mini, cache: { ttl_seconds: 600, when: always } }]`,
  });
  ids = {
    png: await upload('dot.png', Buffer.from(PNG, 'base64')),
    pdf: await upload('tides.pdf', Buffer.from(PDF, 'base64')),
    text: await upload('lock.txt', Buffer.from(TEXT)),
  };
});
afterAll(() => gateway.close());

async function upload(name: string, bytes: Buffer, key = gateway.liveKey): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  const headers = { authorization: `Bearer ${key}` };
  const reply = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  return ((await reply.json()) as { readonly id: string }).id;
}

async function ask(path: string, body: JsonObject, key = gateway.liveKey) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: reply.status, text: await reply.text(), cache: reply.headers.get('x-gateway-cache') };
}

/** One request of a format that names the file. */
const FORMATS: Readonly<
  Record<string, (model: string, id: string, isPicture: boolean) => readonly [string, JsonObject]>
> = {
  'chat completions': (model, id) => [
    '/v1/chat/completions',
    {
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { file_id: id } },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    },
  ],
  responses: (model, id, isPicture) => [
    '/v1/responses',
    {
      model,
      store: false,
      input: [
        {
          role: 'user',
          content: [
            { type: isPicture ? 'input_image' : 'input_file', file_id: id },
            { type: 'input_text', text: 'What is it?' },
          ],
        },
      ],
    },
  ],
  messages: (model, id, isPicture) => [
    '/v1/messages',
    {
      model,
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: isPicture ? 'image' : 'document', source: { type: 'file', file_id: id.replace('-', '_') } },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    },
  ],
  generateContent: (model, id) => [
    `/v1beta/models/${model}:generateContent`,
    {
      contents: [
        {
          role: 'user',
          parts: [
            { fileData: { fileUri: `https://gateway.example/v1beta/files/${id.replace('file-', '')}` } },
            { text: 'What is it?' },
          ],
        },
      ],
    },
  ],
};

describe.each(Object.keys(FORMATS))('%s', (format) => {
  it.each(Object.keys(VENDORS) as Model[])('%s gets a picture, a document and a text', async (model) => {
    for (const [kind, content] of [
      ['png', PNG],
      ['pdf', PDF],
      ['text', TEXT],
    ] as const) {
      const [path, body] = FORMATS[format]!(model, ids[kind], kind === 'png');
      const { status, text } = await ask(path, body);
      expect({ kind, status, text: status === 200 ? '' : text }).toEqual({ kind, status: 200, text: '' });
      const sent = gateway.twin.requests.last(VENDORS[model])?.body ?? '';
      expect(sent).not.toMatch(/file[-_]gw|files\/gw/);
      const isThere = sent.includes(content) || sent.includes(Buffer.from(content).toString('base64'));
      expect({ kind, isThere }).toEqual({ kind, isThere: true });
    }
  });

  it('another owner’s file, a deleted one and one in the other mode are not found, by the name of the place', async () => {
    const gone = await upload('gone.txt', Buffer.from('x'));
    await fetch(`${gateway.url}/v1/files/${gone}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${gateway.liveKey}` },
    });
    for (const [id, key] of [
      [gone, gateway.liveKey],
      [ids.text, gateway.otherKey],
      [ids.text, gateway.testKey],
    ] as const) {
      const { status, text } = await ask(...FORMATS[format]!('gpt-5.2', id, false), key);
      expect([status, text]).toEqual([404, expect.stringContaining('there is no file')]);
    }
  });
});

it.each(['messages', 'generateContent'])('%s counts the tokens of the file', async (format) => {
  const [path, body] = FORMATS[format]!('claude-sonnet-5', ids.text, false);
  const counted = format === 'messages' ? `${path}/count_tokens` : path.replace('generateContent', 'countTokens');
  expect((await ask(counted, body)).status).toBe(200);
  expect(gateway.twin.requests.last('anthropic')?.body).toContain(TEXT);
});

it('what is kept for a request is found by what its file holds, not by its id', async () => {
  const again = await upload('lock.txt', Buffer.from(TEXT));
  const other = await upload('lock.txt', Buffer.from('The harbour has no lock.'));
  const asked = FORMATS['chat completions']!;
  const caches = [];
  for (const id of [ids.text, again, other]) caches.push((await ask(...asked('gpt-5-mini', id, false))).cache);
  expect(caches).toEqual(['miss', 'hit', 'miss']);
});

it('a response goes on from one that named a file', async () => {
  const [path, body] = FORMATS['responses']!('claude-sonnet-5', ids.text, false);
  const first = await ask(path, { ...body, store: true });
  expect(first.status).toBe(200);
  const { id } = JSON.parse(first.text) as { readonly id: string };
  const next = await ask(path, { model: 'claude-sonnet-5', input: 'And the lock?', previous_response_id: id });
  expect([next.status, next.status === 200 ? '' : next.text]).toEqual([200, '']);
  expect(gateway.twin.requests.last('anthropic')?.body).toContain(TEXT);
});

it('files that do not a request may have at most are refused before anything is asked', async () => {
  const large = await upload('large.txt', Buffer.alloc(30 * 1024 * 1024, 'a'));
  const content = [large, await upload('large.txt', Buffer.alloc(30 * 1024 * 1024, 'b'))].map((id) => ({
    type: 'file',
    file: { file_id: id },
  }));
  const { status, text } = await ask('/v1/chat/completions', {
    model: 'gpt-5.2',
    messages: [{ role: 'user', content }],
  });
  expect([status, text]).toEqual([413, expect.stringContaining('a request may have at most')]);
});
