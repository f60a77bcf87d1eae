import type { RerankCreate } from '@model-gateway/provider-kit';
import type { InputTexts } from '../../guardrails/guarded-inputs.ts';

/** The query and what is scored against it. */
export const rerankTexts: InputTexts<RerankCreate> = {
  kind: 'rerank',
  map(input, put) {
    const query = put(input.query, 'query');
    const documents = input.documents.map((document, index) => put(document, `documents[${index}]`));
    const asked = Array.isArray(input.body['documents']) ? input.body['documents'] : [];
    const sent = asked.map((document, index) => (typeof document === 'string' ? (documents[index] ?? '') : document));
    const isText = typeof input.body['query'] === 'string';
    return { ...input, query, documents, body: { ...input.body, ...(isText && { query }), documents: sent } };
  },
};
