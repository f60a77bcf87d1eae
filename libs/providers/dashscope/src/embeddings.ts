import {
  EMBEDDING_QUIRKS,
  listAt,
  numberAt,
  openAiEmbeddings,
  ownEmbeddings,
  usageOf,
  valueAt,
  vectorOf,
  type EmbeddingAdapter,
  type EmbeddingCreate,
  type EmbeddingPurpose,
  type EmbeddingWord,
} from '@model-gateway/provider-kit';
import { isJsonObject } from '@model-gateway/contracts';
import { COMPATIBLE } from './chat.ts';

export const quirks = EMBEDDING_QUIRKS;

/** The first two generations take 25 texts at once, later ones 10. */
const mostInputs = (model: string): number => (/-v[12]$/.test(model) ? 25 : 10);
/** What the native path takes beside what everybody has. */
const INSTRUCTION = 'instruct';
/** What the native path calls the purposes that it has words for. */
const PURPOSES: EmbeddingWord<EmbeddingPurpose> = {
  name: 'text_type',
  values: { query: 'query', question: 'query', fact: 'query', code: 'query', document: 'document' },
};

const compatible = openAiEmbeddings({
  path: `${COMPATIBLE}/embeddings`,
  mostInputs,
  takes: { tokens: false, base64: false, user: false },
  words: () => ({ dimensions: 'dimensions' }),
});

const native = ownEmbeddings({
  mostInputs,
  words: () => ({
    dimensions: 'dimension',
    purpose: PURPOSES,
    sparse: { name: 'output_type', values: { only: 'sparse', beside: 'dense&sparse' } },
  }),
  knows: [INSTRUCTION],
  async ask(inputs, upstream, parameters) {
    const { json } = await upstream.send({
      method: 'POST',
      path: '/services/embeddings/text-embedding/text-embedding',
      json: { model: upstream.model, input: { texts: inputs.map(({ content }) => content as string) }, parameters },
    });
    const items = listAt(json, 'output', 'embeddings')
      .filter(isJsonObject)
      .toSorted((one, other) => (numberAt(one, 'text_index') ?? 0) - (numberAt(other, 'text_index') ?? 0));
    const isSparse = parameters['output_type'] === 'sparse';
    return {
      vectors: isSparse ? [] : items.map((each) => vectorOf(valueAt(each, 'embedding'))),
      usage: usageOf({ inputTokens: numberAt(json, 'usage', 'total_tokens') }),
      answer: {
        body: {},
        items: items.map(({ sparse_embedding: sparse }) => ({
          ...(isSparse && { embedding: [] }),
          ...(sparse !== undefined && { sparse_embedding: sparse }),
        })),
      },
    };
  },
});

/** Text vectors in compatible mode, and on the native path what that alone has (docs/wire/embeddings.md#dashscope). */
export const embeddings: EmbeddingAdapter = {
  embed: (input, upstream) => (isNative(input) ? native : compatible).embed(input, upstream),
};

function isNative({ purpose, sparse, extra }: EmbeddingCreate): boolean {
  const isNamed = purpose !== undefined && purpose in PURPOSES.values;
  return isNamed || sparse !== undefined || INSTRUCTION in extra;
}
