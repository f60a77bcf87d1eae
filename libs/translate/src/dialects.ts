import type { DialectName } from '@model-gateway/contracts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import type { ChatDialect } from './dialect.ts';
import { geminiGenerate } from './gemini-generate/index.ts';
import { openAiChat } from './openai-chat/index.ts';
import { openAiResponses } from './openai-responses/index.ts';

/** The four chat wire formats by name. */
export const dialects: Readonly<Record<DialectName, ChatDialect>> = {
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
};
