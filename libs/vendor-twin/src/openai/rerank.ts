import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { ranked, rankingTokens } from '../texts/vectors.ts';
import { complainAsOpenAi, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(['model', 'query', 'documents', 'top_n', 'return_documents', 'max_tokens_per_doc']);
const DOCUMENTS_PER_UNIT = 100;

/** Of compatible servers: Cohere's models answer and count as Cohere does, all others as Jina. */
export const routes: readonly Route[] = [{ method: 'POST', path: '/v1/rerank', operation: 'rerank', handle: rerank }];

async function rerank(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsOpenAi);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const query = body.string('query');
  const documents = body.strings('documents');
  if (documents.length === 0) body.fail('documents', 'at least one document');
  const topN = body.optionalInteger('top_n', 1);
  const markers = await exchange.obey(query);
  const results = markers.words.has('few') ? [] : ranked(query, documents, topN);
  const searchUnits = Math.ceil(documents.length / DOCUMENTS_PER_UNIT);
  const inputTokens = rankingTokens(query, documents);
  const isCohere = model.startsWith('rerank-');
  exchange.record({
    kind: 'rerank',
    model,
    stream: false,
    aborted: false,
    billed: isCohere ? { searchUnits } : { inputTokens },
  });
  exchange.reply(
    200,
    isCohere
      ? {
          id: exchange.stage.newId(''),
          results,
          meta: { api_version: { version: '2' }, billed_units: { search_units: searchUnits } },
        }
      : { model, usage: { total_tokens: inputTokens }, results },
  );
}
