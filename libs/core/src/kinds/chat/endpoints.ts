/** Which paths take which chat format: the one place of core that names the formats (kept by lint). */
import type { DialectName } from '@model-gateway/contracts';

/** By path; a path with the model in it stands under the name of its method. */
const FORMATS: Readonly<Record<string, DialectName>> = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic-messages',
  ':generateContent': 'gemini-generate',
  ':streamGenerateContent': 'gemini-generate',
};

/** The chat format that a path takes; undefined for one that takes none. */
export function chatFormatOf(endpoint: string): DialectName | undefined {
  return FORMATS[endpoint] ?? FORMATS[endpoint.slice(Math.max(0, endpoint.lastIndexOf(':')))];
}
