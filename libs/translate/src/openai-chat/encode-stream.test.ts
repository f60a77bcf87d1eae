import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import OpenAI from 'openai';
import type { ChatEvent, ChatReply } from '../conversation.ts';
import { contextOf, dataOf, decodeText, encodeEvents, eventsOf, fold, NO_REQUEST, objectsIn } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { openAiChat } from './index.ts';
import { call, DONE } from './testing/streams.ts';

const CONTEXT = contextOf({ ...NO_REQUEST, streamUsage: true });

const REPLY: ChatReply = {
  id: 'chatcmpl-1',
  choices: [
    {
      parts: [
        {
          type: 'reasoning',
          text: 'hmm',
          opaque: { provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' },
        },
        { type: 'text', text: 'Hello', citations: [{ url: 'https://x.test', title: 'T', start: 0, end: 5 }] },
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
      ],
      stop: 'tool-calls',
    },
  ],
  usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2 },
};

/** The official SDK as a judge: what it makes of our bytes. */
function sdkReading(text: string): ReturnType<OpenAI['chat']['completions']['stream']> {
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
  return client.chat.completions.stream({ model: 'm', messages: [], stream_options: { include_usage: true } });
}

describe('encoding', () => {
  it('follows the grammar: one role, one finish, no name twice, usage when asked, [DONE]', () => {
    const text = encodeEvents(openAiChat, eventsOf(REPLY), CONTEXT);
    expect(text.endsWith(DONE)).toBe(true);
    const chunks = objectsIn(text);
    const choices = chunks.flatMap((one) => one['choices'] as JsonObject[]);
    expect(choices.filter(({ delta }) => 'role' in (delta as JsonObject))).toHaveLength(1);
    expect(choices.filter(({ finish_reason: finish }) => finish !== null)).toHaveLength(1);
    const names = choices.flatMap(({ delta }) =>
      (((delta as JsonObject)['tool_calls'] ?? []) as JsonObject[]).filter((one) => 'id' in one),
    );
    expect(names.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(new Set(chunks.map(({ id, created, model }) => JSON.stringify([id, created, model]))).size).toBe(1);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    expect(chunks.slice(0, -1).every((one) => one['usage'] === null)).toBe(true);
  });

  it('no usage unless asked', () => {
    expect(encodeEvents(openAiChat, eventsOf(REPLY), contextOf(NO_REQUEST))).not.toContain('"usage"');
  });

  it.each<{ name: string; events: ChatEvent[]; last: Json }>([
    {
      name: 'bug 21, 22: an error, and no finish after it',
      events: [
        { type: 'start' },
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'delta', block: 0, text: 'a' },
        { type: 'finish', choice: 0, stop: 'stop' },
        { type: 'error', error: { code: 'upstream_unavailable', message: 'gone' } },
        { type: 'end' },
      ],
      last: { error: { message: 'gone', type: 'server_error', param: null, code: 'upstream_unavailable' } },
    },
    {
      name: 'bug 24: an end nobody finished',
      events: [{ type: 'start' }, { type: 'end' }],
      last: { error: expect.objectContaining({ code: 'upstream_unavailable' }) as never },
    },
  ])('$name', ({ events, last }) => {
    const text = encodeEvents(openAiChat, events, CONTEXT);
    expect(dataOf(text).at(-1)).toEqual(last);
    expect(text).not.toContain('"finish_reason":"');
    expect(text).not.toContain('[DONE]');
  });

  it('pings and pauses are comments', () => {
    const encoder = openAiChat.streamEncoder(CONTEXT);
    expect(encoder.push({ type: 'ping' })).toBe(': keep-alive\n\n');
    expect(encoder.keepAlive()).toBe(': keep-alive\n\n');
    expect(dataOf(encoder.keepAlive())).toEqual([]);
  });

  it('the explanation of a refusal is said before the finish', () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'finish', choice: 0, stop: 'refusal', refusal: 'because' },
      { type: 'end' },
    ];
    const chunks = objectsIn(encodeEvents(openAiChat, events, CONTEXT));
    expect(chunks.slice(1).map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { refusal: 'because' }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: {}, logprobs: null, finish_reason: 'content_filter' }],
    ]);
  });

  it('interleaved calls of the middle form stay apart', () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'tool-call-start', block: 0, choice: 0, id: 'a', name: 'f', kind: 'function' },
      { type: 'tool-call-start', block: 1, choice: 0, id: 'b', name: 'f', kind: 'function' },
      { type: 'delta', block: 1, text: '{"y":2}' },
      { type: 'delta', block: 0, text: '{"x":1}' },
      { type: 'block-stop', block: 0 },
      { type: 'block-stop', block: 1 },
      { type: 'finish', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ];
    expect(fold(decodeText(openAiChat, encodeEvents(openAiChat, events, CONTEXT))).choices[0]?.parts).toEqual([
      call('a', '{"x":1}'),
      call('b', '{"y":2}'),
    ]);
  });
});

describe('the official accumulator', () => {
  it('makes the whole answer of our stream', async () => {
    const completion = await sdkReading(encodeEvents(openAiChat, eventsOf(REPLY), CONTEXT)).finalChatCompletion();
    expect(completion).toMatchObject({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: CONTEXT.now,
      model: 'the-model',
      usage: { prompt_tokens: 10, completion_tokens: 5 },
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Hello',
            refusal: null,
            annotations: [
              {
                type: 'url_citation',
                url_citation: { start_index: 0, end_index: 5, title: 'T', url: 'https://x.test' },
              },
            ],
            thinking_blocks: [
              {
                type: 'thinking',
                thinking: 'hmm',
                signature: wrapOpaque({ provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' }),
              },
            ],
            tool_calls: [
              {
                id: 'a',
                type: 'function',
                function: { name: 'f', arguments: '{"x":1}' },
                extra_content: {
                  google: {
                    thought_signature: wrapOpaque({ provider: 'gemini', model: 'g', kind: 'signature', value: 'v' }),
                  },
                },
              },
              { id: 'b', type: 'custom', custom: { name: 'g', input: 'free text' } },
              { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } },
            ],
          },
        },
      ],
    });
  });

  it('bug 40: sends the message back, and the model’s own state comes out again', async () => {
    const completion = await sdkReading(encodeEvents(openAiChat, eventsOf(REPLY), CONTEXT)).finalChatCompletion();
    const message = JSON.parse(JSON.stringify(completion.choices[0]?.message)) as JsonObject;
    const request = openAiChat.decodeRequest({ model: 'm', messages: [message] });
    const parts = request.turns[0]?.parts ?? [];
    expect(parts.map((part) => part.opaque).filter((opaque) => opaque !== undefined)).toEqual([
      { provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' },
      { provider: 'gemini', model: 'g', kind: 'signature', value: 'v' },
    ]);
    expect(parts[0]).toMatchObject({ type: 'reasoning', text: 'hmm' });
  });

  it('raises its error for ours', async () => {
    const text = encodeEvents(
      openAiChat,
      [{ type: 'start' }, { type: 'error', error: { code: 'upstream_unavailable', message: 'gone' } }],
      CONTEXT,
    );
    await expect(sdkReading(text).finalChatCompletion()).rejects.toThrow(/gone/);
  });
});
