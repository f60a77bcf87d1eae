import { isJsonObject } from '@model-gateway/contracts';
import { cannotTake, defined, numberAt, scoresAt, usageOf, type RerankAdapter } from '@model-gateway/provider-kit';

/** `POST /rerank`: `top_k`, and results in `data` (docs/wire/rerank.md#voyage). Documents are not asked back: who sent them has them. */
export const rerank: RerankAdapter = {
  async rerank({ query, documents, media: [stranger] = [], topN, maxTokensPerDocument, extra }, upstream) {
    if (stranger !== undefined) throw cannotTake(stranger, 'documents but texts');
    // Cohere's setting, which Voyage has no word for.
    const { priority, ...own } = extra;
    const { json } = await upstream.send({
      method: 'POST',
      path: '/rerank',
      json: { ...own, ...defined({ top_k: topN }), query, documents: [...documents], model: upstream.model },
    });
    const { data: _data, ...body } = isJsonObject(json) ? json : {};
    return {
      scores: scoresAt(json, 'data'),
      usage: usageOf({ inputTokens: numberAt(json, 'usage', 'total_tokens') }),
      dropped: [
        ...(maxTokensPerDocument === undefined ? [] : ['max_tokens_per_doc']),
        ...(priority === undefined ? [] : ['priority']),
      ],
      body,
    };
  },
};
