import {
  defined,
  EMBEDDING_QUIRKS,
  inCalls,
  listAt,
  mostInputsOf,
  numberAt,
  refuseMedia,
  refuseTokens,
  usageOf,
  valueAt,
  vectorOf,
  type EmbeddingAdapter,
} from '@model-gateway/provider-kit';
import { GatewayError } from '@model-gateway/contracts';
import { vertexModel } from './addresses.ts';

/** Texts of one call: the newer models take one. */
const MOST_INPUTS = 250;

export const quirks = EMBEDDING_QUIRKS;

/** `:predict` of Google's text models (docs/wire/vertex.md#embeddings). */
export const embeddings: EmbeddingAdapter = {
  async embed(input, upstream) {
    refuseTokens(input);
    if (input.shape === 'contents') {
      throw new GatewayError('invalid_request', 'this model’s vendor takes embeddings in OpenAI’s form only', {
        param: 'model',
      });
    }
    refuseMedia(input);
    const most = upstream.model.startsWith('gemini-') ? 1 : MOST_INPUTS;
    const path = vertexModel('google', upstream.model, 'predict', upstream.account.settings);
    const { vectors, usage } = await inCalls(input, mostInputsOf(upstream, most), async (some) => {
      const { json } = await upstream.send({
        method: 'POST',
        path,
        json: {
          instances: some.map(({ content }) => ({ content: content as string })),
          parameters: defined({ outputDimensionality: input.dimensions }),
        },
      });
      const items = listAt(json, 'predictions');
      return {
        vectors: items.map((each) => vectorOf(valueAt(each, 'embeddings', 'values'))),
        usage: usageOf({
          inputTokens: items.reduce<number>(
            (sum, each) => sum + (numberAt(each, 'embeddings', 'statistics', 'token_count') ?? 0),
            0,
          ),
        }),
      };
    });
    const dropped = Object.keys(input.extra);
    return { vectors, usage, dropped: input.user === undefined ? dropped : ['user', ...dropped] };
  },
};
