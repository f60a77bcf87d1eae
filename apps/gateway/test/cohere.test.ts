/** Cohere's own SDK, in its second form and in its first, over models of several vendors: reranking, and vectors. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { cosine, errorOf, useGateway } from './whole-answers.ts';

const QUERY = 'When does the tide turn?';
const DOCUMENTS = ['Invoices are due in thirty days.', 'The tide turns at noon.', 'The tide is high.'];
const { gateway, charges, post } = useGateway();
const options = (token = gateway().testKey) => ({ token, environment: gateway().url, maxRetries: 0 });
let cohere: CohereClientV2;
beforeAll(() => {
  cohere = new CohereClientV2(options());
});

describe.each(['rerank-v3.5', 'qwen3-rerank', 'jina-reranker-v2-base-multilingual'])('%s', (model) => {
  it('documents come back by their scores, as many as were asked for', async () => {
    const all = await cohere.rerank({ model, query: QUERY, documents: DOCUMENTS });
    expect(all.results.map(({ index }) => index).toSorted()).toEqual([0, 1, 2]);
    expect(all.results[0]?.index).toBe(1);
    const scores = all.results.map(({ relevanceScore }) => relevanceScore);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(all.id).toEqual(expect.any(String));
    const best = await cohere.rerank({ model, query: QUERY, documents: DOCUMENTS, topN: 1, maxTokensPerDoc: 512 });
    expect(best.results.map(({ index }) => index)).toEqual([1]);
  });

  it('its first form has documents as objects, and gives them back', async () => {
    const first = new CohereClient(options());
    const documents = DOCUMENTS.map((text) => ({ text }));
    const { results } = await first.rerank({ model, query: QUERY, documents, topN: 2, returnDocuments: true });
    expect(results.map(({ index }) => index)).toContain(1);
    expect(results.map(({ document, index }) => document?.text === DOCUMENTS[index])).toEqual([true, true]);
  });
});

it('what it used is told as Cohere tells it', async () => {
  const { meta } = await cohere.rerank({ model: 'rerank-v3.5', query: QUERY, documents: DOCUMENTS });
  expect(meta?.billedUnits?.searchUnits).toBe(1);
});

describe('refusals are the SDK’s own errors, and cost nothing', () => {
  const asked = (given: object = {}, token?: string) =>
    new CohereClientV2(options(token)).rerank({
      model: 'rerank-v3.5',
      query: QUERY,
      documents: DOCUMENTS,
      ...given,
    });
  it.each<readonly [name: string, given: object, status: number, words: RegExp]>([
    ['no documents', { documents: [] }, 400, /documents/],
    ['an empty query', { query: '' }, 400, /query/],
    ['fewer than one wanted', { topN: 0 }, 400, /top_n/],
    ['a model of another kind', { model: 'gpt-5.2' }, 400, /gpt-5\.2/],
    ['a model that there is not', { model: 'rerank-of-the-future' }, 400, /rerank-of-the-future/],
  ])('%s', async (_name, given, status, words) => {
    const before = (await charges()).length;
    const error = await asked(given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CohereError);
    expect(error).toMatchObject({ statusCode: status });
    expect(JSON.stringify((error as CohereError).body)).toMatch(words);
    expect(await charges()).toHaveLength(before);
  });

  it('a wrong key', async () => {
    await expect(asked({}, 'sk-of-a-stranger-0123456789')).rejects.toMatchObject({ statusCode: 401 });
  });
});

const TEXTS = ['The tide turns at noon.', 'At noon the tide turns.', 'Invoices are due in thirty days.'];

describe.each(['text-embedding-3-small', 'gemini-embedding-001', 'text-embedding-v4', 'bedrock/cohere-embed-v4'])(
  'vectors of %s',
  (model) => {
    it('by type, floats unless said', async () => {
      const { embeddings, texts, id } = await cohere.embed({ model, texts: TEXTS, inputType: 'search_document' });
      const [one = [], same = [], other = []] = embeddings.float ?? [];
      expect(cosine(one, same)).toBeGreaterThan(cosine(one, other) + 0.3);
      expect(Object.keys(embeddings).filter((type) => embeddings[type as 'float'] !== undefined)).toEqual(['float']);
      expect([texts, typeof id]).toEqual([TEXTS, 'string']);
    });

    it('as base64 beside them, of the length that was asked for', async () => {
      const { embeddings } = await cohere.embed({
        model,
        texts: TEXTS,
        inputType: 'search_query',
        embeddingTypes: ['float', 'base64'],
        outputDimension: 512,
      });
      const bytes = Buffer.from(embeddings.base64?.[0] ?? '', 'base64');
      expect(embeddings.float?.[0]).toHaveLength(512);
      expect(bytes.readFloatLE(0)).toBe(Math.fround(embeddings.float?.[0]?.[0] ?? 0));
      expect(bytes).toHaveLength(2048);
    });

    it('in the first form as one list, and are charged by the tokens that it tells', async () => {
      const answer = await new CohereClient(options()).embed({ model, texts: TEXTS, inputType: 'search_document' });
      expect(answer.responseType).toBe('embeddings_floats');
      expect(answer.embeddings).toHaveLength(3);
      const [charge] = await charges();
      expect(charge).toMatchObject({
        model,
        detail: { usage: { inputTokens: answer.meta?.billedUnits?.inputTokens } },
      });
    });
  },
);

it('what vectors are for is said in each vendor’s words', async () => {
  const sentFor = async (model: string, inputType: 'search_query' | 'classification') => {
    await cohere.embed({ model, texts: ['a'], inputType, embeddingTypes: ['float'] });
    return gateway().twin.requests.last()?.json;
  };
  expect(await sentFor('gemini-embedding-001', 'search_query')).toMatchObject({
    requests: [{ taskType: 'RETRIEVAL_QUERY' }],
  });
  expect(await sentFor('bedrock/cohere-embed-v4', 'classification')).toMatchObject({ input_type: 'classification' });
  const { headers } = await post('/v2/embed', {
    model: 'text-embedding-3-small',
    texts: ['a'],
    input_type: 'search_query',
    truncate: 'NONE',
  });
  expect(headers.get('x-gateway-dropped')).toMatch(/input_type.*truncate/);
});

it('several types in one answer, where the model makes them', async () => {
  const { embeddings } = await cohere.embed({
    model: 'bedrock/cohere-embed-v4',
    texts: TEXTS,
    inputType: 'search_document',
    embeddingTypes: ['int8', 'float', 'ubinary'],
    outputDimension: 256,
  });
  expect([embeddings.int8?.[2]?.length, embeddings.float?.[2]?.length, embeddings.ubinary?.[2]?.length]).toEqual([
    256, 256, 32,
  ]);
  expect(embeddings.int8?.flat().every((each) => Number.isInteger(each) && each >= -128 && each <= 127)).toBe(true);
});

describe('vectors that a model cannot make are refused, and nobody is asked', () => {
  it.each<readonly [name: string, body: JsonObject, param: string]>([
    ['a type', { texts: ['a'], embedding_types: ['float', 'int8'] }, 'embedding_types'],
    ['a picture', { images: ['data:image/png;base64,iVBORw0KGgo='] }, 'images[0]'],
    ['texts and pictures', { texts: ['a'], images: ['data:image/png;base64,iVBORw0KGgo='] }, 'texts'],
    ['a length', { texts: ['a'], output_dimension: 99_999 }, 'output_dimension'],
  ])('%s', async (_name, body, param) => {
    gateway().twin.requests.clear();
    const before = (await charges()).length;
    const reply = await post('/v2/embed', { model: 'gemini-embedding-001', ...body });
    expect([reply.status, errorOf(reply)['param']]).toEqual([400, param]);
    expect(gateway().twin.requests.list({ operation: 'embedding' })).toEqual([]);
    expect(await charges()).toHaveLength(before);
  });
});
