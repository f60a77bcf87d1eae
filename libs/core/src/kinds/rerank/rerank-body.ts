/** The body of POST /v1/rerank as the neutral form. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { RerankCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { wrongField } from '../../wrong-field.ts';

/** Documents of one request at most, where the row does not say. */
const MOST_DOCUMENTS = 10_000;

/** A request, and what its answer is made of. */
export interface RerankAsked {
  readonly input: RerankCreate;
  /** The documents as they are given back: objects whole, texts as `{text}`; absent: they are not. */
  readonly returned?: readonly JsonObject[];
}

/** Reads the body. Throws `invalid_request` naming the field. */
export function rerankOf(body: JsonObject, row: ModelRow): RerankAsked {
  const { model: _model, query, documents, top_n, return_documents, max_tokens_per_doc, ...extra } = body;
  if (typeof query !== 'string' || query === '') throw wrongField('query', 'must be a text that is not empty');
  if (!Array.isArray(documents) || documents.length === 0)
    throw wrongField('documents', 'must be a list of at least one text or object');
  const { max_documents: most } = row.limits;
  const bound = typeof most === 'number' ? most : MOST_DOCUMENTS;
  if (documents.length > bound)
    throw wrongField('documents', `has ${documents.length} documents; ${row.code} takes at most ${bound}`);
  const texts = documents.map((document, index) => textOf(document, `documents[${index}]`));
  return {
    input: {
      query,
      documents: texts,
      ...(typeof top_n === 'number' && { topN: top_n }),
      ...(typeof max_tokens_per_doc === 'number' && { maxTokensPerDocument: max_tokens_per_doc }),
      extra,
    },
    ...(return_documents === true && {
      returned: documents.map((document) => (isJsonObject(document) ? document : { text: document })),
    }),
  };
}

function textOf(document: Json, param: string): string {
  const isObject = isJsonObject(document);
  const text = isObject ? document['text'] : document;
  if (typeof text === 'string' && text !== '') return text;
  throw wrongField(isObject ? `${param}.text` : param, 'must be a text that is not empty');
}
