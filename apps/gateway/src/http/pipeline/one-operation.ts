/** The document cut down to what the request of one operation needs. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** What a request is not checked by. */
const UNREAD = new Set(['responses', 'example', 'examples', 'description', 'summary', 'callbacks']);
/** Their members are named by the caller's fields: a field may well be called `description`. */
const NAMED_BY_FIELDS = new Set(['properties', 'patternProperties', '$defs']);

/** A self-contained OpenAPI document with this one operation, its parameters and its body; the given one stays as it is. */
export function documentOf(document: JsonObject, path: string, method: string): JsonObject {
  const components: Record<string, JsonObject> = {};
  const copy = (value: Json | undefined, keepAll = false): Json => {
    if (Array.isArray(value)) return value.map((each) => copy(each));
    if (!isJsonObject(value)) return value ?? null;
    const { $ref } = value;
    if (typeof $ref === 'string') bring($ref);
    const copied = Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => keepAll || !UNREAD.has(name))
        .map(([name, member]) => [name, copy(member, NAMED_BY_FIELDS.has(name) && !keepAll)]),
    );
    // `2026-01-01T00:00:00Z` needs no escapes in a query (RFC 3986, 3.4): only `&`, `#` and, by what forms made of it, `+` mean something there.
    return !keepAll && value['in'] === 'query' ? { ...copied, allowReserved: true } : copied;
  };
  const bring = ($ref: string): void => {
    const [, , kind = '', name = ''] = $ref.split('/');
    const among = (components[kind] ??= {});
    if (name in among) return;
    // There before it is whole: schemas refer to themselves.
    among[name] = {};
    among[name] = copy(objectIn(document, 'components', kind)[name]);
  };
  const item = objectIn(document, 'paths', path);
  const operation = {
    ...(item['parameters'] !== undefined && { parameters: copy(item['parameters']) }),
    [method]: { ...objectIn({ copied: copy(item[method]) }, 'copied'), responses: { default: { description: '' } } },
  };
  return {
    openapi: document['openapi'] ?? '',
    info: { title: path, version: '' },
    paths: { [path]: operation },
    components,
  };
}

function objectIn(from: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce((found, name) => {
    const next = found[name];
    if (!isJsonObject(next)) throw new Error(`the document has no ${names.join(' / ')}`);
    return next;
  }, from);
}
