import {
  EMBEDDING_QUIRKS,
  listAt,
  numberAt,
  ownEmbeddings,
  partsOf,
  usageOf,
  vectorOf,
} from '@model-gateway/provider-kit';

/** Ollama says no bound; so many texts are one answer of a usual size. */
const MOST_INPUTS = 512;

export const quirks = EMBEDDING_QUIRKS;

/** `POST /api/embed` (docs/wire/local-servers.md#ollama-embeddings). Texts that are too long are refused unless the caller says that they may be cut. */
export const embeddings = ownEmbeddings({
  mostInputs: () => MOST_INPUTS,
  words: () => ({ dimensions: 'dimensions', truncate: { name: 'truncate', values: { none: false, end: true } } }),
  knows: ['truncate', 'keep_alive', 'options'],
  async ask(inputs, upstream, settings) {
    const input = inputs.map((each) =>
      partsOf(each)
        .flatMap((part) => ('text' in part ? part.text : []))
        .join('\n'),
    );
    const { json } = await upstream.send({
      method: 'POST',
      path: '/api/embed',
      json: { truncate: false, ...settings, model: upstream.model, input },
    });
    return {
      vectors: listAt(json, 'embeddings').map((vector) => vectorOf(vector)),
      usage: usageOf({ inputTokens: numberAt(json, 'prompt_eval_count') }),
    };
  },
});
