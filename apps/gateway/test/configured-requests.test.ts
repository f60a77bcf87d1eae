/** What a configuration adds to requests: models by wildcard, headers, members of bodies, deadlines. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import supertest from 'supertest';

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const seen: Seen[] = [];
let answer: (response: ServerResponse) => void;
let vendor: Server;
let gateway: TestGateway;

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'hi', refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
};
const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

beforeAll(async () => {
  vendor = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, text: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const { port } = vendor.address() as AddressInfo;
  const limits = 'limits: { max_input_tokens: 1000, max_output_tokens: 1000 }, price: { input: 1, output: 2 }';
  gateway = await openTestGateway({
    keys: `  - { name: narrow, key: sk-live-narrow-0123456789abcdef, models: ['up/good-*'] }`,
    yaml: `extends: none
accounts:
  - name: up
    vendor: openai
    base_url: 'http://127.0.0.1:${port}/v1'
    credentials: { api_key: vendor-key-0123456789 }
    headers: { X-Team: blue, x-pass: pass-0123456789 }
    body_fields: { temperature: 0.5, user: 'from the account' }
  - { name: hasty, vendor: openai, base_url: 'http://127.0.0.1:${port}/v1', credentials: { api_key: vendor-key-0123456789 }, timeout_seconds: { first_byte: 0.2 } }
models:
  - { code: painter, kind: image-edit, price: { image: 0.1 }, offers: [{ account: hasty, model: gpt-image-1 }] }
  - { code: speaker, kind: speech, price: { character: 1 }, offers: [{ account: hasty, model: gpt-4o-mini-tts }] }
  - { code: 'up/*', kind: chat, ${limits}, offers: [{ account: up, model: '*', dialect: openai-chat }] }
  - { code: 'up/deep/*', kind: chat, ${limits}, offers: [{ account: up, model: 'deep-*-v1', dialect: openai-chat }] }
  - { code: up/exact, kind: chat, ${limits}, offers: [{ account: up, model: the-exact-one, dialect: openai-chat }] }
  - { code: tiered, kind: chat, ${limits}, body_fields: { service_tier: priority }, offers: [{ account: up, model: m, dialect: openai-chat }] }
  - code: told
    kind: chat
    limits: { max_input_tokens: 1000, max_output_tokens: 1000 }
    price: { input: 1, output: 2 }
    headers: { x-team: red }
    body_fields: { temperature: 0, n: 3, metadata: { of: gateway } }
    timeout_seconds: { first_byte: 2 }
    offers: [{ account: up, model: m, dialect: openai-chat }]
`,
  });
});
beforeEach(() => {
  seen.length = 0;
  answer = (response) => json(response, 200, completion);
});
afterAll(async () => {
  await gateway.close();
  vendor.close();
  vendor.closeAllConnections();
});

const ask = (model: string, extra: object | string = {}, key = gateway.liveKey) =>
  supertest(gateway.url)
    .post('/v1/chat/completions')
    .set('authorization', `Bearer ${key}`)
    .set('content-type', 'application/json')
    .send(
      typeof extra === 'string'
        ? extra
        : JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...extra }),
    );
const sent = (): Record<string, unknown> => JSON.parse(seen.at(-1)?.text ?? '{}') as Record<string, unknown>;

describe('a wildcard', () => {
  it.each([
    ['up/gpt-9', 'gpt-9'],
    ['up/org/name:free', 'org/name:free'],
    ['up/deep/x', 'deep-x-v1'],
    ['up/exact', 'the-exact-one'],
    ['up/$&', undefined],
    ['up/', undefined],
    ['up/../x', undefined],
    ['up/a//b', undefined],
    ['up/a?b', undefined],
    [`up/${'a'.repeat(121)}`, undefined],
    ['upx', undefined],
  ])('%s is asked for as %s', async (name, vendorsName) => {
    const { status, body } = await ask(name);
    if (vendorsName === undefined) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { code: 'model_not_found' } });
      expect(seen).toEqual([]);
    } else {
      expect(status).toBe(200);
      expect(sent()['model']).toBe(vendorsName);
    }
  });

  it('is open to keys by the names that it stands for', async () => {
    const key = 'sk-live-narrow-0123456789abcdef';
    expect((await ask('up/good-1', {}, key)).status).toBe(200);
    expect((await ask('up/bad-1', {}, key)).status).toBe(403);
  });

  it('is one label of the metrics, however many names callers find for it', async () => {
    for (const name of ['up/one', 'up/two', 'up/three']) expect((await ask(name)).status).toBe(200);
    const { text } = await supertest(gateway.url).get('/metrics');
    expect(text).toContain('up/*');
    expect(text).not.toMatch(/up\/(one|two|three)/);
  });

  it('is listed as it is written; each of its names can be looked up', async () => {
    const get = (path: string) => supertest(gateway.url).get(path).set('authorization', `Bearer ${gateway.liveKey}`);
    const { body } = await get('/v1/models');
    expect((body as { data: { id: string }[] }).data.map(({ id }) => id)).toContain('up/*');
    expect((await get('/v1/models/up%2Fgpt-9')).body).toMatchObject({ id: 'up/gpt-9' });
  });
});

describe('headers and members of bodies', () => {
  it('the account’s go with every request, the model’s before them, the caller’s members before all', async () => {
    await ask('up/x', { temperature: 1 });
    expect(seen[0]?.headers).toMatchObject({ 'x-team': 'blue', authorization: 'Bearer vendor-key-0123456789' });
    expect(sent()).toMatchObject({ temperature: 1, user: 'from the account' });
    await ask('told', { metadata: { of: 'caller' } });
    expect(seen[1]?.headers).toMatchObject({ 'x-team': 'red', 'x-pass': 'pass-0123456789' });
    expect(sent()).toMatchObject({ temperature: 0, n: 3, user: 'from the account', metadata: { of: 'caller' } });
  });

  it('a member that is null in the body is said; the rest of the bytes stays', async () => {
    const text = `{ "model" : "up/x",  "messages":[{"role":"user","content":"hi"}], "temperature": null, "seed": 1234567890123456789 }`;
    expect((await ask('up/x', text)).status).toBe(200);
    expect(seen[0]?.text).toContain('"seed": 1234567890123456789');
    expect(sent()).toMatchObject({ temperature: null, user: 'from the account' });
  });

  it('a member that changes prices is priced like the caller’s own', async () => {
    const own = await ask('up/x', { service_tier: 'priority' });
    const given = await ask('tiered');
    expect([own.status, given.status]).toEqual([200, 200]);
    expect(given.headers['x-gateway-cost']).toBe(own.headers['x-gateway-cost']);
    expect(sent()).toMatchObject({ service_tier: 'priority' });
    const plain = await ask('up/x');
    expect(Number(own.headers['x-gateway-cost'])).toBeGreaterThan(Number(plain.headers['x-gateway-cost']));
  });

  it('a translated request has them, too', async () => {
    const { status } = await supertest(gateway.url)
      .post('/v1/messages')
      .set('x-api-key', gateway.liveKey)
      .send({ model: 'told', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] });
    expect(status).toBe(200);
    expect(sent()).toMatchObject({ temperature: 0, metadata: { of: 'gateway' } });
  });

  it('a header that the vendor repeats is not told', async () => {
    answer = (response) =>
      json(response, 400, {
        error: { message: 'no such x-pass: pass-0123456789', type: 'x', param: null, code: null },
      });
    const { status, text } = await ask('up/x');
    expect(status).toBe(400);
    expect(text).not.toContain('pass-0123456789');
  });
});

it.each([
  ['/v1/images/generations', { model: 'painter', prompt: 'a boat' }],
  ['/v1/audio/speech', { model: 'speaker', input: 'a boat', voice: 'alloy' }],
])('an account’s deadline holds where answers are usually waited for longer: %s', async (path, body) => {
  // Nobody answers.
  answer = () => undefined;
  const since = performance.now();
  const { status } = await supertest(gateway.url)
    .post(path)
    .set('authorization', `Bearer ${gateway.liveKey}`)
    .send(body);
  expect(status).toBe(503);
  expect(performance.now() - since).toBeLessThan(5000);
});

it('a model’s deadline is kept instead of its account’s', async () => {
  answer = () => undefined;
  const { status, body } = await ask('told');
  expect(status).toBeGreaterThanOrEqual(500);
  expect(body).toMatchObject({ error: { code: 'upstream_timeout' } });
});
