import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { ranked } from '../texts/vectors.ts';
import { complainAsCohere, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority']);
const DOCUMENTS_PER_UNIT = 100;

export const routes: readonly Route[] = [{ method: 'POST', path: '/v2/rerank', operation: 'rerank', handle: rerank }];

async function rerank(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsCohere);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const query = body.string('query');
  const documents = body.strings('documents');
  if (documents.length === 0) body.fail('documents', 'a list of at least one text');
  const topN = body.optionalInteger('top_n', 1);
  body.optionalInteger('max_tokens_per_doc', 1);
  const markers = await exchange.obey(query);
  const searchUnits = Math.ceil(documents.length / DOCUMENTS_PER_UNIT);
  exchange.record({ kind: 'rerank', model, stream: false, aborted: false, billed: { searchUnits } });
  exchange.reply(200, {
    id: exchange.stage.newId(''),
    results: markers.words.has('few') ? [] : ranked(query, documents, topN),
    meta: { api_version: { version: '2' }, billed_units: { search_units: searchUnits } },
  });
}
