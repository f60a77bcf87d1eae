/** What a text completion may be billed for (docs/wire/completions.md#request). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import { outputWords } from '../shared/output-words.ts';
import { amountOf, costOf, newReading, type RequestCost } from '../shared/request-cost.ts';

/** Every prompt of a list is answered; of `best_of` answers all are written, and some are shown. */
export function readCost(body: JsonObject): RequestCost {
  const answers = Math.max(1, amountOf(body['n']), amountOf(body['best_of']), outputWords(body).answers);
  return costOf(newReading(), body, [body['max_tokens']], answers * promptsIn(body['prompt']));
}

/** A list of numbers is one prompt, in tokens. */
function promptsIn(prompt: Json | undefined): number {
  if (!Array.isArray(prompt) || prompt.every((each) => typeof each === 'number')) return 1;
  return prompt.length;
}

export function capEdits(body: JsonObject, most: number): Map<string, string> {
  return new Map(amountOf(body['max_tokens']) > most ? [['max_tokens', String(most)]] : []);
}
