import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@model-gateway/contracts';
import OpenAI from 'openai';
import type { ChatEvent, ChatReply } from '../conversation.ts';
import { contextOf, decodeBytes, decodeText, encodeEvents, eventsOf, fold, NO_REQUEST, objectsIn } from '../laws.ts';
import { createSseParser } from '../shared/sse.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { openAiResponses } from './index.ts';

const CONTEXT = contextOf(NO_REQUEST, { model: 'the-model', input: 'hi', tools: [] });
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

const REPLY: ChatReply = {
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

/** Checks the grammar of a whole stream; gives its events back. */
function grammatical(text: string): JsonObject[] {
  const parser = createSseParser();
  const named = [...parser.push(Buffer.from(text)), ...parser.end()];
  const events = objectsIn(text);
  expect(named.map((one) => one.event)).toEqual(events.map(({ type }) => type));
  expect(events.map((one) => one['sequence_number'])).toEqual(events.map((_, index) => index));
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
  const terminals = events.filter(({ type }) =>
    ['response.completed', 'response.incomplete', 'response.failed'].includes(type as string),
  );
  expect(terminals).toEqual([events.at(-1)]);
  const ids = events.flatMap((one) => ('response' in one ? [(one['response'] as JsonObject)['id']] : []));
  expect(new Set(ids).size).toBe(1);
  return events;
}

describe('encoding', () => {
  it('bug 26: the full lifecycle of every item, stable ids, whole final output', () => {
    const events = grammatical(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT));
    const types = (index: number): unknown[] =>
      events.filter((one) => one['output_index'] === index).map(({ type }) => type);
    expect(types(0)).toEqual([
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
    ]);
    expect(types(1)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ]);
    expect(types(2)).toEqual(['response.output_item.added', 'response.output_item.done']);
    expect(types(3)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]);
    expect(types(4).slice(1, 3)).toEqual([
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.delta',
    ]);
    expect(types(5)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]);
    const finished = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    const response = events.at(-1)?.['response'] as JsonObject;
    expect(response['output']).toEqual(finished);
    expect(finished).toHaveLength(9);
    expect(response).toMatchObject({
      status: 'completed',
      usage: { input_tokens: 10, prompt_tokens: 10, output_tokens: 5, completion_tokens: 5 },
    });
    const perItem = new Map<Json | undefined, Set<Json | undefined>>();
    for (const one of events) {
      const id = one['item_id'] ?? (one['item'] as JsonObject | undefined)?.['id'];
      if (id !== undefined) perItem.set(one['output_index'], (perItem.get(one['output_index']) ?? new Set()).add(id));
    }
    expect([...perItem.values()].every((ids) => ids.size === 1)).toBe(true);
  });

  it('whole and streamed answers are the same object', () => {
    const streamed = grammatical(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT)).at(-1)?.['response'];
    expect(streamed).toEqual(openAiResponses.encodeReply(REPLY, CONTEXT));
  });

  it.each<{ name: string; events: ChatEvent[]; status: string; more: object }>([
    {
      name: 'bug 22: the cap',
      events: [{ type: 'start' }, { type: 'finish', choice: 0, stop: 'length' }, { type: 'end' }],
      status: 'incomplete',
      more: { incomplete_details: { reason: 'max_output_tokens' } },
    },
    {
      name: 'bug 21: an error after half an answer',
      events: [
        { type: 'start' },
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'delta', block: 0, text: 'a' },
        { type: 'error', error: { code: 'upstream_rate_limited', message: 'slow' } },
        { type: 'end' },
      ],
      status: 'failed',
      more: { error: { code: 'rate_limit_exceeded', message: 'slow' } },
    },
    {
      name: 'an error before anything',
      events: [{ type: 'error', error: { code: 'content_refused', message: 'no' } }],
      status: 'failed',
      more: { error: { code: 'invalid_prompt', message: 'no' } },
    },
    {
      name: 'an end nobody finished',
      events: [{ type: 'start' }, { type: 'end' }],
      status: 'failed',
      more: { error: expect.objectContaining({ code: 'server_error' }) },
    },
    {
      name: 'a call nobody can read',
      events: [{ type: 'start' }, { type: 'finish', choice: 0, stop: 'malformed-call' }, { type: 'end' }],
      status: 'completed',
      more: {
        output: [
          expect.objectContaining({
            content: [{ type: 'refusal', refusal: expect.stringContaining('cannot be read') }],
          }),
        ],
      },
    },
    {
      name: 'a block its decoder left open',
      events: [
        { type: 'start' },
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'delta', block: 0, text: 'a' },
        { type: 'finish', choice: 0, stop: 'stop' },
        { type: 'end' },
      ],
      status: 'completed',
      more: { output: [expect.objectContaining({ status: 'completed' })] },
    },
    {
      name: 'the explanation of a refusal',
      events: [{ type: 'start' }, { type: 'finish', choice: 0, stop: 'refusal', refusal: 'because' }, { type: 'end' }],
      status: 'incomplete',
      more: { output: [expect.objectContaining({ content: [{ type: 'refusal', refusal: 'because' }] })] },
    },
  ])('$name', ({ events, status, more }) => {
    const last = grammatical(encodeEvents(openAiResponses, events, CONTEXT)).at(-1);
    expect(last).toMatchObject({ type: `response.${status}`, response: { status, ...more } });
  });

  it('answers beside the first have no place', () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'text-start', block: 0, choice: 1 },
      { type: 'delta', block: 0, text: 'a' },
      { type: 'block-stop', block: 0 },
      { type: 'finish', choice: 0, stop: 'stop' },
      { type: 'finish', choice: 1, stop: 'length' },
      { type: 'end' },
    ];
    expect(grammatical(encodeEvents(openAiResponses, events, CONTEXT)).at(-1)).toMatchObject({
      response: { status: 'completed', output: [] },
    });
  });
});

/** The official SDK as a judge: what it makes of our bytes. */
function sdkReading(text: string): ReturnType<OpenAI['responses']['stream']> {
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
  return client.responses.stream({ model: 'm', input: 'hi' });
}

describe('the official accumulator', () => {
  it('makes the whole answer of our stream', async () => {
    const response = await sdkReading(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT)).finalResponse();
    expect(response.output_text).toBe('Hello ü😀');
    const expected = openAiResponses.encodeReply(REPLY, CONTEXT);
    expect(response.usage).toEqual(expected['usage']);
    expect(response.output.map(({ type }) => type)).toEqual(
      (expected['output'] as JsonObject[]).map(({ type }) => type),
    );
  });

  it('takes interleaved items', async () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'tool-call-start', block: 0, choice: 0, id: 'a', name: 'f', kind: 'function' },
      { type: 'delta', block: 0, text: '{"x"' },
      { type: 'tool-call-start', block: 1, choice: 0, id: 'b', name: 'f', kind: 'function' },
      { type: 'delta', block: 1, text: '{}' },
      { type: 'delta', block: 0, text: ':1}' },
      { type: 'block-stop', block: 1 },
      { type: 'block-stop', block: 0 },
      { type: 'finish', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ];
    const { output } = await sdkReading(encodeEvents(openAiResponses, events, CONTEXT)).finalResponse();
    expect(output).toMatchObject([
      { call_id: 'a', arguments: '{"x":1}' },
      { call_id: 'b', arguments: '{}' },
    ]);
  });

  it('bug 40: sends the output back as input, and the models’ own state comes out again', async () => {
    const response = await sdkReading(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT)).finalResponse();
    const input = JSON.parse(JSON.stringify(response.output)) as Json[];
    const request = openAiResponses.decodeRequest({ model: 'm', input });
    const parts = request.turns[0]?.parts ?? [];
    expect(parts.filter(({ opaque }) => opaque !== undefined)).toMatchObject([
      {
        type: 'reasoning',
        summaries: ['one', 'two'],
        opaque: { provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' },
      },
      { type: 'tool-call', id: 'a', opaque: { provider: 'gemini', model: 'g', kind: 'signature', value: 'v' } },
    ]);
  });

  it('sees a failure', async () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'error', error: { code: 'upstream_unavailable', message: 'gone' } },
    ];
    const response = await sdkReading(encodeEvents(openAiResponses, events, CONTEXT)).finalResponse();
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'gone' } });
  });

  it('the envelope is what carries foreign state', () => {
    const text = encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT);
    expect(text).toContain(
      `"encrypted_content":"${wrapOpaque({ provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' })}"`,
    );
  });
});
