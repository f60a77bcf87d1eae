/** The cap on an answer's tokens, for whoever does not know which format a body has. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialectFacts } from './dialect-facts.ts';

/** The first member of each, and the members in it. */
const CAPS: readonly (readonly [name: string, ...inside: string[]])[] = [
  ...new Set(Object.values(dialectFacts).flatMap(({ outputCaps }) => outputCaps)),
].map((path) => {
  const [name = '', ...inside] = path.split('.');
  return [name, ...inside];
});

/** What a body says in the words of any format; undefined where it says nothing. */
export function declaredOutputCap(body: JsonObject): number | undefined {
  for (const [name, ...inside] of CAPS) {
    let cap: Json | undefined = body[name];
    if (cap === undefined) continue;
    for (const next of inside) cap = isJsonObject(cap) ? cap[next] : undefined;
    if (typeof cap === 'number' && cap > 0) return Math.ceil(cap);
  }
  return undefined;
}
