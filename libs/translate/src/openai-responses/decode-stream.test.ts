import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatEvent, ChatReply } from '../conversation.ts';
import { decodeBytes, decodeText, encodeEvents, eventsOf, fold } from '../laws.ts';
import { openAiResponses } from './index.ts';
import { CONTEXT, REPLY } from './testing/streams.ts';

const event = (type: string, fields: JsonObject = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`;
const CREATED = event('response.created', { response: { id: 'resp_1', created_at: 7, model: 'gpt' } });
const ended = (response: JsonObject = {}, type = 'response.completed'): string =>
  event(type, { response: { id: 'resp_1', status: type.slice('response.'.length), output: [], ...response } });
const added = (index: number, item: JsonObject): string =>
  event('response.output_item.added', { output_index: index, item });
const done = (index: number, item: JsonObject): string =>
  event('response.output_item.done', { output_index: index, item });
const textDelta = (index: number, delta: string, more: JsonObject = {}): string =>
  event('response.output_text.delta', { item_id: 'msg', output_index: index, content_index: 0, delta, ...more });
const argsDelta = (index: number, delta: string): string =>
  event('response.function_call_arguments.delta', { item_id: 'fc', output_index: index, delta });
const MESSAGE: JsonObject = { id: 'msg', type: 'message', role: 'assistant', content: [] };
const fnCall = (id: string, args = '', name = 'f'): JsonObject => ({
  id: `fc_${id}`,
  type: 'function_call',
  call_id: id,
  name,
  arguments: args,
});
const call = (id: string, args: string, name = 'f'): object => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: args,
});
const read = (...pieces: string[]): ChatReply => fold(decodeText(openAiResponses, pieces.join('')));

describe('decoding', () => {
  it('a plain answer', () => {
    const stream =
      CREATED +
      event('response.in_progress', { response: { id: 'resp_1' } }) +
      added(0, MESSAGE) +
      event('response.content_part.added', {
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '' },
      }) +
      textDelta(0, 'Hel') +
      textDelta(0, 'lo') +
      event('response.output_text.done', { output_index: 0, content_index: 0, text: 'Hello' }) +
      event('response.content_part.done', {
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: 'Hello' },
      }) +
      done(0, { ...MESSAGE, content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }) +
      ended({
        usage: { input_tokens: 3, output_tokens: 2 },
        output: [{ ...MESSAGE, content: [{ type: 'output_text', text: 'Hello' }] }],
      });
    expect(decodeText(openAiResponses, stream)).toEqual([
      { type: 'start', id: 'resp_1', model: 'gpt', created: 7 },
      { type: 'text-start', block: 0, choice: 0 },
      { type: 'delta', block: 0, text: 'Hel' },
      { type: 'delta', block: 0, text: 'lo' },
      { type: 'block-stop', block: 0 },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
      { type: 'finish', choice: 0, stop: 'stop' },
      { type: 'end' },
    ]);
  });

  it.each<{ name: string; stream: string[]; parts: object[] }>([
    {
      name: 'bug 28: item ids that rotate',
      stream: [
        added(0, { ...MESSAGE, id: 'msg_a' }),
        event('response.output_text.delta', { item_id: 'msg_b', output_index: 0, content_index: 0, delta: 'a' }),
        event('response.output_text.delta', { item_id: 'msg_c', output_index: 0, content_index: 0, delta: 'b' }),
        done(0, { ...MESSAGE, id: 'msg_d', content: [{ type: 'output_text', text: 'ab' }] }),
      ],
      parts: [{ type: 'text', text: 'ab' }],
    },
    {
      name: 'bug 29: several summary parts, and an item that is never done',
      stream: [
        added(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
        event('response.reasoning_summary_part.added', { output_index: 0, summary_index: 0 }),
        event('response.reasoning_summary_text.delta', { output_index: 0, summary_index: 0, delta: 'one' }),
        event('response.reasoning_summary_text.done', { output_index: 0, summary_index: 0, text: 'one' }),
        event('response.reasoning_summary_text.delta', { output_index: 0, summary_index: 1, delta: 'tw' }),
        event('response.reasoning_summary_text.done', { output_index: 0, summary_index: 1, text: 'two' }),
        added(1, MESSAGE),
        textDelta(1, 'a'),
      ],
      parts: [
        { type: 'reasoning', text: 'one\n\ntwo', summaries: ['one', 'two'] },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'encrypted reasoning, complete only when its item is done',
      stream: [
        added(0, { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'half' }),
        event('response.reasoning_text.delta', { output_index: 0, content_index: 0, delta: 'raw' }),
        done(0, { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'whole' }),
      ],
      parts: [
        {
          type: 'reasoning',
          text: 'raw',
          opaque: { provider: 'openai', kind: 'encrypted', value: 'whole', itemId: 'rs_1', model: 'gpt' },
        },
      ],
    },
    {
      name: 'bug 2: interleaved calls',
      stream: [
        added(0, fnCall('a')),
        added(1, fnCall('b')),
        argsDelta(1, '{"y"'),
        argsDelta(0, '{"x"'),
        argsDelta(1, ':2}'),
        argsDelta(0, ':1}'),
        done(1, fnCall('b', '{"y":2}')),
        done(0, fnCall('a', '{"x":1}')),
      ],
      parts: [call('a', '{"x":1}'), call('b', '{"y":2}')],
    },
    {
      name: 'arguments before their item',
      stream: [argsDelta(0, '{"x"'), added(0, fnCall('a')), argsDelta(0, ':1}'), done(0, fnCall('a', '{"x":1}'))],
      parts: [call('a', '{"x":1}')],
    },
    {
      name: 'no deltas at all, only what is done',
      stream: [
        added(0, MESSAGE),
        event('response.output_text.done', { output_index: 0, content_index: 0, text: 'a' }),
        event('response.function_call_arguments.done', { output_index: 1, arguments: '{"x":1}' }),
        done(1, fnCall('a', '{"x":1}')),
        done(2, { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] }),
      ],
      parts: [{ type: 'text', text: 'a' }, call('a', '{"x":1}'), { type: 'reasoning', text: 'hm' }],
    },
    {
      name: 'bug 27: several calls in one wrapper',
      stream: [
        added(0, fnCall('a', '', 'multi_tool_use.parallel')),
        argsDelta(0, '{"tool_uses":[{"recipient_name":"functions.f",'),
        argsDelta(0, '"parameters":{"x":1}},{"recipient_name":"g","parameters":{}}]}'),
        done(0, fnCall('a', '', 'multi_tool_use.parallel')),
      ],
      parts: [call('a_0', '{"x":1}'), call('a_1', '{}', 'g')],
    },
    {
      name: 'a refusal, a custom call, a search, a picture',
      stream: [
        event('response.refusal.delta', { output_index: 0, content_index: 0, delta: 'n' }),
        event('response.refusal.done', { output_index: 0, content_index: 0, refusal: 'no' }),
        added(1, { id: 'ctc', type: 'custom_tool_call', call_id: 'c', name: 'g', input: '' }),
        event('response.custom_tool_call_input.delta', { output_index: 1, delta: 'fr' }),
        event('response.custom_tool_call_input.done', { output_index: 1, input: 'free' }),
        added(2, { id: 'ws', type: 'web_search_call', status: 'in_progress' }),
        event('response.web_search_call.searching', { output_index: 2, item_id: 'ws' }),
        done(2, { id: 'ws', type: 'web_search_call', action: { query: 'cats' } }),
        done(3, { id: 'ig', type: 'image_generation_call', result: 'AAAA' }),
      ],
      parts: [
        { type: 'refusal', text: 'no' },
        { type: 'tool-call', id: 'c', name: 'g', kind: 'custom', arguments: 'free' },
        {
          type: 'server-tool',
          provider: 'openai',
          name: 'web_search',
          phase: 'call',
          id: 'ws',
          query: 'cats',
          raw: { id: 'ws', type: 'web_search_call', action: { query: 'cats' } },
        },
        { type: 'image', source: { type: 'base64', mime: 'image/png', data: 'AAAA' } },
      ],
    },
    {
      name: 'citations while streaming and at the end, each once',
      stream: [
        textDelta(0, 'ab'),
        event('response.output_text.annotation.added', {
          output_index: 0,
          content_index: 0,
          annotation_index: 0,
          annotation: { type: 'url_citation', url: 'https://x.test', start_index: 0, end_index: 1 },
        }),
        done(0, {
          ...MESSAGE,
          content: [
            {
              type: 'output_text',
              text: 'ab',
              annotations: [
                { type: 'url_citation', url: 'https://x.test', start_index: 0, end_index: 1 },
                { type: 'url_citation', url: 'https://y.test', start_index: 1, end_index: 2 },
              ],
            },
          ],
        }),
      ],
      parts: [
        {
          type: 'text',
          text: 'ab',
          citations: [
            { url: 'https://x.test', start: 0, end: 1 },
            { url: 'https://y.test', start: 1, end: 2 },
          ],
        },
      ],
    },
    {
      name: 'a vendor without output indexes',
      stream: [
        event('response.output_item.added', { item: { ...MESSAGE, id: 'm1' } }),
        event('response.output_text.delta', { item_id: 'm1', delta: 'a' }),
        event('response.output_item.added', { item: fnCall('a') }),
        event('response.function_call_arguments.delta', { item_id: 'fc_a', delta: '{}' }),
        event('response.output_item.done', {
          item: { ...MESSAGE, id: 'm1', content: [{ type: 'output_text', text: 'a' }] },
        }),
      ],
      parts: [{ type: 'text', text: 'a' }, call('a', '{}')],
    },
  ])('$name', ({ stream, parts }) => {
    expect(read(CREATED, ...stream, ended()).choices[0]?.parts).toEqual(parts);
  });

  it('takes from the terminal response what nothing else brought', () => {
    const output = [{ ...MESSAGE, content: [{ type: 'output_text', text: 'a' }] }, fnCall('c', '{"x":1}')];
    expect(read(CREATED, ended({ output })).choices).toEqual([
      { parts: [{ type: 'text', text: 'a' }, call('c', '{"x":1}')], stop: 'tool-calls' },
    ]);
  });

  it.each<{ name: string; stream: string[]; ending: ChatEvent[] }>([
    {
      name: 'bug 30: incomplete',
      stream: [
        CREATED,
        textDelta(0, 'a'),
        ended({ incomplete_details: { reason: 'max_output_tokens' } }, 'response.incomplete'),
      ],
      ending: [{ type: 'finish', choice: 0, stop: 'length' }, { type: 'end' }],
    },
    {
      name: 'bug 31: completed with neither output nor usage',
      stream: [CREATED, textDelta(0, 'a'), event('response.completed', { response: { id: 'resp_1' } })],
      ending: [{ type: 'finish', choice: 0, stop: 'stop' }, { type: 'end' }],
    },
    {
      name: 'bug 30: failed',
      stream: [CREATED, textDelta(0, 'a'), ended({ error: { code: 'server_error', message: 'm' } }, 'response.failed')],
      ending: [{ type: 'error', error: { code: 'upstream_unavailable', message: 'm', vendorCode: 'server_error' } }],
    },
    {
      name: 'bug 25: an error event',
      stream: [CREATED, event('error', { code: 'rate_limit_exceeded', message: 'm', param: null })],
      ending: [
        { type: 'error', error: { code: 'upstream_rate_limited', message: 'm', vendorCode: 'rate_limit_exceeded' } },
      ],
    },
    {
      name: 'an error event that nests',
      stream: [CREATED, event('error', { error: { code: null, type: 'server_error', message: 'm' } })],
      ending: [{ type: 'error', error: { code: 'upstream_unavailable', message: 'm', vendorCode: 'server_error' } }],
    },
    {
      name: 'bug 21: cut',
      stream: [CREATED, textDelta(0, 'a'), done(0, { ...MESSAGE, content: [{ type: 'output_text', text: 'a' }] })],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_unavailable' }) as never }],
    },
    {
      name: 'half an event',
      stream: [CREATED, 'data: {"type"'],
      ending: [{ type: 'error', error: expect.objectContaining({ code: 'upstream_malformed' }) as never }],
    },
    {
      name: 'a call without a name',
      stream: [CREATED, argsDelta(0, '{}'), done(0, { type: 'function_call', call_id: 'a' }), ended()],
      ending: [{ type: 'finish', choice: 0, stop: 'malformed-call' }, { type: 'end' }],
    },
    {
      name: 'an official terminator and more after the end',
      stream: [CREATED, ended(), 'data: [DONE]\n\n', textDelta(0, 'a')],
      ending: [{ type: 'finish', choice: 0, stop: 'stop' }, { type: 'end' }],
    },
  ])('ends right: $name', ({ stream, ending }) => {
    expect(decodeText(openAiResponses, stream.join('')).slice(-ending.length)).toEqual(ending);
  });

  it('a stream cut at every byte gives the same events', () => {
    const bytes = Buffer.from(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT));
    const whole = decodeBytes(openAiResponses, [bytes]);
    expect(whole.at(-1)).toEqual({ type: 'end' });
    // Every offset of the first items, fewer where long responses are repeated.
    const first = bytes.indexOf('response.output_item.added');
    for (let cut = 1; cut < bytes.length; cut += cut < first || cut > first + 1500 ? 61 : 1) {
      expect(decodeBytes(openAiResponses, [bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
    }
  });
});
