/** Moderation with OpenAI's SDK, and reranking in the forms of Cohere and Jina, through the running gateway. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { PIXEL } from '@model-gateway/testing';
import type { TwinVendor } from '@model-gateway/vendor-twin';
import OpenAI from 'openai';
import { useGateway } from './whole-answers.ts';

const PRICED = `models:
  - { code: paid-moderation, kind: moderation, price: { input: 1 }, limits: { inputs: [text] }, offers: [{ account: openai, model: omni-moderation-latest }] }`;
const NARROW = 'sk-test-narrow-0123456789abcdef01';
const { gateway, post, charges } = useGateway({
  yaml: PRICED,
  keys: `  - { name: narrow, key: ${NARROW}, owner: 3, models: [gpt-5.2] }`,
});
let openai: OpenAI;
beforeAll(() => {
  openai = new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: gateway().testKey, maxRetries: 0 });
});
const sent = () => gateway().twin.requests.last()?.json as JsonObject;

describe('moderation', () => {
  it('a text has a result, by name and without one', async () => {
    const harmless = await openai.moderations.create({ model: 'omni-moderation-latest', input: 'The tide turns.' });
    expect(harmless).toMatchObject({ model: 'omni-moderation-latest', results: [{ flagged: false }] });
    const { model, results } = await openai.moderations.create({ input: 'I will stab you.' });
    expect(model).toBe('omni-moderation-latest');
    expect(results[0]?.categories.violence).toBe(true);
    expect(results[0]?.category_scores.violence).toBeGreaterThan(0.5);
  });

  it('texts have one each, in their order; parts have one together', async () => {
    const { results } = await openai.moderations.create({ input: ['The tide turns.', 'You idiot.', 'Good night.'] });
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true, false]);
    const url = `data:image/png;base64,${PIXEL}`;
    const parts = await openai.moderations.create({
      model: 'omni-moderation-2024-09-26',
      input: [
        { type: 'text', text: 'Our harbour.' },
        { type: 'image_url', image_url: { url } },
      ],
    });
    expect(parts.results).toHaveLength(1);
    expect(parts.results[0]?.category_applied_input_types.violence).toEqual(['text', 'image']);
    expect(sent()).toEqual({
      model: 'omni-moderation-latest',
      input: [
        { type: 'text', text: 'Our harbour.' },
        { type: 'image_url', image_url: { url } },
      ],
    });
  });

  it('is free where its price is 0, and paid by estimated tokens where it is not', async () => {
    const free = await post('/v1/moderations', { input: 'The tide turns.' });
    expect(free.headers.get('x-gateway-estimated')).toBeNull();
    expect(await charges()).not.toContainEqual(
      expect.objectContaining({ model: 'omni-moderation-latest', amount: expect.not.closeTo(0) }),
    );
    const paid = await post('/v1/moderations', { model: 'paid-moderation', input: 'tide '.repeat(400) });
    expect(paid.headers.get('x-gateway-estimated')).toBe('true');
    const [charge] = await charges();
    const { inputTokens } = charge?.detail.usage as { inputTokens: number };
    expect(inputTokens).toBeGreaterThan(300);
    expect(charge).toMatchObject({ model: 'paid-moderation', amount: -Math.round(inputTokens / 2) });
  });

  it('without a model it is the usual one that is quoted, and that a key must be allowed', async () => {
    const quote = await post('/v1/estimate', { endpoint: '/v1/moderations', body: { input: 'The tide turns.' } });
    expect(quote.json).toMatchObject({ model: 'omni-moderation-latest', quota: 0 });
    const headers = { authorization: `Bearer ${NARROW}` };
    expect((await post('/v1/moderations', { input: 'The tide turns.' }, headers)).status).toBe(403);
  });
});

interface Row {
  readonly model: string;
  readonly vendor: TwinVendor;
  readonly units: (usage: JsonObject) => number;
}
const MODELS: readonly Row[] = [
  { model: 'qwen3-rerank', vendor: 'dashscope', units: ({ inputTokens }) => Number(inputTokens) * 0.1 * 0.5 },
  { model: 'gte-rerank-v2', vendor: 'dashscope', units: ({ inputTokens }) => Number(inputTokens) * 0.115 * 0.5 },
  { model: 'rerank-v3.5', vendor: 'cohere', units: ({ searchUnits }) => Number(searchUnits) * 1000 },
  {
    model: 'jina-reranker-v2-base-multilingual',
    vendor: 'jina',
    units: ({ inputTokens }) => Number(inputTokens) * 0.02 * 0.5,
  },
];
const QUERY = 'When does the tide turn?';
const DOCUMENTS = ['Invoices are due in thirty days.', 'The tide will turn at noon.', 'When in doubt, ask.'];

describe.each(MODELS)('rerank by $model', ({ model, vendor, units }) => {
  interface Result {
    readonly index: number;
    readonly relevance_score: number;
    readonly document?: JsonObject;
  }
  const resultsOf = (json: JsonObject) => json['results'] as unknown as Result[];

  it('sorts, the best first, and gives nothing back that was not asked for', async () => {
    const { status, json } = await post('/v1/rerank', { model, query: QUERY, documents: DOCUMENTS });
    expect(status).toBe(200);
    const results = resultsOf(json);
    expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
    expect(results[0]?.index).toBe(1);
    const scores = results.map(({ relevance_score: score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(results.some((each) => 'document' in each)).toBe(false);
    expect(json).toMatchObject({ id: expect.stringMatching(/.+/), model });
  });

  it('top_n, and documents back as they were written: texts as {text}, objects whole', async () => {
    const documents = [{ text: DOCUMENTS[0] ?? '', page: 7 }, DOCUMENTS[1] ?? '', { text: 'Else.', page: 9 }];
    const { json } = await post('/v1/rerank', { model, query: QUERY, documents, top_n: 2, return_documents: true });
    const results = resultsOf(json);
    expect(results).toHaveLength(2);
    for (const { index, document } of results) {
      const given = documents[index] ?? '';
      expect(document).toEqual(typeof given === 'string' ? { text: given } : given);
    }
    const asked = JSON.stringify(sent());
    expect(asked).toContain(`["${DOCUMENTS[0]}","${DOCUMENTS[1]}","Else."]`);
    expect(asked).not.toContain('page');
  });

  it('is charged as its row says, by what its vendor counted', async () => {
    const documents = Array.from({ length: 120 }, (_, index) => `Document ${index} says when the tide turns at noon.`);
    const { json, headers } = await post('/v1/rerank', { model, query: QUERY, documents });
    const [charge] = await charges();
    const billed = gateway().twin.ledger.answers(vendor).at(-1)?.billed ?? {};
    expect(charge?.detail.usage).toMatchObject(billed);
    expect(charge?.amount).toBe(-Math.round(units(charge?.detail.usage ?? {})));
    expect(json).toMatchObject({
      meta: { billed_units: { search_units: 2 } },
      usage: { total_tokens: charge?.detail.usage['inputTokens'] },
    });
    expect(headers.get('x-gateway-estimated')).toBeNull();
    const quote = await post('/v1/estimate', { endpoint: '/v1/rerank', body: { model, query: QUERY, documents } });
    expect(quote.json['quota']).toBeGreaterThanOrEqual(-(charge?.amount ?? 0));
  });
});

it('Cohere’s second path is the same operation', async () => {
  const body = { model: 'rerank-v3.5', query: QUERY, documents: DOCUMENTS };
  const [first, second] = [await post('/v1/rerank', body), await post('/v2/rerank', body)];
  expect(second.status).toBe(200);
  expect(second.json['results']).toEqual(first.json['results']);
});

it('settings arrive where there are such and are named where there are none', async () => {
  const body = { query: QUERY, documents: DOCUMENTS, max_tokens_per_doc: 100, instruct: 'Rank by tide.' };
  const cohere = await post('/v1/rerank', { model: 'rerank-v3.5', ...body, instruct: undefined as never });
  expect(cohere.headers.get('x-gateway-dropped')).toBeNull();
  expect(sent()).toMatchObject({ max_tokens_per_doc: 100 });
  const qwen = await post('/v1/rerank', { model: 'qwen3-rerank', ...body });
  expect(qwen.headers.get('x-gateway-dropped')).toMatch(/^max_tokens_per_doc/);
  expect(sent()).toMatchObject({ parameters: { instruct: 'Rank by tide.' } });
});
