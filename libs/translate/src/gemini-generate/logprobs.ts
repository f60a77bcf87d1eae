/** Log probabilities, both ways; the middle form has OpenAI's shape (docs/wire/gemini-generate.md#answer). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import { arrayOf, numberOf, objectOf, objectsOf, textOf } from '../shared/read.ts';

/** `logprobsResult` of a candidate; undefined when it has none. */
export function readLogprobs(candidate: JsonObject): Json[] | undefined {
  const result = objectOf(candidate['logprobsResult']);
  const chosen = objectsOf(result?.['chosenCandidates']);
  if (chosen.length === 0) return undefined;
  const top = arrayOf(result?.['topCandidates']);
  return chosen.map((entry, index) => ({
    ...readEntry(entry),
    top_logprobs: objectsOf(objectOf(top[index])?.['candidates']).map(readEntry),
  }));
}

function readEntry(entry: JsonObject): JsonObject {
  const token = textOf(entry['token']) ?? '';
  return { token, logprob: numberOf(entry['logProbability']) ?? 0, bytes: [...Buffer.from(token, 'utf8')] };
}

/** `{logprobsResult}` for a candidate, or nothing. */
export function writeLogprobs(list: readonly Json[] | undefined): JsonObject {
  if (list === undefined || list.length === 0) return {};
  const entries = list.map((entry) => objectOf(entry) ?? {});
  return {
    logprobsResult: {
      chosenCandidates: entries.map(writeEntry),
      topCandidates: entries.map((entry) => ({ candidates: objectsOf(entry['top_logprobs']).map(writeEntry) })),
    },
  };
}

function writeEntry(entry: JsonObject): JsonObject {
  return { token: textOf(entry['token']) ?? '', logProbability: numberOf(entry['logprob']) ?? 0 };
}
