import { cannotTake, defined, scoresAt, type RerankAdapter } from '@model-gateway/provider-kit';
import { isCohere } from './models.ts';

/** Of Cohere's models there, which refuse requests without it. */
const API_VERSION = 2;

/** Cohere's and Amazon's rerankers by InvokeModel, which tells scores and no usage (docs/wire/bedrock.md#rerank). */
export const rerank: RerankAdapter = {
  async rerank({ query, documents, media: [stranger] = [], topN, maxTokensPerDocument, extra }, upstream) {
    if (stranger !== undefined) throw cannotTake(stranger, 'documents but texts');
    const { model } = upstream;
    const ofCohere = isCohere(model) ? { api_version: API_VERSION, max_tokens_per_doc: maxTokensPerDocument } : {};
    const { json } = await upstream.send({
      method: 'POST',
      path: `/model/${encodeURIComponent(model)}/invoke`,
      json: defined({ query, documents: [...documents], top_n: topN, ...ofCohere }),
    });
    const isCut = maxTokensPerDocument !== undefined && !isCohere(model);
    return {
      scores: scoresAt(json, 'results'),
      usage: {},
      dropped: [...(isCut ? ['max_tokens_per_doc'] : []), ...Object.keys(extra)],
    };
  },
};
