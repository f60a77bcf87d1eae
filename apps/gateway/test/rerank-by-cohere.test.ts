/** Reranking by Cohere's own SDK, in its second form and in its first, over models of three vendors. */
import { beforeAll, describe, expect, it } from 'vitest';
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { useGateway } from './whole-answers.ts';

const QUERY = 'When does the tide turn?';
const DOCUMENTS = ['Invoices are due in thirty days.', 'The tide turns at noon.', 'The tide is high.'];
const { gateway, charges } = useGateway();
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
