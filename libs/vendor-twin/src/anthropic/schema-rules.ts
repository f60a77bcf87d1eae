import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { badMessage } from './errors.ts';

const REFUSED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
];

/** Structured output takes a subset of JSON Schema: closed objects, no bounds (docs/wire/chat-translation.md#tools). */
export function requireOutputSchema(schema: JsonObject, at: string): void {
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit);
      return;
    }
    if (!isJsonObject(node)) return;
    const type = typeof node['type'] === 'string' ? node['type'] : 'any';
    for (const name of REFUSED) {
      if (node[name] !== undefined) throw badMessage(`${at}: For '${type}' type, property '${name}' is not supported`);
    }
    if (node['type'] === 'object' && node['additionalProperties'] !== false) {
      throw badMessage(`${at}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
    }
    for (const key of ['properties', '$defs', 'definitions'] as const)
      Object.values(isJsonObject(node[key]) ? node[key] : {}).forEach(visit);
    for (const key of ['items', 'anyOf', 'allOf', 'oneOf'] as const) visit(node[key]);
  };
  visit(schema);
}
