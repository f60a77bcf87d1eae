/** What an answer of one wire must still say on another: arguments of any JSON, blocks that come at once, summaries that nobody said. */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialects } from './dialects.ts';
import { createSseParser, formatSse } from './shared/sse.ts';
import type { ReplyContext } from './dialect.ts';

const context = (name: DialectName): ReplyContext => ({
  model: 'm',
  request: dialects[name].decodeRequest(
    {
      'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'x' }] },
      'openai-responses': { model: 'm', input: 'x' },
      'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
      'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
    }[name],
    { model: 'm', stream: false },
  ),
  body: {},
  id: 'i',
  now: 0,
  requestId: 'r',
});
const message = (...content: JsonObject[]): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});
const called = (args: string): JsonObject => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: args } }],
      },
    },
  ],
});

describe('arguments', () => {
  it.each<[string, Json, JsonObject]>([
    ['null', null, { input: null }],
    ['[]', [], { input: [] }],
    ['{"a":null}', { a: null }, { a: null }],
    ['', {}, {}],
    ['not JSON', { input: 'not JSON' }, { input: 'not JSON' }],
  ])('%j of chat completions stay what they are', (text, asAnthropic, asGoogle) => {
    const reply = dialects['openai-chat'].decodeReply(called(text));
    const anthropic = dialects['anthropic-messages'].encodeReply(reply, context('anthropic-messages'));
    expect(anthropic).toMatchObject({ content: [{ type: 'tool_use', input: asAnthropic }] });
    // Google's are always an object.
    const google = dialects['gemini-generate'].encodeReply(reply, context('gemini-generate'));
    expect(google).toMatchObject({ candidates: [{ content: { parts: [{ functionCall: { args: asGoogle } }] } }] });
  });

  it.each<[Json, string]>([
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
  ])('%j of messages stay what they are', (input, text) => {
    const reply = dialects['anthropic-messages'].decodeReply(message({ type: 'tool_use', id: 't', name: 'f', input }));
    const chat = dialects['openai-chat'].encodeReply(reply, context('openai-chat'));
    expect(chat).toMatchObject({ choices: [{ message: { tool_calls: [{ function: { arguments: text } }] } }] });
  });
});

describe('a summary of what came before', () => {
  const answer = message({ type: 'compaction', content: 'SUMMARY' }, { type: 'text', text: 'hello' });
  it.each(DIALECT_NAMES.filter((name) => name !== 'anthropic-messages'))('is no text of an answer in %s', (name) => {
    const reply = dialects['anthropic-messages'].decodeReply(answer);
    const shown = JSON.stringify(dialects[name].encodeReply(reply, context(name)));
    expect(shown).toContain('hello');
    expect(shown).not.toContain('SUMMARY');
  });
});

it('content that is in message_start is part of the answer', () => {
  const decoder = dialects['anthropic-messages'].streamDecoder();
  const start = message({ type: 'text', text: 'hello ' }, { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } });
  const events: readonly JsonObject[] = [
    { type: 'message_start', message: start },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'you' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  const encoder = dialects['openai-chat'].streamEncoder(context('openai-chat'));
  const bytes = Buffer.from(events.map((event) => formatSse(JSON.stringify(event), String(event['type']))).join(''));
  const said = createSseParser()
    .push(bytes)
    .flatMap((event) => decoder.push(event))
    .map((event) => encoder.push(event))
    .join('');
  const texts = [...said.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text);
  expect(texts.join('')).toBe('hello you');
  expect(said).toContain('{\\"a\\":1}');
});

it.each(DIALECT_NAMES.filter((name) => name !== 'anthropic-messages'))(
  'citations of documents in the history are named on the way to %s',
  (name) => {
    const cited = [
      { type: 'page_location', cited_text: 'x', document_index: 0, start_page_number: 1, end_page_number: 2 },
    ];
    const text = { type: 'text', text: 'hello' };
    const asked = (content: JsonObject[]): string[] => {
      const turns = [
        { role: 'user', content: 'x' },
        { role: 'assistant', content },
        { role: 'user', content: 'y' },
      ];
      const request = dialects['anthropic-messages'].decodeRequest({ model: 'm', max_tokens: 9, messages: turns });
      return dialects[name].encodeRequest(request, { model: 'm', provider: 'x' }).dropped.map(({ field }) => field);
    };
    expect(asked([{ ...text, citations: cited }])).toContain('messages[1].content[0].citations');
    expect(asked([text]).filter((field) => field.includes('citations'))).toEqual([]);
  },
);
