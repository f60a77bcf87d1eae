import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@model-gateway/contracts';
import OpenAI from 'openai';
import type { ChatEvent, ChatReply } from '../conversation.ts';
import {
  contextOf,
  dataOf,
  decodeBytes,
  decodeText,
  encodeEvents,
  eventsOf,
  fold,
  NO_REQUEST,
  objectsIn,
} from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { openAiChat } from './index.ts';

const CONTEXT = contextOf({ ...NO_REQUEST, streamUsage: true });
const line = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`;
const DONE = 'data: [DONE]\n\n';
const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): string =>
  line({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
const tool = (call: JsonObject): string => chunk({ tool_calls: [call] });
const USAGE = line({
  id: 'chatcmpl-1',
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});
const read = (...pieces: string[]): ChatReply => fold(decodeText(openAiChat, pieces.join('')));
const partsOf = (...pieces: string[]): unknown => read(...pieces).choices[0]?.parts;
const call = (id: string, args: string, name = 'f'): object => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: args,
});

describe('decoding', () => {
  it('a plain answer', () => {
    const events = decodeText(
      openAiChat,
      chunk({ role: 'assistant', content: '' }) +
        chunk({ content: 'He' }) +
        chunk({ content: 'llo' }) +
        chunk({}, 'stop') +
        USAGE +
        DONE,
    );
    expect(events).toEqual([
      { type: 'start', id: 'chatcmpl-1', model: 'm', created: 7 },
      { type: 'text-start', block: 0, choice: 0 },
      { type: 'delta', block: 0, text: 'He' },
      { type: 'delta', block: 0, text: 'llo' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
      { type: 'block-stop', block: 0 },
      { type: 'finish', choice: 0, stop: 'stop' },
      { type: 'end' },
    ]);
  });

  it.each<{ name: string; stream: string[]; parts: object[] }>([
    {
      name: 'bug 1: fillers inside a tool call leave it whole',
      stream: [
        tool({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
        chunk({
          content: '',
          role: '',
          tool_calls: [{ index: 0, id: '', type: null, function: { name: '', arguments: '{"x"' } }],
        }),
        chunk({ content: '' }),
        tool({ index: 0, function: { arguments: ':1}' } }),
      ],
      parts: [call('a', '{"x":1}')],
    },
    {
      name: 'bug 2: two interleaved parallel calls land in their own block',
      stream: [
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        tool({ index: 1, id: 'b', function: { name: 'f', arguments: '{"y"' } }),
        tool({ index: 0, function: { arguments: ':1}' } }),
        tool({ index: 1, function: { arguments: ':2}' } }),
      ],
      parts: [call('a', '{"x":1}'), call('b', '{"y":2}')],
    },
    {
      name: 'bug 7: large arguments in many small pieces',
      stream: [
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
        ...Array.from({ length: 3000 }, (_, index) => tool({ index: 0, function: { arguments: `${index},` } })),
      ],
      parts: [call('a', Array.from({ length: 3000 }, (_, index) => `${index},`).join(''))],
    },
    {
      name: 'bug 8: no index, told apart by id',
      stream: [
        tool({ id: 'a', function: { name: 'f', arguments: '{' } }),
        tool({ function: { arguments: '}' } }),
        tool({ id: 'b', function: { name: 'f', arguments: '{}' } }),
      ],
      parts: [call('a', '{}'), call('b', '{}')],
    },
    {
      name: 'bug 8: no index and no id, told apart by place',
      stream: [
        chunk({
          tool_calls: [{ function: { name: 'f', arguments: '{"x"' } }, { function: { name: 'g', arguments: '{"y"' } }],
        }),
        chunk({ tool_calls: [{ function: { arguments: ':1}' } }, { function: { arguments: ':2}' } }] }),
      ],
      parts: [
        { ...call('', '{"x":1}'), id: expect.stringMatching(/^call_/) },
        { ...call('', '{"y":2}', 'g'), id: expect.stringMatching(/^call_/) },
      ],
    },
    {
      name: 'bug 8: a late name, with arguments before it',
      stream: [
        tool({ index: 0, id: 'a', function: { arguments: '{"x"' } }),
        tool({ index: 0, function: { name: 'f' } }),
        tool({ index: 0, function: { arguments: ':1}' } }),
      ],
      parts: [call('a', '{"x":1}')],
    },
    {
      name: 'bug 8: a late id',
      stream: [tool({ index: 0, function: { name: 'f' } }), tool({ index: 0, id: 'a', function: { arguments: '{}' } })],
      parts: [call('a', '{}')],
    },
    {
      name: 'bug 8: every piece says the id again',
      stream: [
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }),
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '}' } }),
      ],
      parts: [call('a', '{}')],
    },
    {
      name: 'index 0 for all calls, each whole',
      stream: [
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }),
        tool({ index: 0, id: 'b', function: { name: 'f', arguments: '{"y":2}' } }),
      ],
      parts: [call('a', '{"x":1}'), call('b', '{"y":2}')],
    },
    {
      name: 'bug 9: a prefix that parses does not end the call',
      stream: [
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
        tool({ index: 0, function: { arguments: ' ' } }),
      ],
      parts: [call('a', '{} ')],
    },
    {
      name: 'bug 10: a call without arguments',
      stream: [tool({ index: 0, id: 'a', type: 'function', function: { name: 'f' } })],
      parts: [call('a', '')],
    },
    {
      name: 'arguments as an object',
      stream: [tool({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })],
      parts: [call('a', '{"x":1}')],
    },
    {
      name: 'the deprecated call',
      stream: [
        chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
      ],
      parts: [{ ...call('', '{"x":1}'), id: expect.stringMatching(/^call_/) }],
    },
    {
      name: 'a custom call',
      stream: [
        tool({ index: 0, id: 'a', type: 'custom', custom: { name: 'g', input: 'fr' } }),
        tool({ index: 0, custom: { input: 'ee' } }),
      ],
      parts: [{ type: 'tool-call', id: 'a', name: 'g', kind: 'custom', arguments: 'free' }],
    },
    {
      name: 'bug 27: several calls in one wrapper',
      stream: [
        tool({
          index: 0,
          id: 'a',
          function: { name: 'multi_tool_use.parallel', arguments: '{"tool_uses":[{"recipient_name":"functions.f",' },
        }),
        tool({ index: 0, function: { arguments: '"parameters":{"x":1}},{"recipient_name":"g"}]}' } }),
      ],
      parts: [call('a_0', '{"x":1}'), call('a_1', '{}', 'g')],
    },
    {
      name: 'reasoning, then text, then reasoning',
      stream: [
        chunk({ reasoning_content: 'h' }),
        chunk({ reasoning_content: 'm', content: '' }),
        chunk({ content: 'a' }),
        chunk({ reasoning: 'again' }),
      ],
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
        { type: 'reasoning', text: 'again' },
      ],
    },
    {
      name: 'reasoning said in two fields is heard once',
      stream: [
        chunk({
          reasoning_content: 'hm',
          reasoning: 'hm',
          reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }],
        }),
      ],
      parts: [{ type: 'reasoning', text: 'hm' }],
    },
    {
      name: 'OpenRouter’s details with a signature at their end',
      stream: [
        chunk({
          reasoning: 'h',
          reasoning_details: [{ type: 'reasoning.text', text: 'h', format: 'anthropic-claude-v1', index: 0 }],
        }),
        chunk({
          reasoning_details: [{ type: 'reasoning.text', signature: 'sig', format: 'anthropic-claude-v1', index: 0 }],
        }),
        chunk({ content: 'a' }),
      ],
      parts: [
        {
          type: 'reasoning',
          text: 'h',
          opaque: { provider: 'anthropic', kind: 'signature', value: 'sig', model: 'm' },
        },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'LiteLLM’s blocks, in pieces',
      stream: [
        chunk({ reasoning_content: 'h', thinking_blocks: [{ type: 'thinking', thinking: 'h', signature: '' }] }),
        chunk({ reasoning_content: 'm', thinking_blocks: [{ type: 'thinking', thinking: 'm', signature: '' }] }),
        chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'sig' }] }),
        chunk({ thinking_blocks: [{ type: 'redacted_thinking', data: 'secret' }] }),
        chunk({ content: 'a' }),
      ],
      parts: [
        {
          type: 'reasoning',
          text: 'hm',
          opaque: { provider: 'anthropic', kind: 'signature', value: 'sig', model: 'm' },
        },
        {
          type: 'reasoning',
          text: '',
          opaque: { provider: 'anthropic', kind: 'redacted', value: 'secret', model: 'm' },
        },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'bug 39: Google’s signature on the first of parallel calls',
      stream: [
        chunk({
          tool_calls: [
            {
              index: 0,
              id: 'a',
              function: { name: 'f', arguments: '{}' },
              extra_content: { google: { thought_signature: 'g' } },
            },
            { index: 1, id: 'b', function: { name: 'f', arguments: '{}' } },
          ],
        }),
      ],
      parts: [
        { ...call('a', '{}'), opaque: { provider: 'gemini', kind: 'signature', value: 'g', model: 'm' } },
        call('b', '{}'),
      ],
    },
    {
      name: 'parts of Mistral',
      stream: [
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        chunk({ content: [{ type: 'text', text: 'a' }] }),
      ],
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'annotations after the text',
      stream: [
        chunk({ content: 'see' }),
        chunk({
          annotations: [
            { type: 'url_citation', url_citation: { start_index: 0, end_index: 3, title: 'T', url: 'https://x.test' } },
          ],
        }),
      ],
      parts: [{ type: 'text', text: 'see', citations: [{ url: 'https://x.test', title: 'T', start: 0, end: 3 }] }],
    },
    {
      name: 'pictures',
      stream: [
        chunk({
          images: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { image_url: { url: 'x' } },
          ],
        }),
      ],
      parts: [{ type: 'image', source: { type: 'base64', mime: 'image/png', data: 'AAAA' } }],
    },
  ])('$name', ({ stream, parts }) => {
    expect(partsOf(...stream, chunk({}, 'stop'), DONE)).toEqual(parts);
  });

  it.each<{ name: string; stream: string[]; usage: object | undefined }>([
    {
      name: 'on a chunk of its own',
      stream: [chunk({ content: 'a' }, 'stop'), USAGE, DONE],
      usage: { inputTokens: 3, outputTokens: 2 },
    },
    {
      name: 'on the finishing chunk',
      stream: [chunk({ content: 'a' }, 'stop', { usage: { prompt_tokens: 3, completion_tokens: 2 } }), DONE],
      usage: { inputTokens: 3, outputTokens: 2 },
    },
    {
      name: 'growing on every chunk',
      stream: [
        chunk({ content: 'a' }, null, { usage: { prompt_tokens: 3, completion_tokens: 1 } }),
        chunk({}, 'stop', { usage: { prompt_tokens: 3, completion_tokens: 2 } }),
      ],
      usage: { inputTokens: 3, outputTokens: 2 },
    },
    {
      name: 'null all along (bug 31)',
      stream: [chunk({ content: 'a' }, 'stop', { usage: null }), DONE],
      usage: undefined,
    },
  ])('usage $name', ({ stream, usage }) => {
    expect(read(...stream).usage).toEqual(usage);
  });

  it.each<{ name: string; stream: string[]; ending: ChatEvent[] }>([
    {
      name: 'bug 23: a finish without [DONE]',
      stream: [chunk({ content: 'a' }, 'stop')],
      ending: [{ type: 'finish', choice: 0, stop: 'stop' }, { type: 'end' }],
    },
    {
      name: 'a finish before the last text',
      stream: [chunk({ content: 'a' }, 'stop'), chunk({ content: 'b' }), DONE],
      ending: [{ type: 'finish', choice: 0, stop: 'stop' }, { type: 'end' }],
    },
    {
      name: 'calls that finish with stop',
      stream: [tool({ index: 0, id: 'a', function: { name: 'f' } }), chunk({}, 'stop'), DONE],
      ending: [{ type: 'finish', choice: 0, stop: 'tool-calls' }, { type: 'end' }],
    },
    {
      name: 'a terminator cut in two',
      stream: [chunk({ content: 'a' }, 'stop'), 'data: [DO'],
      ending: [{ type: 'finish', choice: 0, stop: 'stop' }, { type: 'end' }],
    },
    {
      name: 'speech that ends with expires_at',
      stream: [chunk({ audio: { id: 'x', data: 'AAAA' } }), chunk({ audio: { expires_at: 9 } }), DONE],
      ending: [{ type: 'finish', choice: 0, stop: 'stop' }, { type: 'end' }],
    },
    {
      name: 'bug 21: cut after a delta',
      stream: [chunk({ content: 'a' })],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_unavailable' }) as never }],
    },
    {
      name: '[DONE] without a finish behind something said',
      stream: [chunk({ content: 'a' }), DONE],
      ending: [{ type: 'finish', choice: 0, stop: 'stop' }, { type: 'end' }],
    },
    {
      name: 'an empty stream',
      stream: [],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_unavailable' }) as never }],
    },
    {
      name: 'one of two answers cut',
      stream: [chunk({ content: 'a' }, 'stop'), line({ choices: [{ index: 1, delta: { content: 'b' } }] })],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_unavailable' }) as never }],
    },
    {
      name: '[DONE] and nothing before it',
      stream: [DONE],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_unavailable' }) as never }],
    },
    {
      name: 'an empty legacy call, empty finish reasons and a role in every chunk',
      stream: [
        line({
          choices: [
            {
              index: 0,
              delta: { role: 'assistant', content: 'a', function_call: { name: '', arguments: '' } },
              finish_reason: '',
            },
          ],
        }),
        line({ choices: [{ index: 0, delta: { role: 'assistant', content: 'b' }, finish_reason: '' }] }),
        DONE,
        DONE,
      ],
      ending: [
        { type: 'delta', block: 0, text: 'b' },
        { type: 'block-stop', block: 0 },
        { type: 'finish', choice: 0, stop: 'stop' },
        { type: 'end' },
      ],
    },
    {
      name: 'annotations before any text',
      stream: [
        chunk({ annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }] }),
        chunk({ content: 'a' }, 'stop'),
      ],
      ending: [
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'citation', block: 0, citation: expect.objectContaining({ url: 'https://a.example' }) as never },
        { type: 'delta', block: 0, text: 'a' },
        { type: 'block-stop', block: 0 },
        { type: 'finish', choice: 0, stop: 'stop' },
        { type: 'end' },
      ],
    },
    {
      name: 'sources beside the answer in every chunk',
      stream: [
        line({ citations: ['https://a.example'], choices: [{ index: 0, delta: { content: 'a' } }] }),
        line({
          citations: ['https://a.example'],
          search_results: [{ title: 'A', url: 'https://a.example', date: null }],
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
        }),
      ],
      ending: [
        { type: 'delta', block: 0, text: 'a' },
        { type: 'citation', block: 0, citation: { url: 'https://a.example', title: 'A' } },
        { type: 'block-stop', block: 0 },
        { type: 'finish', choice: 0, stop: 'stop' },
        { type: 'end' },
      ],
    },
    {
      name: 'a call the vendor could not parse (Groq)',
      stream: [
        chunk({ content: 'a' }),
        'event: error\ndata: {"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<f>","status_code":400}}\n\n',
      ],
      ending: [
        {
          type: 'error',
          error: { code: 'invalid_request', message: 'Failed to call a function.', vendorCode: 'tool_use_failed' },
        },
      ],
    },
    {
      name: 'half an event',
      stream: [chunk({ content: 'a' }), 'data: {"id"'],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_malformed' }) as never }],
    },
    {
      name: 'bug 25: an error inside',
      stream: [chunk({ content: 'a' }), line({ error: { message: 'slow', code: 'rate_limit_exceeded' } }), DONE],
      ending: [
        { type: 'error', error: { code: 'upstream_rate_limited', message: 'slow', vendorCode: 'rate_limit_exceeded' } },
      ],
    },
    {
      name: 'an event named error',
      stream: [chunk({ content: 'a' }), 'event: error\ndata: {"message":"boom"}\n\n'],
      ending: [{ type: 'error', error: { code: 'upstream_unavailable', message: 'boom' } }],
    },
    {
      name: 'a finish that is an error',
      stream: [chunk({ content: 'a' }, 'error'), DONE],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_unavailable' }) as never }],
    },
    {
      name: 'a call without a name',
      stream: [tool({ index: 0, id: 'a', function: { arguments: '{}' } }), chunk({}, 'stop')],
      ending: [{ type: 'finish', choice: 0, stop: 'malformed-call' }, { type: 'end' }],
    },
  ])('ends right: $name', ({ stream, ending }) => {
    expect(decodeText(openAiChat, stream.join('')).slice(-ending.length)).toEqual(ending);
  });

  it('an error is the last thing said', () => {
    const decoder = openAiChat.streamDecoder();
    expect(decoder.push({ event: '', data: '{"error":{"message":"m"}}' })).toHaveLength(1);
    expect(decoder.push({ event: '', data: '{"choices":[{"index":0,"delta":{"content":"a"}}]}' })).toEqual([]);
    expect(decoder.end()).toEqual([]);
  });

  it('a stream cut at every byte gives the same events', () => {
    const bytes = Buffer.from(
      chunk({ role: 'assistant', content: '' }) +
        chunk({ reasoning_content: 'hm €' }) +
        chunk({ content: 'ü😀' }) +
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{"q":"ß"}' } }) +
        chunk({}, 'tool_calls') +
        USAGE +
        DONE,
    );
    const whole = decodeBytes(openAiChat, [bytes]);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(decodeBytes(openAiChat, [bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
    }
  });

  it('several answers, interleaved', () => {
    const piece = (index: number, delta: JsonObject, finish: string | null = null): string =>
      line({ id: 'x', choices: [{ index, delta, finish_reason: finish }] });
    const reply = read(
      piece(0, { content: 'a' }),
      piece(1, { content: 'b' }),
      piece(0, { content: 'A' }),
      piece(1, {}, 'length'),
      piece(0, {}, 'stop'),
      DONE,
    );
    expect(reply.choices).toEqual([
      { parts: [{ type: 'text', text: 'aA' }], stop: 'stop' },
      { parts: [{ type: 'text', text: 'b' }], stop: 'length' },
    ]);
  });

  it('renamed tools get their own names', () => {
    const sent = { body: {}, dropped: [], toolNames: new Map([['f', 'my.f']]) };
    const events = decodeText(
      openAiChat,
      tool({ index: 0, id: 'a', function: { name: 'f' } }) + chunk({}, 'tool_calls'),
      sent,
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call-start', name: 'my.f' }));
  });
});

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

/** The official SDK as a judge: what it makes of our bytes. */
function sdkReading(text: string): ReturnType<OpenAI['chat']['completions']['stream']> {
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
  return client.chat.completions.stream({ model: 'm', messages: [], stream_options: { include_usage: true } });
}

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
