/** A key is read where the SDKs of all vendors put it, and an id that the caller has for a request comes back. */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { pino } from 'pino';

let gateway: TestGateway;
let lines = '';

beforeAll(async () => {
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines += chunk.toString();
        done();
      },
    }),
  );
  gateway = await openTestGateway({ log });
});
afterAll(() => gateway.close());

const chat = ['/v1/chat/completions', { model: 'gpt-5.2', messages: [{ role: 'user', content: 'hello' }] }] as const;
const google = [
  '/v1beta/models/gemini-3.1-pro:generateContent',
  { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
] as const;
const message = [
  '/v1/messages',
  { model: 'claude-sonnet-5', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] },
] as const;

async function post(path: string, body: object, headers: Record<string, string>): Promise<Response> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await reply.arrayBuffer();
  return reply;
}

describe.each([chat, google, message])('%s', (path, body) => {
  it.each<readonly [string, (key: string) => Record<string, string>]>([
    ['authorization', (key) => ({ authorization: `Bearer ${key}` })],
    ['x-api-key', (key) => ({ 'x-api-key': key })],
    ['x-goog-api-key', (key) => ({ 'x-goog-api-key': key })],
    ['api-key', (key) => ({ 'api-key': key })],
    ['a header beside what a proxy wants', (key) => ({ authorization: 'Basic YTpi', 'api-key': key })],
  ])('takes the key in %s', async (_, headersOf) => {
    expect((await post(path, body, headersOf(gateway.testKey))).status).toBe(200);
    expect((await post(path, body, headersOf(`${gateway.testKey}x`))).status).toBe(401);
  });

  it('without a key is refused, and the first that is given counts', async () => {
    expect((await post(path, body, {})).status).toBe(401);
    const both = { authorization: 'Bearer sk-wrong-0123456789', 'x-api-key': gateway.testKey };
    expect((await post(path, body, both)).status).toBe(401);
  });
});

describe('?key=', () => {
  it('opens Google’s paths, is told to nobody and not logged', async () => {
    const [path, body] = google;
    const reply = await post(`${path}?key=${gateway.testKey}`, body, {});
    expect(reply.status).toBe(200);
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer');
    const listed = await fetch(`${gateway.url}/v1beta/models?key=${gateway.testKey}`);
    expect(listed.status).toBe(200);
    expect((await post(`${path}?key=${gateway.testKey}x`, body, {})).status).toBe(401);
    expect(lines).toContain(path);
    expect(lines).not.toContain(gateway.testKey);
  });

  it.each([chat, message])('does not open %s', async (path, body) => {
    expect((await post(`${path}?key=${gateway.testKey}`, body, {})).status).toBe(401);
  });
});

describe('an id of the caller’s', () => {
  it.each([
    [{ 'x-client-request-id': 'mine-1', 'x-request-id': 'theirs' }, 'mine-1'],
    [{ 'x-request-id': '7' }, '7'],
    [{ 'x-request-id': 'with blanks' }, null],
    [{}, null],
  ])('%j comes back beside ours, and is in the log and in the log of requests', async (headers, expected) => {
    const [path, body] = chat;
    const reply = await post(path, body, { authorization: `Bearer ${gateway.testKey}`, ...headers });
    expect(reply.headers.get('x-client-request-id')).toBe(expected);
    const own = reply.headers.get('x-request-id') ?? '';
    expect(own).toMatch(/^req_/);
    const line = lines.split('\n').find((each) => each.includes(own) && each.includes('"status":200')) ?? '{}';
    expect((JSON.parse(line) as { client_request_id?: string }).client_request_id ?? null).toBe(expected);
    await gateway.server.own.flush();
    const shown = await fetch(`${gateway.url}/admin/requests/${own}`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    const { request } = (await shown.json()) as { request: { client_request_id: string | null } };
    expect(request.client_request_id).toBe(expected);
  });
});
