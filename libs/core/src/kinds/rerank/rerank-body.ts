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
  const { model: _model, query = null, documents, top_n, return_documents, max_tokens_per_doc, ...extra } = body;
  if (!Array.isArray(documents) || documents.length === 0)
    throw wrongField('documents', 'must be a list of at least one text or object');
  const { max_documents: most } = row.limits;
  const bound = typeof most === 'number' ? most : MOST_DOCUMENTS;
  if (documents.length > bound)
    throw wrongField('documents', `has ${documents.length} documents; ${row.code} takes at most ${bound}`);
  const asked = documents.map((document, index) => askedOf(document, `documents[${index}]`));
  const media = [query, ...asked].flatMap((each, place) =>
    typeof each === 'string' ? [] : place === 0 ? 'query' : `documents[${place - 1}]`,
  );
  // The gateway has the documents, and gives them back itself.
  const { return_documents: _returned, ...sent } = body;
  return {
    input: {
      query: textOf(askedOf(query, 'query')),
      documents: asked.map(textOf),
      ...(media.length > 0 && { media }),
      body: { ...sent, documents: asked },
      ...(typeof top_n === 'number' && { topN: top_n }),
      ...(typeof max_tokens_per_doc === 'number' && { maxTokensPerDocument: max_tokens_per_doc }),
      extra,
    },
    ...(return_documents === true && {
      returned: documents.map((document) => (isJsonObject(document) ? document : { text: document })),
    }),
  };
}

/** A text, that of an object, or an object without one: a picture, as some vendors take it. */
function askedOf(document: Json, param: string): string | JsonObject {
  if (typeof document === 'string') return document;
  if (!isJsonObject(document)) throw wrongField(param, 'must be a text or an object');
  return typeof document['text'] === 'string' ? document['text'] : document;
}

function textOf(asked: string | JsonObject): string {
  return typeof asked === 'string' ? asked : '';
}
