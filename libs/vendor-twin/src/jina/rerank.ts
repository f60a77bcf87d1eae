import { isJsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { ranked, rankingTokens } from '../texts/vectors.ts';
import { complainAsJina, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(['model', 'query', 'documents', 'top_n', 'return_documents', 'truncation', 'max_doc_length']);
const READS_PICTURES = /-m0/;

export const routes: readonly Route[] = [{ method: 'POST', path: '/v1/rerank', operation: 'rerank', handle: rerank }];

async function rerank(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsJina);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const query = body.string('query');
  const list = body.array('documents');
  if (list.length === 0) body.fail('documents', 'at least one');
  const documents = list.map((item): string => {
    const { text, image } = isJsonObject(item) ? item : { text: item, image: undefined };
    if (typeof text === 'string') return text;
    if (!READS_PICTURES.test(model) || typeof image !== 'string') return body.fail('documents', 'texts or {text}');
    return `picture ${image}`;
  });
  const topN = body.optionalInteger('top_n', 1);
  const returns = body.optionalBoolean('return_documents') ?? true;
  const markers = await exchange.obey(query);
  const tokens = rankingTokens(query, documents);
  exchange.record({ kind: 'rerank', model, stream: false, aborted: false, billed: { inputTokens: tokens } });
  const results = markers.words.has('few') ? [] : ranked(query, documents, topN);
  exchange.reply(200, {
    model,
    object: 'list',
    usage: { total_tokens: tokens },
    results: results.map((each) => ({ ...each, ...(returns && { document: { text: documents[each.index] } }) })),
  });
}
