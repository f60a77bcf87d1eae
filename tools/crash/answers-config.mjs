/** The gateway of a run of answers.mjs: one model of each kind, dear enough that every answer costs something. */
export const KEY = 'sk-crash-0123456789abcdef0123';

/** The model whose streams are read; all others answer whole. */
export const STREAMED = 'chat';

/** In quota units for what an answer reports; 500,000 are a dollar. */
export const PRICE_OF = {
  embedding: ({ usage }) => usage.prompt_tokens * 50,
  rerank: ({ meta }) => meta.billed_units.search_units * 1_000,
  transcription: ({ usage }) => usage.seconds * 500,
};

export function answersConfig({ folder, database, twin }) {
  const account = (id, vendor, like = vendor) =>
    JSON.stringify({ id, name: vendor, vendor, base_url: twin.baseUrl(like), credentials: twin.credentials(like) });
  return `server: { port: 0, workers: 1 }
database: { url: '${database.url}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: crash, key: ${KEY}, limits: { spend_total: 100000 } }]
extends: none
accounts:
  - ${account(1, 'openai')}
  - ${account(2, 'openai-compatible', 'openai')}
models:
  - { code: vectors, kind: embedding, offers: [{ account: openai, model: text-embedding-3-small }], price: { input: 100 } }
  - { code: verdicts, kind: moderation, offers: [{ account: openai, model: omni-moderation-latest }], price: { input: 100 } }
  - { code: scores, kind: rerank, offers: [{ account: openai-compatible, model: rerank-v3.5 }], price: { search_unit: 0.002 } }
  - { code: words, kind: transcription, limits: { formats: [json], include: [] }, offers: [{ account: openai, model: whisper-1 }], price: { second: 0.001 } }
  - { code: ${STREAMED}, kind: chat, limits: { max_input_tokens: 200000, max_output_tokens: 64000 }, offers: [{ account: openai, model: gpt-4.1, dialect: openai-chat }], price: { input: 3, output: 15 } }
`;
}
