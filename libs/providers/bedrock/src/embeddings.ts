import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  defined,
  EMBEDDING_QUIRKS,
  listAt,
  numberAt,
  textEmbeddings,
  usageOf,
  valueAt,
  vectorOf,
  type UpstreamReply,
} from '@model-gateway/provider-kit';

/** Texts of one call of Cohere's models; Titan's take one. */
const MOST_TEXTS = 96;

export const quirks = EMBEDDING_QUIRKS;

/** Titan's and Cohere's text vectors by InvokeModel (docs/wire/bedrock.md#embeddings). */
export const embeddings = textEmbeddings({
  mostInputs: (model) => (isCohere(model) ? MOST_TEXTS : 1),
  async ask(texts, upstream, dimensions) {
    const path = `/model/${encodeURIComponent(upstream.model)}/invoke`;
    const json = isCohere(upstream.model) ? toCohere(texts, dimensions) : toTitan(texts[0] ?? '', dimensions);
    const reply = await upstream.send({ method: 'POST', path, json });
    return { vectors: vectorsIn(reply.json).map(vectorOf), usage: usageOf({ inputTokens: tokensOf(reply) }) };
  },
});

function isCohere(model: string): boolean {
  return /(?:^|[./])cohere\./.test(model);
}

function toTitan(inputText: string, dimensions: number | undefined): JsonObject {
  return defined({ inputText, dimensions });
}

function toCohere(texts: readonly string[], output_dimension: number | undefined): JsonObject {
  return defined({ texts: [...texts], input_type: 'search_document', embedding_types: ['float'], output_dimension });
}

/** One vector of Titan's; Cohere's by their type, or the list alone where no type was understood. */
function vectorsIn(json: Json | undefined): readonly (Json | undefined)[] {
  const one = valueAt(json, 'embedding');
  if (one !== undefined) return [one];
  const typed = listAt(json, 'embeddings', 'float');
  return typed.length > 0 ? typed : listAt(json, 'embeddings');
}

/** Titan counts in the answer, every model in a header. */
function tokensOf({ json, headers }: UpstreamReply): number | undefined {
  const counted = numberAt(json, 'inputTextTokenCount');
  const said = headers['x-amzn-bedrock-input-token-count'] ?? '';
  return counted ?? (/^\d+$/.test(said) ? Number(said) : undefined);
}
