/** What callers read of vectors: OpenAI's list, Google's `embedding` and `embeddings`, Cohere's lists by type, with whatever a vendor of the same wire says beside. */
import { isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import { base64Of, numbersOf, type EmbeddingCall, type Embeddings } from '@model-gateway/core';
import { isBase64, type VectorType } from '@model-gateway/provider-kit';

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
  const [type = 'float'] = input.types ?? [];
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
      embedding: input.encoding === 'base64' ? base64Of(vector, type) : (numbersOf(vector, type) as number[]),
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

/** Cohere's form: a list for each type that was asked for, in whichever vendor's words; of its first version, where none was, floats alone. */
export function typedEmbeddingsOf({ caller, input }: EmbeddingCall, answer: Answer, isFirst: boolean): JsonObject {
  const { embedding_types: asked, texts } = input.body;
  const made: readonly string[] = input.types ?? ['float'];
  const named = Array.isArray(asked) ? asked.map(String) : [];
  // Words that name what was not made, and an empty list, hide nothing of what is paid.
  const isSaid = named.length > 0 && named.every((word) => word === 'base64' || made.includes(word));
  const words = isSaid ? named : made;
  const isFloats = isFirst && !isSaid && input.types === undefined;
  const { meta, ...more } = answer.answer?.body ?? {};
  return {
    id: `embed-${caller.requestId}`,
    ...(Array.isArray(texts) && { texts }),
    ...more,
    embeddings: isFloats
      ? listOf(answer, 'float')
      : Object.fromEntries(words.map((word) => [word, listOf(answer, word, input.types)])),
    meta: typedMetaOf(answer.usage, meta, isFirst),
    response_type: isFloats ? 'embeddings_floats' : 'embeddings_by_type',
  };
}

function listOf({ vectors, further = {} }: Answer, word: string, types: readonly VectorType[] = ['float']): Json[] {
  const type = word === 'base64' ? 'float' : (word as VectorType);
  const list = type === types[0] ? vectors : (further[type] ?? []);
  return list.map((vector) => (word === 'base64' ? base64Of(vector) : (numbersOf(vector, type) as number[])));
}

function typedMetaOf({ inputTokens = 0, inputImageTokens }: Usage, said: Json | undefined, isFirst: boolean): Json {
  const { billed_units, ...meta } = objectIn(said);
  const units = {
    input_tokens: inputTokens - (inputImageTokens ?? 0),
    ...(inputImageTokens !== undefined && { image_tokens: inputImageTokens }),
    ...objectIn(billed_units),
  };
  return { api_version: { version: isFirst ? '1' : '2' }, ...meta, billed_units: units };
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
  return vectors.map((vector, index) => ({ ...answer?.items[index], values: numbersOf(vector) as number[] }));
}

function usageMetadataOf({ usage, answer }: Answer): Json {
  return { promptTokenCount: usage.inputTokens ?? 0, ...objectIn(answer?.body['usageMetadata']) };
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
