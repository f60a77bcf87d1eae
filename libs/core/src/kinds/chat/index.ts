/** Chat models: text and media in, text out, through any of the four dialects. */
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { outputCount } from './body.ts';
import { createChat } from './chat.ts';
import { estimateTokens } from './count.ts';
import type { Chat, ChatParts } from './types.ts';

const quoteIn =
  (dialect: DialectName) =>
  (body: JsonObject, row: ModelRow): Quoted => {
    const most = row.limits['max_output_tokens'];
    return {
      usage: {
        inputTokens: estimateTokens(body),
        outputTokens: outputCount(dialect, body, typeof most === 'number' ? most : undefined),
      },
    };
  };
const quoteGemini = quoteIn('gemini-generate');

export const chatKind: KindModule<Chat, ChatParts> = {
  name: 'chat',
  rows: { chat: { dialects: true } },
  describe: () => ({
    operations: ['createChatCompletion', 'createResponse', 'createMessage', 'generateContent'],
    formats: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'],
  }),
  quote: {
    createChatCompletion: quoteIn('openai-chat'),
    createResponse: quoteIn('openai-responses'),
    createMessage: quoteIn('anthropic-messages'),
    generateContent: quoteGemini,
    streamGenerateContent: quoteGemini,
    generateContentV1: quoteGemini,
    streamGenerateContentV1: quoteGemini,
  },
  create: createChat,
};
