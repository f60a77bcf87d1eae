import { EMBEDDING_QUIRKS, openAiEmbeddings } from '@model-gateway/provider-kit';
import { COMPATIBLE } from './chat.ts';

/** Text vectors in compatible mode (docs/wire/embeddings.md#dashscope). The first two generations take 25 texts at once, later ones 10. */
export const embeddings = openAiEmbeddings({
  path: `${COMPATIBLE}/embeddings`,
  mostInputs: (model) => (/-v[12]$/.test(model) ? 25 : 10),
  takes: { tokens: false, base64: false, user: false },
  words: () => ({ dimensions: 'dimensions' }),
});

export const quirks = EMBEDDING_QUIRKS;
