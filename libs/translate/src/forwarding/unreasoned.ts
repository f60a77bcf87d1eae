/** Reasoning settings on their way to a model that has none: the vendor would refuse the whole request for them. */
import { isJsonObject, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Dropped, Target } from '../dialect.ts';
import { dialectFacts } from '../dialect-facts.ts';
import { quirk } from '../shared/translation.ts';

/** The body without the reasoning settings that this model has not, the same object when there are none; and what was left out. */
export function withoutReasoning(
  dialect: DialectName,
  body: JsonObject,
  target: Target,
): { readonly body: JsonObject; readonly dropped: readonly Dropped[] } {
  const style = quirk(target, 'thinking');
  const settings = style === 'none' || style === 'budget' ? dialectFacts[dialect].reasoning[style] : undefined;
  let left = body;
  const dropped: Dropped[] = [];
  for (const field of settings ?? []) {
    const path = field.split('.');
    const value = path.reduce<Json | undefined>((found, key) => (isJsonObject(found) ? found[key] : undefined), left);
    if (value === undefined) continue;
    left = without(left, path);
    // Told not to reason it does as asked.
    if (value !== null && !isOff(value)) dropped.push({ field, reason: 'this model takes no reasoning effort' });
  }
  return { body: left, dropped };
}

/** The object without the member; without the objects around it too where they hold nothing else. */
function without(object: JsonObject, [key, ...inside]: readonly string[]): JsonObject {
  if (key === undefined) return object;
  const { [key]: value, ...rest } = object;
  const [next, ...further] = inside;
  if (next === undefined || !isJsonObject(value)) return rest;
  const smaller = without(value, [next, ...further]);
  return Object.keys(smaller).length === 0 ? rest : { ...object, [key]: smaller };
}

function isOff(value: Json): boolean {
  if (!isJsonObject(value)) return value === 'none';
  return value['type'] === 'disabled' || value['effort'] === 'none' || value['thinkingBudget'] === 0;
}
