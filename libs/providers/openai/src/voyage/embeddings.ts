import type { JsonObject } from '@model-gateway/contracts';
import {
  EMBEDDING_QUIRKS,
  listAt,
  numberAt,
  openAiEmbeddings,
  ownEmbeddings,
  partsOf,
  usageOf,
  valueAt,
  vectorOf,
  type EmbeddingAdapter,
  type EmbeddingInput,
  type EmbeddingWords,
} from '@model-gateway/provider-kit';

const MOST_INPUTS = 1000;

export const quirks = EMBEDDING_QUIRKS;

const WORDS: EmbeddingWords = {
  dimensions: 'output_dimension',
  purpose: {
    name: 'input_type',
    values: { query: 'query', question: 'query', fact: 'query', code: 'query', document: 'document' },
  },
  truncate: { name: 'truncation', values: { none: false, end: true } },
};

const ofTexts = openAiEmbeddings({
  path: '/embeddings',
  mostInputs: () => MOST_INPUTS,
  takes: { tokens: false, base64: true, user: false },
  words: () => ({
    ...WORDS,
    types: {
      name: 'output_dtype',
      values: { float: 'float', int8: 'int8', uint8: 'uint8', binary: 'binary', ubinary: 'ubinary' },
    },
  }),
  namesFloats: false,
});

const ofPictures = ownEmbeddings({
  mostInputs: () => MOST_INPUTS,
  words: () => WORDS,
  takesPictures: () => true,
  async ask(inputs, upstream, settings) {
    const { json } = await upstream.send({
      method: 'POST',
      path: '/multimodalembeddings',
      json: { ...settings, inputs: inputs.map((each) => ({ content: contentOf(each) })), model: upstream.model },
    });
    const total = numberAt(json, 'usage', 'total_tokens');
    const texts = numberAt(json, 'usage', 'text_tokens');
    return {
      vectors: listAt(json, 'data').map((each) => vectorOf(valueAt(each, 'embedding'))),
      usage: usageOf({
        inputTokens: total,
        inputImageTokens: total === undefined || texts === undefined ? undefined : Math.max(0, total - texts),
      }),
    };
  },
});

/** `POST /embeddings`, and of the models that read pictures `POST /multimodalembeddings` (docs/wire/voyage.md#embeddings). */
export const embeddings: EmbeddingAdapter = {
  embed: (input, upstream) => (upstream.model.includes('multimodal') ? ofPictures : ofTexts).embed(input, upstream),
};

function contentOf(input: EmbeddingInput): JsonObject[] {
  return partsOf(input).map((part) => {
    if ('text' in part) return { type: 'text', text: part.text };
    return part.image.startsWith('data:')
      ? { type: 'image_base64', image_base64: part.image }
      : { type: 'image_url', image_url: part.image };
  });
}
