import { isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  COHERE_WORDS,
  cohereVectors,
  droppedOnOwnWire,
  EMBEDDING_QUIRKS,
  inCalls,
  mostInputsOf,
  numberAt,
  partsOf,
  refuseAddresses,
  refuseTokens,
  settingsIn,
  typesOf,
  usageOf,
  type EmbeddingAdapter,
  type EmbeddingCreate,
  type EmbeddingInput,
} from '@model-gateway/provider-kit';

/** Texts or inputs of one call. */
const MOST_INPUTS = 96;

export const quirks = EMBEDDING_QUIRKS;

/** `POST /v2/embed` (docs/wire/cohere.md#embeddings): a body in Cohere's form nearly as it came, any other in its words. */
export const embeddings: EmbeddingAdapter = {
  async embed(input, upstream) {
    refuseTokens(input);
    const isOwn = input.shape === 'typed';
    if (!isOwn) refuseAddresses(input);
    const { settings, dropped } = settingsIn(COHERE_WORDS, input);
    const types = typesOf(input);
    const all: JsonObject = {
      input_type: 'search_document',
      ...(isOwn && input.extra),
      ...settings,
      embedding_types: [...types],
      model: upstream.model,
    };
    const most = mostInputsOf(upstream, MOST_INPUTS);
    const { answer, ...reply } = await inCalls(input, most, async (some) => {
      const sent = { ...all, ...inputsIn(input, some) };
      const { json } = await upstream.send({ method: 'POST', path: '/v2/embed', json: sent });
      return { ...cohereVectors(json, types), usage: usageIn(json), answer: { body: besideVectors(json), items: [] } };
    });
    const isWhole = isOwn && input.inputs.length <= most;
    return {
      ...reply,
      dropped: [...dropped, ...droppedOnOwnWire(isOwn ? { ...input, extra: {} } : input)],
      ...(isWhole && answer !== undefined && { answer }),
    };
  },
};

/** Texts, pictures as the caller gave them, or inputs of both. */
function inputsIn({ shape, body }: EmbeddingCreate, some: readonly EmbeddingInput[]): JsonObject {
  if (shape === 'typed' && 'images' in body && some.every(({ parts }) => parts?.length === 1))
    return { images: some.flatMap(({ parts = [] }) => parts.flatMap((part) => ('image' in part ? part.image : []))) };
  if (some.every(({ media = [] }) => media.length === 0))
    return { texts: some.map(({ content }) => content as string) };
  return { inputs: some.map((each): Json => (shape === 'typed' && each.body) || { content: contentOf(each) }) };
}

function contentOf(input: EmbeddingInput): readonly JsonObject[] & Json {
  return partsOf(input).map((part) =>
    'text' in part ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.image } },
  );
}

/** The tokens of texts and of pictures are billed apart; ours of all inputs have both. */
function usageIn(json: Json | undefined): Usage {
  const ofTexts = numberAt(json, 'meta', 'billed_units', 'input_tokens');
  const ofPictures = numberAt(json, 'meta', 'billed_units', 'image_tokens');
  const isCounted = ofTexts !== undefined || ofPictures !== undefined;
  return usageOf({
    inputTokens: isCounted ? (ofTexts ?? 0) + (ofPictures ?? 0) : undefined,
    inputImageTokens: ofPictures,
  });
}

function besideVectors(json: Json | undefined): JsonObject {
  if (!isJsonObject(json)) return {};
  const { embeddings: _vectors, texts: _texts, response_type: _type, ...rest } = json;
  return rest;
}
