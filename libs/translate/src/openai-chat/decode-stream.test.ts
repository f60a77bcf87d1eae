import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatReply } from '../conversation.ts';
import { decodeBytes, decodeText, fold } from '../laws.ts';
import { openAiChat } from './index.ts';
import { call, chunk, DONE, line, tool } from './testing/streams.ts';

const USAGE = line({
  id: 'chatcmpl-1',
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});
const read = (...pieces: string[]): ChatReply => fold(decodeText(openAiChat, pieces.join('')));
const partsOf = (...pieces: string[]): unknown => read(...pieces).choices[0]?.parts;

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
