import { OPENAI_EMBEDDING_QUIRKS, openAiEmbeddings } from '@model-gateway/provider-kit';

/** POST /embeddings, of OpenAI and of other servers, who answer numbers where they know no base64 (docs/wire/embeddings.md#openai, #compatible-servers). */
export const embeddings = openAiEmbeddings({
  path: '/embeddings',
  mostInputs: () => 2048,
  takes: { tokens: true, base64: true, user: true },
});

export const quirks = OPENAI_EMBEDDING_QUIRKS;
