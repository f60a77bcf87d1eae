import { describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatReply, Opaque, StopReason } from '../conversation.ts';
import { contextOf, NO_REQUEST, replyTwice } from '../laws.ts';
import { isEnvelope, unwrapOpaque } from '../shared/opaque-envelope.ts';
import { anthropicMessages } from './index.ts';

const context = contextOf(NO_REQUEST);

function message(content: JsonObject[], rest: JsonObject = {}): JsonObject {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-20260901',
    content,
    stop_reason: 'end_turn',
    ...rest,
  };
}

function encode(parts: AssistantPart[], rest: Partial<ChatReply['choices'][number]> = {}): JsonObject {
  return anthropicMessages.encodeReply({ choices: [{ parts, stop: 'stop', ...rest }] }, context);
}

describe('reading a message', () => {
  it('reads blocks in order, with state bound to the model', () => {
    const reply = anthropicMessages.decodeReply(
      message([
        { type: 'thinking', thinking: 'hm', signature: 'S' },
        {
          type: 'text',
          text: 'hello',
          citations: [
            { type: 'web_search_result_location', url: 'https://a', title: 'A', cited_text: 'c', encrypted_index: 'E' },
          ],
        },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: [1] } },
      ]),
    );
    expect(reply).toMatchObject({
      id: 'msg_1',
      model: 'claude-opus-5-20260901',
      choices: [
        {
          stop: 'tool-calls',
          parts: [
            {
              type: 'reasoning',
              text: 'hm',
              opaque: { provider: 'anthropic', model: 'claude-opus-5-20260901', kind: 'signature', value: 'S' },
            },
            { type: 'text', text: 'hello', citations: [{ url: 'https://a', title: 'A', text: 'c' }] },
            { type: 'tool-call', id: 'toolu_1', name: 'look', arguments: '{"a":[1]}' },
          ],
        },
      ],
    });
  });

  it('bug 4: keeps every tool_use block', () => {
    const blocks = ['a', 'b', 'c'].map((id) => ({ type: 'tool_use', id, name: 'look', input: {} }));
    const parts = anthropicMessages.decodeReply(message(blocks)).choices[0]?.parts;
    expect(parts?.map((part) => (part.type === 'tool-call' ? part.id : ''))).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['end_turn', false, 'stop'],
    ['end_turn', true, 'tool-calls'],
    ['tool_use', true, 'tool-calls'],
    ['tool_use', false, 'stop'],
    ['max_tokens', true, 'length'],
    ['stop_sequence', false, 'stop-sequence'],
    ['pause_turn', false, 'paused'],
    ['refusal', false, 'refusal'],
    ['model_context_window_exceeded', false, 'context-full'],
    ['a word of next year', false, 'stop'],
  ])('stop_reason %s with calls: %s is %s', (word, calls, stop) => {
    const content = calls ? [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] : [];
    expect(anthropicMessages.decodeReply(message(content, { stop_reason: word })).choices[0]?.stop).toBe(stop);
  });

  it('keeps the matched stop sequence and the words of a refusal', () => {
    const stopped = anthropicMessages.decodeReply(message([], { stop_reason: 'stop_sequence', stop_sequence: 'END' }));
    expect(stopped.choices[0]).toMatchObject({ stop: 'stop-sequence', stopSequence: 'END' });
    const refused = anthropicMessages.decodeReply(
      message([], { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'no' } }),
    );
    expect(refused.choices[0]).toMatchObject({ stop: 'refusal', refusal: 'no' });
  });

  it.each([
    {
      name: 'cache counts are added',
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 3,
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 2 },
      },
      reads: { inputTokens: 18, cacheWriteTokens: 5, cachedInputTokens: 3, outputTokens: 7, reasoningTokens: 2 },
    },
    { name: 'zero is zero', usage: { input_tokens: 0, output_tokens: 0 }, reads: { inputTokens: 0, outputTokens: 0 } },
    {
      name: 'null is nobody',
      usage: { input_tokens: 4, cache_read_input_tokens: null, output_tokens: 1 },
      reads: { inputTokens: 4, outputTokens: 1 },
    },
    {
      name: 'cache writes by their time',
      usage: { input_tokens: 1, cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 } },
      reads: { inputTokens: 6, cacheWriteTokens: 5, cacheWriteLongTokens: 3 },
    },
    { name: 'searches', usage: { server_tool_use: { web_search_requests: 2 } }, reads: { webSearches: 2 } },
  ])('usage: $name', ({ usage, reads }) => {
    expect(anthropicMessages.readUsage(message([], { usage }))).toEqual(reads);
  });

  it('bug 17: a vendor whose input already holds the cache is not counted twice', () => {
    const body = message([], { usage: { input_tokens: 10, cache_read_input_tokens: 6, output_tokens: 1 } });
    const quirks = { usage_input_includes_cache: true };
    expect(anthropicMessages.readUsage(body, quirks)?.inputTokens).toBe(10);
    expect(anthropicMessages.readUsage(body)?.inputTokens).toBe(16);
    const sent = { body: {}, dropped: [], target: { model: 'kimi', provider: 'moonshot', quirks } };
    expect(anthropicMessages.decodeReply(body, sent).usage?.inputTokens).toBe(10);
  });

  it.each([
    {
      name: 'an error body inside a 200',
      body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
      code: 'upstream_unavailable',
    },
    { name: 'text', body: 'hello', code: 'upstream_malformed' },
    { name: 'no content', body: { type: 'message' }, code: 'upstream_malformed' },
    { name: 'a broken block', body: { content: [{ type: 'text' }] }, code: 'upstream_malformed' },
  ])('throws for $name', ({ body, code }) => {
    let caught: unknown;
    try {
      anthropicMessages.decodeReply(body);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(GatewayError);
    expect(caught).toMatchObject({ code });
  });
});

describe('writing a message', () => {
  it('says nothing of citations where a text has none, as the AI SDK up to version 6 wants a list', () => {
    const spoken = { type: 'base64', mime: 'audio/wav', data: 'AA==' } as const;
    const { content } = encode([
      { type: 'text', text: 'hi' },
      { type: 'audio', source: spoken, transcript: 'spoken' },
    ]);
    expect(content).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'text', text: 'spoken' },
    ]);
  });

  it('has every field a client looks for', () => {
    expect(
      anthropicMessages.encodeReply(
        { id: 'chatcmpl-1', model: 'vendor-name', choices: [{ parts: [{ type: 'text', text: 'hi' }], stop: 'stop' }] },
        context,
      ),
    ).toEqual({
      id: 'msg_f00dfeed',
      type: 'message',
      role: 'assistant',
      model: 'the-model',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 0,
      },
    });
  });

  it.each([
    ['stop', 'end_turn'],
    ['stop-sequence', 'stop_sequence'],
    ['length', 'max_tokens'],
    ['context-full', 'model_context_window_exceeded'],
    ['tool-calls', 'tool_use'],
    ['refusal', 'refusal'],
    ['content-filter', 'refusal'],
    ['paused', 'pause_turn'],
  ] as [StopReason, string][])('%s is %s', (stop, word) => {
    expect(encode([], { stop })['stop_reason']).toBe(word);
  });

  it('an unreadable call is a refusal that explains it', () => {
    expect(encode([], { stop: 'malformed-call' })).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { explanation: expect.stringContaining('cannot be read') },
    });
    const nameless = {
      content: [
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 't', input: {} },
      ],
      stop_reason: 'tool_use',
    };
    expect(anthropicMessages.decodeReply(nameless).choices[0]).toMatchObject({
      stop: 'malformed-call',
      parts: [{ text: 'x' }],
    });
  });

  it('bug 18: cached and written tokens of other vendors are told apart from the rest', () => {
    const usage = {
      inputTokens: 100,
      cachedInputTokens: 60,
      cacheWriteTokens: 10,
      outputTokens: 5,
      reasoningTokens: 3,
    };
    const body = anthropicMessages.encodeReply({ choices: [{ parts: [], stop: 'stop' }], usage }, context);
    expect(body['usage']).toMatchObject({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 3 },
    });
  });

  it('bug 20: never below zero where a vendor counts writes as hits too', () => {
    const usage = { inputTokens: 10, cachedInputTokens: 10, cacheWriteTokens: 10 };
    const body = anthropicMessages.encodeReply({ choices: [{ parts: [], stop: 'stop' }], usage }, context);
    expect(body['usage']).toMatchObject({ input_tokens: 0 });
  });

  it('bug 39: the state of a call stands ahead of it', () => {
    const opaque: Opaque = { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'G' };
    const content = encode([{ type: 'tool-call', id: 'c', name: 'n', kind: 'function', arguments: '{}', opaque }])[
      'content'
    ] as JsonObject[];
    expect(content.map(({ type }) => type)).toEqual(['redacted_thinking', 'tool_use']);
    expect(unwrapOpaque(String(content[0]?.['data']))).toEqual(opaque);
  });

  it.each([
    {
      name: 'its own, with words',
      part: { text: 'hm', opaque: { provider: 'anthropic', kind: 'signature', value: 'S' } },
      block: { type: 'thinking', thinking: 'hm', signature: 'S' },
    },
    {
      name: 'bug 37: its own, without words',
      part: { text: '', opaque: { provider: 'anthropic', kind: 'signature', value: 'S' } },
      block: { type: 'thinking', thinking: '', signature: 'S' },
    },
    {
      name: 'its own, redacted',
      part: { text: '', opaque: { provider: 'anthropic', kind: 'redacted', value: 'R' } },
      block: { type: 'redacted_thinking', data: 'R' },
    },
  ] as const)('reasoning: $name', ({ part, block }) => {
    expect(encode([{ type: 'reasoning', ...part }])['content']).toEqual([block]);
  });

  it('reasoning that nobody signed has a signature that nobody will read', () => {
    const [block] = encode([{ type: 'reasoning', text: 'hm' }])['content'] as JsonObject[];
    expect(block).toMatchObject({ type: 'thinking', thinking: 'hm' });
    expect(isEnvelope(String(block?.['signature']))).toBe(true);
    const back = anthropicMessages.decodeReply(message([block ?? {}])).choices[0]?.parts[0];
    expect(back).toMatchObject({ type: 'reasoning', text: 'hm' });
    expect(back).not.toHaveProperty('opaque');
  });

  it('ids that the wire refuses come back as they were', () => {
    const [block] = encode([
      { type: 'tool-call', id: 'functions.look:0', name: 'look', kind: 'function', arguments: '' },
    ])['content'] as JsonObject[];
    expect(block).toMatchObject({ type: 'tool_use', id: expect.stringMatching(/^[A-Za-z0-9_-]+$/), input: {} });
    const request = anthropicMessages.decodeRequest({
      model: 'm',
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [block ?? {}] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: block?.['id'] ?? '', content: 'r' }] },
      ],
    });
    expect(request.turns[1]?.parts[0]).toMatchObject({ id: 'functions.look:0' });
    expect(request.turns[2]?.parts[0]).toMatchObject({ callId: 'functions.look:0' });
  });

  it('refusals, images and spoken words are text; empty text is nothing', () => {
    const content = encode([
      { type: 'text', text: '' },
      { type: 'refusal', text: 'no' },
      { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
      { type: 'audio', source: { type: 'base64', mime: 'audio/wav', data: 'AA==' }, transcript: 'said' },
      { type: 'server-tool', provider: 'openai', name: 'web_search', phase: 'call', raw: {} },
    ])['content'] as JsonObject[];
    expect(content.map(({ text }) => text)).toEqual(['no', '![image](https://a/b.png)', 'said']);
  });
});

it('a message read, written and read again is the same', () => {
  const { once, twice } = replyTwice(
    anthropicMessages,
    message(
      [
        { type: 'thinking', thinking: '', signature: 'S' },
        { type: 'redacted_thinking', data: 'R' },
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        { type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'c', document_index: 0 }] },
        { type: 'tool_use', id: 't', name: 'n', input: { deep: { x: null } } },
      ],
      {
        stop_reason: 'tool_use',
        usage: {
          input_tokens: 1,
          cache_read_input_tokens: 2,
          cache_creation_input_tokens: 0,
          output_tokens: 3,
          cache_creation: { ephemeral_1h_input_tokens: 0 },
        },
      },
    ),
  );
  expect(JSON.parse(JSON.stringify(twice)) as unknown).toMatchObject(
    JSON.parse(JSON.stringify({ ...once, model: 'claude-opus-5-20260901' })) as object,
  );
});
