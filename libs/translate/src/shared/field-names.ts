/** How each wire calls a setting, so that a report names the field the caller wrote. */
import type { ChatRequest } from '../conversation.ts';
import { dialectFacts } from '../dialect-facts.ts';
import type { Setting } from '../facts.ts';

/** The caller's own name of a setting; chat-completions' where the caller's wire is not known. */
export function fieldName({ dialect = 'openai-chat' }: Pick<ChatRequest, 'dialect'>, setting: Setting): string {
  return dialectFacts[dialect].fieldNames[setting];
}
