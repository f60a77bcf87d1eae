/** The body of POST /v1/rerank, in the words of Cohere, Jina or Voyage, as the neutral form. */
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
  /** Whether it is in Voyage's words, whose clients read results in `data`. */
  readonly isVoyages: boolean;
}

/** Reads the body. Throws `invalid_request` naming the field. */
export function rerankOf(body: JsonObject, row: ModelRow): RerankAsked {
  const { model: _model, query = null, documents, top_n, top_k, return_documents, ...more } = body;
  const { max_tokens_per_doc, rank_fields = null, ...extra } = more;
  if (!Array.isArray(documents) || documents.length === 0)
    throw wrongField('documents', 'must be a list of at least one text or object');
  const { max_documents: most } = row.limits;
  const bound = typeof most === 'number' ? most : MOST_DOCUMENTS;
  if (documents.length > bound)
    throw wrongField('documents', `has ${documents.length} documents; ${row.code} takes at most ${bound}`);
  const fields = fieldsOf(rank_fields);
  const asked = documents.map((document, index) => askedOf(document, `documents[${index}]`, fields));
  const media = [query, ...asked].flatMap((each, place) =>
    typeof each === 'string' ? [] : place === 0 ? 'query' : `documents[${place - 1}]`,
  );
  const wanted = top_n ?? top_k;
  return {
    input: {
      query: textOf(askedOf(query, 'query')),
      documents: asked.map(textOf),
      ...(media.length > 0 && { media }),
      body: sentOf(body, asked),
      ...(typeof wanted === 'number' && { topN: wanted }),
      ...(typeof max_tokens_per_doc === 'number' && { maxTokensPerDocument: max_tokens_per_doc }),
      extra,
    },
    // The gateway has the documents, and gives them back itself.
    ...(return_documents === true && {
      returned: documents.map((document) => (isJsonObject(document) ? document : { text: document })),
    }),
    isVoyages: 'top_k' in body || 'truncation' in body,
  };
}

/** The body as it came, without what the gateway does itself; Voyage's word for how many are wanted is the others'. */
function sentOf(body: JsonObject, documents: Json[]): JsonObject {
  const sent: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body)) {
    if (name === 'return_documents' || name === 'rank_fields') continue;
    if (name === 'top_k' && 'top_n' in body) continue;
    sent[name === 'top_k' ? 'top_n' : name] = name === 'documents' ? documents : value;
  }
  return sent;
}

/** The members of objects by which they are scored. */
function fieldsOf(said: Json): readonly string[] | undefined {
  if (said === null) return undefined;
  const names = Array.isArray(said) ? said.filter((name) => typeof name === 'string') : [];
  if (!Array.isArray(said) || names.length === 0 || names.length < said.length)
    throw wrongField('rank_fields', 'must be a list of names of members');
  return names;
}

/** The members of an object that are scored: one alone as it is, several each with its name, in a line. */
function ranked(document: JsonObject, fields: readonly string[], param: string): string {
  const found = fields.filter((name) => Object.hasOwn(document, name) && document[name] !== null);
  if (found.length === 0) throw wrongField(param, `has none of ${fields.join(', ')}, which rank_fields names`);
  const written = (name: string): string => {
    const value = document[name];
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return fields.length === 1
    ? found.map(written).join('')
    : found.map((name) => `${name}: ${written(name)}`).join('\n');
}

/** A text, that of an object, or an object without one: a picture, as some vendors take it. */
function askedOf(document: Json, param: string, fields?: readonly string[]): string | JsonObject {
  if (typeof document === 'string') return document;
  if (!isJsonObject(document)) throw wrongField(param, 'must be a text or an object');
  if (fields !== undefined) return ranked(document, fields, param);
  return typeof document['text'] === 'string' ? document['text'] : document;
}

function textOf(asked: string | JsonObject): string {
  return typeof asked === 'string' ? asked : '';
}
