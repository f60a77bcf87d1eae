import {
  cannotTake,
  defined,
  numberAt,
  scoresAt,
  textAt,
  usageOf,
  type RerankAdapter,
} from '@model-gateway/provider-kit';

const PATH = '/services/rerank/text-rerank/text-rerank';
/** Settings beside those that everybody has. */
const SETTINGS = ['instruct'];

/** DashScope's own wire of text-rerank (docs/wire/rerank.md#dashscope). */
export const rerank: RerankAdapter = {
  async rerank({ query, documents, media: [stranger] = [], topN, maxTokensPerDocument, extra }, upstream) {
    if (stranger !== undefined) throw cannotTake(stranger, 'documents but texts');
    const known = Object.fromEntries(Object.entries(extra).filter(([name]) => SETTINGS.includes(name)));
    const parameters = { ...known, ...defined({ top_n: topN, return_documents: false }) };
    const { json } = await upstream.send({
      method: 'POST',
      path: PATH,
      json: { model: upstream.model, input: { query, documents: [...documents] }, parameters },
    });
    const id = textAt(json, 'request_id');
    return {
      scores: scoresAt(json, 'output', 'results'),
      usage: usageOf({ inputTokens: numberAt(json, 'usage', 'total_tokens') }),
      dropped: [
        ...(maxTokensPerDocument === undefined ? [] : ['max_tokens_per_doc']),
        ...Object.keys(extra).filter((name) => !SETTINGS.includes(name)),
      ],
      ...(id !== undefined && { id }),
    };
  },
};
