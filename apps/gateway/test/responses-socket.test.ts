/** Responses over a WebSocket: over real sockets, with the twin behind. */
import { request as askHttp } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { pino } from 'pino';
import { isEnd, openSocket, type TestSocket } from './open-socket.ts';

const GPT = 'gpt-5.2-pro';
const CLAUDE = 'claude-sonnet-5';
const LIMITED = 'sk-live-limited-0123456789abcdefg';

const lines: JsonObject[] = [];
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line) as JsonObject) }),
    keys: `  - { name: limited, key: ${LIMITED}, owner: 3, limits: { requests_per_minute: 1 }, models: [${GPT}] }`,
  });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.twin.requests.clear());

const open = (key = gateway.liveKey, headers: Record<string, string> = {}): Promise<TestSocket> =>
  openSocket(gateway.url, { authorization: `Bearer ${key}`, ...headers });

const create = (model: string, input: string, more: JsonObject = {}): JsonObject => ({
  ...{ type: 'response.create', model, input, store: false },
  ...more,
});

function endOf(events: readonly JsonObject[]): { type: unknown; id: string; response: JsonObject } {
  const { type, response } = events.at(-1) as { type: string; response: JsonObject };
  return { type, id: String(response['id']), response };
}

async function rows(filter = ''): Promise<readonly JsonObject[]> {
  const reply = await fetch(`${gateway.url}/admin/requests?limit=50${filter}`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  return ((await reply.json()) as { data: JsonObject[] }).data;
}

describe('the request that opens a socket', () => {
  it.each([
    ['authorization', (key: string) => ({ authorization: `Bearer ${key}` })],
    ['x-api-key', (key: string) => ({ 'x-api-key': key })],
    ['x-goog-api-key', (key: string) => ({ 'x-goog-api-key': key })],
    ['api-key', (key: string) => ({ 'api-key': key })],
  ])('takes a key in %s, which answers, too', async (_name, headersOf) => {
    const socket = await openSocket(gateway.url, headersOf(gateway.liveKey));
    socket.send(create(GPT, 'hello'));
    expect(endOf(await socket.until(isEnd)).type).toBe('response.completed');
    await socket.close();
  });

  it.each([
    ['no key', '/v1/responses', {}, 401, 'no key came'],
    [
      'a wrong key',
      '/v1/responses',
      { authorization: 'Bearer sk-live-nobody-0123456789abcdef' },
      401,
      'invalid_api_key',
    ],
    ['another path', '/v1/nothing', { authorization: 'Bearer KEY' }, 404, 'there is no GET /v1/nothing'],
    ['a path without sockets', '/v1/embeddings', { authorization: 'Bearer KEY' }, 405, 'it takes POST'],
    ['the cookie of a session', '/v1/responses', { cookie: 'gateway_session=abc' }, 401, 'no key came'],
  ])('is answered over HTTP with %s', async (_name, path, headers: Record<string, string>, status, words) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', gateway.liveKey)]),
    );
    await expect(openSocket(gateway.url, given, path)).rejects.toMatchObject({
      status,
      text: expect.stringContaining(words),
      headers: { 'x-request-id': expect.stringMatching(/^req_/), 'content-type': expect.stringContaining('json') },
    });
  });

  it('is told what is missing when it asks for no socket, and asks for another protocol in vain', async () => {
    const headers = { authorization: `Bearer ${gateway.liveKey}` };
    const plain = await fetch(`${gateway.url}/v1/responses`, { headers });
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
    // As Java's client asks each time.
    const status = await new Promise((resolve, reject) => {
      const java = { ...headers, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAA' };
      askHttp(`${gateway.url}/v1/models`, { headers: java }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });
});

it('is a line of the log when it has been answered', async () => {
  lines.length = 0;
  const socket = await open();
  await until(() => lines.some(({ method }) => method === 'GET'));
  const line = lines.find(({ method }) => method === 'GET');
  expect(line).toMatchObject({ path: '/v1/responses', status: 101, address: '127.0.0.1', key_id: expect.any(Number) });
  expect(line).not.toHaveProperty('aborted');
  await socket.close();
});

describe('responses', () => {
  it.each([GPT, CLAUDE, 'gemini-3.1-pro', 'gpt-5.2'])(
    'of %s come as the events of a stream, one after another',
    async (model) => {
      const socket = await open();
      for (const text of ['one', 'two']) {
        socket.send(create(model, text));
        const events = await socket.until(isEnd);
        expect(events[0]?.['type']).toBe('response.created');
        expect(events.some(({ type }) => type === 'response.output_text.delta')).toBe(true);
        expect(events.every((event) => !('stream_id' in event))).toBe(true);
        expect(endOf(events).type).toBe('response.completed');
      }
      await socket.close();
    },
  );

  it('each are a request of their own: a row, an id, a charge; the socket itself is none', async () => {
    const socket = await open(gateway.liveKey, { 'x-gateway-tags': 'team=sockets', 'user-agent': 'my-agent/1.0' });
    for (const model of [GPT, CLAUDE, GPT]) {
      socket.send(create(model, 'hello'));
      await socket.until(isEnd);
    }
    await socket.close();
    const own = async () => rows('&tag=team%3Dsockets');
    await until(async () => (await own()).length >= 3);
    const told = await own();
    expect(told).toHaveLength(3);
    expect(new Set(told.map(({ id }) => id)).size).toBe(3);
    for (const row of told) {
      const { status, charged } = row as { status: number; charged: number };
      expect(row).toMatchObject({
        operation: 'createResponse',
        streamed: true,
        aborted: false,
        client: 'my-agent/1.0',
      });
      expect([status, charged > 0, row['address']]).toEqual([200, true, '127.0.0.1']);
    }
  });

  it.each(['gemini-3.1-pro', CLAUDE])('of %s go on from another one that nobody keeps, and fork', async (model) => {
    const socket = await open();
    socket.send(create(model, 'the word is heron'));
    const first = endOf(await socket.until(isEnd));
    for (const text of ['which word was it?', 'and backwards?']) {
      socket.send(create(model, text, { previous_response_id: first.id }));
      const { response } = endOf(await socket.until(isEnd));
      expect(response['previous_response_id']).toBe(first.id);
      const asked = JSON.stringify(gateway.twin.requests.list().at(-1)?.body);
      expect(asked).toContain('the word is heron');
      expect(asked).toContain(text);
      expect(asked).not.toContain('previous_response_id');
    }
    expect(JSON.stringify(gateway.twin.requests.list().at(-1)?.body)).not.toContain('which word was it?');
    await socket.close();

    const again = await open();
    again.send(create(model, 'still there?', { previous_response_id: first.id }));
    const [refused] = await again.until(isEnd);
    expect(refused).toMatchObject({ type: 'error', error: { code: 'previous_response_not_found' } });
    await again.close();
  });

  it('begin with what was sent ahead, which asks no model and costs nothing', async () => {
    const socket = await open(gateway.liveKey, { 'x-gateway-tags': 'team=warm' });
    socket.send(create(CLAUDE, 'the word is egret', { generate: false }));
    const warm = endOf(await socket.until(isEnd));
    expect(warm).toMatchObject({ type: 'response.completed', response: { output: [], status: 'completed' } });
    expect(gateway.twin.requests.list()).toHaveLength(0);
    socket.send({ ...create(CLAUDE, ''), input: [], previous_response_id: warm.id });
    expect(endOf(await socket.until(isEnd)).type).toBe('response.completed');
    expect(JSON.stringify(gateway.twin.requests.list().at(-1)?.body)).toContain('the word is egret');
    await socket.close();
    await until(async () => (await rows('&tag=team%3Dwarm')).length > 0);
    expect(await rows('&tag=team%3Dwarm')).toHaveLength(1);
  });

  it('come through OpenAI’s own client', async () => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey });
    const socket = new ResponsesWS(openai);
    const types: string[] = [];
    const errors: unknown[] = [];
    socket.on('event', ({ type }) => types.push(type));
    socket.on('error', (error) => errors.push(error));
    socket.send({ type: 'response.create', model: CLAUDE, input: 'hello', store: false });
    await until(() => types.includes('response.completed') || errors.length > 0);
    socket.close();
    expect(errors).toEqual([]);
    expect(types[0]).toBe('response.created');
  });

  it('of lanes name their lane, in order within it', async () => {
    const socket = await open();
    for (const lane of ['a', 'b', 'a']) socket.send(create(GPT, `for ${lane}`, { stream_id: lane }));
    await until(() => socket.events.filter(isEnd).length === 3);
    const ofA = socket.events.filter(({ stream_id: lane }) => lane === 'a').map(({ type }) => type);
    expect(ofA.filter((type) => type === 'response.created' || type === 'response.completed')).toEqual([
      ...['response.created', 'response.completed', 'response.created', 'response.completed'],
    ]);
    expect(new Set(socket.events.map(({ stream_id: lane }) => lane))).toEqual(new Set(['a', 'b']));
    await socket.close();
  });
});

describe('what is refused', () => {
  it.each<[string, string, JsonObject]>([
    ['no JSON', '{', { status: 400, error: { type: 'invalid_request_error' } }],
    ['no object', '[]', { status: 400, error: { type: 'invalid_request_error' } }],
    ['another event', '{"type":"response.steer"}', { status: 400, error: { param: 'type' } }],
    [
      'a lane that is none',
      '{"type":"response.create","stream_id":"\\""}',
      { status: 400, error: { param: 'stream_id' } },
    ],
    ['no model', '{"type":"response.create"}', { status: 400, error: { param: 'model' } }],
    [
      'an unknown model',
      '{"type":"response.create","model":"nobody","input":"hi"}',
      { status: 400, error: { code: 'model_not_found' } },
    ],
    [
      'the background',
      `{"type":"response.create","model":"${GPT}","input":"hi","background":true}`,
      { status: 400, error: { param: 'background' } },
    ],
    [
      'a member that is wrong',
      `{"type":"response.create","model":"${GPT}","input":7}`,
      { status: 400, error: { param: 'input' } },
    ],
    ['nothing to cancel', '{"type":"response.cancel"}', { status: 404, error: { code: 'response_not_found' } }],
  ])('is an event: %s; the socket stays open', async (_name, text, told) => {
    const socket = await open();
    socket.webSocket.send(text);
    expect((await socket.until(isEnd)).at(-1)).toMatchObject({ type: 'error', ...told });
    socket.send(create(GPT, 'hello'));
    expect(endOf(await socket.until(isEnd)).type).toBe('response.completed');
    await socket.close();
  });

  it('by the limits and the models of a key, response by response', async () => {
    const socket = await open(LIMITED);
    socket.send(create(CLAUDE, 'hello'));
    expect((await socket.until(isEnd)).at(-1)).toMatchObject({ type: 'error', status: 403 });
    socket.send(create(GPT, 'hello'));
    socket.send(create(GPT, 'hello again'));
    const ends = [...(await socket.until(isEnd)), ...(await socket.until(isEnd))].filter(isEnd);
    expect(ends.some(({ type, status }) => type === 'error' && status === 429)).toBe(true);
    expect(gateway.twin.requests.list().length).toBeLessThanOrEqual(1);
    await socket.close();
  });

  it('a frame that is larger than a body may be, by closing', async () => {
    const small = await openTestGateway({ server: 'body_limit: 1mb' });
    const socket = await openSocket(small.url, { authorization: `Bearer ${small.liveKey}` });
    socket.send(create(GPT, 'x'.repeat(1024 * 1024)));
    await until(() => socket.closed() !== undefined);
    expect(socket.closed()).toBe(1009);
    await small.close();
  });
});

it('an owner whose messages fill the room is closed, and another one is not', async () => {
  const narrow = await openTestGateway({ server: 'body_limit: 2mb, body_memory: 8mb' });
  const sockets: TestSocket[] = [];
  const openOf = (key: string): Promise<TestSocket> => openSocket(narrow.url, { authorization: `Bearer ${key}` });
  for (let at = 0; at < 3; at++) {
    const socket = await openOf(narrow.liveKey);
    sockets.push(socket);
    // The last piece never comes.
    socket.webSocket.send('x'.repeat(1_500_000), { fin: false });
  }
  await until(() => sockets.some((socket) => socket.closed() === 1013));
  const other = await openOf(narrow.otherKey);
  other.send(create(GPT, 'hello', { instructions: 'x'.repeat(1_000_000) }));
  expect(endOf(await other.until(isEnd)).type).toBe('response.completed');
  expect(sockets.filter((socket) => socket.closed() !== undefined).length).toBeLessThan(3);
  for (const { webSocket } of [...sockets, other]) webSocket.terminate();
  await narrow.close();
});
