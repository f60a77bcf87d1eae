/** Embeddings through the running gateway, with the SDKs people have: any form in, any vendor out, every unit of money accounted for. */
import { GoogleGenAI } from '@google/genai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { TwinVendor } from '@model-gateway/vendor-twin';
import OpenAI from 'openai';
import { cosine, errorOf, useGateway } from './whole-answers.ts';

const LIMITED = 'sk-test-limited-0123456789abcdef';
const { gateway, post, charges } = useGateway({
  keys: `  - { name: limited, key: ${LIMITED}, owner: 3, models: [text-embedding-3-small], limits: { tokens_per_minute: 40 } }`,
});
let openai: OpenAI;
let genai: GoogleGenAI;
beforeAll(() => {
  openai = new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: gateway().testKey, maxRetries: 0 });
  genai = new GoogleGenAI({ apiKey: gateway().testKey, httpOptions: { baseUrl: gateway().url } });
});

interface Row {
  readonly model: string;
  readonly vendor: TwinVendor;
  /** US dollars for a million tokens. */
  readonly price: number;
  readonly length: number;
  /** Whether its vendor reports usage. */
  readonly reports: boolean;
}
const MODELS: readonly Row[] = [
  { model: 'text-embedding-3-small', vendor: 'openai', price: 0.02, length: 1536, reports: true },
  { model: 'text-embedding-3-large', vendor: 'openai', price: 0.13, length: 3072, reports: true },
  { model: 'gemini-embedding-001', vendor: 'gemini', price: 0.15, length: 3072, reports: false },
  { model: 'text-embedding-v4', vendor: 'dashscope', price: 0.07, length: 1024, reports: true },
  { model: 'doubao-embedding-large', vendor: 'ark', price: 0.1, length: 2048, reports: true },
];
const TIDE = 'The tide turns at noon.';
const TIDES = 'At noon the tide turns.';
const BILLS = 'Invoices are due within thirty days.';
const TEXTS = [TIDE, TIDES, BILLS];
const LONG = 'Every word of this text is paid for once and only once, and none is lost. '.repeat(40);

const numbersOf = (json: JsonObject): number[][] =>
  (json['data'] as { embedding: number[] }[]).map(({ embedding }) => embedding);
const valuesOf = (json: JsonObject): number[][] =>
  (json['embeddings'] as { values: number[] }[]).map(({ values }) => values);
const floatsIn = (base64: string): number[] => {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
};

describe.each(MODELS)('$model', ({ model, vendor, price, length, reports }) => {
  it('by OpenAI’s SDK, which asks for base64 by itself: texts that mean alike lie near each other', async () => {
    const { data, usage, ...rest } = await openai.embeddings.create({ model, input: TEXTS });
    expect(rest).toMatchObject({ object: 'list', model });
    expect(data.map(({ index, object }) => [index, object])).toEqual(TEXTS.map((_, index) => [index, 'embedding']));
    const [tide = [], tides = [], bills = []] = data.map(({ embedding }) => embedding);
    expect([tide.length, tides.length, bills.length]).toEqual([length, length, length]);
    expect(cosine(tide, tides)).toBeGreaterThan(cosine(tide, bills) + 0.3);
    expect(usage.prompt_tokens).toBe(usage.total_tokens);
  });

  it('by Google’s SDK', async () => {
    const { embeddings = [] } = await genai.models.embedContent({ model, contents: TEXTS });
    expect(embeddings.map(({ values }) => values?.length)).toEqual([length, length, length]);
  });

  it('every form says the same: numbers, base64, a text alone, embedContent and batchEmbedContents', async () => {
    const asNumbers = await post('/v1/embeddings', { model, input: TEXTS, encoding_format: 'float' });
    const asBase64 = await post('/v1/embeddings', { model, input: TEXTS, encoding_format: 'base64' });
    const alone = await post('/v1/embeddings', { model, input: TIDE });
    const content = (text: string): JsonObject => ({ content: { parts: [{ text }] } });
    const one = await post(`/v1beta/models/${model}:embedContent`, content(TIDE));
    const other = await post(`/v1/models/${model}:embedContent`, content(TIDE));
    const batch = await post(`/v1beta/models/${model}:batchEmbedContents`, { requests: TEXTS.map(content) });
    const vectors = numbersOf(asNumbers.json).map((vector) => vector.map(Math.fround));
    expect(vectors).toHaveLength(3);
    const bytes = (asBase64.json['data'] as { embedding: string }[]).map(({ embedding }) => floatsIn(embedding));
    expect(bytes).toEqual(vectors);
    expect(numbersOf(alone.json)[0]?.map(Math.fround)).toEqual(vectors[0]);
    for (const { json } of [one, other])
      expect((json['embedding'] as { values: number[] }).values.map(Math.fround)).toEqual(vectors[0]);
    expect(valuesOf(batch.json).map((values) => values.map(Math.fround))).toEqual(vectors);
    expect(batch.json['usageMetadata']).toEqual({ promptTokenCount: expect.any(Number) });
  });

  it('is charged by its input tokens, which the answer tells, and by nothing else', async () => {
    const { json, headers } = await post('/v1/embeddings', { model, input: [LONG, TIDE] });
    const { prompt_tokens: tokens } = json['usage'] as { prompt_tokens: number };
    const [charge] = await charges();
    expect(charge).toMatchObject({
      model,
      amount: -Math.round(tokens * price * 0.5),
      detail: { usage: { inputTokens: tokens, ...(!reports && { estimated: true }) } },
    });
    expect(headers.get('x-gateway-estimated')).toBe(reports ? null : 'true');
    expect(headers.get('x-gateway-attempts')).toBe('1');
    const billed = gateway().twin.ledger.answers(vendor).at(-1)?.billed.inputTokens ?? 0;
    // An estimate is near what was counted.
    if (reports) expect(tokens).toBe(billed);
    else expect(Math.abs(tokens - billed) / billed).toBeLessThan(0.35);
  });

  it('an estimate is what is set aside', async () => {
    const body = { model, input: [LONG, TIDE] };
    const { json } = await post('/v1/estimate', { endpoint: '/v1/embeddings', body });
    expect(json).toMatchObject({ model, quota: expect.any(Number) });
    const [charge] = await charges();
    expect(json['quota']).toBeGreaterThanOrEqual(-(charge?.amount ?? 0));
  });
});

describe('what vendors cannot bear', () => {
  it.each([
    { model: 'text-embedding-v4', vendor: 'dashscope' as const, count: 23, calls: 3, dimensions: 64 },
    { model: 'doubao-embedding-large', vendor: 'ark' as const, count: 257, calls: 2, dimensions: 2048 },
    { model: 'gemini-embedding-001', vendor: 'gemini' as const, count: 101, calls: 2, dimensions: 128 },
  ])('$count texts of $model are asked in $calls calls, and answered and billed as one', async (asked) => {
    const { model, vendor, count, calls, dimensions } = asked;
    gateway().twin.requests.clear();
    const input = Array.from({ length: count }, (_, index) => `text number ${index}`);
    const { data, usage } = await openai.embeddings.create({ model, input, dimensions, encoding_format: 'float' });
    expect(gateway().twin.requests.list({ vendor, operation: 'embedding' })).toHaveLength(calls);
    const [first, last] = [data[0]?.embedding, data.at(-1)?.embedding];
    const { data: alone } = await openai.embeddings.create({
      model,
      dimensions,
      input: [input[0] ?? '', input.at(-1) ?? ''],
      encoding_format: 'float',
    });
    expect([first, last]).toEqual(alone.map(({ embedding }) => embedding));
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
    expect((await charges())[1]?.detail.usage['inputTokens']).toBe(usage.prompt_tokens);
    expect(usage.prompt_tokens).toBeGreaterThanOrEqual(count);
  });

  it('a call that fails in the middle fails the whole, and nothing is charged', async () => {
    const before = (await charges()).length;
    const input = Array.from({ length: 25 }, (_, index) => (index === 24 ? 'the last [[twin:500]]' : `text ${index}`));
    const reply = await post('/v1/embeddings', { model: 'text-embedding-v4', input });
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect((await charges()).length).toBe(before);
  });

  it('token ids go to OpenAI, one text or many', async () => {
    const one = [791, 18166, 10800];
    const alone = await openai.embeddings.create({ model: 'text-embedding-3-small', input: one });
    expect(alone.data).toHaveLength(1);
    expect(alone.usage.prompt_tokens).toBe(3);
    const both = await openai.embeddings.create({ model: 'text-embedding-3-small', input: [one, [2028, 374]] });
    expect(both.data[0]?.embedding).toEqual(alone.data[0]?.embedding);
    expect(both.usage.prompt_tokens).toBe(5);
  });

  it.each(['gemini-embedding-001', 'text-embedding-v4', 'doubao-embedding-large'])(
    'token ids are refused for %s, and nobody is asked',
    async (model) => {
      gateway().twin.requests.clear();
      const reply = await post('/v1/embeddings', { model, input: [[791, 18166]] });
      expect(reply.status).toBe(400);
      expect(errorOf(reply)).toMatchObject({ param: 'input[0]', message: expect.stringMatching(/takes texts/) });
      expect(gateway().twin.requests.list({ operation: 'embedding' })).toEqual([]);
    },
  );

  it('lengths are asked for by each vendor’s own word, in either form', async () => {
    for (const { model, length } of MODELS.filter(({ vendor }) => vendor !== 'ark')) {
      const wanted = length / 2;
      const { data } = await openai.embeddings.create({ model, input: TIDE, dimensions: wanted });
      expect(data[0]?.embedding).toHaveLength(wanted);
      const config = { outputDimensionality: wanted };
      const { embeddings = [] } = await genai.models.embedContent({ model, contents: TIDE, config });
      expect(embeddings[0]?.values).toHaveLength(wanted);
    }
  });

  it('settings that a vendor lacks are named, and those it has arrive', async () => {
    const user = { input: TIDE, user: 'u-1' };
    const sent = () => gateway().twin.requests.last()?.json as JsonObject;
    expect(
      (await post('/v1/embeddings', { model: 'text-embedding-3-small', ...user })).headers.get('x-gateway-dropped'),
    ).toBeNull();
    expect(sent()).toMatchObject({ user: 'u-1' });
    expect(
      (await post('/v1/embeddings', { model: 'gemini-embedding-001', ...user })).headers.get('x-gateway-dropped'),
    ).toMatch(/user/);
    const asked = { content: { parts: [{ text: TIDE }] }, task_type: 'RETRIEVAL_DOCUMENT', title: 'Tides' };
    const google = await post('/v1beta/models/gemini-embedding-001:embedContent', asked);
    expect(google.headers.get('x-gateway-dropped')).toBeNull();
    expect(sent()).toMatchObject({ task_type: 'RETRIEVAL_DOCUMENT', title: 'Tides' });
    const other = await post('/v1beta/models/text-embedding-3-small:embedContent', asked);
    expect(other.headers.get('x-gateway-dropped')).toMatch(/taskType.*title/);
  });
});

describe('settings in other vendors’ words', () => {
  const sent = () => gateway().twin.requests.last()?.json as JsonObject;
  it.each<readonly [said: JsonObject, model: string, told: JsonObject, dropped: RegExp | null]>([
    [{ input_type: 'query' }, 'gemini-embedding-001', { requests: [{ taskType: 'RETRIEVAL_QUERY' }] }, null],
    [{ task: 'text-matching' }, 'gemini-embedding-001', { requests: [{ taskType: 'SEMANTIC_SIMILARITY' }] }, null],
    [{ output_dimension: 256 }, 'text-embedding-v4', { dimensions: 256 }, null],
    [{ input_type: 'query', truncation: true }, 'doubao-embedding-large', {}, /input_type.*truncation/],
    [{ text_type: 'query', priority: 3 }, 'gemini-embedding-001', {}, /priority/],
  ])('%j for %s', async (said, model, told, dropped) => {
    const { status, headers, json } = await post('/v1/embeddings', { model, input: TIDE, ...said });
    expect([status, JSON.stringify(json)]).toEqual([200, expect.stringContaining('"embedding"')]);
    expect(sent()).toMatchObject(told);
    for (const name of Object.keys(said)) if (dropped !== null) expect(sent()).not.toHaveProperty(name);
    expect(headers.get('x-gateway-dropped')).toEqual(dropped === null ? null : expect.stringMatching(dropped));
  });

  it.each<readonly [said: JsonObject, model: string]>([
    [{ output_dtype: 'int8' }, 'text-embedding-v4'],
    [{ output_dtype: 'binary' }, 'text-embedding-3-small'],
    [{ embedding_type: ['float', 'ubinary'] }, 'doubao-embedding-large'],
    [{ encoding_format: 'int8' }, 'gemini-embedding-001'],
    [{ late_chunking: true }, 'gemini-embedding-001'],
    [{ late_chunking: true }, 'text-embedding-v4'],
    [{ output_dimension: 100_000 }, 'text-embedding-v4'],
  ])('%j is more than %s can, which is said, and nobody is asked', async (said, model) => {
    gateway().twin.requests.clear();
    const reply = await post('/v1/embeddings', { model, input: TIDE, ...said });
    expect([reply.status, errorOf(reply)['param']]).toEqual([400, Object.keys(said)[0]]);
    expect(gateway().twin.requests.list({ operation: 'embedding' })).toEqual([]);
  });
});

it('files that Google keeps for the account are another owner’s until somebody says whose they are', async () => {
  const before = gateway().twin.requests.list().length;
  const fileUri = 'https://generativelanguage.googleapis.com/v1beta/files/elsewhere';
  const part = (file: JsonObject): JsonObject => ({ content: { parts: [{ fileData: file }] } });
  const path = '/v1beta/models/gemini-embedding-001';
  const asked: readonly (readonly [verb: string, body: JsonObject])[] = [
    ['embedContent', part({ fileUri })],
    ['batchEmbedContents', { requests: [part({ fileUri })] }],
  ];
  for (const [verb, body] of asked) {
    const { status, json } = await post(`${path}:${verb}`, body);
    expect([status, JSON.stringify(json)]).toEqual([404, expect.stringContaining('fileUri')]);
  }
  expect(
    (await post('/v1/embeddings', { model: 'text-embedding-3-small', input: 'a', file_id: 'file-x' })).status,
  ).toBe(404);
  expect(gateway().twin.requests.list()).toHaveLength(before);
});

describe('like every other request', () => {
  it('a key’s models, its tokens of a minute, and what is left of them', async () => {
    const headers = { authorization: `Bearer ${LIMITED}` };
    const ask = (model: string, input: string) => post('/v1/embeddings', { model, input }, headers);
    expect((await ask('gemini-embedding-001', TIDE)).status).toBe(403);
    const first = await ask('text-embedding-3-small', TIDE);
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('40');
    const second = await ask('text-embedding-3-small', LONG.slice(0, 300));
    expect(second.status).toBe(429);
    expect(errorOf(second)).toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('an Idempotency-Key is answered once by the vendor and charged once', async () => {
    const body = { model: 'text-embedding-3-small', input: TIDE };
    const first = await post('/v1/embeddings', body, { 'idempotency-key': 'vectors-1' });
    const count = (await charges()).length;
    const again = await post('/v1/embeddings', body, { 'idempotency-key': 'vectors-1' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.json).toEqual(first.json);
    expect((await charges()).length).toBe(count);
    const other = await post('/v1/embeddings', { ...body, input: BILLS }, { 'idempotency-key': 'vectors-1' });
    expect(other.status).toBe(409);
  });

  it('lists tell the model and the ways to it; chat does not reach it, and vectors do not reach chat', async () => {
    const reply = await fetch(`${gateway().url}/v1/models/text-embedding-3-small`, {
      headers: { authorization: `Bearer ${gateway().testKey}` },
    });
    expect(await reply.json()).toMatchObject({
      kind: 'embedding',
      formats: ['embeddings', 'embed-contents', 'embed'],
      endpoints: [
        '/v1/embeddings',
        '/v1beta/models/{model}:embedContent',
        '/v1beta/models/{model}:batchEmbedContents',
        '/v2/embed',
      ],
    });
    const chat = await post('/v1/chat/completions', {
      model: 'text-embedding-3-small',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(chat.status).toBe(400);
    const vectors = await post('/v1/embeddings', { model: 'gpt-5.2', input: TIDE });
    expect(vectors.status).toBe(400);
    expect(errorOf(vectors)).toMatchObject({ param: 'model' });
  });
});
