import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { ranked } from '../texts/vectors.ts';
import { complainAsAws, refuseAsAws } from './errors.ts';

const MOST_DOCUMENTS = 1000;
const DOCUMENTS_PER_UNIT = 100;
const OF_AMAZON = ['query', 'documents', 'top_n'];
const OF_COHERE = [...OF_AMAZON, 'api_version', 'max_tokens_per_doc', 'return_documents'];

/** Cohere's and Amazon's rerankers by InvokeModel. */
export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/model\/(?<model>(?:[a-z-]+\.)?(?:cohere|amazon)\.rerank-[^/]+)\/invoke$/,
    operation: 'rerank',
    handle: rerank,
  },
];

async function rerank(exchange: Exchange): Promise<void> {
  const { model = '' } = exchange.params;
  const isCohere = model.includes('cohere.');
  const body = exchange.json(complainAsAws);
  body.only(new Set(isCohere ? OF_COHERE : OF_AMAZON));
  if (isCohere && (body.optionalInteger('api_version') ?? 1) < 2)
    throw refuseAsAws(400, {
      message:
        'Malformed input request: #/api_version: 1 is not greater or equal to 2, please reformat your input and try again.',
    });
  const query = body.string('query');
  const documents = body.strings('documents');
  if (documents.length === 0 || documents.length > MOST_DOCUMENTS)
    throw refuseAsAws(400, { message: `documents: expected between 1 and ${MOST_DOCUMENTS} items` });
  const topN = body.optionalInteger('top_n', 1);
  const markers = await exchange.obey(query);
  const searchUnits = Math.ceil(documents.length / DOCUMENTS_PER_UNIT);
  exchange.record({ kind: 'rerank', model, stream: false, aborted: false, billed: { searchUnits } });
  exchange.reply(200, { results: markers.words.has('few') ? [] : ranked(query, documents, topN) });
}
