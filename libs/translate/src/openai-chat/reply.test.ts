import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatReply, StopReason } from '../conversation.ts';
import { contextOf, NO_REQUEST } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { decodeReply, encodeReply } from './reply.ts';

const CONTEXT = contextOf(NO_REQUEST);
const bodyOf = (message: JsonObject, finish: string | null = 'stop'): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 7,
  model: 'gpt-2026',
  choices: [{ index: 0, finish_reason: finish, logprobs: null, message: { role: 'assistant', ...message } }],
});
const replyOf = (parts: readonly AssistantPart[], stop: StopReason = 'stop'): ChatReply => ({
  choices: [{ parts, stop }],
});
const call = (id: string, args = '{}'): Extract<AssistantPart, { type: 'tool-call' }> => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  arguments: args,
});

describe('decodeReply', () => {
  it.each<{ name: string; message: JsonObject; finish?: string | null; parts: object[]; stop: StopReason }>([
    { name: 'text', message: { content: 'hi' }, parts: [{ type: 'text', text: 'hi' }], stop: 'stop' },
    { name: 'nothing', message: { content: '' }, finish: 'length', parts: [], stop: 'length' },
    {
      name: 'no finish reason',
      message: { content: 'hi' },
      finish: null,
      parts: [{ type: 'text', text: 'hi' }],
      stop: 'stop',
    },
    {
      name: 'a finish nobody knows',
      message: { content: 'hi' },
      finish: 'whatever',
      parts: [{ type: 'text', text: 'hi' }],
      stop: 'stop',
    },
    {
      name: 'calls that finished with stop',
      message: { content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
      parts: [call('a')],
      stop: 'tool-calls',
    },
    {
      name: 'tool_calls without calls',
      message: { content: 'hi' },
      finish: 'tool_calls',
      parts: [{ type: 'text', text: 'hi' }],
      stop: 'stop',
    },
    {
      name: 'a call cut by the cap',
      message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
      finish: 'length',
      parts: [call('a')],
      stop: 'length',
    },
    {
      name: 'the deprecated call',
      message: { function_call: { name: 'f', arguments: '{}' } },
      finish: 'function_call',
      parts: [expect.objectContaining({ name: 'f', id: expect.stringMatching(/^call_[0-9a-f]{24}$/) })] as object[],
      stop: 'tool-calls',
    },
    {
      name: 'a refusal',
      message: { content: null, refusal: 'no' },
      parts: [{ type: 'refusal', text: 'no' }],
      stop: 'refusal',
    },
    {
      name: 'a filter',
      message: { content: 'half' },
      finish: 'content_filter',
      parts: [{ type: 'text', text: 'half' }],
      stop: 'content-filter',
    },
    {
      name: 'reasoning, citations and pictures',
      message: {
        reasoning_content: 'hm',
        content: 'see [1]',
        annotations: [
          { type: 'url_citation', url_citation: { start_index: 4, end_index: 7, title: 'T', url: 'https://x.test' } },
        ],
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'see [1]', citations: [{ url: 'https://x.test', title: 'T', start: 4, end: 7 }] },
        { type: 'image', source: { type: 'base64', mime: 'image/png', data: 'AAAA' } },
      ],
      stop: 'stop',
    },
    {
      name: 'opaque state is bound to the model that answered',
      message: { content: 'a', thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }] },
      parts: [
        {
          type: 'reasoning',
          text: 'hm',
          opaque: { provider: 'anthropic', kind: 'signature', value: 'sig', model: 'gpt-2026' },
        },
        { type: 'text', text: 'a' },
      ],
      stop: 'stop',
    },
    {
      name: 'parts of Mistral',
      message: {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'a' },
        ],
      },
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
      stop: 'stop',
    },
    {
      name: 'speech',
      message: { audio: { id: 'audio_1', data: 'UklGRg==', expires_at: 9, transcript: 'hi' } },
      parts: [
        {
          type: 'audio',
          source: { type: 'base64', mime: 'audio/wav', data: 'UklGRg==' },
          id: 'audio_1',
          transcript: 'hi',
          expiresAt: 9,
        },
      ],
      stop: 'stop',
    },
    {
      name: 'bug 27: several calls in one wrapper',
      message: {
        tool_calls: [
          {
            id: 'a',
            function: {
              name: 'multi_tool_use.parallel',
              arguments:
                '{"tool_uses":[{"recipient_name":"functions.f","parameters":{}},{"recipient_name":"functions.f","parameters":{"x":1}}]}',
            },
          },
        ],
      },
      parts: [call('a_0'), call('a_1', '{"x":1}')],
      stop: 'tool-calls',
    },
  ])('$name', ({ message, finish = 'stop', parts, stop }) => {
    expect(decodeReply(bodyOf(message, finish)).choices).toEqual([{ parts, stop }]);
  });

  it('bug 31: no usage, no id, no model', () => {
    expect(decodeReply({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] })).toEqual(
      replyOf([{ type: 'text', text: 'hi' }]),
    );
  });

  it('every answer of several', () => {
    const choice = (text: string): JsonObject => ({ message: { content: text }, finish_reason: 'stop' });
    expect(decodeReply({ choices: [choice('a'), choice('b')] }).choices).toHaveLength(2);
  });

  it('gives renamed tools their own names, and binds state to the model that was asked', () => {
    const body = bodyOf({
      tool_calls: [
        { id: 'a', function: { name: 'f', arguments: '{}' }, extra_content: { google: { thought_signature: 'g' } } },
      ],
    });
    const sent = {
      body: {},
      dropped: [],
      toolNames: new Map([['f', 'my.f']]),
      target: { model: 'gemini-3-pro', provider: 'gemini' },
    };
    expect(decodeReply(body, sent).choices[0]?.parts).toEqual([
      {
        ...call('a'),
        name: 'my.f',
        opaque: { provider: 'gemini', kind: 'signature', value: 'g', model: 'gemini-3-pro' },
      },
    ]);
  });

  it.each<{ name: string; body: JsonObject | string; code: string }>([
    {
      name: 'an error inside a 200',
      body: { error: { message: 'm', type: 'rate_limit_error' } },
      code: 'upstream_rate_limited',
    },
    { name: 'no choices', body: { id: 'x' }, code: 'upstream_malformed' },
    { name: 'an empty list of choices', body: { choices: [] }, code: 'upstream_malformed' },
    { name: 'text', body: 'hello', code: 'upstream_malformed' },
  ])('throws for $name', ({ body, code }) => {
    expect(() => decodeReply(body)).toThrow(expect.objectContaining({ code }));
  });
});

describe('encodeReply', () => {
  it('says everything docs/service.md shows', () => {
    const reply: ChatReply = { ...replyOf([{ type: 'text', text: 'hi' }]), usage: { inputTokens: 1, outputTokens: 2 } };
    expect(encodeReply(reply, CONTEXT)).toEqual({
      id: 'chatcmpl-f00dfeed',
      object: 'chat.completion',
      created: 1_790_000_000,
      model: 'the-model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'hi', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: expect.objectContaining({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }),
      service_tier: 'default',
      system_fingerprint: null,
    });
  });

  it.each<{ name: string; parts: AssistantPart[]; stop?: StopReason; message: JsonObject; finish?: string }>([
    {
      name: 'bug 48: null beside calls',
      parts: [call('a', '')],
      stop: 'tool-calls',
      message: { content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      finish: 'tool_calls',
    },
    { name: 'bug 48: "" for an answer without words', parts: [], message: { content: '' } },
    {
      name: 'text stays beside calls',
      parts: [{ type: 'text', text: 'a' }, call('c'), { type: 'text', text: 'b' }],
      stop: 'tool-calls',
      message: { content: 'ab', tool_calls: [expect.objectContaining({ id: 'c' })] as never },
      finish: 'tool_calls',
    },
    {
      name: 'a refusal',
      parts: [{ type: 'refusal', text: 'no' }],
      stop: 'refusal',
      message: { content: null, refusal: 'no' },
      finish: 'content_filter',
    },
    { name: 'a stop sequence', parts: [{ type: 'text', text: 'a' }], stop: 'stop-sequence', message: { content: 'a' } },
    {
      name: 'a full context',
      parts: [{ type: 'text', text: 'a' }],
      stop: 'context-full',
      message: { content: 'a' },
      finish: 'length',
    },
    {
      name: 'a signature on a call',
      parts: [{ ...call('a'), opaque: { provider: 'gemini', model: 'g', kind: 'signature', value: 'v' } }],
      stop: 'tool-calls',
      message: {
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'f', arguments: '{}' },
            extra_content: {
              google: {
                thought_signature: wrapOpaque({ provider: 'gemini', model: 'g', kind: 'signature', value: 'v' }),
              },
            },
          },
        ],
      },
      finish: 'tool_calls',
    },
    {
      name: 'bug 37: thinking with nothing but a signature',
      parts: [
        { type: 'reasoning', text: '', opaque: { provider: 'anthropic', kind: 'signature', value: 'sig' } },
        { type: 'text', text: 'a' },
      ],
      message: {
        content: 'a',
        thinking_blocks: [
          {
            type: 'thinking',
            thinking: '',
            signature: wrapOpaque({ provider: 'anthropic', kind: 'signature', value: 'sig' }),
          },
        ],
      },
    },
    {
      name: 'offsets of citations count from the start of the whole content',
      parts: [
        { type: 'text', text: '12345' },
        {
          type: 'text',
          text: 'abc',
          citations: [{ url: 'https://x.test', start: 1, end: 2 }, { url: 'https://y.test', title: 'Y' }, { raw: {} }],
        },
      ],
      message: {
        content: '12345abc',
        annotations: [
          { type: 'url_citation', url_citation: { start_index: 6, end_index: 7, title: '', url: 'https://x.test' } },
          { type: 'url_citation', url_citation: { start_index: 5, end_index: 8, title: 'Y', url: 'https://y.test' } },
        ],
      },
    },
    {
      name: 'searches of the vendor are hidden',
      parts: [
        { type: 'server-tool', provider: 'anthropic', name: 'web_search', phase: 'call', raw: {} },
        { type: 'text', text: 'a' },
      ],
      message: { content: 'a' },
    },
    {
      name: 'pictures',
      parts: [{ type: 'image', source: { type: 'base64', mime: 'image/png', data: 'AAAA' } }],
      message: { content: '', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    },
    {
      name: 'speech',
      parts: [{ type: 'audio', source: { type: 'base64', mime: 'audio/wav', data: 'AAAA' }, id: 'audio_1' }],
      message: { content: null, audio: { id: 'audio_1', data: 'AAAA', expires_at: null, transcript: null } },
    },
  ])('$name', ({ parts, stop = 'stop', message, finish = 'stop' }) => {
    expect(encodeReply(replyOf(parts, stop), CONTEXT)['choices']).toEqual([
      {
        index: 0,
        message: { role: 'assistant', refusal: null, annotations: [], ...message },
        logprobs: null,
        finish_reason: finish,
      },
    ]);
  });

  it('the vendor’s explanation of a refusal is not lost', () => {
    const reply: ChatReply = { choices: [{ parts: [], stop: 'refusal', refusal: 'because' }] };
    expect(encodeReply(reply, CONTEXT)).toMatchObject({
      choices: [{ message: { content: null, refusal: 'because' }, finish_reason: 'content_filter' }],
    });
  });

  it('a call nobody can read is explained in the refusal', () => {
    expect(encodeReply(replyOf([], 'malformed-call'), CONTEXT)).toMatchObject({
      choices: [{ message: { refusal: expect.stringContaining('cannot be read') }, finish_reason: 'stop' }],
    });
  });

  it.each<{ name: string; message: JsonObject; word: string; stop: string; calls: number }>([
    {
      name: 'a call without a name',
      message: { tool_calls: [{ id: 'a', function: {} }] },
      word: 'tool_calls',
      stop: 'malformed-call',
      calls: 0,
    },
    {
      name: 'one without a name beside one with',
      message: {
        tool_calls: [
          { id: 'a', function: {} },
          { id: 'b', function: { name: 'f', arguments: '{}' } },
        ],
      },
      word: 'tool_calls',
      stop: 'tool-calls',
      calls: 1,
    },
    {
      name: 'an empty legacy call',
      message: { content: 'hi', function_call: { name: '', arguments: '' } },
      word: 'stop',
      stop: 'stop',
      calls: 0,
    },
    { name: 'an empty finish reason', message: { content: 'hi' }, word: '', stop: 'stop', calls: 0 },
    {
      name: 'a refusal nobody knows',
      message: { content: 'hi' },
      word: 'MODEL_ARMOR',
      stop: 'content-filter',
      calls: 0,
    },
    { name: 'a limit nobody knows', message: { content: 'hi' }, word: 'max_output_length', stop: 'length', calls: 0 },
    { name: 'a word nobody knows', message: { content: 'hi' }, word: 'done', stop: 'stop', calls: 0 },
  ])('$name is read as what it is', ({ message, word, stop, calls }) => {
    const [choice] = decodeReply({ choices: [{ index: 0, message, finish_reason: word }] }).choices;
    expect(choice?.stop).toBe(stop);
    expect(choice?.parts.filter(({ type }) => type === 'tool-call')).toHaveLength(calls);
  });
});
