/** OpenAI's wire of vectors, as servers answer it that are not OpenAI. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { EmbeddingCreate } from '@model-gateway/provider-kit';
import { startScriptedVendor, type ScriptedVendor } from '@model-gateway/testing';
import { embeddings } from './embeddings.ts';
import { openai } from './openai.ts';

let vendor: ScriptedVendor | undefined;
afterEach(() => vendor?.close());

const asked = (given: Partial<EmbeddingCreate> = {}, count = 2): EmbeddingCreate => {
  const inputs =
    given.inputs ??
    Array.from({ length: count }, (_, index) => ({ content: `text ${index}`, param: `input[${index}]` }));
  return {
    shape: 'input',
    body: { model: 'code', input: inputs.map(({ content }) => content as Json), ...given.body },
    inputs,
    encoding: 'float',
    extra: {},
    ...given,
  };
};
/** What is told of an answer without anything of its own. */
const PLAIN = { dropped: [], answer: expect.anything() as unknown };

async function embed(input: EmbeddingCreate, json: Json, quirks: JsonObject = {}) {
  vendor = await startScriptedVendor(() => ({ json }));
  const upstream = { ...vendor.upstream(openai, { model: 'm' }), quirks };
  const reply = await embeddings.embed(input, upstream);
  return { reply, sent: vendor.requests.map(({ json: body }) => body as JsonObject) };
}

describe('the answer', () => {
  it('is put into the order of its indexes', async () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    const { reply } = await embed(asked(), { data, usage: { total_tokens: 7 } });
    expect(reply).toEqual({ ...PLAIN, vectors: [[1], [2]], usage: { inputTokens: 7 } });
  });

  it('keeps what the server says beside its vectors', async () => {
    const data = [
      { index: 1, embedding: [2], note: 'b' },
      { index: 0, embedding: [1] },
    ];
    const { reply } = await embed(asked(), { id: 'e-1', data, usage: { total_tokens: 7 } });
    expect(reply.answer?.body).toMatchObject({ id: 'e-1', usage: { total_tokens: 7 } });
    expect(reply.answer?.items).toEqual([{ index: 0 }, { index: 1, note: 'b' }]);
  });

  it('in a form that only the server knows passes as it came', async () => {
    const input = asked({
      body: { model: 'code', input: ['a', 'b'], output_dtype: 'int8' },
      extra: { output_dtype: 'int8' },
    });
    const data = [
      { index: 0, embedding: { int8: [1, -2] } },
      { index: 1, sparse: { 7: 0.5 } },
    ];
    const { reply } = await embed(input, { data });
    expect([reply.vectors, reply.answer?.items]).toEqual([[], data]);
  });

  it('without indexes is in the order it came, without usage has none', async () => {
    const { reply } = await embed(asked(), { data: [{ embedding: [1] }, { embedding: 'AACAPw==' }] });
    expect(reply).toEqual({ ...PLAIN, vectors: [[1], 'AACAPw=='], usage: {} });
  });

  it.each<readonly [string, Json]>([
    ['no list', { data: {} }],
    ['too few', { data: [{ index: 0, embedding: [1] }] }],
    [
      'one twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      },
    ],
    [
      'a place far away',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 4_000_000_000, embedding: [1] },
        ],
      },
    ],
    [
      'a place before the first',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: -1, embedding: [1] },
        ],
      },
    ],
    ['an item that is none', { data: [7, { embedding: [1] }] }],
    ['a vector that is none', { data: [{ embedding: [1] }, { embedding: { 0: 1 } }] }],
  ])('with %s is malformed', async (_name, json) => {
    await expect(embed(asked(), json)).rejects.toMatchObject({ code: 'upstream_malformed' });
  });
});

describe('the request', () => {
  const answer = (count: number): Json => ({ data: Array.from({ length: count }, () => ({ embedding: [1] })) });

  it('has what the caller said, and base64 only where it is wanted and known', async () => {
    const said = {
      encoding_format: 'base64',
      input: 'text 0',
      user: 'u',
      dimensions: 1,
      tomorrow: null,
      model: 'code',
    };
    const input = asked({ body: said, encoding: 'base64', user: 'u', dimensions: 1, extra: { tomorrow: null } }, 1);
    const [sent] = (await embed(input, answer(1))).sent;
    expect(JSON.stringify(sent)).toBe(JSON.stringify({ ...said, model: 'm' }));
    await vendor?.close();
    expect((await embed(input, answer(1), { base64: false })).sent[0]).not.toHaveProperty('encoding_format');
    await vendor?.close();
    expect((await embed(asked({}, 1), answer(1))).sent).toEqual([{ model: 'm', input: ['text 0'] }]);
  });

  it('is several where an offer says how many texts a call may have', async () => {
    const { sent, reply } = await embed(asked({}, 4), answer(2), { max_inputs: 2 });
    expect(sent.map(({ input }) => input)).toEqual([
      ['text 0', 'text 1'],
      ['text 2', 'text 3'],
    ]);
    expect(reply.vectors).toHaveLength(4);
    // One of several calls without a count leaves none.
    expect(reply.usage).toEqual({});
  });

  it('token ids are refused where the model has another tokenizer', async () => {
    const input = asked({ inputs: [{ content: [1, 2], param: 'input' }] });
    await expect(embed(input, answer(1), { token_ids: false })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'input' },
    });
    expect(vendor?.requests).toEqual([]);
  });

  it('names what Google’s form says besides', async () => {
    const inputs = [
      { content: 'a', taskType: 'CLUSTERING', title: 'T', extra: { autoTruncate: true }, param: 'content' },
    ];
    const { reply, sent } = await embed(asked({ shape: 'contents', inputs, extra: { own: 1 } }), answer(1));
    expect(reply.dropped).toEqual(['own', 'taskType', 'title', 'autoTruncate']);
    expect(sent).toEqual([{ model: 'm', input: ['a'] }]);
  });
});
