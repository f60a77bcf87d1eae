/** JSON Schema as Anthropic takes it: an object at the root of a tool, a subset for structured output (docs/wire/chat-translation.md#tools). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { objectOf, objectsOf } from '../shared/read.ts';

const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * A tool's input schema with `type: object` at the root. A union at the root is merged into one object whose fields are all
 * optional but the common ones; `changed` then says that it is looser than the caller's. Undefined for a schema of no object.
 */
export function toolSchema(
  schema: JsonObject | undefined,
): { readonly schema: JsonObject; readonly changed: boolean } | undefined {
  if (schema === undefined) return { schema: { type: 'object', properties: {} }, changed: false };
  const type = schema['type'];
  const isObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject) return undefined;
  const union = UNIONS.find((key) => Array.isArray(schema[key]));
  if (union === undefined) {
    return { schema: { ...schema, type: 'object', properties: objectOf(schema['properties']) ?? {} }, changed: false };
  }
  return { schema: mergeUnion(schema, union), changed: true };
}

function mergeUnion(schema: JsonObject, union: (typeof UNIONS)[number]): JsonObject {
  const variants = objectsOf(schema[union]);
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => key !== union));
  const properties: JsonObject = { ...objectOf(schema['properties']) };
  for (const variant of variants) Object.assign(properties, objectOf(variant['properties']));
  const required = new Set(strings(schema['required']));
  const lists = variants.map((variant) => strings(variant['required']));
  for (const name of lists.flat()) {
    if (union === 'allOf' || lists.every((list) => list.includes(name))) required.add(name);
  }
  return { ...rest, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) };
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** String formats the grammar compiler knows. */
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);
/** Keywords that constrain and are taken as they are. */
const KEPT = new Set(['type', 'enum', 'const', 'title', 'description', 'required', '$ref']);
/** Keywords that mean nothing for the answer. */
const SILENT = new Set(['$schema', '$id', '$comment', 'additionalProperties']);

/**
 * The subset for `output_config.format` and strict tools: closed objects, no ranges, no patterns. What is taken out is said in the
 * description, so that the model still sees it.
 */
export function structuredSchema(schema: JsonObject): JsonObject {
  const result: JsonObject = {};
  const said: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    const kept = subsetOf(key, value);
    if (kept !== undefined) result[kept.key] = kept.value;
    else if (!SILENT.has(key)) said.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (isObjectSchema(result)) {
    result['type'] ??= 'object';
    result['properties'] ??= {};
    result['additionalProperties'] = false;
  }
  if (said.length > 0) {
    const before = typeof result['description'] === 'string' ? `${result['description']}\n\n` : '';
    result['description'] = `${before}(${said.join('; ')})`;
  }
  return result;
}

function isObjectSchema(schema: JsonObject): boolean {
  const type = schema['type'];
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || schema['properties'] !== undefined;
}

function subsetOf(key: string, value: Json): { readonly key: string; readonly value: Json } | undefined {
  switch (key) {
    case '$ref':
      return typeof value === 'string' ? { key, value: value.replace('#/definitions/', '#/$defs/') } : undefined;
    case '$defs':
    case 'definitions':
      return isJsonObject(value) ? { key: '$defs', value: eachSchema(value) } : undefined;
    case 'properties':
      return isJsonObject(value) ? { key, value: eachSchema(value) } : undefined;
    case 'items':
      return isJsonObject(value) ? { key, value: structuredSchema(value) } : undefined;
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? { key: 'anyOf', value: value.map(structuredItem) } : undefined;
    case 'allOf':
      return Array.isArray(value) ? { key, value: value.map(structuredItem) } : undefined;
    case 'format':
      return typeof value === 'string' && FORMATS.has(value) ? { key, value } : undefined;
    case 'minItems':
      return value === 0 || value === 1 ? { key, value } : undefined;
    default:
      return KEPT.has(key) ? { key, value } : undefined;
  }
}

function structuredItem(item: Json): Json {
  return isJsonObject(item) ? structuredSchema(item) : item;
}

function eachSchema(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, item]) => [name, structuredItem(item)]));
}
