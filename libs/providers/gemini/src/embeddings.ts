import {
  defined,
  EMBEDDING_QUIRKS,
  inCalls,
  listAt,
  mostInputsOf,
  numberAt,
  refuseTokens,
  usageOf,
  valueAt,
  vectorOf,
  type EmbeddingAdapter,
  type EmbeddingCreate,
  type EmbeddingInput,
} from '@model-gateway/provider-kit';
import type { JsonObject } from '@model-gateway/contracts';
import { modelPath } from './chat.ts';

/** Contents of one batch (docs/wire/embeddings.md#gemini). */
const MOST_INPUTS = 100;

/** batchEmbedContents, for one text too: it is what Google's own SDK asks (docs/wire/embeddings.md#gemini). */
export const quirks = EMBEDDING_QUIRKS;

export const embeddings: EmbeddingAdapter = {
  async embed(input, upstream) {
    refuseTokens(input);
    const { model, account } = upstream;
    const path = modelPath(model, 'batchEmbedContents', account.settings);
    const name = model.includes('/') ? model : `models/${model}`;
    const batch = input.shape === 'contents' ? input.extra : {};
    const { vectors, usage } = await inCalls(input, mostInputsOf(upstream, MOST_INPUTS), async (some) => {
      const requests = some.map((each) => requestFor(each, input, name));
      const { json } = await upstream.send({ method: 'POST', path, json: { ...batch, requests } });
      return {
        vectors: listAt(json, 'embeddings').map((each) => vectorOf(valueAt(each, 'values'))),
        usage: usageOf({ inputTokens: numberAt(json, 'usageMetadata', 'promptTokenCount') }),
      };
    });
    const dropped = input.shape === 'input' ? Object.keys(input.extra) : [];
    return { vectors, usage, dropped: input.user === undefined ? dropped : ['user', ...dropped] };
  },
};

function requestFor(
  { content, taskType, title, extra }: EmbeddingInput,
  { dimensions }: EmbeddingCreate,
  model: string,
): JsonObject {
  return {
    ...extra,
    ...defined({
      model,
      content: { parts: [{ text: content as string }] },
      taskType,
      title,
      outputDimensionality: dimensions,
    }),
  };
}
