import { defined, numberAt, scoresAt, textAt, usageOf, type RerankAdapter } from '@model-gateway/provider-kit';

/** POST /rerank of Cohere, Jina and servers like vLLM (docs/wire/rerank.md#cohere, #jina). Documents are not asked back: who sent them has them. */
export const rerank: RerankAdapter = {
  async rerank({ query, documents, topN, maxTokensPerDocument, extra }, upstream) {
    const settings = defined({ top_n: topN, max_tokens_per_doc: maxTokensPerDocument });
    const { json } = await upstream.send({
      method: 'POST',
      path: '/rerank',
      json: { ...extra, ...settings, model: upstream.model, query, documents: [...documents] },
    });
    const id = textAt(json, 'id');
    return {
      scores: scoresAt(json, 'results'),
      usage: usageOf({
        inputTokens:
          numberAt(json, 'usage', 'total_tokens') ??
          numberAt(json, 'meta', 'tokens', 'input_tokens') ??
          numberAt(json, 'meta', 'billed_units', 'total_tokens'),
        searchUnits: numberAt(json, 'meta', 'billed_units', 'search_units'),
      }),
      dropped: [],
      ...(id !== undefined && { id }),
    };
  },
};
