/** Responses streams, event by event, for the tests of this dialect. */
import type { ChatReply } from '../../conversation.ts';
import { contextOf, NO_REQUEST } from '../../laws.ts';

export const CONTEXT = contextOf(NO_REQUEST, { model: 'the-model', input: 'hi', tools: [] });

export const REPLY: ChatReply = {
  id: 'resp_1',
  choices: [
    {
      parts: [
        {
          type: 'reasoning',
          text: 'one\n\ntwo',
          summaries: ['one', 'two'],
          opaque: { provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' },
        },
        { type: 'text', text: 'Hello ü😀', citations: [{ url: 'https://x.test', title: 'T', start: 0, end: 5 }] },
        {
          type: 'tool-call',
          id: 'a',
          name: 'f',
          kind: 'function',
          arguments: '{"x":1}',
          opaque: { provider: 'gemini', model: 'g', kind: 'signature', value: 'v' },
        },
        { type: 'tool-call', id: 'b', name: 'g', kind: 'custom', arguments: 'free text' },
        { type: 'tool-call', id: 'c', name: 'f', kind: 'function', arguments: '' },
        { type: 'server-tool', provider: 'anthropic', name: 'web_search', phase: 'call', query: 'cats', raw: {} },
        { type: 'image', source: { type: 'base64', mime: 'image/png', data: 'AAAA' } },
        { type: 'refusal', text: 'not that' },
      ],
      stop: 'tool-calls',
    },
  ],
  usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2 },
};
