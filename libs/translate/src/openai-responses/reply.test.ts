import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatReply, StopReason } from '../conversation.ts';
import { contextOf, NO_REQUEST } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { openAiResponses } from './index.ts';
import { decodeReply, encodeReply } from './reply.ts';

const CONTEXT = contextOf(NO_REQUEST);
const bodyOf = (output: Json[], more: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 7,
  model: 'gpt',
  status: 'completed',
  output,
  ...more,
});
const message = (...content: JsonObject[]): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content,
});
const fnCall = (id: string, args = '{}'): JsonObject => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'f',
  arguments: args,
});
const call = (id: string, args = '{}'): Extract<AssistantPart, { type: 'tool-call' }> => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  arguments: args,
});

describe('decodeReply', () => {
  it.each<{ name: string; body: JsonObject; parts: object[]; stop: StopReason }>([
    {
      name: 'text with citations',
      body: bodyOf([
        message({
          type: 'output_text',
          text: 'hi',
          annotations: [
            { type: 'url_citation', start_index: 0, end_index: 2, url: 'https://x.test', title: 'T' },
            { type: 'file_citation', file_id: 'f' },
          ],
        }),
      ]),
      parts: [
        {
          type: 'text',
          text: 'hi',
          citations: [
            { url: 'https://x.test', title: 'T', start: 0, end: 2 },
            { raw: { type: 'file_citation', file_id: 'f' } },
          ],
        },
      ],
      stop: 'stop',
    },
    {
      name: 'reasoning and calls in order',
      body: bodyOf([
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
          encrypted_content: 'enc',
        },
        fnCall('a'),
        { type: 'custom_tool_call', id: 'ctc_1', call_id: 'b', name: 'f', input: 'free' },
      ]),
      parts: [
        {
          type: 'reasoning',
          text: 'a\n\nb',
          summaries: ['a', 'b'],
          opaque: { provider: 'openai', kind: 'encrypted', value: 'enc', itemId: 'rs_1', model: 'gpt' },
        },
        { ...call('a'), itemId: 'fc_a' },
        { ...call('b', 'free'), kind: 'custom', itemId: 'ctc_1' },
      ],
      stop: 'tool-calls',
    },
    {
      name: 'an empty reasoning item',
      body: bodyOf([{ type: 'reasoning', id: 'rs_1', summary: [] }, message({ type: 'output_text', text: 'a' })]),
      parts: [{ type: 'text', text: 'a' }],
      stop: 'stop',
    },
    {
      name: 'a refusal',
      body: bodyOf([message({ type: 'refusal', refusal: 'no' })]),
      parts: [{ type: 'refusal', text: 'no' }],
      stop: 'refusal',
    },
    {
      name: 'bug 30: the cap',
      body: bodyOf([message({ type: 'output_text', text: 'ha' })], {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      }),
      parts: [{ type: 'text', text: 'ha' }],
      stop: 'length',
    },
    {
      name: 'the filter',
      body: bodyOf([], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
      parts: [],
      stop: 'content-filter',
    },
    { name: 'bug 31: no output, no usage', body: { object: 'response', status: 'completed' }, parts: [], stop: 'stop' },
    {
      name: 'a search and a picture',
      body: bodyOf([
        { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'cats' } },
        { type: 'image_generation_call', id: 'ig_1', result: 'AAAA', output_format: 'webp' },
      ]),
      parts: [
        {
          type: 'server-tool',
          provider: 'openai',
          name: 'web_search',
          phase: 'call',
          id: 'ws_1',
          query: 'cats',
          raw: { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'cats' } },
        },
        { type: 'image', source: { type: 'base64', mime: 'image/webp', data: 'AAAA' } },
      ],
      stop: 'stop',
    },
    {
      name: 'bug 27: several calls in one wrapper',
      body: bodyOf([
        {
          type: 'function_call',
          call_id: 'a',
          name: 'multi_tool_use.parallel',
          arguments: '{"tool_uses":[{"recipient_name":"functions.f","parameters":{"x":1}}]}',
        },
      ]),
      parts: [call('a_0', '{"x":1}')],
      stop: 'tool-calls',
    },
    {
      name: 'Google’s signature in its envelope rides on the call',
      body: bodyOf([
        {
          type: 'reasoning',
          summary: [],
          encrypted_content: wrapOpaque({ provider: 'gemini', model: 'g', kind: 'signature', value: 's' }),
        },
        fnCall('a'),
      ]),
      parts: [
        { ...call('a'), itemId: 'fc_a', opaque: { provider: 'gemini', model: 'g', kind: 'signature', value: 's' } },
      ],
      stop: 'tool-calls',
    },
  ])('$name', ({ body, parts, stop }) => {
    expect(decodeReply(body).choices).toEqual([{ parts, stop }]);
  });

  it.each<{ name: string; body: Json; code: string }>([
    {
      name: 'bug 30: a failure',
      body: bodyOf([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'm' } }),
      code: 'upstream_rate_limited',
    },
    {
      name: 'a refused prompt',
      body: bodyOf([], { status: 'failed', error: { code: 'invalid_prompt', message: 'm' } }),
      code: 'content_refused',
    },
    { name: 'a failure without a word', body: bodyOf([], { status: 'failed' }), code: 'upstream_unavailable' },
    { name: 'a cancelled answer', body: bodyOf([], { status: 'cancelled' }), code: 'upstream_unavailable' },
    { name: 'one that is not there yet', body: bodyOf([], { status: 'queued' }), code: 'upstream_malformed' },
    { name: 'something else', body: { hello: 1 }, code: 'upstream_malformed' },
    { name: 'text', body: 'x', code: 'upstream_malformed' },
  ])('throws for $name', ({ body, code }) => {
    expect(() => decodeReply(body)).toThrow(expect.objectContaining({ code }));
  });
});

describe('encodeReply', () => {
  const replyOf = (
    parts: readonly AssistantPart[],
    stop: StopReason = 'stop',
    more: Partial<ChatReply> = {},
  ): ChatReply => ({ choices: [{ parts, stop }], ...more });

  it('says everything docs/service.md shows, with the caller’s own settings', () => {
    const body: JsonObject = {
      model: 'the-model',
      instructions: 'be',
      temperature: 0,
      tools: [{ type: 'web_search' }],
      metadata: { a: 'b' },
      reasoning: { effort: 'low' },
      store: true,
    };
    const reply = replyOf([{ type: 'text', text: 'hi' }], 'stop', {
      usage: { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 },
    });
    expect(encodeReply(reply, contextOf(NO_REQUEST, body))).toEqual({
      id: 'resp_f00dfeed',
      object: 'response',
      created_at: CONTEXT.now,
      completed_at: CONTEXT.now,
      status: 'completed',
      background: false,
      error: null,
      frequency_penalty: 0,
      incomplete_details: null,
      instructions: 'be',
      max_output_tokens: null,
      max_tool_calls: null,
      model: 'the-model',
      output: [
        {
          id: 'msg_f00dfeed_0',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'hi', annotations: [], logprobs: [] }],
        },
      ],
      parallel_tool_calls: true,
      presence_penalty: 0,
      previous_response_id: null,
      prompt_cache_key: null,
      reasoning: { effort: 'low', summary: null },
      safety_identifier: null,
      service_tier: 'default',
      store: false,
      temperature: 0,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [{ type: 'web_search' }],
      top_logprobs: 0,
      top_p: 1,
      truncation: 'disabled',
      usage: expect.objectContaining({
        input_tokens: 3,
        prompt_tokens: 3,
        output_tokens: 2,
        completion_tokens: 2,
        total_tokens: 5,
      }),
      user: null,
      metadata: { a: 'b' },
    });
  });

  it('items keep the order of parts, each with an id of its own', () => {
    const output = encodeReply(
      replyOf(
        [
          {
            type: 'reasoning',
            text: 'hm',
            opaque: { provider: 'anthropic', model: 'c', kind: 'signature', value: 's' },
          },
          { type: 'text', text: 'a' },
          { ...call('1', ''), opaque: { provider: 'gemini', model: 'g', kind: 'signature', value: 'v' } },
          {
            type: 'text',
            text: 'b',
            citations: [
              { url: 'https://x.test' },
              { raw: { type: 'file_citation', file_id: 'f' } },
              { raw: { type: 'char_location' } },
            ],
          },
          { ...call('2', 'free'), kind: 'custom' },
          { type: 'server-tool', provider: 'anthropic', name: 'web_search', phase: 'call', query: 'cats', raw: {} },
          { type: 'server-tool', provider: 'anthropic', name: 'web_search', phase: 'result', raw: {} },
          { type: 'image', source: { type: 'base64', mime: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
        ],
        'tool-calls',
      ),
      CONTEXT,
    )['output'] as JsonObject[];
    expect(output).toMatchObject([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: wrapOpaque({ provider: 'anthropic', model: 'c', kind: 'signature', value: 's' }),
      },
      { type: 'message', content: [{ type: 'output_text', text: 'a' }] },
      {
        type: 'reasoning',
        summary: [],
        encrypted_content: wrapOpaque({ provider: 'gemini', model: 'g', kind: 'signature', value: 'v' }),
      },
      { type: 'function_call', call_id: '1', name: 'f', arguments: '{}', status: 'completed' },
      {
        type: 'message',
        content: [
          {
            type: 'output_text',
            text: 'b',
            annotations: [
              { type: 'url_citation', start_index: 0, end_index: 1, title: '', url: 'https://x.test' },
              { type: 'file_citation', file_id: 'f' },
            ],
          },
        ],
      },
      { type: 'custom_tool_call', call_id: '2', input: 'free' },
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'cats' } },
      { type: 'image_generation_call', result: 'AAAA' },
      { type: 'message', content: [{ text: '![image](https://x.test/a.png)' }] },
    ]);
    const ids = output.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
  });

  it.each<{ name: string; parts: AssistantPart[]; stop: StopReason; status: string; reason: string | null }>([
    { name: 'a stop sequence', parts: [], stop: 'stop-sequence', status: 'completed', reason: null },
    { name: 'the cap', parts: [], stop: 'length', status: 'incomplete', reason: 'max_output_tokens' },
    { name: 'a full context', parts: [], stop: 'context-full', status: 'incomplete', reason: 'max_output_tokens' },
    { name: 'a pause', parts: [], stop: 'paused', status: 'incomplete', reason: 'max_output_tokens' },
    { name: 'a filter', parts: [], stop: 'content-filter', status: 'incomplete', reason: 'content_filter' },
    { name: 'a refusal without words', parts: [], stop: 'refusal', status: 'incomplete', reason: 'content_filter' },
    {
      name: 'a refusal in words',
      parts: [{ type: 'refusal', text: 'no' }],
      stop: 'refusal',
      status: 'completed',
      reason: null,
    },
  ])('ends with $name', ({ parts, stop, status, reason }) => {
    const response = encodeReply(replyOf(parts, stop), CONTEXT);
    expect(response['status']).toBe(status);
    expect(response['incomplete_details']).toEqual(reason === null ? null : { reason });
  });

  it('a call nobody can read is explained where words would stand', () => {
    expect(decodeReply(bodyOf([{ type: 'function_call', call_id: 'a' }])).choices[0]).toEqual({
      parts: [],
      stop: 'malformed-call',
    });
    expect(encodeReply(replyOf([], 'malformed-call'), CONTEXT)).toMatchObject({
      status: 'completed',
      output: [{ content: [{ type: 'refusal', refusal: expect.stringContaining('cannot be read') }] }],
    });
  });
});

it.each<{ name: string; body: JsonObject; usage: object | undefined }>([
  {
    name: 'of a reply',
    body: { usage: { input_tokens: 1, output_tokens: 2 } },
    usage: { inputTokens: 1, outputTokens: 2 },
  },
  {
    name: 'of a terminal event',
    body: { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 2 } } },
    usage: { inputTokens: 1, outputTokens: 2 },
  },
  { name: 'of an event without', body: { type: 'response.output_text.delta' }, usage: undefined },
])('usage $name', ({ body, usage }) => {
  expect(openAiResponses.readUsage(body)).toEqual(usage);
});
