/** Vendors' own paths under `/pass/`: who may ask what, what goes out and comes back, and what it costs. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';

const SECRET = 'sk-vendor-secret-0123456789';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  body: string;
}
let received: Received[] = [];
let bytesRead = 0;
type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void;
const plain: Answer = (response) => json(response, 200, { usage: { pages: 7 } });
let answer: Answer = plain;
let reads = true;

const vendor = createServer((request, response) => {
  const { method = '', url = '', headers } = request;
  const one: Received = { method, url, headers, body: '' };
  received.push(one);
  if (!reads) {
    answer(response, one, request);
    return;
  }
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    bytesRead += chunk.length;
    if (one.body.length < 1000) one.body += chunk;
  });
  request.on('end', () => answer(response, one, request));
  request.on('error', () => undefined);
});
let gateway: TestGateway;

beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const { port } = vendor.address() as AddressInfo;
  gateway = await openTestGateway({
    keys: `  - { name: staff-live, key: sk-live-staff-0123456789abcdef, owner: 1, group: staff }
  - { name: narrow, key: sk-live-narrow-0123456789abcdef, owner: 1, group: staff, models: ['gpt-5.2'] }
  - { name: counted, key: sk-live-counted-0123456789abcdef, owner: 1, group: staff, limits: { requests_per_minute: 1 } }`,
    yaml: `accounts:
  - name: own
    vendor: openai-compatible
    base_url: http://127.0.0.1:${port}/v1
    credentials: { api_key: ${SECRET} }
    pass_through:
      groups: [staff]
      body_limit: 4mb
      paths:
        - { path: /ocr, methods: [POST], price: { call: 0.01, unit: 0.001 }, usage: { units: usage.pages }, most: { units: 100 } }
        - { path: '/files/**', methods: [GET, DELETE], price: { call: 0 } }
        - { path: '/jobs/*', methods: [PUT, PATCH, POST, GET], price: { call: 0.002 }, headers: [x-vendor-word] }
  - name: wide
    vendor: openai-compatible
    base_url: http://127.0.0.1:${port}/v1
    credentials: { api_key: ${SECRET} }
    pass_through: { groups: [staff], body_limit: 256mb, paths: [{ path: '/jobs/*', methods: [POST], price: { call: 0 } }] }
  - name: openai
    pass_through: { keys: ['*'], paths: [{ path: /models, methods: [GET], price: { call: 0 } }] }`,
  });
});
afterAll(async () => {
  await gateway.close();
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
});
beforeEach(() => {
  received = [];
  bytesRead = 0;
  answer = plain;
  reads = true;
});

const STAFF = 'sk-live-staff-0123456789abcdef';

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function ask(path: string, { key = STAFF, ...init }: RequestInit & { key?: string } = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string> | undefined) };
  return fetch(`${gateway.url}/pass/${path}`, { ...init, headers });
}

/** A path as it is, which `fetch` would put right. */
function askRaw(target: string): Promise<number> {
  const url = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${STAFF}\r\nconnection: close\r\n\r\n`);
    });
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('end', () => resolve(Number(text.split(' ')[1])));
    socket.on('error', reject);
  });
}

const dollars = (response: Response): number => Number(response.headers.get('x-gateway-cost'));

describe('who may ask what', () => {
  it.each([
    ['a key outside the group', 'own/ocr', { method: 'POST', key: 'sk-live-stranger-0123456789abcdef' }, 404],
    ['an account that opens nothing', 'anthropic/v1/models', {}, 404],
    ['a key whose models do not name it', 'own/files/a', { key: 'sk-live-narrow-0123456789abcdef' }, 403],
    ['a path that is not opened', 'own/chat/completions', { method: 'POST' }, 403],
    ['a path that only begins like an opened one', 'own/ocr/more', { method: 'POST' }, 403],
    ['a method that is not opened', 'own/ocr', { method: 'GET' }, 405],
    ['no key', 'own/files/a', { key: '' }, 401],
  ])('%s', async (_name, path, init, status) => {
    expect((await ask(path, init)).status).toBe(status);
    expect(received).toEqual([]);
  });

  it('counts against the limits of the key', async () => {
    const key = 'sk-live-counted-0123456789abcdef';
    expect((await ask('own/files/a', { key })).status).toBe(200);
    expect((await ask('own/files/a', { key })).status).toBe(429);
  });

  it('gives test keys the twin, by the official SDK', async () => {
    const client = new OpenAI({ apiKey: gateway.testKey, baseURL: `${gateway.url}/pass/openai` });
    expect((await client.models.list()).data.length).toBeGreaterThan(3);
    expect(received).toEqual([]);
  });
});

it.each([
  '/pass/own/files/../chat/completions',
  '/pass/own/files/%2e%2e/chat',
  '/pass/own/files/.%2E/chat',
  '/pass/own/files/%252e%252e/chat',
  '/pass/own/files/..%2fchat',
  '/pass/own/files/a%2fb',
  '/pass/own/files/a%5cb',
  '/pass/own/files/a\\..\\b',
  '/pass/own/files/..;/chat',
  '/pass/own/files/%2e%2e%3Ba=1/chat',
  '/pass/own/files/;/chat',
  '/pass/own/files/..%20/chat',
  '/pass/own/files//evil.example/x',
  '/pass/own/files/%00',
  '/pass/own/files/a%',
  '/pass/own//evil.example/x',
  '/pass/own/http://evil.example/x',
  '/pass/own/@evil.example/files/a',
  'http://evil.example/pass/own/chat/completions',
])('%s leads nowhere', async (target) => {
  expect([400, 403, 404]).toContain(await askRaw(target));
  expect(received).toEqual([]);
});

describe('what goes out', () => {
  it('is the account’s credential and the opened headers, and nothing of the caller’s own', async () => {
    const response = await ask(`own/jobs/a?limit=2&key=${STAFF}&x=${encodeURIComponent(STAFF)}`, {
      method: 'PATCH',
      body: '{"a": 1}',
      headers: {
        'content-type': 'application/x-own+json',
        cookie: 'session=1',
        'x-api-key': STAFF,
        'x-forwarded-for': '1.2.3.4',
        'x-http-method-override': 'DELETE',
        'openai-organization': 'org-other',
        'x-vendor-word': 'yes',
        'idempotency-key': 'same',
      },
    });
    expect(response.status).toBe(200);
    const [one] = received;
    expect(one).toMatchObject({ method: 'PATCH', url: '/v1/jobs/a?limit=2', body: '{"a": 1}' });
    expect(one?.headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/x-own+json',
      'content-length': '8',
      'x-vendor-word': 'yes',
    });
    expect(one?.headers['idempotency-key']).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(one)).not.toContain(STAFF);
    for (const name of ['cookie', 'x-api-key', 'x-forwarded-for', 'x-http-method-override', 'openai-organization'])
      expect(one?.headers[name]).toBeUndefined();
  });

  it('is cut at the limit, announced or not', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024);
    expect((await ask('own/jobs/a', { method: 'PUT', body: large })).status).toBe(413);
    expect(received).toEqual([]);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(256 * 1024));
      },
    });
    const response = await ask('own/jobs/a', { method: 'PUT', body, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(bytesRead).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  it('is read no faster than the vendor reads', async () => {
    reads = false;
    answer = () => undefined;
    const most = 64 * 1024 * 1024;
    const request = httpRequest(`${gateway.url}/pass/wide/jobs/a`, {
      method: 'POST',
      headers: { authorization: `Bearer ${STAFF}` },
    });
    request.on('error', () => undefined);
    const piece = Buffer.alloc(128 * 1024);
    let sent = 0;
    while (sent < most && (request.write(piece) || (await drains(request)))) sent += piece.length;
    request.destroy();
    // The buffers of the sockets on the way, and no more.
    expect(sent).toBeLessThan(most);
  });
});

/** Whether what was written goes out within many turns of the event loop, which the gateway shares. */
async function drains(request: ReturnType<typeof httpRequest>): Promise<boolean> {
  for (let turns = 0; turns < 2000 && request.writableNeedDrain; turns++) await turn();
  return !request.writableNeedDrain;
}

describe('what comes back', () => {
  it('is the vendor’s own refusal, without the account’s secret, and costs nothing', async () => {
    answer = (response, { headers }) => json(response, 422, { fault: 'odd', seen: headers.authorization });
    const response = await ask('own/ocr', { method: 'POST', body: '{}' });
    expect(response.status).toBe(422);
    expect(response.headers.get('x-gateway-error-source')).toBe('upstream');
    expect(await response.json()).toEqual({ fault: 'odd', seen: 'Bearer [hidden]' });
    expect(dollars(response)).toBe(0);
  });

  it('is an error of the gateway where the account’s credential was refused', async () => {
    answer = (response) => json(response, 401, { error: { message: `wrong key ${SECRET}` } });
    const response = await ask('own/ocr', { method: 'POST', body: '{}' });
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('wrong key');
  });

  it('is a redirect that nobody follows, and that tells no address', async () => {
    answer = (response) => response.writeHead(302, { location: `${gateway.url}/metrics` }).end();
    const response = await ask('own/files/a', { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBeNull();
    expect(received).toHaveLength(1);
  });

  it('has no headers of the connection, no cookies and nothing that names the account', async () => {
    answer = (response) => {
      response.setHeader('connection', 'keep-alive, x-hop');
      response.setHeader('x-hop', '1');
      response.setHeader('set-cookie', 'vendor=1');
      response.setHeader('openai-organization', 'org-secret');
      response.setHeader('x-vendor-note', 'fine');
      response.setHeader('x-accel-redirect', '/internal/secrets');
      response.setHeader('clear-site-data', '"cookies"');
      response.setHeader('x-seen', `Bearer ${SECRET}`);
      response.setHeader('cache-control', 'public, max-age=60, s-maxage=600');
      response.setHeader('content-type', 'text/html');
      response.end('<script>alert(1)</script>');
    };
    const { headers } = await ask('own/files/page');
    expect(headers.get('x-vendor-note')).toBe('fine');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-seen')).toBe('Bearer [hidden]');
    expect(headers.get('cache-control')).toBe('private, max-age=60');
    for (const name of ['x-hop', 'set-cookie', 'openai-organization', 'x-accel-redirect', 'clear-site-data'])
      expect(headers.get(name)).toBeNull();
  });

  it('arrives as it is said', async () => {
    let end = (): void => undefined;
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"n":1}\n\n');
      end = () => response.end('data: [DONE]\n\n');
    };
    const response = await ask('own/files/events');
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: {"n":1}\n\n');
    end();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: [DONE]\n\n');
  });
});

describe('what it costs', () => {
  const lastCharge = async (id: string | null): Promise<number | undefined> => {
    const answered = await fetch(`${gateway.url}/admin/ledger/replay/${id ?? ''}`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    if (answered.status !== 200) return undefined;
    const { charged, matches } = (await answered.json()) as { charged: number; matches: boolean };
    expect(matches).toBe(true);
    return charged / 500_000;
  };
  const costOf = async (said: Answer): Promise<number | undefined> => {
    answer = said;
    const response = await ask('own/ocr', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    await response.arrayBuffer().catch(() => undefined);
    let cost: number | undefined;
    await until(async () => (cost = await lastCharge(response.headers.get('x-request-id'))) !== undefined);
    return cost;
  };

  it('is the call and what the answer tells', async () => {
    expect(await costOf(plain)).toBeCloseTo(0.01 + 0.007, 6);
  });
  it('is what the last event of a stream tells', async () => {
    const cost = await costOf((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"usage":{"pages":2}}\n\ndata: {"usage":{"pa');
      response.end('ges":5}}\n\ndata: [DONE]\n\n');
    });
    expect(cost).toBeCloseTo(0.01 + 0.005, 6);
  });
  it('is all that was held where the answer does not tell', async () => {
    expect(await costOf((response) => json(response, 200, {}))).toBeCloseTo(0.01 + 0.1, 6);
  });
  it('is never more than was held, whatever the answer tells', async () => {
    expect(await costOf((response) => json(response, 200, { usage: { pages: 1e9 } }))).toBeCloseTo(0.01 + 0.1, 6);
  });
  it('is the call alone where the answer breaks off', async () => {
    const cost = await costOf((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"usage":');
      setImmediate(() => response.destroy());
    });
    expect(cost).toBeCloseTo(0.01, 6);
  });
});
