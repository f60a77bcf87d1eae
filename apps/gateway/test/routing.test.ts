/** Routing over real sockets: two accounts whose vendors do as they are told, and a gateway in front (docs/architecture.md#routing). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server as RawServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import supertest from 'supertest';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A vendor of chat-completions that does as it is told. */
class ScriptedVendor {
  readonly #server: Server;
  behaviour: Behaviour = answer('hello');
  asked = 0;
  open = 0;
  mostOpen = 0;
  hungUp = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.asked++;
      this.open++;
      this.mostOpen = Math.max(this.mostOpen, this.open);
      response.once('close', () => {
        this.open--;
        if (!response.writableFinished) this.hungUp++;
      });
      request.resume().once('end', () => this.behaviour(request, response));
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  reset(): void {
    this.behaviour = answer('hello');
    this.asked = 0;
    this.mostOpen = 0;
    this.hungUp = 0;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const completion = (text: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
});
const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const answer =
  (text: string): Behaviour =>
  (_request, response) =>
    json(response, 200, completion(text));
const refuse =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_request, response) =>
    json(response, status, { error: { message: 'no', type: 'x', param: null, code: null } }, headers);
const piece = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })}\n\n`;
const END = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
const stream =
  (...pieces: readonly string[]): Behaviour =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of pieces) response.write(each);
    response.end();
  };

const first = new ScriptedVendor();
const second = new ScriptedVendor();
/** Takes connections and says nothing: a TLS handshake that never comes. */
let mute: RawServer;
let gateway: TestGateway;
let later = 0;

beforeAll(async () => {
  const [one, two] = [await first.listen(), await second.listen()];
  mute = createRawServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const silent = (mute.address() as AddressInfo).port;
  const key = 'credentials: { api_key: vendor-key-0123456789 }';
  gateway = await openTestGateway({
    clock: () => Date.now() + later,
    yaml: `extends: none\naccounts:
  - { id: 1, name: first, vendor: openai, base_url: 'http://127.0.0.1:${one}/v1', ${key}, max_concurrency: 64, on_disconnect: abort, timeout_seconds: { connect: 10, first_byte: 4, idle: 3 } }
  - { id: 2, name: second, vendor: openai, base_url: 'http://127.0.0.1:${two}/v1', ${key}, max_concurrency: 64 }
  - { id: 3, name: dead, vendor: openai, base_url: 'http://127.0.0.1:1/v1', ${key} }
  - { id: 4, name: mute, vendor: openai, base_url: 'https://127.0.0.1:${silent}/v1', ${key}, timeout_seconds: { connect: 0.3, first_byte: 30, idle: 30 } }
  - { id: 5, name: narrow, vendor: openai, base_url: 'http://127.0.0.1:${one}/v1', ${key}, max_concurrency: 2 }
models:
  - { code: pair, kind: chat, price: { input: 1, output: 2 }, offers: [{ account: second, model: m, dialect: openai-chat, priority: 2 }, { account: first, model: m, dialect: openai-chat, priority: 1 }] }
  - { code: even, kind: chat, price: free, offers: [{ account: first, model: m, dialect: openai-chat, weight: 3 }, { account: second, model: m, dialect: openai-chat, weight: 1 }] }
  - { code: after-dead, kind: chat, price: free, offers: [{ account: dead, model: m, dialect: openai-chat, priority: 1 }, { account: second, model: m, dialect: openai-chat, priority: 2 }] }
  - { code: after-mute, kind: chat, price: free, offers: [{ account: mute, model: m, dialect: openai-chat, priority: 1 }, { account: second, model: m, dialect: openai-chat, priority: 2 }] }
  - { code: lone, kind: chat, price: free, offers: [{ account: first, model: m, dialect: openai-chat }] }
  - { code: narrow, kind: chat, price: free, offers: [{ account: narrow, model: m, dialect: openai-chat }] }
`,
  });
});
afterEach(async () => {
  first.reset();
  second.reset();
  // Cool-downs must not reach the next test: a good probe ends them.
  later += 3_600_000;
  for (const model of ['pair', 'lone', 'after-dead']) expect((await ask(model)).status).toBe(200);
  first.reset();
  second.reset();
});
afterAll(async () => {
  await gateway.close();
  first.close();
  second.close();
  mute.close();
});

const ask = (model: string, extra: object = {}) =>
  supertest(gateway.url)
    .post('/v1/chat/completions')
    .set('authorization', `Bearer ${gateway.liveKey}`)
    .send({ model, messages: [{ role: 'user', content: 'hi' }], ...extra });
const metrics = async (): Promise<string> => (await supertest(gateway.url).get('/metrics')).text;
/** A counter's value by name and labels; 0 when it was never counted. */
const counted = async (name: string, ...labels: readonly string[]): Promise<number> =>
  (await metrics())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf('} ') + 2).split(' ')[0]), 0);

describe('who is asked', () => {
  it('the first by priority, however the file is ordered', async () => {
    for (let round = 0; round < 5; round++) {
      const reply = await ask('pair');
      expect(reply.status).toBe(200);
      expect(reply.headers['x-gateway-account']).toBe('1');
      expect(reply.headers['x-gateway-attempts']).toBe('1');
    }
    expect([first.asked, second.asked]).toEqual([5, 0]);
  });

  it('equals by weight', async () => {
    const replies = await Promise.all(Array.from({ length: 80 }, () => ask('even')));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(first.asked).toBeGreaterThan(40);
    expect(second.asked).toBeGreaterThan(3);
  });
});

describe('failover before the first byte', () => {
  it.each([
    { name: 'a refused connection', model: 'after-dead', fail: undefined },
    { name: 'a connection that is never made', model: 'after-mute', fail: undefined },
    { name: '500', model: 'pair', fail: refuse(500) },
    { name: '429', model: 'pair', fail: refuse(429) },
    { name: 'a rejected key', model: 'pair', fail: refuse(401) },
    {
      name: 'a 200 that is no answer',
      model: 'pair',
      fail: (_: IncomingMessage, response: ServerResponse) => json(response, 200, { hello: 1 }),
    },
    { name: 'a reply that is no JSON', model: 'pair', fail: stream('<html>') },
    { name: 'a reset', model: 'pair', fail: (_request, response) => response.destroy() },
    { name: 'no first byte in time', model: 'pair', fail: () => undefined },
  ])('$name', async ({ model, fail }) => {
    if (fail !== undefined) first.behaviour = fail;
    second.behaviour = answer('from the second');
    const reply = await ask(model);
    expect(reply.status).toBe(200);
    expect(reply.body.choices[0].message.content).toBe('from the second');
    expect(reply.headers).toMatchObject({ 'x-gateway-account': '2', 'x-gateway-attempts': '2' });
    expect(second.asked).toBe(1);
  });

  it('an error in the first event of a 200', async () => {
    first.behaviour = stream('data: {"error":{"message":"overloaded","type":"server_error","code":503}}\n\n');
    second.behaviour = stream(piece('from the second'), END);
    const reply = await ask('pair', { stream: true });
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('from the second');
    expect(reply.text).not.toContain('overloaded');
    expect(reply.headers['x-gateway-attempts']).toBe('2');
  });

  it('the caller’s own mistake is not tried elsewhere', async () => {
    first.behaviour = refuse(400);
    const reply = await ask('pair');
    expect(reply.status).toBe(400);
    expect([first.asked, second.asked]).toEqual([1, 0]);
  });

  it('all fail: the last word is an error of the list, without names', async () => {
    first.behaviour = refuse(500);
    second.behaviour = refuse(503, { 'retry-after': '9' });
    const reply = await ask('pair');
    expect(reply.status).toBe(500);
    expect(reply.headers['retry-after']).toBe('9');
    expect(reply.text).not.toMatch(/first|second|127\.0\.0\.1|vendor-key/);
  });

  it('a lone offer gets one more try', async () => {
    first.behaviour = (request, response) => (first.asked === 1 ? refuse(500) : answer('again'))(request, response);
    const reply = await ask('lone');
    expect(reply.status).toBe(200);
    expect(reply.headers['x-gateway-attempts']).toBe('2');
  });
});

describe('none after it', () => {
  it.each([
    { name: 'a cut', rest: (response: ServerResponse) => setTimeout(() => response.destroy(), 50) },
    { name: 'silence', rest: () => undefined },
  ])('$name ends as an error, and nobody else is asked', async ({ rest }) => {
    first.behaviour = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(piece('half an ans'));
      rest(response);
    };
    const reply = await ask('pair', { stream: true });
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('half an ans');
    expect(reply.text).toContain('"error"');
    expect(reply.text).not.toContain('"finish_reason":"stop"');
    expect([first.asked, second.asked]).toEqual([1, 0]);
    // The vendor hears of it on its own connection.
    await until(() => first.open === 0);
  });
});

describe('cool-down', () => {
  it('keeps to retry-after, then lets one probe in', async () => {
    first.behaviour = refuse(429, { 'retry-after': '30' });
    expect((await ask('pair')).headers['x-gateway-account']).toBe('2');
    const again = await ask('pair');
    expect(again.headers).toMatchObject({ 'x-gateway-account': '2', 'x-gateway-attempts': '1' });
    expect(first.asked).toBe(1);

    later += 31_000;
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    first.behaviour = (request, response) => void held.then(() => answer('back')(request, response));
    const probe = ask('pair').then((reply) => reply);
    await until(() => first.asked === 2);
    const others = await Promise.all(Array.from({ length: 5 }, () => ask('pair')));
    expect(others.map(({ headers }) => headers['x-gateway-account'])).toEqual(['2', '2', '2', '2', '2']);
    expect(first.asked).toBe(2);
    go();
    expect((await probe).body.choices[0].message.content).toBe('back');
    expect((await ask('pair')).headers['x-gateway-account']).toBe('1');
  });

  it('a lone account that cools is asked for every request: its own refusal and time go to each caller', async () => {
    first.behaviour = refuse(429, { 'retry-after': '30' });
    await ask('lone');
    first.behaviour = refuse(429, { 'retry-after': '7' });
    const reply = await ask('lone');
    expect([reply.status, reply.headers['retry-after'], first.asked]).toEqual([429, '7', 2]);
  });

  it('where all answer 429, the caller hears of the earliest time', async () => {
    first.behaviour = refuse(429, { 'retry-after': '7' });
    second.behaviour = refuse(429, { 'retry-after': '90' });
    const reply = await ask('pair');
    expect([reply.status, first.asked, second.asked]).toEqual([429, 1, 1]);
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(7);
  });

  it('what a vendor says of its limits, and its id, come under names of ours, of answers and refusals', async () => {
    const said = {
      'x-ratelimit-remaining-requests': '17',
      'anthropic-ratelimit-tokens-reset': '2026-11-25T00:00:00Z',
      'x-request-id': 'req_vendor-1',
      'x-secret-of-the-account': 'no',
    };
    const told = {
      'x-gateway-upstream-ratelimit-remaining-requests': '17',
      'x-gateway-upstream-anthropic-ratelimit-tokens-reset': '2026-11-25T00:00:00Z',
      'x-gateway-upstream-request-id': 'req_vendor-1',
    };
    first.behaviour = (_, response) => json(response, 200, completion('hello'), said);
    const answered = await ask('lone');
    expect([answered.status, answered.headers]).toMatchObject([200, told]);
    // The names without the prefix are about the key, which has no limits here.
    expect(Object.keys(answered.headers).filter((name) => /^x-(ratelimit|secret)/.test(name))).toEqual([]);
    expect(answered.headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
    first.behaviour = refuse(429, said);
    const refused = await ask('lone');
    expect([refused.status, refused.headers]).toMatchObject([429, told]);
  });

  it.each([
    { name: 'a rejected key', behaviour: refuse(401), times: 1 },
    { name: 'an outage', behaviour: refuse(500), times: 5 },
    { name: 'a 429 that names no time', behaviour: refuse(429), times: 1 },
    { name: 'a 429 that names one', behaviour: refuse(429, { 'retry-after': '60' }), times: 1 },
  ])('a lone account is asked again after $name: the next request may be answered', async ({ behaviour, times }) => {
    first.behaviour = behaviour;
    for (let round = 0; round < times; round++) expect((await ask('lone')).status).not.toBe(200);
    first.behaviour = answer('back');
    const { status, body } = await ask('lone');
    expect([status, body.choices?.[0]?.message.content]).toEqual([200, 'back']);
  });
});

describe('concurrency', () => {
  it('is bounded per account, with a bounded queue', async () => {
    const held: (() => void)[] = [];
    first.behaviour = (request, response) => held.push(() => answer('hello')(request, response));
    let answered = 0;
    const calls = Array.from({ length: 9 }, () =>
      ask('narrow').then((reply) => {
        answered++;
        return reply;
      }),
    );
    // All nine are there before the first is let go: two run, four wait.
    await until(() => first.asked === 2 && answered === 3);
    const refused = await Promise.race(calls);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    const release = setInterval(() => held.shift()?.(), 5);
    const replies = await Promise.all(calls);
    clearInterval(release);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(first.mostOpen).toBe(2);
  });
});

describe('a caller who hangs up', () => {
  it.each([{ stream: true }, { stream: false }])('cancels the vendor’s call (stream: $stream)', async (extra) => {
    first.behaviour = (_request, response) => {
      if (!extra.stream) return;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(piece('one'));
    };
    const call = ask('pair', extra);
    const gone = call.then(
      () => 'answered',
      () => 'gone',
    );
    await until(() => first.asked === 1);
    call.abort();
    await until(() => first.hungUp === 1);
    expect(second.asked).toBe(0);
    // superagent leaves an aborted request unsettled.
    void gone;
  });
});

describe('metrics', () => {
  it('tell requests, attempts, failures, cool-downs and tokens', async () => {
    const before = {
      requests: await counted('gateway_requests_total', 'route="/v1/chat/completions"', 'status="200"'),
      attempts: await counted('gateway_upstream_attempts_total', 'vendor="openai"'),
      failures: await counted('gateway_upstream_failures_total', 'vendor="openai"', 'code="upstream_rate_limited"'),
      cooled: await counted('gateway_account_cool_downs_total', 'account="1"'),
      tokens: await counted(
        'gen_ai_client_token_usage_sum',
        'gen_ai_token_type="output"',
        'gen_ai_request_model="pair"',
      ),
    };
    first.behaviour = refuse(429, { 'retry-after': '30' });
    await ask('pair');
    expect(await counted('gateway_requests_total', 'route="/v1/chat/completions"', 'status="200"')).toBe(
      before.requests + 1,
    );
    expect(await counted('gateway_upstream_attempts_total', 'vendor="openai"')).toBe(before.attempts + 2);
    expect(await counted('gateway_upstream_failures_total', 'code="upstream_rate_limited"')).toBe(before.failures + 1);
    expect(await counted('gateway_account_cool_downs_total', 'account="1"')).toBe(before.cooled + 1);
    expect(
      await counted('gen_ai_client_token_usage_sum', 'gen_ai_token_type="output"', 'gen_ai_request_model="pair"'),
    ).toBe(before.tokens + 7);
    expect(await metrics()).not.toMatch(/vendor-key|127\.0\.0\.1/);
  });
});
