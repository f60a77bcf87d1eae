/** The document cut down to what the request of one operation needs. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** What a request is not checked by. */
const UNREAD = new Set(['responses', 'example', 'examples', 'description', 'summary', 'callbacks']);
/** Their members are named by the caller's fields: a field may well be called `description`. */
const NAMED_BY_FIELDS = new Set(['properties', 'patternProperties', '$defs']);

export interface Cut {
  readonly path: string;
  /** In small letters. */
  readonly method: string;
  /** What the path is called in the cut document: its own name unless told otherwise. */
  readonly mount?: string;
  /** For requests that carry none of the headers which they need not carry. */
  readonly withoutOptionalHeaders?: boolean;
}

/** A self-contained OpenAPI document with this one operation, its parameters and its body; the given one stays as it is. */
export function documentOf(
  document: JsonObject,
  { path, method, mount = path, withoutOptionalHeaders = false }: Cut,
): JsonObject {
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
  const whole = objectIn(item, method);
  const checked = withoutOptionalHeaders ? { ...whole, parameters: otherParameters(document, whole) } : whole;
  const operation = {
    ...(item['parameters'] !== undefined && { parameters: copy(item['parameters']) }),
    [method]: { ...objectIn({ copied: copy(checked) }, 'copied'), responses: { default: { description: '' } } },
  };
  return {
    openapi: document['openapi'] ?? '',
    info: { title: path, version: '' },
    paths: { [mount]: operation },
    components,
  };
}

/** The headers that a request to this operation may carry and need not, in small letters. */
export function optionalHeaders(document: JsonObject, { path, method }: Pick<Cut, 'path' | 'method'>): string[] {
  return parametersOf(objectIn(document, 'paths', path, method))
    .map((parameter) => resolve(document, parameter))
    .filter(isOptionalHeader)
    .flatMap(({ name }) => (typeof name === 'string' ? [name.toLowerCase()] : []));
}

function otherParameters(document: JsonObject, operation: JsonObject): Json[] {
  return parametersOf(operation).filter((parameter) => !isOptionalHeader(resolve(document, parameter)));
}

function parametersOf({ parameters }: JsonObject): Json[] {
  return Array.isArray(parameters) ? parameters : [];
}

function isOptionalHeader(parameter: JsonObject): boolean {
  return parameter['in'] === 'header' && parameter['required'] !== true;
}

function resolve(document: JsonObject, parameter: Json): JsonObject {
  if (!isJsonObject(parameter)) return {};
  const { $ref } = parameter;
  return typeof $ref === 'string' ? objectIn(document, ...$ref.split('/').slice(1)) : parameter;
}

function objectIn(from: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce((found, name) => {
    const next = found[name];
    if (!isJsonObject(next)) throw new Error(`the document has no ${names.join(' / ')}`);
    return next;
  }, from);
}
