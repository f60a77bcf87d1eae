/** What every encoder of requests does with the words its wire has not. */
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';
import type { DroppedList } from './dropped.ts';
import { refuseUnportable } from './target.ts';

/** Words that mean the same on both OpenAI wires. */
const OPENAI_WORDS: ReadonlySet<string> = new Set([
  'store',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'moderation',
]);

/**
 * The fields of `request.extra` that may go to `dialect`; the others, and nested ones the middle form has no word for, are
 * reported. Throws for what only the caller's own dialect can do.
 */
export function carriedExtra(request: ChatRequest, dialect: DialectName, dropped: DroppedList): JsonObject {
  if (request.dialect === dialect) return request.extra;
  refuseUnportable(request);
  const bothOpenAi = request.dialect?.startsWith('openai-') === true && dialect.startsWith('openai-');
  const carried: JsonObject = {};
  for (const [field, value] of Object.entries(request.extra)) {
    if (bothOpenAi && OPENAI_WORDS.has(field)) carried[field] = value;
    else dropped.add(field, `no such setting in ${dialect}`);
  }
  for (const place of request.nested ?? []) dropped.add(place, `no such setting in ${dialect}`);
  return carried;
}
