import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  cohereVectors,
  COHERE_WORDS,
  EMBEDDING_QUIRKS,
  listAt,
  numberAt,
  ownEmbeddings,
  usageOf,
  valueAt,
  vectorOf,
  type EmbeddingReply,
  type UpstreamReply,
  type VectorType,
} from '@model-gateway/provider-kit';
import { isCohere } from './models.ts';

/** Texts of one call of Cohere's models; Titan's take one. */
const MOST_TEXTS = 96;

export const quirks = EMBEDDING_QUIRKS;

/** Titan's and Cohere's vectors by InvokeModel (docs/wire/bedrock.md#embeddings). */
export const embeddings = ownEmbeddings({
  mostInputs: (model) => (isCohere(model) ? MOST_TEXTS : 1),
  words: (model) => (isCohere(model) ? COHERE_WORDS : { dimensions: 'dimensions' }),
  async ask(inputs, upstream, settings) {
    const path = `/model/${encodeURIComponent(upstream.model)}/invoke`;
    const texts = inputs.map(({ content }) => content as string);
    const json = isCohere(upstream.model)
      ? { input_type: 'search_document', ...settings, texts }
      : { ...settings, inputText: texts[0] ?? '' };
    const reply = await upstream.send({ method: 'POST', path, json });
    return { ...vectorsIn(reply.json, settings), usage: usageOf({ inputTokens: tokensOf(reply) }) };
  },
});

/** One vector of Titan's; Cohere's by their type, or the list alone where no type was understood. */
function vectorsIn(json: Json | undefined, { embedding_types: types }: JsonObject): EmbeddingReply {
  const one = valueAt(json, 'embedding');
  if (one !== undefined) return { vectors: [vectorOf(one)] };
  const asked = Array.isArray(types) ? (types as readonly VectorType[]) : [];
  if (valueAt(json, 'embeddings', asked[0] ?? 'float') === undefined)
    return { vectors: listAt(json, 'embeddings').map(vectorOf) };
  return cohereVectors(json, asked);
}

/** Titan counts in the answer, every model in a header. */
function tokensOf({ json, headers }: UpstreamReply): number | undefined {
  const counted = numberAt(json, 'inputTextTokenCount');
  const said = headers['x-amzn-bedrock-input-token-count'] ?? '';
  return counted ?? (/^\d+$/.test(said) ? Number(said) : undefined);
}
