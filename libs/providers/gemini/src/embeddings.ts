import {
  defined,
  droppedOfTexts,
  EMBEDDING_QUIRKS,
  inCalls,
  listAt,
  mostInputsOf,
  numberAt,
  refuseMedia,
  refuseTokens,
  textAt,
  usageOf,
  valueAt,
  vectorOf,
  type EmbeddingAdapter,
  type EmbeddingCreate,
  type EmbeddingInput,
} from '@model-gateway/provider-kit';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { modelPath } from './chat.ts';

/** Contents of one batch (docs/wire/embeddings.md#gemini). */
const MOST_INPUTS = 100;

export const quirks = EMBEDDING_QUIRKS;

/** embedContent and batchEmbedContents as they came; texts in OpenAI's form as a batch, one too: it is what Google's own SDK asks (docs/wire/embeddings.md#gemini). */
export const embeddings: EmbeddingAdapter = {
  async embed(input, upstream) {
    refuseTokens(input);
    if (input.shape === 'input') refuseMedia(input);
    const { model, account } = upstream;
    const pathOf = (verb: string): string => modelPath(model, verb, account.settings);
    const name = model.includes('/') ? model : `models/${model}`;
    if (input.shape === 'contents' && !('requests' in input.body)) {
      // The path names the model; where the request does, too, they must agree.
      const json = 'model' in input.body ? { ...input.body, model: name } : input.body;
      const reply = await upstream.send({ method: 'POST', path: pathOf('embedContent'), json });
      const answer = answeredOf(reply.json, [valueAt(reply.json, 'embedding') ?? null]);
      return { ...answer, dropped: [] };
    }
    const batch = input.shape === 'contents' ? input.body : {};
    const answer = await inCalls(input, mostInputsOf(upstream, MOST_INPUTS), async (some) => {
      const requests = some.map((each) =>
        input.shape === 'contents' ? { ...each.body, model: name } : textRequest(each, input, name),
      );
      const reply = await upstream.send({
        method: 'POST',
        path: pathOf('batchEmbedContents'),
        json: { ...batch, requests },
      });
      return answeredOf(reply.json, listAt(reply.json, 'embeddings'));
    });
    if (input.shape === 'contents') return { ...answer, dropped: [] };
    const { vectors, usage } = answer;
    return { vectors, usage, dropped: droppedOfTexts(input) };
  },
};

function answeredOf(json: Json | undefined, items: readonly Json[]) {
  return {
    vectors: items.map((each) => vectorOf(valueAt(each, 'values'))),
    usage: usageOf({
      inputTokens: numberAt(json, 'usageMetadata', 'promptTokenCount'),
      inputImageTokens: tokensOf(json, 'IMAGE'),
      inputAudioTokens: tokensOf(json, 'AUDIO'),
    }),
    answer: {
      body: isJsonObject(json) ? json : {},
      items: items.filter(isJsonObject).map((each) => without(each, 'values')),
    },
  };
}

function tokensOf(json: Json | undefined, modality: string): number | undefined {
  const details = listAt(json, 'usageMetadata', 'promptTokensDetails');
  return numberAt(
    details.find((each) => textAt(each, 'modality') === modality),
    'tokenCount',
  );
}

function without(request: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([each]) => each !== name));
}

function textRequest({ content }: EmbeddingInput, { dimensions }: EmbeddingCreate, model: string): JsonObject {
  return defined({
    model,
    content: { parts: [{ text: content as string }] },
    outputDimensionality: dimensions,
  });
}
