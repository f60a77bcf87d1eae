import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { ranked, rankingTokens } from '../texts/vectors.ts';
import { complainAsDashScope, refuseUnknownDashScopeModel } from './errors.ts';

const MOST_DOCUMENTS = 500;

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/services/rerank/text-rerank/text-rerank',
    operation: 'rerank',
    handle: rerank,
  },
];

async function rerank(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsDashScope);
  body.only(new Set(['model', 'input', 'parameters']));
  const model = body.string('model');
  refuseUnknownDashScopeModel(model);
  const input = body.object('input');
  input.only(new Set(['query', 'documents']));
  const query = input.string('query');
  const documents = input.strings('documents');
  if (documents.length === 0 || documents.length > MOST_DOCUMENTS)
    input.fail('documents', `1 to ${MOST_DOCUMENTS} documents`);
  const parameters = body.optionalObject('parameters');
  parameters?.only(new Set(['top_n', 'return_documents', 'instruct']));
  const topN = parameters?.optionalInteger('top_n', 1);
  const returnsDocuments = parameters?.optionalBoolean('return_documents') ?? false;
  const markers = await exchange.obey(query);
  const inputTokens = rankingTokens(query, documents);
  exchange.record({ kind: 'rerank', model, stream: false, aborted: false, billed: { inputTokens } });
  const results = markers.words.has('few') ? [] : ranked(query, documents, topN);
  exchange.reply(200, {
    output: {
      results: results.map((each) => ({
        ...each,
        ...(returnsDocuments && { document: { text: documents[each.index] } }),
      })),
    },
    usage: { total_tokens: inputTokens },
    request_id: exchange.stage.newId(''),
  });
}
