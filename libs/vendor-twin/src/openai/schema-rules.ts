import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { badRequest } from './errors.ts';

/** Strict schemas name every property as required and allow no others: https://platform.openai.com/docs/guides/structured-outputs */
export function requireStrictSchema(schema: JsonObject, param: string, name: string): void {
  const seen = new Set<JsonObject>();
  const visit = (node: unknown, at: string): void => {
    if (Array.isArray(node)) {
      node.forEach((item, index) => visit(item, `${at}[${index}]`));
      return;
    }
    if (!isJsonObject(node) || seen.has(node)) return;
    seen.add(node);
    if (node['type'] === 'object' || isJsonObject(node['properties'])) checkObject(node, at, { param, name });
    for (const key of ['properties', '$defs', 'definitions'] as const) {
      for (const [child, value] of Object.entries(isJsonObject(node[key]) ? node[key] : {}))
        visit(value, `${at}.${child}`);
    }
    for (const key of ['items', 'anyOf', 'oneOf', 'allOf'] as const) visit(node[key], `${at}.${key}`);
  };
  visit(schema, 'root');
}

function checkObject(
  node: JsonObject,
  at: string,
  { param, name }: { readonly param: string; readonly name: string },
): void {
  const complain = (what: string): never => {
    throw badRequest(`Invalid schema for '${name}': In context=(${at}), ${what}.`, param, 'invalid_json_schema');
  };
  if (node['additionalProperties'] !== false)
    complain("'additionalProperties' is required to be supplied and to be false");
  const required = Array.isArray(node['required']) ? node['required'] : [];
  for (const property of Object.keys(isJsonObject(node['properties']) ? node['properties'] : {})) {
    if (!required.includes(property))
      complain(`'required' must include every key in properties; missing '${property}'`);
  }
}

export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Parameters of a function are an object schema, or nothing. */
export function requireObjectSchema(schema: unknown, param: string, name: string): void {
  if (schema === undefined || schema === null) return;
  if (
    isJsonObject(schema) &&
    (schema['type'] === undefined ? Object.keys(schema).length === 0 : schema['type'] === 'object')
  ) {
    return;
  }
  throw badRequest(
    `Invalid schema for function '${name}': schema must be of type "object".`,
    param,
    'invalid_function_parameters',
  );
}
