/** How a chat-completions stream may end, and what of it is an error. */
import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../conversation.ts';
import { decodeText } from '../laws.ts';
import { openAiChat } from './index.ts';
import { chunk, DONE, line, tool } from './testing/streams.ts';

describe('the end of a stream', () => {
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
});
