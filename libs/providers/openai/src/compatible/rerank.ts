import { isJsonObject } from '@model-gateway/contracts';
import { listAt, numberAt, scoresAt, textAt, usageOf, type RerankAdapter } from '@model-gateway/provider-kit';

/** POST /rerank of Cohere, Jina and servers like vLLM (docs/wire/rerank.md#cohere, #jina): the body as it came. Documents are not asked back: who sent them has them. */
export const rerank: RerankAdapter = {
  async rerank({ body }, upstream) {
    const { json } = await upstream.send({
      method: 'POST',
      path: '/rerank',
      json: { ...body, model: upstream.model },
    });
    const items = listAt(json, 'results');
    const scores = scoresAt(json, 'results').map((score, place) => {
      const item = items[place];
      return isJsonObject(item) ? { ...score, item } : score;
    });
    const id = textAt(json, 'id');
    return {
      scores,
      usage: usageOf({
        inputTokens:
          numberAt(json, 'usage', 'total_tokens') ??
          numberAt(json, 'meta', 'tokens', 'input_tokens') ??
          numberAt(json, 'meta', 'billed_units', 'total_tokens'),
        searchUnits: numberAt(json, 'meta', 'billed_units', 'search_units'),
      }),
      dropped: [],
      ...(id !== undefined && { id }),
      ...(isJsonObject(json) && { body: json }),
    };
  },
};
