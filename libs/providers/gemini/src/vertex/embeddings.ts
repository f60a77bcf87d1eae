import {
  defined,
  EMBEDDING_QUIRKS,
  listAt,
  numberAt,
  ownEmbeddings,
  usageOf,
  valueAt,
  vectorOf,
} from '@model-gateway/provider-kit';
import { TASK_TYPES } from '../embeddings.ts';
import { vertexModel } from './addresses.ts';

/** Texts of one call: the newer models take one. */
const MOST_INPUTS = 250;

export const quirks = EMBEDDING_QUIRKS;

/** `:predict` of Google's text models (docs/wire/vertex.md#embeddings). */
export const embeddings = ownEmbeddings({
  mostInputs: (model) => (model.startsWith('gemini-') ? 1 : MOST_INPUTS),
  words: () => ({
    dimensions: 'outputDimensionality',
    purpose: { name: 'task_type', values: TASK_TYPES },
    truncate: { name: 'autoTruncate', values: { none: false, end: true } },
  }),
  async ask(inputs, upstream, { task_type, ...parameters }) {
    const { json } = await upstream.send({
      method: 'POST',
      path: vertexModel('google', upstream.model, 'predict', upstream.account.settings),
      json: {
        instances: inputs.map(({ content }) => defined({ content: content as string, task_type })),
        parameters,
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
