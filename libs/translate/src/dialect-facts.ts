import type { DialectName } from '@model-gateway/contracts';
import { facts as anthropicMessages } from './anthropic-messages/facts.ts';
import type { DialectFacts } from './facts.ts';
import { facts as geminiGenerate } from './gemini-generate/facts.ts';
import { facts as openAiChat } from './openai-chat/facts.ts';
import { facts as openAiCompletions } from './openai-completions/facts.ts';
import { facts as openAiResponses } from './openai-responses/facts.ts';

/** What is known of each wire format without its code. */
export const dialectFacts: Readonly<Record<DialectName, DialectFacts>> = {
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'openai-completions': openAiCompletions,
};
