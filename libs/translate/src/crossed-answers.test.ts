/** What an answer of one wire must still say on another: arguments of any JSON, blocks that come at once, summaries that nobody said. */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type ChatFormat, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialects } from './dialects.ts';
import { replyEvents } from './shared/reply-events.ts';
import { createSseParser, formatSse } from './shared/sse.ts';
import type { ReplyContext } from './dialect.ts';

const context = (name: ChatFormat): ReplyContext => ({
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

describe('citations of documents in answers', () => {
  const page = {
    type: 'page_location',
    cited_text: 'The sea is deep.',
    document_index: 0,
    document_title: 'sea.pdf',
    start_page_number: 3,
    end_page_number: 5,
    file_id: null,
  };
  const file = { type: 'file_citation', file_id: 'file_1', filename: 'sea.pdf', index: 4 };
  const passage = { retrievedContext: { title: 'sea.pdf', text: 'The sea is deep.' } };
  const answers: Partial<Record<ChatFormat, JsonObject>> = {
    'anthropic-messages': {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Deep.', citations: [page] }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    'openai-responses': {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Deep.', annotations: [file] }],
        },
      ],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    'gemini-generate': {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Deep.' }] },
          finishReason: 'STOP',
          groundingMetadata: {
            groundingChunks: [passage],
            groundingSupports: [{ segment: { endIndex: 5, text: 'Deep.' }, groundingChunkIndices: [0] }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
    },
  };
  const pairs = DIALECT_NAMES.flatMap((from) =>
    DIALECT_NAMES.filter((to) => to !== from && answers[from] !== undefined).map((to) => ({ from, to })),
  );

  it.each(pairs)('$from → $to, whole and streamed: the name of the document arrives', ({ from, to }) => {
    const reply = dialects[from].decodeReply(answers[from] ?? {});
    const whole = dialects[to].encodeReply(reply, context(to));
    expect(JSON.stringify(whole)).toContain('sea.pdf');
    const encoder = dialects[to].streamEncoder(context(to));
    const streamed = replyEvents(reply)
      .map((event) => encoder.push(event))
      .join('');
    expect(streamed).toContain('sea.pdf');
  });

  it('page and quotation arrive, in the words of each wire', () => {
    const reply = dialects['anthropic-messages'].decodeReply(answers['anthropic-messages'] ?? {});
    expect(dialects['openai-chat'].encodeReply(reply, context('openai-chat'))).toMatchObject({
      choices: [{ message: { content: 'Deep.', annotations: [], citations: [page] } }],
    });
    expect(dialects['openai-responses'].encodeReply(reply, context('openai-responses'))).toMatchObject({
      output: [
        {
          content: [
            {
              annotations: [
                {
                  type: 'file_citation',
                  file_id: '',
                  filename: 'sea.pdf',
                  index: 5,
                  cited_text: 'The sea is deep.',
                  start_page_number: 3,
                },
              ],
            },
          ],
        },
      ],
    });
    expect(dialects['gemini-generate'].encodeReply(reply, context('gemini-generate'))).toMatchObject({
      candidates: [
        {
          groundingMetadata: {
            groundingChunks: [
              {
                retrievedContext: {
                  title: 'sea.pdf',
                  text: 'The sea is deep.',
                  ragChunk: { text: 'The sea is deep.', pageSpan: { firstPage: 3, lastPage: 4 } },
                },
              },
            ],
          },
        },
      ],
    });
  });
});
