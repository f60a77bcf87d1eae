/** Chat models: text and media in, text out, through any of the four dialects. */
import { DIALECT_NAMES, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { outputCount } from './body.ts';
import { createChat } from './chat.ts';
import { estimateTokens } from './count.ts';
import type { Chat, ChatParts } from './types.ts';

/** By the operation's own dialect, as the document says. */
const quoteFor =
  (id: QuotedOperation) =>
  (body: JsonObject, row: ModelRow): Quoted => {
    const most = row.limits['max_output_tokens'];
    const { dialect } = OPERATIONS[id];
    return {
      usage: {
        inputTokens: estimateTokens(body),
        outputTokens: outputCount(dialect, body, typeof most === 'number' ? most : undefined),
      },
    };
  };
const QUOTED = [
  'createChatCompletion',
  'createResponse',
  'createMessage',
  'generateContent',
  'streamGenerateContent',
  'generateContentV1',
  'streamGenerateContentV1',
] as const;
type QuotedOperation = (typeof QUOTED)[number];

export const chatKind: KindModule<Chat, ChatParts> = {
  name: 'chat',
  called: 'a model code',
  capability: 'chat',
  rows: { chat: { dialects: true } },
  describe: () => ({
    operations: ['createChatCompletion', 'createResponse', 'createMessage', 'generateContent'],
    formats: DIALECT_NAMES,
  }),
  quote: Object.fromEntries(QUOTED.map((id) => [id, quoteFor(id)])),
  create: createChat,
};
