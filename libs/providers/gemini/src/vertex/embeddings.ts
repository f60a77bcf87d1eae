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
    const counts = items.map((each) => numberAt(each, 'embeddings', 'statistics', 'token_count'));
    return {
      vectors: items.map((each) => vectorOf(valueAt(each, 'embeddings', 'values'))),
      // Where one is not counted, the whole is not.
      usage: usageOf({ inputTokens: counts.reduce((sum, each) => addKnown(sum, each), 0) }),
    };
  },
});

function addKnown(sum: number | undefined, count: number | undefined): number | undefined {
  return sum === undefined || count === undefined ? undefined : sum + count;
}
