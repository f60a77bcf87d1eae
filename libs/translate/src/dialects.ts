import type { DialectName } from '@model-gateway/contracts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import type { ChatDialect } from './dialect.ts';
import { geminiGenerate } from './gemini-generate/index.ts';
import { openAiChat } from './openai-chat/index.ts';
import { openAiCompletions } from './openai-completions/index.ts';
import { openAiResponses } from './openai-responses/index.ts';

/** The chat wire formats, and text completions, by name. */
export const dialects: Readonly<Record<DialectName, ChatDialect>> = {
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'openai-completions': openAiCompletions,
};
