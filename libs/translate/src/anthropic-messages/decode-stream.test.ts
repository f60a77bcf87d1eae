import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatEvent, ChatReply, Opaque } from '../conversation.ts';
import type { Encoded } from '../dialect.ts';
import { decodeBytes, decodeText, fold } from '../laws.ts';
import { anthropicMessages } from './index.ts';
import { encode, sdkMessage } from './testing/streams.ts';

function wire(...events: JsonObject[]): string {
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

const messageStart = (usage: JsonObject = { input_tokens: 3, output_tokens: 1 }): JsonObject => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    usage,
  },
});
const start = (index: number, content_block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, change: JsonObject): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
const stop = (index: number): JsonObject => ({ type: 'content_block_stop', index });
const text = (index: number, words: string): JsonObject => delta(index, { type: 'text_delta', text: words });
const json = (index: number, partial_json: string): JsonObject =>
  delta(index, { type: 'input_json_delta', partial_json });
const messageDelta = (stop_reason: string, usage: JsonObject = { output_tokens: 9 }): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  usage,
});
const messageStop: JsonObject = { type: 'message_stop' };

const everything = wire(
  messageStart({ input_tokens: 10, cache_read_input_tokens: 4, cache_creation_input_tokens: 2, output_tokens: 1 }),
  { type: 'ping' },
  start(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Hmm, größer ' }),
  delta(0, { type: 'thinking_delta', thinking: '🤔' }),
  delta(0, { type: 'signature_delta', signature: 'SIG' }),
  stop(0),
  start(1, { type: 'redacted_thinking', data: 'RED' }),
  stop(1),
  start(2, { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} }),
  json(2, '{"query":'),
  json(2, '"q"}'),
  stop(2),
  start(3, { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] }),
  stop(3),
  start(4, { type: 'text', text: '' }),
  text(4, 'Hel'),
  text(4, 'lo 👋'),
  delta(4, {
    type: 'citations_delta',
    citation: {
      type: 'web_search_result_location',
      url: 'https://a',
      title: 'A',
      cited_text: 'c',
      encrypted_index: 'E',
    },
  }),
  stop(4),
  start(5, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
  json(5, ''),
  json(5, '{"a": "\\u00'),
  json(5, 'e4"}'),
  stop(5),
  start(6, { type: 'tool_use', id: 'toolu_2', name: 'none', input: {} }),
  stop(6),
  messageDelta('tool_use', {
    input_tokens: 10,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 2,
    output_tokens: 20,
  }),
  messageStop,
);

describe('reading a stream', () => {
  it('everything, in middle events', () => {
    const signature: Opaque = { provider: 'anthropic', model: 'claude-x', kind: 'signature', value: 'SIG' };
    expect(decodeText(anthropicMessages, everything)).toEqual([
      {
        type: 'start',
        id: 'msg_1',
        model: 'claude-x',
        usage: { inputTokens: 16, cachedInputTokens: 4, cacheWriteTokens: 2, outputTokens: 1 },
      },
      { type: 'ping' },
      { type: 'reasoning-start', block: 0, choice: 0 },
      { type: 'delta', block: 0, text: 'Hmm, größer ' },
      { type: 'delta', block: 0, text: '🤔' },
      { type: 'opaque', block: 0, opaque: signature },
      { type: 'block-stop', block: 0 },
      { type: 'reasoning-start', block: 1, choice: 0 },
      { type: 'opaque', block: 1, opaque: { ...signature, kind: 'redacted', value: 'RED' } },
      { type: 'block-stop', block: 1 },
      expect.objectContaining({
        type: 'server-tool',
        block: 2,
        part: expect.objectContaining({ phase: 'call', query: 'q', name: 'web_search' }),
      }),
      expect.objectContaining({
        type: 'server-tool',
        block: 3,
        part: expect.objectContaining({ phase: 'result', id: 'srv' }),
      }),
      { type: 'text-start', block: 4, choice: 0 },
      { type: 'delta', block: 4, text: 'Hel' },
      { type: 'delta', block: 4, text: 'lo 👋' },
      { type: 'citation', block: 4, citation: expect.objectContaining({ url: 'https://a', title: 'A', text: 'c' }) },
      { type: 'block-stop', block: 4 },
      { type: 'tool-call-start', block: 5, choice: 0, id: 'toolu_1', name: 'look', kind: 'function' },
      { type: 'delta', block: 5, text: '{"a": "\\u00' },
      { type: 'delta', block: 5, text: 'e4"}' },
      { type: 'block-stop', block: 5 },
      { type: 'tool-call-start', block: 6, choice: 0, id: 'toolu_2', name: 'none', kind: 'function' },
      { type: 'block-stop', block: 6 },
      { type: 'usage', usage: { inputTokens: 16, cachedInputTokens: 4, cacheWriteTokens: 2, outputTokens: 20 } },
      { type: 'finish', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ]);
  });

  it('cut at every byte, the events are the same', () => {
    const bytes = Buffer.from(everything);
    const whole = decodeBytes(anthropicMessages, [bytes]);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(decodeBytes(anthropicMessages, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
  });

  it('read, written and read again it is the same, and the SDK agrees', async () => {
    const events = decodeText(anthropicMessages, everything);
    const sse = encode(events);
    const again = decodeText(anthropicMessages, sse);
    const quiet = (list: ChatEvent[]): ChatReply => {
      const { id: _id, model: _model, ...rest } = fold(list.filter(({ type }) => type !== 'ping'));
      return rest;
    };
    expect(JSON.stringify(quiet(again)).replaceAll('the-model', 'claude-x')).toEqual(
      JSON.stringify(quiet(events)).replace(
        '"cacheWriteTokens":2,"outputTokens":20',
        '"cacheWriteTokens":2,"cacheWriteLongTokens":0,"outputTokens":20',
      ),
    );
    const message = await sdkMessage(sse);
    const original = await sdkMessage(everything);
    expect(message.content.map((block) => block.type)).toEqual(original.content.map((block) => block.type));
    expect(message.content[0]).toEqual({ type: 'thinking', thinking: 'Hmm, größer 🤔', signature: 'SIG' });
    expect(message.content[5]).toMatchObject({ type: 'tool_use', id: 'toolu_1', input: { a: 'ä' } });
    expect(message.content[6]).toMatchObject({ input: {} });
    expect(message.usage).toMatchObject({ input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 20 });
  });

  it('bug 16: counters of message_delta replace those of message_start, one by one', () => {
    const events = decodeText(
      anthropicMessages,
      wire(
        messageStart({ input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 1 }),
        messageDelta('end_turn', { input_tokens: 12, output_tokens: 9 }),
        messageStop,
      ),
    );
    expect(fold(events).usage).toMatchObject({ inputTokens: 112, cachedInputTokens: 100, outputTokens: 9 });
  });

  it.each([
    {
      name: 'bug 21: cut in the middle of a block',
      sse: wire(messageStart(), start(0, { type: 'text', text: '' }), text(0, 'Hel')),
      last: 'error',
    },
    {
      name: 'bug 21: cut before the stop reason',
      sse: wire(messageStart(), start(0, { type: 'text', text: '' }), text(0, 'x'), stop(0)),
      last: 'error',
    },
    { name: 'nothing at all', sse: '', last: 'error' },
    {
      name: 'bug 23: finished without its terminator',
      sse: wire(messageStart(), messageDelta('end_turn')),
      last: 'end',
    },
    {
      name: 'bug 23: cut inside its terminator',
      sse: `${wire(messageStart(), messageDelta('end_turn'))}event: message_stop\ndata: {"type":"mes`,
      last: 'end',
    },
    {
      name: 'bug 25: an error first',
      sse: wire({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }),
      last: 'error',
    },
    {
      name: 'bug 25: an error inside, and what comes after',
      sse: wire(
        messageStart(),
        { type: 'error', error: { type: 'api_error', message: 'x' } },
        messageDelta('end_turn'),
        messageStop,
      ),
      last: 'error',
    },
    { name: 'an event that is no JSON', sse: 'event: content_block_delta\ndata: {"type\n\n', last: 'error' },
  ])('$name ends in $last', ({ sse, last }) => {
    const events = decodeText(anthropicMessages, sse);
    expect(events.at(-1)?.type).toBe(last);
    expect(events.filter(({ type }) => type === 'error' || type === 'end')).toHaveLength(1);
  });

  it("bug 25: the vendor's word for an error is kept", () => {
    const [event] = decodeText(
      anthropicMessages,
      wire({ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }),
    );
    expect(event).toEqual({
      type: 'error',
      error: { code: 'upstream_rate_limited', message: 'slow', vendorCode: 'rate_limit_error' },
    });
  });

  it('bug 33: a second message_start inside an open message goes on with it', () => {
    const events = decodeText(
      anthropicMessages,
      wire(
        messageStart(),
        start(0, { type: 'text', text: '' }),
        text(0, 'a'),
        messageStart(),
        start(0, { type: 'text', text: '' }),
        text(0, 'b'),
        stop(0),
        messageDelta('end_turn'),
        messageStop,
      ),
    );
    expect(fold(events).choices[0]?.parts.map((part) => ('text' in part ? part.text : ''))).toEqual(['a', 'b']);
  });

  it('a vendor that gives the whole input at the start', () => {
    const events = decodeText(
      anthropicMessages,
      wire(
        messageStart(),
        start(0, { type: 'tool_use', id: 't', name: 'n', input: { a: 1 } }),
        stop(0),
        messageDelta('end_turn'),
        messageStop,
      ),
    );
    expect(fold(events).choices[0]).toMatchObject({ stop: 'tool-calls', parts: [{ arguments: '{"a":1}' }] });
  });

  it('undoes renamed, custom and JSON tools', () => {
    const sent: Encoded = {
      body: {},
      dropped: [],
      toolNames: new Map([['wire', 'mine']]),
      customTools: new Set(['sql']),
      jsonTool: 'json',
    };
    const reply = fold(
      decodeText(
        anthropicMessages,
        wire(
          messageStart(),
          start(0, { type: 'tool_use', id: 'a', name: 'wire', input: {} }),
          json(0, '{}'),
          stop(0),
          start(1, { type: 'tool_use', id: 'b', name: 'sql', input: {} }),
          json(1, '{"input": "select'),
          json(1, ' 1"}'),
          stop(1),
          messageDelta('tool_use'),
          messageStop,
        ),
        sent,
      ),
    );
    expect(reply.choices[0]?.parts).toMatchObject([
      { name: 'mine', kind: 'function' },
      { name: 'sql', kind: 'custom', arguments: 'select 1' },
    ]);
    const answer = wire(
      messageStart(),
      start(0, { type: 'tool_use', id: 'a', name: 'json', input: {} }),
      json(0, '{"n":'),
      json(0, '1}'),
      stop(0),
      messageDelta('tool_use'),
      messageStop,
    );
    const events = decodeText(anthropicMessages, answer, sent);
    expect(events.filter(({ type }) => type === 'delta')).toHaveLength(2);
    expect(fold(events).choices[0]).toMatchObject({ stop: 'stop', parts: [{ type: 'text', text: '{"n":1}' }] });
  });
});
