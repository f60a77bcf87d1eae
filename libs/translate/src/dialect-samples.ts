import type { DialectName } from '@model-gateway/contracts';
import { samples as anthropicMessages } from './anthropic-messages/samples.ts';
import { samples as geminiGenerate } from './gemini-generate/samples.ts';
import { samples as openAiChat } from './openai-chat/samples.ts';
import { samples as openAiCompletions } from './openai-completions/samples.ts';
import { samples as openAiResponses } from './openai-responses/samples.ts';
import type { DialectSamples } from './samples.ts';

export { FEATURES, sseEvent, type Feature } from './samples.ts';

/** Samples of each wire format. */
export const dialectSamples: Readonly<Record<DialectName, DialectSamples>> = {
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'openai-completions': openAiCompletions,
};
