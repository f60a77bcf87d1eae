/** Google's OpenAPI subset and JSON Schema into one another (docs/wire/gemini-generate.md#request, docs/wire/chat-translation.md#tools). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { objectOf, objectsOf, textOf } from '../shared/read.ts';

/** Keywords both have, whose values need no change. */
const SAME = new Set([
  'title',
  'description',
  'default',
  'pattern',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
]);
/** Counts: int64, so Google writes them as strings and takes numbers. */
const COUNTS = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);
/** `format` values Google takes, by type. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  STRING: ['date-time', 'enum'],
  NUMBER: ['float', 'double'],
  INTEGER: ['int32', 'int64'],
};
/** A schema that contains itself is unrolled this often. */
const MOST_UNROLLED = 3;

/** `parameters` or `responseSchema` of a caller → JSON Schema. */
export function fromOpenApi(schema: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    const key = snakeKeyword(name);
    if (key === 'type') result['type'] = typeof value === 'string' ? value.toLowerCase() : value;
    else if (key === 'properties' && isJsonObject(value)) result['properties'] = mapSchemas(value, fromOpenApi);
    else if (key === 'items' && isJsonObject(value)) result['items'] = fromOpenApi(value);
    else if (key === 'anyOf') result['anyOf'] = objectsOf(value).map(fromOpenApi);
    else if (key === 'example') result['examples'] = [value];
    else if (COUNTS.has(key)) result[key] = Number(value);
    else if (key !== 'nullable' && key !== 'propertyOrdering') result[key] = value;
  }
  return schema['nullable'] === true ? orNull(result) : result;
}

function snakeKeyword(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function orNull(schema: JsonObject): JsonObject {
  const type = schema['type'];
  const choices = schema['enum'];
  if (typeof type === 'string') {
    return { ...schema, type: [type, 'null'], ...(Array.isArray(choices) && { enum: [...choices, null] }) };
  }
  const options = schema['anyOf'];
  return Array.isArray(options) ? { ...schema, anyOf: [...options, { type: 'null' }] } : schema;
}

function mapSchemas(map: JsonObject, turn: (schema: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, item]) => [name, isJsonObject(item) ? turn(item) : {}]));
}

/** JSON Schema → the OpenAPI subset, for models without `parametersJsonSchema`. */
export function toOpenApi(schema: JsonObject): JsonObject {
  const definitions = { ...objectOf(schema['definitions']), ...objectOf(schema['$defs']) };
  return convert(schema, { definitions, open: [] });
}

interface Scope {
  readonly definitions: JsonObject;
  /** References being resolved, to notice recursion. */
  readonly open: readonly string[];
}

function convert(schema: JsonObject, scope: Scope): JsonObject {
  const ref = textOf(schema['$ref']);
  if (ref !== undefined) return convertReference(ref, schema, scope);
  const merged = Array.isArray(schema['allOf']) ? mergeAll(schema, scope) : schema;
  const result: JsonObject = {};
  for (const key of SAME) if (merged[key] !== undefined) result[key] = merged[key];
  for (const key of COUNTS) if (typeof merged[key] === 'number') result[key] = merged[key];
  applyType(merged, result, scope);
  applyChoices(merged, result);
  const variants = objectsOf(merged['anyOf'] ?? merged['oneOf']);
  if (variants.length > 0) applyVariants(variants, result, scope);
  if (isJsonObject(merged['properties'])) {
    const properties = mapSchemas(merged['properties'], (item) => convert(item, scope));
    // An object whose list of properties is empty is refused; without one it is free.
    if (Object.keys(properties).length > 0) result['properties'] = properties;
    result['type'] ??= 'OBJECT';
  }
  if (result['type'] === 'ARRAY') result['items'] = convert(objectOf(merged['items']) ?? { type: 'string' }, scope);
  const format = textOf(merged['format']);
  if (format !== undefined && FORMATS[textOf(result['type']) ?? '']?.includes(format) === true)
    result['format'] = format;
  return result;
}

function convertReference(ref: string, schema: JsonObject, scope: Scope): JsonObject {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1];
  const target = name === undefined ? undefined : objectOf(scope.definitions[decodeURIComponent(name)]);
  const description = textOf(schema['description']);
  const said = description === undefined ? {} : { description };
  if (target === undefined) return { type: 'OBJECT', ...said };
  if (scope.open.filter((open) => open === ref).length >= MOST_UNROLLED) return { type: 'OBJECT', ...said };
  return { ...convert(target, { ...scope, open: [...scope.open, ref] }), ...said };
}

/** `allOf` as one schema: fields side by side, later keywords win. */
function mergeAll(schema: JsonObject, scope: Scope): JsonObject {
  const { allOf, ...own } = schema;
  return objectsOf(allOf).reduce<JsonObject>((whole, each) => {
    const ref = textOf(each['$ref']);
    const name = ref === undefined ? undefined : /([^/]+)$/.exec(ref)?.[1];
    const part = name === undefined || scope.open.includes(name) ? each : (objectOf(scope.definitions[name]) ?? {});
    return {
      ...whole,
      ...part,
      properties: { ...objectOf(whole['properties']), ...objectOf(part['properties']) },
      required: [...listOf(whole['required']), ...listOf(part['required'])],
    };
  }, own);
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function applyType(schema: JsonObject, result: JsonObject, scope: Scope): void {
  const { type } = schema;
  if (typeof type === 'string') {
    if (type === 'null') result['nullable'] = true;
    else result['type'] = type.toUpperCase();
    return;
  }
  if (!Array.isArray(type)) return;
  const named = type.filter((each): each is string => typeof each === 'string' && each !== 'null');
  if (named.length < type.length) result['nullable'] = true;
  const [only] = named;
  if (only !== undefined && named.length === 1) result['type'] = only.toUpperCase();
  else result['anyOf'] = named.map((each) => convert({ ...schema, type: each, anyOf: [], oneOf: [] }, scope));
}

/** `enum` holds strings here; `const` is an enum of one. */
function applyChoices(schema: JsonObject, result: JsonObject): void {
  const choices = schema['const'] !== undefined ? [schema['const']] : schema['enum'];
  if (!Array.isArray(choices)) return;
  if (choices.includes(null)) result['nullable'] = true;
  result['enum'] = choices
    .filter((choice) => choice !== null)
    .map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  result['type'] = 'STRING';
}

function applyVariants(variants: readonly JsonObject[], result: JsonObject, scope: Scope): void {
  const real = variants.filter((variant) => variant['type'] !== 'null');
  if (real.length < variants.length) result['nullable'] = true;
  const converted = real.map((variant) => convert(variant, scope));
  if (converted.length === 1) Object.assign(result, { ...converted[0], ...result });
  else result['anyOf'] = converted;
}
