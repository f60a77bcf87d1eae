import type { RerankCreate } from '@model-gateway/provider-kit';
import type { InputTexts } from '../../guardrails/guarded-inputs.ts';

/** The query and what is scored against it. */
export const rerankTexts: InputTexts<RerankCreate> = {
  kind: 'rerank',
  map: (input, put) => ({
    ...input,
    query: put(input.query, 'query'),
    documents: input.documents.map((document, index) => put(document, `documents[${index}]`)),
  }),
};
