/** Google's JSON takes camelCase and snake_case alike (docs/wire/gemini-generate.md#transport); everything here reads camelCase. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** Values whose keys are the caller's own words, or a schema's, and must stay as they are. */
const OWN_WORDS = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
  'partMetadata',
]);

/** The same value with camelCase field names all the way down, the caller's own maps untouched. Camel case wins over its twin. */
export function camelFields(value: Json): Json {
  if (Array.isArray(value)) return value.map(camelFields);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    const name = key.includes('_') ? camelName(key) : key;
    if (name !== key && value[name] !== undefined) continue;
    const read = OWN_WORDS.has(name) ? field : camelFields(field);
    Object.defineProperty(result, name, { value: read, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

function camelName(key: string): string {
  return key.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
