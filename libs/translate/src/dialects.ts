import type { DialectName } from '@model-gateway/contracts';
import type { ChatDialect } from './dialect.ts';
import { openAiChat } from './openai-chat/index.ts';

/** The four chat wire formats by name. */
export const dialects: Readonly<Record<DialectName, ChatDialect>> = {
  'openai-chat': openAiChat,
  'openai-responses': openAiChat,
  'anthropic-messages': openAiChat,
  'gemini-generate': openAiChat,
};
