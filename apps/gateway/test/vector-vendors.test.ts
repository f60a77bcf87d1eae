/** Cohere, Jina and Voyage: each in its own words and in the others', with pictures and with every type of numbers. */
import Anthropic from '@anthropic-ai/sdk';
import { CohereClientV2 } from 'cohere-ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { cosine, errorOf, useGateway } from './whole-answers.ts';

const { gateway, post, charges } = useGateway({
  yaml: `models:
  - { code: command, kind: chat, price: { input: 2.5, output: 10 }, offers: [{ account: cohere, model: command-a-03-2025, dialect: openai-chat }] }`,
});
const sent = (): JsonObject => gateway().twin.requests.last()?.json as JsonObject;
const vectorsIn = (json: JsonObject): number[][] =>
  (json['data'] as { embedding: number[] }[]).map(({ embedding }) => embedding);
const TIDE = 'The tide turns at noon.';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE = `data:image/png;base64,${PNG}`;

describe('one request in the words of each vendor', () => {
  const VOYAGE = { input_type: 'query', output_dtype: 'binary', output_dimension: 512, truncation: true };
  const JINA = { task: 'retrieval.query', embedding_type: 'binary', dimensions: 512, truncate: true };
  const COHERE = { input_type: 'search_query', embedding_types: ['binary'], output_dimension: 512, truncate: 'END' };
  it.each([
    ['embed-v4.0', COHERE],
    ['jina-embeddings-v3', JINA],
    ['voyage-4', VOYAGE],
  ])('to %s', async (model, words) => {
    for (const body of [VOYAGE, JINA, COHERE]) {
      const reply = await post('/v1/embeddings', { model, input: [TIDE], ...body });
      expect([reply.status, reply.headers.get('x-gateway-dropped'), reply.json['error']]).toEqual([
        200,
        null,
        undefined,
      ]);
      expect(vectorsIn(reply.json)[0]).toHaveLength(64);
      expect(sent()).toMatchObject(words);
      for (const name of Object.keys({ ...VOYAGE, ...JINA, ...COHERE }))
        if (!(name in words)) expect(sent()).not.toHaveProperty(name);
    }
    const typed = await post('/v2/embed', { model, texts: [TIDE], ...COHERE });
    expect(typed.json).toMatchObject({ embeddings: { binary: [expect.any(Array)] } });
    expect(sent()).toMatchObject(words);
  });
});

describe('numbers and bytes', () => {
  it.each(['int8', 'uint8', 'ubinary'])('%s by Voyage, as numbers and as base64', async (output_dtype) => {
    const body = { model: 'voyage-4', input: TIDE, output_dtype, output_dimension: 256 };
    const [numbers = []] = vectorsIn((await post('/v1/embeddings', body)).json);
    const { json } = await post('/v1/embeddings', { ...body, encoding_format: 'base64' });
    const [bytes] = vectorsIn(json) as unknown as string[];
    const read = Buffer.from(bytes ?? '', 'base64');
    expect([...(output_dtype === 'int8' ? new Int8Array(read) : read)]).toEqual(numbers);
    expect(numbers).toHaveLength(output_dtype === 'ubinary' ? 32 : 256);
  });

  it('floats as base64 are asked for by each vendor’s own word', async () => {
    for (const [model, said] of [
      ['voyage-4', { encoding_format: 'base64' }],
      ['jina-embeddings-v3', { embedding_type: 'base64' }],
    ] as const) {
      const { json } = await post('/v1/embeddings', { model, input: TIDE, encoding_format: 'base64' });
      expect(sent()).toMatchObject(said);
      const [floats = []] = vectorsIn(
        (await post('/v1/embeddings', { model, input: TIDE, encoding_format: 'float' })).json,
      );
      expect(sent()).not.toHaveProperty('encoding_format');
      const [bytes] = vectorsIn(json) as unknown as string[];
      expect(Buffer.from(bytes ?? '', 'base64').readFloatLE(0)).toBe(Math.fround(floats[0] ?? 0));
    }
  });

  it('the type that Cohere’s form names is made by Jina, which has one word for it and for base64', async () => {
    const said = { embedding_types: ['binary'], encoding_format: 'base64' };
    const { json } = await post('/v2/embed', { model: 'jina-embeddings-v3', texts: [TIDE], ...said });
    expect(sent()).toMatchObject({ embedding_type: 'binary' });
    const { binary } = json['embeddings'] as { binary: number[][] };
    const [packed = []] = binary;
    expect(packed).toHaveLength(128);
    expect(packed.every(Number.isInteger)).toBe(true);
  });

  it.each<readonly [model: string, said: JsonObject]>([
    ['jina-embeddings-v3', { output_dtype: 'int8' }],
    ['voyage-multimodal-3.5', { output_dtype: 'int8' }],
    ['voyage-4', { embedding_types: ['float', 'int8'] }],
    ['embed-v4.0', { late_chunking: true }],
    ['embed-v4.0', { output_dimension: 300 }],
  ])('%s does not make %j, which is said before anybody is asked', async (model, said) => {
    gateway().twin.requests.clear();
    const reply = await post('/v1/embeddings', { model, input: TIDE, ...said });
    expect([reply.status, errorOf(reply)['param']]).toEqual([400, Object.keys(said)[0]]);
    expect(gateway().twin.requests.list({ operation: 'embedding' })).toEqual([]);
  });

  it('late chunking goes to Jina', async () => {
    await post('/v1/embeddings', { model: 'jina-embeddings-v3', input: [TIDE, 'It is high.'], late_chunking: true });
    expect(sent()).toMatchObject({ late_chunking: true, input: [TIDE, 'It is high.'] });
  });
});

describe('pictures', () => {
  const mixed = {
    content: [
      { type: 'text', text: TIDE },
      { type: 'image_url', image_url: { url: PICTURE } },
    ],
  };

  it('with a text in one vector, by Cohere and by Voyage, charged as such', async () => {
    for (const model of ['embed-v4.0', 'voyage-multimodal-3.5']) {
      const { status, json } = await post('/v1/embeddings', { model, input: [mixed, TIDE] });
      expect([status, vectorsIn(json).length]).toEqual([200, 2]);
      const [charge] = await charges();
      const { inputTokens, inputImageTokens } = charge?.detail.usage as Record<string, number>;
      expect(inputImageTokens).toBeGreaterThan(0);
      expect(inputTokens).toBeGreaterThan(inputImageTokens ?? 0);
      const row = gateway().twin.ledger.answers().at(-1)?.billed;
      expect({ inputTokens, inputImageTokens }).toEqual(row);
      const ofTexts = (inputTokens ?? 0) - (inputImageTokens ?? 0);
      const price = ofTexts * 0.12 + (inputImageTokens ?? 0) * (model === 'embed-v4.0' ? 0.47 : 0.336);
      expect(-(charge?.amount ?? 0)).toBeCloseTo(price / 2, -1);
    }
  });

  it('alone, in Jina’s own words', async () => {
    const input = [{ text: TIDE }, { image: PNG }, { image: 'https://pictures.example/a.png' }];
    const reply = await post('/v1/embeddings', { model: 'jina-embeddings-v4', input, task: 'retrieval.passage' });
    expect([reply.status, vectorsIn(reply.json).length]).toEqual([200, 3]);
    expect(sent()).toMatchObject({ input: [TIDE, { image: PNG }, { image: 'https://pictures.example/a.png' }] });
  });

  it('by Cohere’s SDK, through each vendor that reads them', async () => {
    const cohere = new CohereClientV2({ token: gateway().testKey, environment: gateway().url, maxRetries: 0 });
    const ask = async (model: string) => {
      const { embeddings } = await cohere.embed({
        model,
        inputType: 'image',
        images: [PICTURE],
        embeddingTypes: ['float'],
      });
      return embeddings.float?.[0]?.length;
    };
    expect([await ask('embed-v4.0'), await ask('voyage-multimodal-3.5'), await ask('jina-embeddings-v4')]).toEqual([
      1536, 1024, 2048,
    ]);
  });

  it('in Google’s form, to another vendor', async () => {
    const content = { parts: [{ text: TIDE }, { inlineData: { mimeType: 'image/png', data: PNG } }] };
    const { status, json } = await post('/v1beta/models/embed-v4.0:embedContent', { content });
    expect([status, (json['embedding'] as { values: number[] }).values.length]).toEqual([200, 1536]);
    expect(sent()).toMatchObject({
      inputs: [
        {
          content: [
            { type: 'text', text: TIDE },
            { type: 'image_url', image_url: { url: PICTURE } },
          ],
        },
      ],
    });
  });

  it.each<readonly [model: string, item: JsonObject, what: RegExp]>([
    ['embed-v4.0', { image: 'https://pictures.example/a.png' }, /data: URL/],
    ['jina-embeddings-v4', mixed, /input\[0\]/],
    ['text-embedding-v4', mixed, /./],
    ['gemini-embedding-001', mixed, /texts only/],
    ['bedrock/cohere-embed-v4', mixed, /texts only/],
    ['embed-v4.0', { video: 'https://films.example/a.mp4' }, /texts and images only/],
  ])('%s refuses %j', async (model, item, what) => {
    const before = (await charges()).length;
    const reply = await post('/v1/embeddings', { model, input: [item] });
    expect([reply.status, String(errorOf(reply)['message'])]).toEqual([400, expect.stringMatching(what)]);
    expect(await charges()).toHaveLength(before);
  });
});

it.each<[string, string, JsonObject, string[]]>([
  ['/v2/embed', 'OpenAI’s word', { output_dtype: 'int8' }, ['int8']],
  ['/v1/embed', 'OpenAI’s word', { output_dtype: 'int8' }, ['int8']],
  ['/v2/embed', 'an empty list', { embedding_types: [] }, ['float']],
  ['/v2/embed', 'an empty list beside a word', { embedding_types: [], output_dtype: 'ubinary' }, ['ubinary']],
  ['/v2/embed', 'a list that is understood', { embedding_types: ['int8', 'float'] }, ['int8', 'float']],
])('%s gives the vectors that it was paid for, asked by %s', async (path, _name, more, types) => {
  const { status, json } = await post(path, {
    model: 'embed-v4.0',
    texts: [TIDE],
    input_type: 'search_query',
    ...more,
  });
  const lists = Object.entries((json['embeddings'] ?? {}) as Record<string, number[][]>);
  expect([status, lists.map(([type, list]) => [type, list.length])]).toEqual([200, types.map((type) => [type, 1])]);
  expect(json['response_type']).toBe('embeddings_by_type');
});

it('more than a call takes are asked in several, and answered as one', async () => {
  gateway().twin.requests.clear();
  const texts = Array.from({ length: 100 }, (_, index) => `text number ${index}`);
  const { json } = await post('/v2/embed', { model: 'embed-v4.0', texts, embedding_types: ['float', 'int8'] });
  expect(gateway().twin.requests.list({ vendor: 'cohere', operation: 'embedding' })).toHaveLength(2);
  const { float, int8 } = json['embeddings'] as Record<string, number[][]>;
  expect([float?.length, int8?.length]).toEqual([100, 100]);
  const alone = await post('/v2/embed', { model: 'embed-v4.0', texts: [texts[99] ?? ''], embedding_types: ['float'] });
  const [last = []] = (alone.json['embeddings'] as { float: number[][] }).float;
  expect(cosine(float?.[99] ?? [], last)).toBeCloseTo(1);
  const billed = (json['meta'] as { billed_units: { input_tokens: number } }).billed_units.input_tokens;
  expect((await charges())[1]?.detail.usage['inputTokens']).toBe(billed);
});

describe('DashScope’s native path', () => {
  const model = 'text-embedding-v4';
  it.each<readonly [said: JsonObject, parameters: JsonObject]>([
    [{ input_type: 'search_query' }, { text_type: 'query' }],
    [{ task: 'CODE_RETRIEVAL_QUERY' }, { text_type: 'query' }],
    [{ task: 'QUESTION_ANSWERING' }, { text_type: 'query' }],
    [{ task: 'FACT_VERIFICATION' }, { text_type: 'query' }],
    [
      { task: 'retrieval.passage', dimensions: 256 },
      { text_type: 'document', dimension: 256 },
    ],
    [
      { instruct: 'Find tides.', text_type: 'query' },
      { text_type: 'query', instruct: 'Find tides.' },
    ],
  ])('%j is told as %j', async (said, parameters) => {
    const { status, headers, json } = await post('/v1/embeddings', { model, input: [TIDE, 'b'], ...said });
    expect([status, headers.get('x-gateway-dropped'), vectorsIn(json).length]).toEqual([200, null, 2]);
    expect(sent()).toEqual({ model, input: { texts: [TIDE, 'b'] }, parameters });
    const [charge] = await charges();
    expect(charge?.detail.usage).toMatchObject(gateway().twin.ledger.answers('dashscope').at(-1)?.billed ?? {});
  });

  it('sparse vectors come beside the others, or alone, also of several calls', async () => {
    const input = Array.from({ length: 12 }, (_, index) => `text ${index}`);
    const sparse = [{ index: expect.any(Number), value: 0.5, token: 'text' }, expect.objectContaining({ token: '11' })];
    const both = await post('/v1/embeddings', { model, input, output_type: 'dense&sparse' });
    expect((both.json['data'] as unknown[])[11]).toEqual({
      object: 'embedding',
      index: 11,
      embedding: expect.any(Array),
      sparse_embedding: sparse,
    });
    expect(vectorsIn(both.json)[11]).toHaveLength(1024);
    const alone = await post('/v1/embeddings', { model, input, output_type: 'sparse' });
    expect((alone.json['data'] as unknown[])[11]).toEqual({
      object: 'embedding',
      index: 11,
      embedding: [],
      sparse_embedding: sparse,
    });
  });

  it.each(['voyage-4', 'gemini-embedding-001', 'embed-v4.0', 'jina-embeddings-v3'])(
    '%s makes no sparse vectors, which is said before anybody is asked',
    async (other) => {
      gateway().twin.requests.clear();
      const reply = await post('/v1/embeddings', { model: other, input: TIDE, output_type: 'sparse' });
      expect([reply.status, errorOf(reply)['param']]).toEqual([400, 'output_type']);
      expect(gateway().twin.requests.list({ operation: 'embedding' })).toEqual([]);
    },
  );
});

describe('reranking', () => {
  it.each(['bedrock/cohere-rerank-v3.5', 'bedrock/amazon-rerank-v1'])('%s is paid by the search', async (model) => {
    const asked = { query: 'When does the tide turn?', documents: ['Bills.', TIDE, 'The tide is high.'] };
    const { json, headers } = await post('/v1/rerank', { model, ...asked, top_n: 2, max_tokens_per_doc: 100 });
    expect((json['results'] as { index: number }[]).map(({ index }) => index)).toEqual([1, 2]);
    expect(headers.get('x-gateway-dropped')).toBe(model.includes('amazon') ? 'max_tokens_per_doc' : null);
    const [charge] = await charges();
    expect(charge).toMatchObject({
      amount: model.includes('amazon') ? -500 : -1000,
      detail: { usage: { searchUnits: 1 } },
    });
  });

  const documents = [
    { title: 'Bills', text: 'Invoices are due in thirty days.', page: 7 },
    { title: 'Tides', text: 'The tide turns at noon.', page: 3 },
  ];
  it.each(['rerank-2.5', 'rerank-v4.0-pro', 'jina-reranker-v2-base-multilingual', 'qwen3-rerank'])(
    'by the members of objects that rank_fields names: %s',
    async (model) => {
      const body = { model, query: 'When does the tide turn?', documents, return_documents: true };
      const { json } = await post('/v1/rerank', { ...body, rank_fields: ['title', 'text'] });
      const [best] = json['results'] as { index: number; document: JsonObject }[];
      expect([best?.index, best?.document]).toEqual([1, documents[1]]);
      expect(JSON.stringify(sent())).toContain(JSON.stringify('title: Tides\ntext: The tide turns at noon.'));
      await post('/v1/rerank', { ...body, rank_fields: ['page'] });
      expect(JSON.stringify(sent())).toContain('["7","3"]');
    },
  );

  it('a document without any of them is named, and nobody is asked', async () => {
    gateway().twin.requests.clear();
    const body = { model: 'rerank-2.5', query: 'tide', documents: [{ text: 'a' }, { title: 'b' }] };
    const reply = await post('/v1/rerank', { ...body, rank_fields: ['text'] });
    expect([reply.status, errorOf(reply)['param']]).toEqual([400, 'documents[1]']);
    expect(gateway().twin.requests.list({ operation: 'rerank' })).toEqual([]);
  });

  it.each(['rerank-2.5', 'rerank-v4.0-pro', 'qwen3-rerank'])('in Voyage’s words, by %s', async (model) => {
    const asked = { query: 'When does the tide turn?', documents: documents.map(({ text }) => text) };
    const body = { model, ...asked, top_k: 1, return_documents: true };
    const { json } = await post('/v1/rerank', body);
    expect(json).toMatchObject({
      object: 'list',
      data: [{ index: 1, relevance_score: expect.any(Number), document: 'The tide turns at noon.' }],
      results: [{ index: 1, document: { text: 'The tide turns at noon.' } }],
      usage: { total_tokens: expect.any(Number) },
    });
    expect(json['data']).toHaveLength(1);
    if (model === 'rerank-2.5') expect(sent()).toMatchObject({ top_k: 1 });
  });

  it.each([
    ['rerank-v4.0-fast', null],
    ['rerank-2.5', 'max_tokens_per_doc, priority'],
    ['jina-reranker-v2-base-multilingual', 'max_tokens_per_doc, priority'],
    ['bedrock/cohere-rerank-v3.5', 'priority'],
  ])('what Cohere’s clients say arrives at %s, or is named', async (model, dropped) => {
    const body = { model, query: 'tide', documents: ['a', 'b'], max_tokens_per_doc: 9, priority: 1 };
    const { status, headers } = await post('/v2/rerank', body);
    expect([status, headers.get('x-gateway-dropped')]).toEqual([200, dropped]);
  });

  it('what Voyage counted is charged, and what it has no word for is named', async () => {
    const body = {
      model: 'rerank-2.5',
      query: 'tide',
      documents: ['a', 'b'],
      max_tokens_per_doc: 9,
      truncation: false,
    };
    const { headers } = await post('/v1/rerank', body);
    expect(headers.get('x-gateway-dropped')).toBe('max_tokens_per_doc');
    expect(sent()).toMatchObject({ truncation: false });
    const [charge] = await charges();
    expect(charge?.detail.usage).toMatchObject(gateway().twin.ledger.answers('voyage').at(-1)?.billed ?? {});
  });
});

describe('every form reaches every vendor', () => {
  it('OpenAI’s SDK, which asks for base64 by itself', async () => {
    const openai = new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: gateway().testKey, maxRetries: 0 });
    for (const model of ['embed-v4.0', 'voyage-4', 'voyage-multimodal-3.5', 'jina-embeddings-v3']) {
      const { data } = await openai.embeddings.create({ model, input: [TIDE, 'Invoices are due.', 'The tide turns.'] });
      const [one = [], other = [], alike = []] = data.map(({ embedding }) => embedding);
      expect(cosine(one, alike)).toBeGreaterThan(cosine(one, other) + 0.3);
    }
  });

  it.each<readonly [model: string, told: JsonObject]>([
    ['vertex/gemini-embedding-001', { instances: [{ content: TIDE, task_type: 'RETRIEVAL_QUERY' }] }],
    ['bedrock/cohere-embed-v4', { texts: [TIDE], input_type: 'search_query' }],
    ['bedrock/titan-embed-text-v2', { inputText: TIDE }],
    ['voyage-4', { input: [TIDE], input_type: 'query' }],
    ['jina-embeddings-v4', { input: [TIDE], task: 'retrieval.query' }],
  ])('Google’s, by %s', async (model, told) => {
    const content = { parts: [{ text: TIDE }] };
    const body = { content, taskType: 'RETRIEVAL_QUERY' };
    const { status, json, headers } = await post(`/v1beta/models/${encodeURIComponent(model)}:embedContent`, body);
    expect([status, (json['embedding'] as { values: number[] }).values.length > 255]).toEqual([200, true]);
    expect(sent()).toMatchObject(told);
    expect(headers.get('x-gateway-dropped')).toBe(model.includes('titan') ? 'taskType' : null);
  });
});

it.each<readonly [path: string, body: JsonObject]>([
  ['/v2/embed', { texts: ['a'], input_type: 'search_query', file_id: 'file-x' }],
  ['/v1/embed', { texts: ['a'], file_id: 'file-x' }],
  ['/v2/embed', { inputs: [{ content: [{ type: 'image', source: { file_id: 'file-x' } }] }] }],
])('what a vendor keeps for another owner is not found: %s %j', async (path, body) => {
  const before = gateway().twin.requests.list().length;
  const reply = await post(path, { model: 'embed-v4.0', ...body });
  expect([reply.status, JSON.stringify(reply.json)]).toEqual([404, expect.stringContaining('file_id')]);
  expect(gateway().twin.requests.list()).toHaveLength(before);
});

it('Cohere’s models chat in every format, and are charged by what it counted', async () => {
  const anthropic = new Anthropic({ baseURL: gateway().url, apiKey: gateway().testKey, maxRetries: 0 });
  const ask = { model: 'command', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
  const whole = await anthropic.messages.create(ask);
  expect(whole.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/./) });
  expect(gateway().twin.requests.last()).toMatchObject({ path: '/compatibility/v1/chat/completions' });
  const streamed = await anthropic.messages
    .stream({ ...ask, thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000 })
    .finalMessage();
  expect(streamed.usage.output_tokens).toBeGreaterThan(0);
  expect(sent()).toMatchObject({
    model: 'command-a-03-2025',
    max_tokens: 2000,
    stream_options: { include_usage: true },
  });
  const [charge] = await charges();
  expect(charge?.detail.usage).toMatchObject({ outputTokens: streamed.usage.output_tokens });
});
