/** Callers' addresses that drip hold up their own requests: no call of the account waits for them. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SLOTS = 2;

let gateway: TestGateway;
let server: Server;
let address: string;
let open: ServerResponse[] = [];

beforeAll(async () => {
  server = createServer((_request, response) => {
    open.push(response);
    response.writeHead(200).write(PNG.subarray(0, 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  address = `http://127.0.0.1:${port}/slow.png`;
  const account = (id: number, vendor: string): string =>
    `  - { id: ${id}, name: ${vendor}, vendor: ${vendor}, credentials: { api_key: '\${UNSET}' }, max_concurrency: ${SLOTS} }`;
  gateway = await openTestGateway({
    yaml: `security: { allow_private: ['127.0.0.1:${port}'] }
extends: none
accounts:
${['gemini', 'veo'].map((vendor, index) => account(index + 1, vendor)).join('\n')}
models:
  - { code: chat, kind: chat, offers: [{ account: gemini, model: gemini-3.5-flash, dialect: gemini-generate, quirks: { media_urls: false } }], price: { input: 1 } }
  - { code: edit, kind: image, body: messages, offers: [{ account: gemini, model: gemini-3-pro-image }], price: { image: 0.04 } }
  - { code: veo, kind: video, body: image-urls, offers: [{ account: veo, model: veo-3.1-generate-001 }], price: { second: 0.1 } }`,
  });
});
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  open = [];
});

const post = async (key: string, path: string, body: JsonObject): Promise<number> => {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(text);
  return reply.status;
};
const chat = (...images: string[]): JsonObject => ({
  model: 'chat',
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'hello' }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))],
    },
  ],
});
const veo = (...imageUrls: string[]): JsonObject => ({ model: 'veo', prompt: 'a cat', duration: 8, imageUrls });
const edit = (...images: string[]): JsonObject => ({
  model: 'edit',
  input: { messages: [{ role: 'user', content: [...images.map((image) => ({ image })), { text: 'a hat' }] }] },
});

it.each<[string, string, (...urls: string[]) => JsonObject, JsonObject]>([
  ['chat', '/v1/chat/completions', chat, chat()],
  ['video', '/v1/video/generations', veo, veo()],
  ['image', '/v1/images/generations', edit, edit()],
])(
  '%s: another owner is answered while they drip, and they are answered when they end',
  async (_, path, body, quick) => {
    const slow = Array.from({ length: 6 }, (_each, index) =>
      post(gateway.liveKey, path, body(`${address}?${String(index)}`)),
    );
    while (open.length < 6) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await post(gateway.otherKey, path, quick)).toBe(200);
    expect(open.every((response) => !response.destroyed)).toBe(true);
    for (const response of open) response.end(PNG.subarray(1));
    expect(await Promise.all(slow)).toEqual(Array<number>(6).fill(200));
  },
);
