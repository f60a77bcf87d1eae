/** What callers read of vectors: OpenAI's list, Google's `embedding` and `embeddings`, with whatever a vendor of the same wire says beside. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { base64Of, floatsOf, type EmbeddingCall, type Embeddings } from '@model-gateway/core';
import { isBase64 } from '@model-gateway/provider-kit';

type Answer = Awaited<ReturnType<Embeddings['embed']>>;

/** More letters are written piece by piece. */
const MOST_LETTERS = 1024 * 1024;

/** OpenAI's form; as its text where that is less work. */
export function embeddingListOf(
  { row, input }: EmbeddingCall,
  { vectors, usage, answer }: Answer,
): JsonObject | string {
  const tokens = usage.inputTokens ?? 0;
  const { data: _data, usage: said, ...more } = answer?.body ?? {};
  const rest = {
    ...more,
    model: row.code,
    usage: { prompt_tokens: tokens, total_tokens: tokens, ...(isJsonObject(said) ? said : {}) },
  };
  const itemOf = (index: number): JsonObject => ({ object: 'embedding', ...answer?.items[index], index });
  if (vectors.length === 0)
    return { object: 'list', ...rest, data: (answer?.items ?? []).map((_item, index) => itemOf(index)) };
  const [first] = vectors;
  const letters = typeof first === 'string' ? vectors.length * first.length : 0;
  if (
    input.encoding === 'base64' &&
    letters <= MOST_LETTERS &&
    vectors.every((vector) => typeof vector === 'string' && isBase64(vector))
  )
    return listOfLetters(vectors, itemOf, rest);
  return {
    object: 'list',
    ...rest,
    data: vectors.map((vector, index) => ({
      ...itemOf(index),
      embedding: input.encoding === 'base64' ? base64Of(vector) : (floatsOf(vector) as number[]),
    })),
  };
}

/** The same of base64, which is most of it and need not be looked at for what JSON escapes. */
function listOfLetters(vectors: Answer['vectors'], itemOf: (index: number) => JsonObject, rest: JsonObject): string {
  const items = vectors.map(
    (vector, index) => `${JSON.stringify(itemOf(index)).slice(0, -1)},"embedding":"${String(vector)}"}`,
  );
  return `{"object":"list","data":[${items.join()}],${JSON.stringify({ ...rest, object: undefined }).slice(1)}`;
}

/** Google's form of one vector. */
export function contentEmbeddingOf(answer: Answer): JsonObject {
  const [embedding = {}] = valuesOf(answer);
  return { ...answer.answer?.body, embedding, usageMetadata: usageMetadataOf(answer) };
}

/** Google's form of several. */
export function contentEmbeddingsOf(answer: Answer): JsonObject {
  return { ...answer.answer?.body, embeddings: valuesOf(answer), usageMetadata: usageMetadataOf(answer) };
}

function valuesOf({ vectors, answer }: Answer): JsonObject[] {
  return vectors.map((vector, index) => ({ ...answer?.items[index], values: floatsOf(vector) as number[] }));
}

function usageMetadataOf({ usage, answer }: Answer): Json {
  return { promptTokenCount: usage.inputTokens ?? 0, ...objectIn(answer?.body['usageMetadata']) };
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
