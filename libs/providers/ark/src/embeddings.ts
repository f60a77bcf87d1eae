import { EMBEDDING_QUIRKS, openAiEmbeddings } from '@model-gateway/provider-kit';

/** Doubao's text vectors on OpenAI's wire (docs/wire/embeddings.md#ark). */
export const embeddings = openAiEmbeddings({
  path: '/embeddings',
  mostInputs: () => 256,
  takes: { tokens: false, base64: false, user: false },
  words: () => ({ dimensions: 'dimensions' }),
});

export const quirks = EMBEDDING_QUIRKS;
