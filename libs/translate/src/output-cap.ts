/** The cap on an answer's tokens, for whoever does not know which format a body has. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialectFacts } from './dialect-facts.ts';

const CAPS: readonly (readonly string[])[] = [
  ...new Set(Object.values(dialectFacts).flatMap(({ outputCaps }) => outputCaps)),
].map((path) => path.split('.'));

/** What a body says in the words of any format; undefined where it says nothing. */
export function declaredOutputCap(body: JsonObject): number | undefined {
  for (const path of CAPS) {
    const cap = memberAt(body, path);
    if (typeof cap === 'number' && cap > 0) return Math.ceil(cap);
  }
  return undefined;
}

function memberAt(body: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = body;
  for (const name of path) {
    if (!isJsonObject(value)) return undefined;
    value = value[name];
  }
  return value;
}
