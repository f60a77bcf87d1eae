import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  createAdmin,
  createClient,
  NotFoundError,
  pathClient,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from './index.ts';
import { startScriptedServer, type ScriptedServer } from './testing/scripted-server.ts';
import { send, type Outgoing, type TransportSettings } from './transport.ts';

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(() => server.close());

const BODY = { model: 'gpt-5.2', messages: [{ role: 'user' as const, content: 'Hello' }] };
const busy = (headers: Record<string, string> = {}) => ({ status: 503, headers, json: { error: { message: 'busy' } } });
const client = (more: object = {}) => createClient({ baseUrl: server.url, apiKey: 'sk-test-1', ...more });

/** Settings whose pauses are only written down. */
function settings(more: Partial<TransportSettings> = {}): TransportSettings & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return {
    fetch: (input, init) => fetch(input, init),
    keyFor: () => 'sk-test-1',
    timeoutMs: 5000,
    maxRetries: 3,
    maxRetryDelayMs: 60_000,
    random: () => 0,
    sleep: async (ms) => {
      pauses.push(ms);
    },
    pauses,
    ...more,
  };
}
const request = (): Outgoing => ({
  url: `${server.url}/v1/x`,
  method: 'POST',
  headers: new Headers(),
  body: '{"a":1}',
});

describe('attempts', () => {
  it('repeats the same bytes under one Idempotency-Key until it succeeds', async () => {
    server.say(busy(), busy(), { json: { ok: true } });
    const how = settings();
    const response = await send(request(), {}, 'whole', how);
    expect(await response.json()).toEqual({ ok: true });
    expect(server.asked.map(({ body }) => body.toString())).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
    const keys = server.asked.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(how.pauses).toEqual([500, 1000]);
  });

  it('draws pauses between half and whole of the doubling back-off, 8 seconds at most', async () => {
    server.say(busy());
    const low = settings({ random: () => 0.999999, maxRetries: 6 });
    await expect(send(request(), {}, 'whole', low)).rejects.toBeInstanceOf(ServerError);
    const high = settings({ random: () => 0, maxRetries: 6 });
    await expect(send(request(), {}, 'whole', high)).rejects.toBeInstanceOf(ServerError);
    expect(high.pauses).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    expect(low.pauses.map((pause) => Math.round(pause))).toEqual([250, 500, 1000, 2000, 4000, 4000]);
  });

  it.each([
    { name: 'retry-after in seconds', headers: { 'retry-after': '7' }, pause: 7000 },
    { name: 'retry-after-ms before retry-after', headers: { 'retry-after-ms': '120', 'retry-after': '7' }, pause: 120 },
    { name: 'retry-after of zero', headers: { 'retry-after': '0' }, pause: 0 },
  ])('waits as $name says', async ({ headers, pause }) => {
    server.say({ status: 429, headers, json: {} }, { json: {} });
    const how = settings();
    await send(request(), {}, 'whole', how);
    expect(how.pauses).toEqual([pause]);
  });

  it('adds up to a tenth to retry-after, never takes from it', async () => {
    server.say({ status: 429, headers: { 'retry-after': '10' } }, { json: {} });
    const how = settings({ random: () => 0.5 });
    await send(request(), {}, 'whole', how);
    expect(how.pauses).toEqual([10_500]);
  });

  it('waits until a retry-after that is a date', async () => {
    const began = Date.now();
    server.say({ status: 429, headers: { 'retry-after': new Date(began + 20_000).toUTCString() } }, { json: {} });
    const how = settings();
    await send(request(), {}, 'whole', how);
    // The date has whole seconds, and what the way took is gone already.
    expect(how.pauses[0]).toBeGreaterThan(19_000 - (Date.now() - began) - 1);
    expect(how.pauses[0]).toBeLessThanOrEqual(20_000);
  });

  it('leaves a pause longer than the caller wants to the caller', async () => {
    server.say({ status: 429, headers: { 'retry-after': '3600' } }, { json: {} });
    const how = settings();
    const error = await send(request(), {}, 'whole', how).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).retryAfterSeconds).toBe(3600);
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    { status: 400, headers: {}, attempts: 1 },
    { status: 401, headers: {}, attempts: 1 },
    { status: 404, headers: {}, attempts: 1 },
    { status: 409, headers: {}, attempts: 1 },
    { status: 501, headers: {}, attempts: 1 },
    { status: 408, headers: {}, attempts: 4 },
    { status: 429, headers: {}, attempts: 4 },
    { status: 500, headers: {}, attempts: 4 },
    { status: 503, headers: { 'x-should-retry': 'false' }, attempts: 1 },
    { status: 400, headers: { 'x-should-retry': 'true' }, attempts: 4 },
  ])('a $status with $headers is sent $attempts times', async ({ status, headers, attempts }) => {
    server.say({ status, headers, json: {} });
    await expect(send(request(), {}, 'whole', settings())).rejects.toBeInstanceOf(ApiError);
    expect(server.asked).toHaveLength(attempts);
  });

  it('asks again when the connection breaks before the answer and in the middle of it', async () => {
    server.say(
      (response) => response.destroy(),
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"half":');
        setTimeout(() => response.destroy(), 10);
      },
      { json: { whole: true } },
    );
    const response = await send(request(), {}, 'whole', settings());
    expect(await response.json()).toEqual({ whole: true });
    expect(new Set(server.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('gives up after the last attempt with what went wrong', async () => {
    server.say((response) => response.destroy());
    const error = await send(request(), { maxRetries: 1 }, 'whole', settings()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as ConnectionError).message).toContain('could not be reached');
    expect(server.asked).toHaveLength(2);
  });

  it('takes the caller’s own key, or none', async () => {
    server.say({ json: {} });
    await client().chat.create(BODY, { idempotencyKey: 'order-17' });
    await client().chat.create(BODY, { idempotencyKey: false });
    await client().models.list();
    expect(server.asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', undefined, undefined]);
  });

  it('two calls have two keys', async () => {
    server.say({ json: {} });
    await client().chat.create(BODY);
    await client().chat.create(BODY);
    const [first, second] = server.asked.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
  });
});

describe('time', () => {
  it('ends a silent attempt with a TimeoutError', async () => {
    server.say(() => undefined);
    await expect(client({ maxRetries: 0, timeoutMs: 40 }).models.list()).rejects.toBeInstanceOf(TimeoutError);
  });

  it('counts the body in: a head without the rest runs out of time too', async () => {
    server.say((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    await expect(client({ maxRetries: 0 }).models.list({ timeoutMs: 40 })).rejects.toBeInstanceOf(TimeoutError);
  });

  it('gives a slow stream its time between pieces, not as a whole', async () => {
    // Time passes when the test says so; sockets go on by themselves.
    vi.useFakeTimers({ toNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval'] });
    try {
      let left = 5;
      let more = (): void => undefined;
      server.say((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        more = () => {
          if (left-- === 0) response.end('data: [DONE]\n\n');
          else response.write('data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n');
        };
        more();
      });
      const stream = client({ timeoutMs: 200 }).chat.stream(BODY);
      for await (const event of stream) {
        expect(event.choices).toHaveLength(1);
        vi.advanceTimersByTime(150);
        more();
      }
      expect((await stream.final()).choices[0]?.message.content).toBe('xxxxx');
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends a stream that falls silent', async () => {
    server.say((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n');
    });
    await expect(client({ timeoutMs: 50 }).chat.stream(BODY).final()).rejects.toBeInstanceOf(TimeoutError);
  });
});

describe('abort', () => {
  it('rejects with the reason of the signal, while asking and while pausing', async () => {
    const reason = new Error('the user went away');
    const asking = new AbortController();
    server.say(() => asking.abort(reason));
    await expect(client().chat.create(BODY, { signal: asking.signal })).rejects.toBe(reason);

    const pausing = new AbortController();
    server.say((response) => {
      response.once('finish', () => setTimeout(() => pausing.abort(reason), 20));
      response.writeHead(503, { 'retry-after': '30' }).end('{}');
    });
    await expect(client().chat.create(BODY, { signal: pausing.signal })).rejects.toBe(reason);
    expect(server.asked).toHaveLength(2);
  });

  it('sends nothing when it was aborted before', async () => {
    server.say({ json: {} });
    await expect(client().models.list({ signal: AbortSignal.abort() })).rejects.toThrow('abort');
    expect(server.asked).toHaveLength(0);
  });

  it('leaves no listener at the caller’s signal', async () => {
    server.say(busy({ 'retry-after-ms': '1' }), { json: {} });
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await client().models.list({ signal });
    expect(add.mock.calls.length).toBeGreaterThan(0);
    expect(remove.mock.calls.length).toBeGreaterThanOrEqual(add.mock.calls.length);
  });
});

describe('errors', () => {
  const openAi = {
    error: { message: 'no such model', type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
  };
  it.each([
    { form: 'OpenAI', status: 400, json: openAi, is: BadRequestError, code: 'model_not_found', param: 'model' },
    {
      form: 'OpenAI without a code',
      status: 400,
      json: { error: { message: 'wrong', type: 'invalid_request_error', param: 'messages[0].role', code: null } },
      is: BadRequestError,
      code: 'invalid_request',
      param: 'messages[0].role',
    },
    {
      form: 'OpenAI, in OpenAI’s word',
      status: 401,
      json: { error: { message: 'no key', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } },
      is: AuthenticationError,
      code: 'unauthenticated',
      param: undefined,
    },
    {
      form: 'OpenAI with a vendor’s code',
      status: 400,
      json: { error: { message: 'bad', type: 'invalid_request_error', param: null, code: 'unsupported_value' } },
      is: BadRequestError,
      code: 'invalid_request',
      param: undefined,
    },
    {
      form: 'Anthropic',
      status: 403,
      json: { type: 'error', error: { type: 'billing_error', message: 'empty' }, request_id: 'r' },
      is: PermissionError,
      code: 'insufficient_quota',
      param: undefined,
    },
    {
      form: 'Google',
      status: 503,
      json: {
        error: {
          code: 503,
          message: 'timed out',
          status: 'DEADLINE_EXCEEDED',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'UPSTREAM_TIMEOUT',
              domain: 'model-gateway',
            },
            { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'contents[0]' }] },
          ],
        },
      },
      is: ServerError,
      code: 'upstream_timeout',
      param: 'contents[0]',
    },
    {
      form: 'task',
      status: 400,
      json: {
        error: { message: 'no such task', type: 'invalid_request_error', param: null, code: 'task_not_exist' },
        code: 'task_not_exist',
        message: 'no such task',
        data: null,
      },
      is: BadRequestError,
      code: 'task_not_exist',
      param: undefined,
    },
    {
      form: 'a proxy’s',
      status: 502,
      text: '<html>bad gateway',
      is: ServerError,
      code: 'unavailable',
      param: undefined,
    },
    { form: 'no', status: 404, text: '', is: NotFoundError, code: 'not_found', param: undefined },
    { form: 'no', status: 409, text: '', is: ConflictError, code: 'conflict', param: undefined },
    { form: 'no', status: 418, text: '', is: ApiError, code: 'invalid_request', param: undefined },
  ])('reads the $form form of a $status', async ({ status, json, text, is, code, param }) => {
    server.say({ status, headers: { 'x-request-id': 'req_1' }, ...(text === undefined ? { json } : { text }) });
    const error = await client({ maxRetries: 0 })
      .models.list()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(is);
    expect(error).toMatchObject({ status, code, requestId: 'req_1' });
    expect((error as ApiError).param).toBe(param);
    expect((error as ApiError).message).toMatch(new RegExp(`^${status} ${code}: .+`));
    expect((error as ApiError).body).toEqual(json ?? text);
  });

  it('are told apart by name too', async () => {
    server.say({ status: 429, json: {} });
    await expect(client({ maxRetries: 0 }).models.list()).rejects.toMatchObject({ name: 'RateLimitError' });
  });
});

describe('settings', () => {
  it('come from the environment, and are missed with a sentence', async () => {
    server.say({ json: { object: 'list', data: [] } });
    process.env['MODEL_GATEWAY_URL'] = server.url;
    process.env['MODEL_GATEWAY_API_KEY'] = 'sk-test-env';
    try {
      await createClient().models.list();
      expect(server.asked[0]?.headers.authorization).toBe('Bearer sk-test-env');
    } finally {
      delete process.env['MODEL_GATEWAY_URL'];
      delete process.env['MODEL_GATEWAY_API_KEY'];
    }
    expect(() => createClient()).toThrow('MODEL_GATEWAY_URL');
    await expect(createClient({ baseUrl: server.url }).models.list()).rejects.toThrow('MODEL_GATEWAY_API_KEY');
    await expect(createAdmin({ baseUrl: server.url }).accounts()).rejects.toThrow('MODEL_GATEWAY_ADMIN_KEY');
    expect(server.asked).toHaveLength(1);
  });

  it.each(['/', '/v1', '/v1/', '///'])('takes an address that ends in %s', async (end) => {
    server.say({ json: {} });
    await createClient({ baseUrl: server.url + end, apiKey: 'k' }).models.list();
    expect(server.asked[0]?.url).toBe('/v1/models');
  });

  it('keeps a path before the API', async () => {
    server.say({ json: {} });
    await createClient({ baseUrl: `${server.url}/gateway/`, apiKey: 'k' }).models.list();
    await createAdmin({ baseUrl: `${server.url}/gateway`, apiKey: 'a' }).accounts();
    expect(server.asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/gateway/v1/models', 'Bearer k'],
      ['/gateway/admin/accounts', 'Bearer a'],
    ]);
  });

  it('asks a function for the key at every call', async () => {
    server.say({ json: {} });
    let count = 0;
    const turning = client({ apiKey: async () => `key-${++count}` });
    await turning.models.list();
    await turning.models.list();
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-1', 'Bearer key-2']);
  });

  it('sends no key with a link, and needs none for health', async () => {
    server.say({ json: { status: 'ok' } });
    await (await client().file(`${server.url}/files/f?signature=x`)).bytes();
    await (await client().file('/files/f?signature=x')).bytes();
    expect(server.asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/files/f?signature=x', undefined],
      ['/files/f?signature=x', undefined],
    ]);
    expect(await createClient({ baseUrl: server.url }).call('getHealth')).toEqual({ status: 'ok' });
  });

  it('sends headers of the client and of the call', async () => {
    server.say({ json: {} });
    await client({ headers: { 'x-team': 'a', 'x-kind': 'client' } }).models.list({ headers: { 'x-kind': 'call' } });
    expect(server.asked[0]?.headers).toMatchObject({ 'x-team': 'a', 'x-kind': 'call' });
  });
});

describe('the raw response', () => {
  it('comes with the data', async () => {
    server.say({ headers: { 'x-request-id': 'req_9', 'x-gateway-account': '4' }, json: { object: 'list', data: [] } });
    const { data, response, requestId } = await client().models.list().withResponse();
    expect(data).toEqual({ object: 'list', data: [] });
    expect(requestId).toBe('req_9');
    expect(response.headers.get('x-gateway-account')).toBe('4');
    expect(server.asked).toHaveLength(1);
  });

  it('or instead of it, unread', async () => {
    server.say({ text: '{"a" :  1}' });
    const response = await client().models.list().asResponse();
    expect(await response.text()).toBe('{"a" :  1}');
  });

  it('is a promise like any other', async () => {
    server.say({ json: { object: 'list', data: [] } });
    const [one, two] = await Promise.all([client().models.list(), client().models.list()]);
    expect(one).toEqual(two);
    const always = vi.fn();
    await client().models.list().finally(always);
    expect(always).toHaveBeenCalledTimes(1);
    server.say({ status: 404, json: {} });
    expect(
      await client()
        .models.get('x')
        .catch(() => 'caught'),
    ).toBe('caught');
  });
});

it('openapi-fetch works over the same transport', async () => {
  server.say(busy({ 'retry-after-ms': '1' }), { json: { object: 'list', data: [] } });
  const { data } = await pathClient(client()).GET('/v1/models');
  expect(data).toEqual({ object: 'list', data: [] });
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-test-1', 'Bearer sk-test-1']);
});
