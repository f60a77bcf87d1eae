/** One setting has many names: what vendors call it. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { EmbeddingCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { embeddingsOfContents, embeddingsOfInput, embeddingsOfTexts } from './embedding-body.ts';
import { mostOfEmbeddings } from './embeddings.ts';

const rowOf = (limits: JsonObject): ModelRow => ({ code: 'm', limits }) as unknown as ModelRow;
const ROW = rowOf({});
const read = (body: JsonObject): EmbeddingCreate => embeddingsOfInput({ input: 'a', ...body }, ROW);
const PNG = 'iVBORw0KGgoAAAANSUhEUg==';

describe('settings in the words of any vendor', () => {
  it.each<readonly [body: JsonObject, means: Partial<EmbeddingCreate>]>([
    [{ output_dimension: 256 }, { dimensions: 256 }],
    [{ dimensions: 256, output_dimension: 256 }, { dimensions: 256 }],
    [{ output_dtype: 'int8' }, { types: ['int8'], encoding: 'float' }],
    [
      { output_dtype: 'int8', encoding_format: 'base64' },
      { types: ['int8'], encoding: 'base64' },
    ],
    [
      { output_dtype: 'binary', encoding_format: 'float' },
      { types: ['binary'], encoding: 'float' },
    ],
    [{ encoding_format: 'ubinary' }, { types: ['ubinary'], encoding: 'float' }],
    [{ embedding_type: 'base64' }, { encoding: 'base64' }],
    [{ embedding_type: ['float', 'binary'] }, { types: ['float', 'binary'] }],
    [{ input_type: 'query' }, { purpose: 'query' }],
    [{ input_type: 'passage' }, { purpose: 'document' }],
    [{ input_type: 'search_document' }, { purpose: 'document' }],
    [{ task: 'retrieval.query' }, { purpose: 'query' }],
    [{ task: 'separation' }, { purpose: 'clustering' }],
    [{ text_type: 'query' }, { purpose: 'query' }],
    [{ truncation: false }, { truncate: 'none' }],
    [{ truncate: 'START' }, { truncate: 'start' }],
    [{ late_chunking: true }, { lateChunking: true }],
  ])('%j', (body, means) => {
    const create = read(body);
    expect(create).toMatchObject({ ...means, extra: {} });
  });

  it('floats are what there is without a word, and not a type that was asked for', () => {
    for (const body of [{}, { output_dtype: 'float' }, { encoding_format: 'float' }, { output_dtype: null }])
      expect(read(body)).not.toHaveProperty('types');
  });

  it('what nobody understands is the vendor’s affair', () => {
    expect(
      read({ input_type: 'image', task: 'nl2code.query', output_dtype: 'int4', truncate: 'MIDDLE' }),
    ).toMatchObject({
      extra: { input_type: 'image', task: 'nl2code.query', output_dtype: 'int4', truncate: 'MIDDLE' },
    });
  });

  it.each<readonly [body: JsonObject, param: string]>([
    [{ dimensions: 256, output_dimension: 512 }, 'output_dimension'],
    [{ embedding_type: 'binary', output_dtype: 'int8' }, 'output_dtype'],
    [{ output_dimension: 0 }, 'output_dimension'],
  ])('%j contradicts itself', (body, param) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param }) }),
    );
  });

  it('a type that the row’s model does not make is refused by the name that the caller used', () => {
    const row = rowOf({ embedding_types: ['float', 'int8'] });
    expect(embeddingsOfInput({ input: 'a', output_dtype: 'int8' }, row).types).toEqual(['int8']);
    expect(() => embeddingsOfInput({ input: 'a', output_dtype: 'binary' }, row)).toThrow(/output_dtype.*float, int8/);
    expect(() => embeddingsOfTexts({ texts: ['a'], embedding_types: ['ubinary'] }, row)).toThrow(/embedding_types/);
  });

  it('one task of all Google contents is what they are for, several are not', () => {
    const content = { content: { parts: [{ text: 'a' }] } };
    const query = { ...content, taskType: 'RETRIEVAL_QUERY' };
    expect(embeddingsOfContents({ requests: [query, query] }, ROW).purpose).toBe('query');
    expect(embeddingsOfContents({ requests: [query, content] }, ROW)).not.toHaveProperty('purpose');
  });
});

describe('pictures', () => {
  const url = 'https://pictures.example/a.png';
  const data = `data:image/png;base64,${PNG}`;
  it.each<readonly [item: JsonObject, parts: unknown]>([
    [{ image: url }, [{ image: url }]],
    [{ image: PNG }, [{ image: data }]],
    [{ text: 'a', image: data }, [{ text: 'a' }, { image: data }]],
    [{ type: 'image_url', image_url: { url } }, [{ image: url }]],
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: url },
        ],
      },
      [{ text: 'a' }, { image: url }],
    ],
    [{ content: [{ type: 'image_base64', image_base64: data }] }, [{ image: data }]],
  ])('%j is understood', (item, parts) => {
    const [input] = read({ input: [item] }).inputs;
    expect(input).toMatchObject({ parts, media: [{ param: 'input[0]', mime: expect.stringMatching(/^image\//) }] });
  });

  it.each<JsonObject>([
    { video: url },
    { image: 'not an image' },
    { image: url, crop: 1 },
    { content: [{ audio: url }] },
    {},
  ])('%j goes to who takes it, or to nobody', (item) => {
    const [input] = read({ input: [item] }).inputs;
    expect(input).toMatchObject({ body: item, media: [{ mime: '' }] });
    expect(input).not.toHaveProperty('parts');
  });

  it('a text in an object is a text', () => {
    const [input] = read({ input: [{ type: 'text', text: 'a' }] }).inputs;
    expect(input).toMatchObject({ content: 'a', media: [] });
    expect(input).not.toHaveProperty('parts');
  });

  it('count for what the row says that one has at most', () => {
    const { inputs } = read({ input: [{ text: 'abc', image: data }] });
    const used = mostOfEmbeddings({ inputs }, rowOf({ max_input_tokens: 128_000, max_image_tokens: 16_000 }));
    expect(used.inputImageTokens).toBe(16_000);
    expect(used.inputTokens).toBeGreaterThan(16_000);
    expect(used.inputTokens).toBeLessThan(17_000);
  });
});

describe('Cohere’s form', () => {
  it.each<readonly [body: JsonObject, contents: readonly string[]]>([
    [{ texts: ['a', 'b'] }, ['a', 'b']],
    [{ inputs: [{ content: [{ type: 'text', text: 'a' }] }], texts: null }, ['a']],
    [{ images: [`data:image/png;base64,${PNG}`], texts: [] }, ['']],
  ])('%j', (body, contents) => {
    expect(embeddingsOfTexts(body, ROW).inputs.map(({ content }) => content)).toEqual(contents);
  });

  it.each<JsonObject>([{}, { texts: [] }, { texts: ['a'], images: ['b'] }, { texts: [1] }, { inputs: [1] }])(
    '%j is refused',
    (body) => {
      expect(() => embeddingsOfTexts(body, ROW)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );
});
