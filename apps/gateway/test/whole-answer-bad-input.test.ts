/** Requests for vectors, verdicts and scores that are wrong: told by field in the caller's words, no vendor asked, nothing charged. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '@model-gateway/contracts';
import { errorOf, useGateway } from './whole-answers.ts';

const { gateway, post, charges } = useGateway();
beforeEach(() => gateway().twin.requests.clear());

type Case = readonly [name: string, body: Json | string, param: string | undefined, words: RegExp];

async function refused(path: string, [, body, param, words]: Case): Promise<void> {
  const before = await charges();
  const reply = await post(path, body);
  expect(reply.status).toBe(400);
  const error = errorOf(reply);
  expect(error['message']).toMatch(words);
  if (path.startsWith('/v1beta')) {
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    if (param !== undefined) expect(JSON.stringify(error)).toContain(param);
  } else {
    expect(error['type']).toBe('invalid_request_error');
    if (param !== undefined) expect(error['param']).toBe(param);
  }
  expect(gateway().twin.requests.list()).toEqual([]);
  expect(await charges()).toEqual(before);
}

const small = (input: Json, more: object = {}): Json => ({ model: 'text-embedding-3-small', input, ...more });

describe('POST /v1/embeddings', () => {
  it.each<Case>([
    ['no JSON', '{"model": ', undefined, /JSON/],
    ['no object', [], undefined, /object/],
    ['no model', { input: 'a' }, 'model', /missing/],
    ['a model that is a number', { model: 7, input: 'a' }, 'model', /string/],
    ['an unknown model', { model: 'text-embedding-9', input: 'a' }, 'model', /not in the catalogue.*text-embedding/],
    ['a chat model', { model: 'gpt-5.2', input: 'a' }, 'model', /kind chat/],
    ['no input', { model: 'text-embedding-3-small' }, 'input', /missing/],
    ['input null', small(null), 'input', /string or an array/],
    ['input a number', small(7), 'input', /string or an array/],
    ['input an object', small({ text: 'a' }), 'input', /string or an array/],
    ['an empty list', small([]), 'input', /empty/],
    ['tokens and a text mixed', small([1, 'a']), 'input[1]', /token id/],
    ['a token that is a fraction', small([1, 1.5]), 'input[1]', /whole number/],
    ['a token below zero', small([[1, -1]]), 'input[0][1]', /whole number/],
    ['a list in a list in a list', small([[[1]]]), 'input[0][0]', /whole number/],
    ['null among texts', small(['a', null]), 'input[1]', /./],
    ['too many texts', small(Array<string>(2049).fill('a')), 'input', /2049.*at most 2048/],
    ['a text of too many tokens', small(Array<number>(8193).fill(1)), 'input', /8193 tokens.*8192/],
    ['a length that is no number', small('a', { dimensions: 'many' }), 'dimensions', /whole number/],
    ['a length of zero', small('a', { dimensions: 0 }), 'dimensions', /1 or more/],
    ['a length below zero', small('a', { dimensions: -1 }), 'dimensions', /1 or more/],
    ['a length that is a fraction', small('a', { dimensions: 1.5 }), 'dimensions', /whole number/],
    ['a length beyond the model', small('a', { dimensions: 1537 }), 'dimensions', /1 to 1536/],
    ['a length beyond all', small('a', { dimensions: 1e30 }), 'dimensions', /whole number|1 to 1536|or less/],
    [
      'a length between those it makes',
      { model: 'text-embedding-v4', input: 'a', dimensions: 100 },
      'dimensions',
      /2048, 1536, 1024/,
    ],
    ['an encoding that is a number', small('a', { encoding_format: 1 }), 'encoding_format', /./],
    ['a user that is a number', small('a', { user: 1 }), 'user', /string/],
  ])('%s', async (...given) => refused('/v1/embeddings', given));

  it('a text that is too long for the vendor is the vendor’s refusal, and not charged', async () => {
    const before = await charges();
    const reply = await post('/v1/embeddings', small('tide '.repeat(20_000)));
    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatchObject({ param: 'input', type: 'invalid_request_error' });
    expect(await charges()).toEqual(before);
  });
});

const content = (text: Json): Json => ({ parts: [{ text }] });

describe('Google’s form', () => {
  const path = '/v1beta/models/gemini-embedding-001';
  it.each<Case>([
    ['no content', {}, 'content', /missing/],
    ['a text as content', { content: 'a' }, 'content', /object/],
    ['no parts', { content: {} }, 'parts', /missing/],
    ['no part', { content: { parts: [] } }, 'parts', /1 item/],
    ['another model', { model: 'models/gemini-2.5-pro', content: content('a') }, 'model', /the model of the path/],
    ['a length of zero', { content: content('a'), outputDimensionality: 0 }, 'outputDimensionality', /1 or more/],
    ['a length in snake case', { content: content('a'), output_dimensionality: '9' }, undefined, /whole number/],
    ['a length that it does not make', { content: content('a'), outputDimensionality: 64 }, undefined, /128 to 3072/],
    ['a task that is a number', { content: content('a'), taskType: 7 }, 'taskType', /string/],
  ])('embedContent: %s', async (...given) => refused(`${path}:embedContent`, given));

  it.each<Case>([
    ['no requests', {}, 'requests', /missing/],
    ['none', { requests: [] }, 'requests', /1 item/],
    ['an object', { requests: {} }, 'requests', /array/],
    ['a text among them', { requests: [{ content: content('a') }, 'b'] }, 'requests', /object/],
    ['too many', { requests: Array<Json>(2049).fill({ content: content('a') }) }, undefined, /at most 2048/],
  ])('batchEmbedContents: %s', async (...given) => refused(`${path}:batchEmbedContents`, given));

  it('an unknown model', async () =>
    refused('/v1beta/models/gemini-embedding-999:embedContent', [
      '',
      { content: content('a') },
      undefined,
      /not in the catalogue/,
    ]));
});

describe('POST /v1/moderations', () => {
  it.each<Case>([
    ['no input', {}, 'input', /missing/],
    ['an empty list', { input: [] }, 'input', /empty/],
    ['a number', { input: 7 }, 'input', /string or an array/],
    ['numbers', { input: [1, 2] }, 'input[0]', /./],
    ['a text and a part', { input: ['a', { type: 'text', text: 'b' }] }, 'input[1]', /text like the first/],
    ['a part without a type', { input: [{ text: 'a' }] }, 'input[0].type', /text/],
    ['a part without a text', { input: [{ type: 'text' }] }, 'input[0].text', /text/],
    ['a picture without an address', { input: [{ type: 'image_url' }] }, 'input[0].image_url.url', /https/],
    [
      'a picture in a file',
      { input: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
      'input[0].image_url.url',
      /https/,
    ],
    ['too many', { input: Array<string>(2049).fill('a') }, 'input', /at most 2048/],
    ['an embedding model', { model: 'text-embedding-3-small', input: 'a' }, 'model', /kind embedding/],
    ['a model that is a number', { model: 7, input: 'a' }, 'model', /string/],
  ])('%s', async (...given) => refused('/v1/moderations', given));
});

describe('what its vendor has to judge is refused by the vendor, and not charged', () => {
  const GOOGLE = '/v1beta/models/gemini-embedding-001';
  const picture = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] } };
  it.each<readonly [name: string, path: string, body: Json]>([
    ['an empty text', '/v1/embeddings', small('')],
    ['an empty text among others', '/v1/embeddings', small(['a', ''])],
    ['an empty list of tokens', '/v1/embeddings', small([[1], []])],
    ['an object', '/v1/embeddings', small(['a', { text: 'b' }])],
    ['an encoding that nobody knows', '/v1/embeddings', small('a', { encoding_format: 'hex' })],
    ['a member that nobody knows', '/v1/embeddings', small('a', { tomorrow: null })],
    ['an empty content', `${GOOGLE}:embedContent`, { content: content('') }],
    ['a picture for a model of texts', `${GOOGLE}:embedContent`, picture],
    ['an empty content among others', `${GOOGLE}:batchEmbedContents`, { requests: [{ content: content('') }] }],
    ['an empty text to check', '/v1/moderations', { input: '' }],
    ['a part of another type', '/v1/moderations', { input: [{ type: 'audio' }] }],
  ])('%s', async (_name, path, body) => {
    const before = await charges();
    const { status } = await post(path, body);
    expect([status, gateway().twin.requests.list().length]).toEqual([400, 1]);
    expect(await charges()).toEqual(before);
  });

  it('a picture for another vendor’s model is refused before anybody is asked', () =>
    refused('/v1beta/models/text-embedding-3-small:embedContent', ['', picture, 'parts', /texts only/]));

  it('and lengths of their own for one whose answers have one', () =>
    refused('/v1beta/models/text-embedding-3-small:batchEmbedContents', [
      '',
      {
        requests: [256, 512].map((outputDimensionality) => ({ content: content('a'), outputDimensionality })),
      },
      undefined,
      /requests\[1\]\.outputDimensionality: must be the same/,
    ]));
});

const ranking = (more: object): Json => ({ model: 'qwen3-rerank', query: 'a', documents: ['b'], ...more });

describe('POST /v1/rerank', () => {
  it.each<Case>([
    ['no model', { query: 'a', documents: ['b'] }, 'model', /missing/],
    ['no query', { model: 'qwen3-rerank', documents: ['b'] }, 'query', /missing/],
    ['a query that is no text, for a vendor who takes texts', ranking({ query: { image: 'x' } }), 'query', /texts/],
    ['a query that is a list', ranking({ query: ['a'] }), 'query', /./],
    ['no documents', { model: 'qwen3-rerank', query: 'a' }, 'documents', /missing/],
    ['an empty list', ranking({ documents: [] }), 'documents', /1 item/],
    ['a text', ranking({ documents: 'b' }), 'documents', /array/],
    ['a number', ranking({ documents: ['b', 7] }), 'documents[1]', /./],
    ['an object without text', ranking({ documents: [{ title: 'b' }] }), 'documents[0]', /texts/],
    ['too many', ranking({ documents: Array<string>(501).fill('b') }), 'documents', /501.*at most 500/],
    ['top_n of zero', ranking({ top_n: 0 }), 'top_n', /1 or more/],
    ['top_n that is a fraction', ranking({ top_n: 1.5 }), 'top_n', /whole number/],
    ['top_n that is a text', ranking({ top_n: '1' }), 'top_n', /whole number/],
    [
      'return_documents that is a text',
      ranking({ return_documents: 'yes' }),
      'return_documents',
      /true, false or null/,
    ],
    ['a length of zero', ranking({ max_tokens_per_doc: 0 }), 'max_tokens_per_doc', /1 or more/],
    ['a chat model', ranking({ model: 'gpt-5.2' }), 'model', /kind chat/],
  ])('%s', async (...given) => refused('/v1/rerank', given));
});
