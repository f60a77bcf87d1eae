import {
  defined,
  EMBEDDING_QUIRKS,
  listAt,
  numberAt,
  textEmbeddings,
  usageOf,
  valueAt,
  vectorOf,
} from '@model-gateway/provider-kit';
import { vertexModel } from './addresses.ts';

/** Texts of one call: the newer models take one. */
const MOST_INPUTS = 250;

export const quirks = EMBEDDING_QUIRKS;

/** `:predict` of Google's text models (docs/wire/vertex.md#embeddings). */
export const embeddings = textEmbeddings({
  mostInputs: (model) => (model.startsWith('gemini-') ? 1 : MOST_INPUTS),
  async ask(texts, upstream, dimensions) {
    const { json } = await upstream.send({
      method: 'POST',
      path: vertexModel('google', upstream.model, 'predict', upstream.account.settings),
      json: {
        instances: texts.map((content) => ({ content })),
        parameters: defined({ outputDimensionality: dimensions }),
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
  },
});
