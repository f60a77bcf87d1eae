/** Pictures that a model makes for callers of messages: kept as files and shown by signed links, instead of megabytes of text. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';

import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { imageSize } from 'image-size';

const MB = 1024 * 1024;
/** A picture by its first bytes; what follows nobody looks at. */
function picture(size: number, fill: number): Buffer {
  const bytes = Buffer.alloc(size, fill);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
  return bytes;
}
const FIRST = picture(3 * MB, 1);
const SECOND = picture(2 * MB, 2);
/** Four of them are as much as is kept. */
const QUARTER = picture(1.5 * MB, 3);

const inline = (bytes: Buffer) => ({ inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } });
const chunk = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason !== undefined && { finishReason }) }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1300, totalTokenCount: 1305 },
  modelVersion: 'm',
});
const PARTS = [{ text: 'First: ' }, inline(FIRST), { text: ' and second: ' }, inline(SECOND), { text: ' Done.' }];

let now = Date.now();
let write: (response: ServerResponse) => unknown;
let received = '';
let vendor: Server;
let folder: string;
let gateway: TestGateway;
let anthropic: Anthropic;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-pictures-'));
  vendor = createServer((request, response) => {
    void text(request).then((body) => {
      received = body;
      void write(response);
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  gateway = await openTestGateway({
    clock: () => now,
    files: `{ folder: '${folder}/files', keep_hours: 2, kept_pictures: 6mb }`,
    yaml: `extends: none
accounts:
  - id: 1
    name: gemini
    vendor: gemini
    base_url: 'http://127.0.0.1:${(vendor.address() as AddressInfo).port}'
    credentials: { api_key: vendor-key-0123456789 }
models:
  - code: painter
    kind: chat
    limits: { outputs: [text, image] }
    price: { input: 1, output: 2 }
    offers: [{ account: gemini, model: m, dialect: gemini-generate }]
`,
  });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.liveKey, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const plain = (parts: readonly object[]) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(chunk(parts, 'STOP')));
const event = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`;
const streamed = (parts: readonly object[]) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) response.write(event(chunk([part])));
  response.end(event(chunk([], 'STOP')));
};
const ASKED = { model: 'painter', max_tokens: 500, messages: [{ role: 'user' as const, content: 'Two pictures' }] };
const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('');
const linksOf = (said: string): string[] => [...said.matchAll(/!\[image\]\((.*?)\)/g)].map(([, link]) => link ?? '');
/** What the next sweep of expired files removes; forgotten, so that tests count only their own. */
const due = async () => {
  const { files } = gateway.server.parts.store;
  const expired = await files.expired(now, 100);
  await files.forget(expired.map(({ id }) => id));
  return expired;
};
const kept = (): string[] => readdirSync(`${folder}/files`);

async function open(link: string): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const reply = await fetch(link);
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    bytes: Buffer.from(await reply.arrayBuffer()),
  };
}

describe.each(['plain', 'streamed'] as const)('%s', (how) => {
  async function ask(parts: readonly object[]): Promise<Anthropic.Message> {
    write = how === 'plain' ? plain(parts) : streamed(parts);
    return how === 'plain' ? anthropic.messages.create(ASKED) : anthropic.messages.stream(ASKED).finalMessage();
  }

  it('the answer is short, in its order, and each link opens the very bytes without a key', async () => {
    const said = textOf(await ask(PARTS));
    expect(said.length).toBeLessThan(600);
    expect(said.replace(/\(http.*?\)/g, '(link)')).toBe('First: ![image](link) and second: ![image](link) Done.');
    const links = linksOf(said);
    for (const link of links) expect(link.startsWith(`${gateway.url}/files/file_`)).toBe(true);
    const [first, second] = await Promise.all(links.map(open));
    expect([first!.status, first!.type, first!.bytes.equals(FIRST)]).toEqual([200, 'image/png', true]);
    expect([second!.status, second!.type, second!.bytes.equals(SECOND)]).toEqual([200, 'image/png', true]);
  });

  it('the link works by its signature alone, for its time, and the file goes with it', async () => {
    const [link = ''] = linksOf(textOf(await ask([inline(SECOND)])));
    const unsigned = link.replace(/\?.*/, '');
    expect((await open(unsigned)).status).toBe(401);
    const stranger = await fetch(unsigned, { headers: { authorization: `Bearer ${gateway.otherKey}` } });
    expect(stranger.status).toBe(401);
    expect((await open(link.replace(/signature=./, 'signature=x'))).status).toBe(401);
    expect((await open(link)).status).toBe(200);
    now += 2 * 3_600_000 + 1_000;
    expect((await open(link)).status).toBe(401);
    expect((await due()).some(({ id }) => link.includes(id))).toBe(true);
  });

  it('one owner’s pictures stay within their bound: the oldest end', async () => {
    const links: string[] = [];
    for (let count = 0; count < 6; count++) {
      links.push(...linksOf(textOf(await ask([inline(QUARTER)]))));
      now++;
    }
    const statuses = await Promise.all(links.map(async (link) => (await open(link)).status));
    expect(statuses).toEqual([404, 404, 200, 200, 200, 200]);
    const over = (await due()).map(({ id }) => id);
    expect(links.map((link) => over.some((id) => link.includes(id)))).toEqual([true, true, false, false, false, false]);
    now += 2 * 3_600_000 + 1_000;
  });

  it('where nothing can be kept the bytes are in the answer: nothing is lost', async () => {
    rmSync(`${folder}/files`, { recursive: true });
    writeFileSync(`${folder}/files`, '');
    try {
      const said = textOf(await ask([{ text: 'Here: ' }, inline(SECOND)]));
      expect(said).toBe(`Here: ![image](data:image/png;base64,${SECOND.toString('base64')})`);
    } finally {
      rmSync(`${folder}/files`);
    }
  });
});

it('its link is the way back: as an image by address it goes to a model that fetches', async () => {
  write = plain([inline(SECOND)]);
  const [url = ''] = linksOf(textOf(await anthropic.messages.create(ASKED)));
  write = plain([{ text: 'Bluer now.' }]);
  const back = { type: 'image' as const, source: { type: 'url' as const, url } };
  const content = [back, { type: 'text' as const, text: 'Make it bluer' }];
  await anthropic.messages.create({ ...ASKED, messages: [{ role: 'user', content }] });
  expect(received).toContain(`"fileUri":${JSON.stringify(url)}`);
});

it('text before a picture is not held back by it, nor text behind it by anything else', async () => {
  const seen: string[] = [];
  let next: () => void = () => undefined;
  const read = (): Promise<void> => new Promise((resolve) => (next = resolve));
  write = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event(chunk([{ text: 'before' }])));
    await read();
    const whole = event(chunk([inline(FIRST)]));
    response.write(whole.slice(0, whole.length / 2));
    response.write(whole.slice(whole.length / 2));
    await read();
    response.write(event(chunk([{ text: 'behind' }])));
    await read();
    response.end(event(chunk([], 'STOP')));
  };
  for await (const said of anthropic.messages.stream(ASKED)) {
    if (said.type !== 'content_block_delta' || said.delta.type !== 'text_delta') continue;
    seen.push(said.delta.text.startsWith('![image](http') ? 'picture' : said.delta.text);
    next();
  }
  expect(seen).toEqual(['before', 'picture', 'behind']);
});

it('a caller who hangs up before his picture costs the gateway nothing but the answer', async () => {
  let ended: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (ended = resolve));
  const caller = new AbortController();
  write = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event(chunk([{ text: 'before' }])));
    await new Promise<void>((resolve) => caller.signal.addEventListener('abort', () => setImmediate(resolve)));
    response.write(event(chunk([inline(FIRST)])));
    response.end(event(chunk([], 'STOP')), () => ended());
  };
  const stream = anthropic.messages.stream(ASKED, { signal: caller.signal });
  await expect(
    (async () => {
      for await (const { type } of stream) if (type === 'content_block_delta') caller.abort();
      throw new Error('aborted');
    })(),
  ).rejects.toThrow(/abort/i);
  await over;
});

it('the other dialects have places for the bytes and get them', async () => {
  const before = kept().length;
  const post = async (path: string, body: object): Promise<string> => {
    write = plain(PARTS);
    const reply = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return reply.text();
  };
  const data = FIRST.toString('base64');
  const asked = { model: 'painter', messages: ASKED.messages, input: 'Two pictures' };
  const { messages, input, model } = asked;
  const chat = JSON.parse(await post('/v1/chat/completions', { model, messages })) as {
    choices: { message: { content: string; images: { image_url: { url: string } }[] } }[];
  };
  expect(
    chat.choices[0]!.message.images.map(({ image_url }) => image_url.url === `data:image/png;base64,${data}`),
  ).toEqual([true, false]);
  expect(chat.choices[0]!.message.content).toBe('First:  and second:  Done.');
  const responses = await post('/v1/responses', { model, input });
  expect(responses).toContain(`"result":"${data}"`);
  expect(responses).not.toContain('![');
  const gemini = await post('/v1beta/models/painter:generateContent', { contents: [{ parts: [{ text: input }] }] });
  expect(gemini).toContain(data);
  expect(kept()).toHaveLength(before);
});

describe('a model of the catalogue, drawn by the twin', () => {
  let own: TestGateway;
  beforeAll(async () => {
    own = await openTestGateway({ server: `public_url: 'https://models.example.com/'` });
  });
  afterAll(() => own.close());

  it('the link has the public address of the gateway', async () => {
    const client = new Anthropic({ baseURL: own.url, apiKey: own.testKey, maxRetries: 0 });
    const asked = {
      ...ASKED,
      model: 'gemini-3-pro-image',
      messages: [{ role: 'user' as const, content: 'A lighthouse' }],
    };
    for (const message of [await client.messages.create(asked), await client.messages.stream(asked).finalMessage()]) {
      const [link = ''] = linksOf(textOf(message));
      expect(link.startsWith('https://models.example.com/files/file_')).toBe(true);
      const { status, bytes } = await open(link.replace('https://models.example.com', own.url));
      expect([status, imageSize(bytes).type]).toEqual([200, 'png']);
    }
  });
});
