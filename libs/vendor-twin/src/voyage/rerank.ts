import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { ranked, rankingTokens } from '../texts/vectors.ts';
import { complainAsVoyage, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(['model', 'query', 'documents', 'top_k', 'return_documents', 'truncation']);
const MOST_DOCUMENTS = 1000;

export const routes: readonly Route[] = [{ method: 'POST', path: '/v1/rerank', operation: 'rerank', handle: rerank }];

async function rerank(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsVoyage);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const query = body.string('query');
  const documents = body.strings('documents');
  if (documents.length === 0 || documents.length > MOST_DOCUMENTS)
    body.fail('documents', `a list of 1 to ${MOST_DOCUMENTS}`);
  const topK = body.optionalInteger('top_k', 1);
  body.optionalBoolean('truncation');
  const returns = body.optionalBoolean('return_documents') ?? false;
  const markers = await exchange.obey(query);
  const tokens = rankingTokens(query, documents);
  exchange.record({ kind: 'rerank', model, stream: false, aborted: false, billed: { inputTokens: tokens } });
  const results = markers.words.has('few') ? [] : ranked(query, documents, topK);
  exchange.reply(200, {
    object: 'list',
    data: results.map((each) => ({ ...each, ...(returns && { document: documents[each.index] }) })),
    model,
    usage: { total_tokens: tokens },
  });
}
