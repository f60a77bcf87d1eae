/** Contents that Gemini models keep by name: by the SDK, whose they are, what they cost, and where requests with them go. */
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DIALECT_NAMES, type ChatFormat, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const HOUR_MS = 3_600_000;
/** A price in dollars for a million tokens, for each of the accounts' models. */
const INPUT = 2;
const CACHED = 0.2;
const STORAGE = 4.5;
const UNPRICED_KEY = 'sk-live-unpriced-0123456789abcdef';
const POOR_KEY = 'sk-live-poor-0123456789abcdef';
const MANUAL = 'A vessel that draws more than four metres waits in the roads. '.repeat(200);

let gateway: TestGateway;
let google: GoogleGenAI;
let now = Date.UTC(2026, 10, 25, 9);
beforeAll(async () => {
  const account = (id: number): string =>
    `  - { id: ${id}, name: 'google-${id}', vendor: gemini, credentials: { api_key: '\${UNSET}' } }`;
  const offer = (id: number): string =>
    `{ account: google-${id}, model: gemini-3.1-pro-preview, dialect: gemini-generate }`;
  const price = (more: string): string => `{ input: ${INPUT}, cached_input: ${CACHED}, output: 12${more} }`;
  gateway = await openTestGateway({
    clock: () => now,
    keys: `  - { name: poor, key: ${POOR_KEY}, owner: 3, limits: { spend_total: 1 } }
  - { name: unpriced, key: ${UNPRICED_KEY}, owner: 1, models: [unpriced] }`,
    yaml: `extends: none
accounts:
${account(1)}
${account(2)}
  - { id: 4, name: claude, vendor: anthropic, credentials: { api_key: '\${UNSET}' } }
  - { id: 3, name: openai, vendor: openai, credentials: { api_key: '\${UNSET}' } }
models:
  - { code: deep, kind: chat, limits: { max_input_tokens: 100000, max_output_tokens: 100 }, offers: [${offer(1)}, ${offer(2)}], price: ${price(`, cache_storage: ${STORAGE}`)} }
  - { code: unpriced, kind: chat, offers: [${offer(1)}], price: ${price('')} }
  - { code: gpt, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: ${price(`, cache_storage: ${STORAGE}`)} }
  - { code: talk, kind: chat, limits: { max_output_tokens: 100 }, offers: [{ account: openai, model: gpt-5.2, dialects: [openai-chat, openai-responses] }], price: ${price('')} }
  - { code: claude, kind: chat, limits: { max_output_tokens: 100 }, offers: [{ account: claude, model: claude-sonnet-5, dialect: anthropic-messages }], price: ${price(', cache_write: 3')} }
  - { code: second, kind: chat, offers: [${offer(2)}], price: ${price(`, cache_storage: ${STORAGE}`)} }
`,
  });
  google = new GoogleGenAI({ apiKey: gateway.liveKey, httpOptions: { baseUrl: gateway.url } });
});
afterAll(() => gateway.close());
beforeEach(() => {
  now += 24 * HOUR_MS;
});

async function ask(method: string, path: string, body?: JsonObject, headers: Record<string, string> = {}) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'x-goog-api-key': gateway.liveKey, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, json: (await reply.json()) as JsonObject };
}
const contents = [{ role: 'user', parts: [{ text: MANUAL }] }];
const keep = (more: JsonObject = {}, headers = {}) =>
  ask('POST', '/v1beta/cachedContents', { model: 'models/deep', contents, ...more }, headers);
const question = (cachedContent: string, more: JsonObject = {}): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'How deep?' }] }],
  cachedContent,
  ...more,
});
const generate = (model: string, body: JsonObject, key = gateway.liveKey) =>
  ask('POST', `/v1beta/models/${model}:generateContent`, body, { 'x-goog-api-key': key });
const costOf = ({ headers }: { readonly headers: Headers }): number => Number(headers.get('x-gateway-cost'));
const tokensOf = (json: JsonObject): number => (json['usageMetadata'] as { totalTokenCount: number }).totalTokenCount;

it('by the SDK: kept, named by a request, listed, kept for longer, deleted', async () => {
  const made = await google.caches.create({
    model: 'deep',
    config: { contents: MANUAL, systemInstruction: 'You know the harbour.', displayName: 'manual', ttl: '1800s' },
  });
  expect(made).toMatchObject({
    name: expect.stringMatching(/^cachedContents\/\w+/) as string,
    model: 'models/deep',
    displayName: 'manual',
    expireTime: new Date(now + HOUR_MS / 2).toISOString(),
  });
  const name = made.name ?? '';
  const answer = await google.models.generateContent({
    model: 'deep',
    contents: 'How deep?',
    config: { cachedContent: name, maxOutputTokens: 50 },
  });
  expect(answer.usageMetadata?.cachedContentTokenCount).toBe(made.usageMetadata?.totalTokenCount);
  const listed = [];
  for await (const each of await google.caches.list()) listed.push(each.name);
  expect(listed).toContain(name);
  expect(await google.caches.get({ name })).toMatchObject({ name, model: 'models/deep' });
  const longer = await google.caches.update({ name, config: { ttl: '7200s' } });
  expect(longer.expireTime).toBe(new Date(now + 2 * HOUR_MS).toISOString());
  await google.caches.delete({ name });
  await expect(google.caches.get({ name })).rejects.toThrow(/NOT_FOUND/);
  const gone = await generate('deep', question(name));
  expect([gone.status, JSON.stringify(gone.json)]).toEqual([400, expect.stringContaining('not found')]);
});

it('costs its tokens as input, and its storage ahead for the time that it is kept', async () => {
  const made = await keep({ ttl: '7200s' });
  expect(made.status).toBe(200);
  const tokens = tokensOf(made.json);
  expect(costOf(made)).toBeCloseTo((tokens * (INPUT + 2 * STORAGE)) / 1e6, 5);
  const name = String(made.json['name']);
  // An hour later it is kept for two hours from then on: one is paid already.
  now += HOUR_MS;
  const longer = await ask('PATCH', `/v1beta/${name}`, { ttl: '7200s' });
  expect(costOf(longer)).toBeCloseTo((tokens * STORAGE) / 1e6, 5);
  const shorter = await ask('PATCH', `/v1beta/${name}`, { ttl: '60s' });
  expect([shorter.status, costOf(shorter)]).toEqual([200, 0]);
  const entries = await gateway.server.parts.store.ledger.entries({ order: 'newest', limit: 50 });
  expect(JSON.stringify(entries)).toContain('"item":"cache_storage"');
});

it('an hour is what is paid where nothing is said', async () => {
  const made = await keep();
  expect(made.json['expireTime']).toBe(new Date(now + HOUR_MS).toISOString());
  expect(costOf(made)).toBeCloseTo((tokensOf(made.json) * (INPUT + STORAGE)) / 1e6, 5);
});

it('what begins a request is billed at the price of cached input', async () => {
  const made = await keep();
  const plain = await generate('deep', { contents: [...contents, ...(question('')['contents'] as JsonObject[])] });
  const cached = await generate('deep', question(String(made.json['name'])));
  const {
    promptTokenCount: prompt,
    cachedContentTokenCount: kept,
    candidatesTokenCount: out,
    thoughtsTokenCount: thought = 0,
  } = cached.json['usageMetadata'] as Record<string, number>;
  expect(kept).toBe(tokensOf(made.json));
  expect(costOf(cached)).toBeCloseTo(((prompt! - kept!) * INPUT + kept! * CACHED + (out! + thought) * 12) / 1e6, 5);
  expect(costOf(cached)).toBeLessThan(costOf(plain));
});

it('requests go to the account that keeps it, whichever that is', async () => {
  for (const model of ['deep', 'second']) {
    const made = await keep({ model });
    const home = made.headers.get('x-gateway-account');
    for (let round = 0; round < 6; round++) {
      const answer = await generate(model, question(String(made.json['name'])));
      expect([answer.status, answer.headers.get('x-gateway-account')]).toEqual([200, home]);
    }
  }
});

it('another owner, and the other mode, find none of it', async () => {
  const made = await keep();
  const name = String(made.json['name']);
  for (const key of [gateway.otherKey, gateway.testKey]) {
    const headers = { 'x-goog-api-key': key };
    for (const reply of [
      await ask('GET', `/v1beta/${name}`, undefined, headers),
      await ask('PATCH', `/v1/${name}`, { ttl: '60s' }, headers),
      await ask('DELETE', `/v1beta/${name}`, undefined, headers),
      await generate('deep', question(name), key),
    ])
      expect([reply.status, reply.json['error']]).toMatchObject([404, { status: 'NOT_FOUND' }]);
    expect((await ask('GET', '/v1beta/cachedContents', undefined, headers)).json).toEqual({ cachedContents: [] });
  }
  expect((await ask('GET', `/v1beta/${name}`)).status).toBe(200);
});

it('what has expired is gone, and no account is blamed for it', async () => {
  const made = await keep({ ttl: '60s' });
  const name = String(made.json['name']);
  now += 61_000;
  expect((await ask('GET', `/v1/${name}`)).status).toBe(404);
  for (let round = 0; round < 8; round++) expect((await generate('deep', question(name))).status).toBe(400);
  const next = await generate('deep', { contents: question('')['contents']! });
  expect([next.status, next.headers.get('x-gateway-attempts')]).toEqual([200, '1']);
});

it('pages by name', async () => {
  for (let round = 0; round < 3; round++) await keep();
  const first = await ask('GET', '/v1beta/cachedContents?pageSize=2');
  const page = first.json['cachedContents'] as { name: string }[];
  expect(page).toHaveLength(2);
  const second = await ask(
    'GET',
    `/v1beta/cachedContents?pageSize=2&pageToken=${encodeURIComponent(String(first.json['nextPageToken']))}`,
  );
  expect((second.json['cachedContents'] as { name: string }[]).map(({ name }) => name)).toHaveLength(1);
  expect(second.json).not.toHaveProperty('nextPageToken');
});

it('an Idempotency-Key keeps it once', async () => {
  const headers = { 'idempotency-key': 'cached-content-1' };
  const [one, again] = [await keep({}, headers), await keep({}, headers)];
  expect(again.json).toEqual(one.json);
  expect((await ask('GET', '/v1beta/cachedContents')).json['cachedContents']).toHaveLength(1);
});

it.each<[string, JsonObject, number, string]>([
  ['a model that nobody gave a price', { model: 'models/unpriced' }, 400, 'model'],
  ['a model of another vendor', { model: 'gpt' }, 400, 'model'],
  ['no model', { model: null }, 400, 'model'],
  ['a time in words', { ttl: 'an hour' }, 400, 'ttl'],
  ['a time that is over', { expireTime: '2020-01-01T00:00:00Z' }, 400, 'expireTime'],
  [
    'what another owner keeps',
    {
      contents: [
        { role: 'user', parts: [{ fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' } }] },
      ],
    },
    404,
    'contents[0].parts[0].fileData.fileUri',
  ],
])('%s is refused, and nothing is paid', async (_name, more, status, place) => {
  const reply = await keep(more);
  expect([reply.status, JSON.stringify(reply.json)]).toEqual([status, expect.stringContaining(place)]);
  expect(costOf(reply)).toBe(0);
});

it('a key keeps nothing for longer of a model that it may not use', async () => {
  const name = String((await keep()).json['name']);
  const before = gateway.twin.requests.list({ operation: 'cache' }).length;
  const reply = await ask('PATCH', `/v1beta/${name}`, { ttl: '7200s' }, { 'x-goog-api-key': UNPRICED_KEY });
  expect([reply.status, JSON.stringify(reply.json)]).toEqual([403, expect.stringContaining("'deep'")]);
  expect(gateway.twin.requests.list({ operation: 'cache' })).toHaveLength(before);
});

it.each(['max-cost', 'vendors', 'no-fallback'])(
  'x-gateway-%s is refused where it would not be heeded',
  async (word) => {
    const headers = { [`x-gateway-${word}`]: word === 'vendors' ? 'gemini' : '1' };
    const name = String((await keep()).json['name']);
    for (const reply of [await keep({}, headers), await ask('PATCH', `/v1beta/${name}`, { ttl: '7200s' }, headers)])
      expect([reply.status, JSON.stringify(reply.json)]).toEqual([400, expect.stringContaining(`x-gateway-${word}`)]);
  },
);

it('an Idempotency-Key pays a longer time once', async () => {
  const name = String((await keep()).json['name']);
  const headers = { 'idempotency-key': 'longer-1' };
  const one = await ask('PATCH', `/v1beta/${name}`, { ttl: '7200s' }, headers);
  now += HOUR_MS;
  const again = await ask('PATCH', `/v1beta/${name}`, { ttl: '7200s' }, headers);
  expect([again.json, again.headers.get('idempotent-replayed')]).toEqual([one.json, 'true']);
});

it('what its vendor refuses costs nothing', async () => {
  const reply = await keep({ contents: [{ role: 'user', parts: [{ text: 'Short.' }] }] });
  expect([reply.status, JSON.stringify(reply.json)]).toEqual([400, expect.stringContaining('too small')]);
  expect(costOf(reply)).toBe(0);
});

it('more than a payer has is not kept', async () => {
  const before = gateway.twin.requests.list({ operation: 'cache' }).length;
  const reply = await keep({ ttl: '999999s' }, { 'x-goog-api-key': POOR_KEY });
  expect([reply.status, JSON.stringify(reply.json)]).toEqual([403, expect.stringContaining('INSUFFICIENT_QUOTA')]);
  expect(gateway.twin.requests.list({ operation: 'cache' })).toHaveLength(before);
});

/** What asks a vendor to keep the beginning of a request, in each dialect. */
const MARK = { type: 'ephemeral', ttl: '1h' };
const MARKED: Readonly<Record<ChatFormat, { readonly path: string; readonly body: () => Promise<JsonObject> }>> = {
  'openai-chat': {
    path: '/v1/chat/completions',
    body: async () => ({
      ...{ model: 'talk', messages: [{ role: 'user', content: 'x' }] },
      ...{ prompt_cache_key: 'harbour', prompt_cache_retention: '24h' },
    }),
  },
  'openai-responses': {
    path: '/v1/responses',
    body: async () => ({
      ...{ model: 'talk', input: 'x', store: false },
      ...{ prompt_cache_key: 'harbour', prompt_cache_retention: '24h' },
    }),
  },
  'anthropic-messages': {
    path: '/v1/messages',
    body: async () => ({
      ...{ model: 'claude', max_tokens: 50, system: [{ type: 'text', text: 'You know it.', cache_control: MARK }] },
      tools: [{ name: 'depth', input_schema: { type: 'object', properties: {} }, cache_control: MARK }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }],
    }),
  },
  'gemini-generate': {
    path: '/v1beta/models/deep:generateContent',
    body: async () => question(String((await keep()).json['name'])),
  },
};

it.each(DIALECT_NAMES)('what keeps a prompt passes as it is in %s', async (dialect) => {
  const { path, body } = MARKED[dialect];
  const sent = await body();
  expect((await ask('POST', path, sent)).status).toBe(200);
  const { model: _code, ...members } = sent;
  expect(gateway.twin.requests.last()?.json).toMatchObject(members);
});
