/** What callers read of vectors: OpenAI's list, Google's `embedding` and `embeddings`. */
import type { JsonObject } from '@model-gateway/contracts';
import { base64Of, floatsOf, type EmbeddingCall, type Embeddings } from '@model-gateway/core';
import { isBase64 } from '@model-gateway/provider-kit';

type Answer = Awaited<ReturnType<Embeddings['embed']>>;

/** OpenAI's form; as its text where that is less work. */
export function embeddingListOf({ row, input }: EmbeddingCall, { vectors, usage }: Answer): JsonObject | string {
  const tokens = usage.inputTokens ?? 0;
  const rest = { model: row.code, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  if (input.encoding === 'base64' && vectors.every((vector) => typeof vector === 'string' && isBase64(vector)))
    return listOfLetters(vectors, rest);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: input.encoding === 'base64' ? base64Of(vector) : [...floatsOf(vector)],
    })),
    ...rest,
  };
}

/** The same of base64, which is most of it and need not be looked at for what JSON escapes. */
function listOfLetters(vectors: Answer['vectors'], rest: JsonObject): string {
  const items = vectors.map(
    (vector, index) => `{"object":"embedding","index":${index},"embedding":"${String(vector)}"}`,
  );
  return `{"object":"list","data":[${items.join()}],${JSON.stringify(rest).slice(1)}`;
}

/** Google's form of one vector. */
export function contentEmbeddingOf(answer: Answer): JsonObject {
  const [embedding = {}] = valuesOf(answer);
  return { embedding, usageMetadata: usageMetadataOf(answer) };
}

/** Google's form of several. */
export function contentEmbeddingsOf(answer: Answer): JsonObject {
  return { embeddings: valuesOf(answer), usageMetadata: usageMetadataOf(answer) };
}

function valuesOf({ vectors }: Answer): JsonObject[] {
  return vectors.map((vector) => ({ values: [...floatsOf(vector)] }));
}

function usageMetadataOf({ usage }: Answer): JsonObject {
  return { promptTokenCount: usage.inputTokens ?? 0 };
}
