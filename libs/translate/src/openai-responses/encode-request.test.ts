import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatRequest, Turn, UserPart } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { OPENAI_QUIRKS } from '../laws.ts';
import { encodeRequest } from './encode-request.ts';
import { openAiResponses } from './index.ts';

const OPENAI: Target = { model: 'gpt', provider: 'openai', quirks: OPENAI_QUIRKS };
const OTHER: Target = { model: 'grok', provider: 'xai' };
const requestOf = (fields: Partial<ChatRequest>): ChatRequest => ({
  dialect: 'anthropic-messages',
  model: 'code',
  stream: false,
  system: [],
  turns: [],
  tools: [],
  extra: {},
  ...fields,
});
const encode = (fields: Partial<ChatRequest>, target: Target = OPENAI): Encoded =>
  encodeRequest(requestOf(fields), target);
const user = (...parts: UserPart[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });
const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value });
const call = (id: string, args = '{}'): Extract<AssistantPart, { type: 'tool-call' }> => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  arguments: args,
});
const wireCall = (id: string, args = '{}'): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: args,
});
const output = (id: string, value: unknown): object => ({ type: 'function_call_output', call_id: id, output: value });
const message = (role: string, ...content: object[]): object => ({ type: 'message', role, content });
const inText = (value: string): object => ({ type: 'input_text', text: value });
const outText = (value: string): object => ({ type: 'output_text', text: value });
const IMAGE: UserPart & { type: 'image' } = {
  type: 'image',
  source: { type: 'base64', mime: 'image/png', data: 'AAAA' },
};

describe('items', () => {
  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; body: object; dropped?: string[] }>([
    {
      name: 'the first instruction, others as messages of the developer',
      fields: { system: [text('one'), text('two')], turns: [user(text('hi'))] },
      body: { instructions: 'one', input: [message('developer', inText('two')), message('user', inText('hi'))] },
    },
    {
      name: 'a marked instruction is a message, which can carry the mark',
      fields: { system: [{ ...text('one'), cache: { ttl: '5m' } }] },
      body: {
        input: [message('developer', { ...inText('one'), prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } })],
      },
    },
    {
      name: 'marks nobody reads are reported',
      fields: { system: [{ ...text('one'), cache: {}, place: 'system[0]' }], turns: [user(text('hi'))] },
      target: OTHER,
      body: { instructions: 'one', input: [message('user', inText('hi'))] },
      dropped: ['system[0].cache_control'],
    },
    {
      name: 'a later instruction in its place',
      fields: { turns: [user(text('hi')), { role: 'system', parts: [text('now')] }] },
      body: { input: [message('user', inText('hi')), message('developer', inText('now'))] },
    },
    {
      name: 'every kind of input',
      fields: {
        turns: [
          user(
            { ...IMAGE, detail: 'high' },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
            { type: 'document', source: { type: 'base64', mime: 'application/pdf', data: 'AAAA' } },
            { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' }, title: 'a.pdf' },
            { type: 'document', source: { type: 'text', text: 'words' } },
            { type: 'audio', source: { type: 'base64', mime: 'audio/wav', data: 'AAAA' } },
          ),
        ],
      },
      body: {
        input: [
          message(
            'user',
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' },
            { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' },
            { type: 'input_file', filename: 'document', file_data: 'data:application/pdf;base64,AAAA' },
            { type: 'input_file', file_url: 'https://x.test/a.pdf', filename: 'a.pdf' },
            inText('words'),
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ),
        ],
      },
    },
    {
      name: 'the order of text and calls is kept; results with pictures, errors, nothing (bugs 15, 45)',
      fields: {
        turns: [
          assistant(text('a'), call('1', ''), text('b'), call('2'), call('3'), {
            ...call('4', 'free'),
            kind: 'custom',
          }),
          user(
            { type: 'tool-result', callId: '2', content: [text('see'), IMAGE] },
            {
              type: 'tool-result',
              callId: '1',
              content: [text('gone')],
              isError: true,
              place: 'messages[1].content[1]',
            },
            { type: 'tool-result', callId: '3', content: [] },
            { type: 'tool-result', callId: '4', content: [], data: { ok: true } },
          ),
        ],
      },
      body: {
        input: [
          message('assistant', outText('a')),
          wireCall('1'),
          message('assistant', outText('b')),
          wireCall('2'),
          wireCall('3'),
          { type: 'custom_tool_call', call_id: '4', name: 'f', input: 'free' },
          output('1', 'Error: gone'),
          output('2', [
            inText('see'),
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          ]),
          output('3', ''),
          { type: 'custom_tool_call_output', call_id: '4', output: '{"ok":true}' },
        ],
      },
      dropped: ['messages[1].content[1].is_error'],
    },
    {
      name: 'bug 32: reasoning the model can read goes back without a server id; other reasoning does not',
      fields: {
        turns: [
          assistant(
            {
              type: 'reasoning',
              text: 'a\n\nb',
              summaries: ['a', 'b'],
              opaque: { provider: 'openai', model: 'gpt-2026-01-01', kind: 'encrypted', value: 'enc', itemId: 'rs_1' },
            },
            {
              type: 'reasoning',
              text: 'c',
              opaque: { provider: 'anthropic', kind: 'signature', value: 'sig' },
              place: 'messages[0].content[1]',
            },
            { type: 'reasoning', text: 'd', place: 'messages[0].content[2]' },
            { type: 'refusal', text: 'no' },
          ),
        ],
      },
      body: {
        input: [
          {
            type: 'reasoning',
            summary: [
              { type: 'summary_text', text: 'a' },
              { type: 'summary_text', text: 'b' },
            ],
            encrypted_content: 'enc',
          },
          message('assistant', { type: 'refusal', refusal: 'no' }),
        ],
      },
      dropped: ['messages[0].content[1]', 'messages[0].content[2]'],
    },
    {
      name: 'OpenAI’s own searches go back to it, others’ do not',
      fields: {
        turns: [
          assistant(
            {
              type: 'server-tool',
              provider: 'openai',
              name: 'web_search',
              phase: 'call',
              raw: { type: 'web_search_call', id: 'ws_1' },
            },
            {
              type: 'server-tool',
              provider: 'anthropic',
              name: 'web_search',
              phase: 'call',
              raw: {},
              place: 'messages[0].content[1]',
            },
            text(''),
          ),
        ],
      },
      body: { input: [{ type: 'web_search_call', id: 'ws_1' }] },
      dropped: ['messages[0].content[1]'],
    },
  ])('$name', ({ fields, target, body, dropped = [] }) => {
    const encoded = encode(fields, target);
    expect(encoded.body).toEqual({ model: (target ?? OPENAI).model, store: false, ...body });
    expect(encoded.dropped.map(({ field }) => field)).toEqual(dropped);
  });

  it('keeps phases of its own callers', () => {
    const encoded = encode({
      dialect: 'openai-responses',
      turns: [{ role: 'assistant', parts: [text('a')], phase: 'commentary' }],
    });
    expect(encoded.body['input']).toEqual([{ ...message('assistant', outText('a')), phase: 'commentary' }]);
    expect(encoded.body).not.toHaveProperty('store');
  });

  it.each<{ name: string; part: UserPart; target?: Target }>([
    {
      name: 'an image for a model without',
      part: { ...IMAGE, place: 'here' },
      target: { ...OPENAI, inputs: ['text'] },
    },
    { name: 'video', part: { type: 'video', source: { type: 'url', url: 'https://x.test/v.mp4' }, place: 'here' } },
    {
      name: 'audio by URL',
      part: { type: 'audio', source: { type: 'url', url: 'https://x.test/a.mp3' }, place: 'here' },
    },
    {
      name: 'a file of another vendor',
      part: { type: 'image', source: { type: 'file', provider: 'anthropic', id: 'f' }, place: 'here' },
    },
    { name: 'an orphan result', part: { type: 'tool-result', callId: 'x', content: [], place: 'here' } },
  ])('refuses $name and says where', ({ part, target }) => {
    expect(() => encode({ turns: [user(part)] }, target)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'here' } }),
    );
  });
});

describe('settings', () => {
  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; body: JsonObject; dropped?: string[] }>([
    {
      name: 'scalars',
      fields: {
        stream: true,
        maxOutputTokens: 5,
        temperature: 0,
        topP: 0,
        user: 'u',
        cacheKey: 'k',
        metadata: { a: 'b' },
      },
      body: {
        stream: true,
        max_output_tokens: 5,
        temperature: 0,
        top_p: 0,
        user: 'u',
        prompt_cache_key: 'k',
        metadata: { a: 'b' },
      },
    },
    {
      name: 'storage when a caller of the other OpenAI wire asked',
      fields: { dialect: 'openai-chat', extra: { store: true, prediction: {} } },
      body: { store: true },
      dropped: ['prediction'],
    },
    {
      name: 'what the wire has not',
      fields: {
        dialect: 'openai-chat',
        stop: ['x'],
        topK: 1,
        presencePenalty: 0,
        frequencyPenalty: 0,
        seed: 0,
        logitBias: {},
      },
      body: {},
      dropped: ['stop', 'top_k', 'presence_penalty', 'frequency_penalty', 'seed', 'logit_bias'],
    },
    {
      name: 'log probabilities',
      fields: { logprobs: true, topLogprobs: 3 },
      body: { include: ['message.output_text.logprobs'], top_logprobs: 3 },
    },
    {
      name: 'reasoning asks for its state',
      fields: { reasoning: { effort: 'low', visible: true, summary: 'summarized' } },
      body: { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    },
    {
      name: 'thinking off',
      fields: { reasoning: { mode: 'disabled', visible: true } },
      body: { reasoning: { effort: 'none' } },
    },
    {
      name: 'a budget is the nearest effort',
      fields: { reasoning: { budgetTokens: 900 } },
      target: { ...OPENAI, maxOutputTokens: 10_000 },
      body: { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
      dropped: ['thinking.budget_tokens'],
    },
    { name: 'adaptive thinking', fields: { reasoning: { mode: 'adaptive' } }, body: {} },
    {
      name: 'a model that does not reason',
      fields: { reasoning: { effort: 'low' } },
      target: { ...OPENAI, quirks: { ...OPENAI_QUIRKS, thinking: 'none' } },
      body: {},
      dropped: ['output_config.effort'],
    },
    {
      name: 'a model without sampling',
      fields: { temperature: 1 },
      target: { ...OPENAI, quirks: { ...OPENAI_QUIRKS, sampling: false } },
      body: {},
      dropped: ['temperature'],
    },
    {
      name: 'formats, flat',
      fields: { format: { type: 'json-schema', schema: {}, strict: true }, verbosity: 'low' },
      body: { text: { format: { type: 'json_schema', name: 'answer', schema: {}, strict: true }, verbosity: 'low' } },
    },
    {
      name: 'json_object',
      fields: { format: { type: 'json-object' } },
      body: { text: { format: { type: 'json_object' } } },
    },
    {
      name: 'tools say strict and have a schema, always (bug 15)',
      fields: {
        tools: [
          { type: 'function', name: 'f', cache: {}, place: 'tools[0]' },
          { type: 'function', name: 'g', parameters: { type: 'object' }, strict: true, description: 'd' },
          { type: 'custom', name: 'c', format: { type: 'text' } },
          {
            type: 'web-search',
            contextSize: 'low',
            allowedDomains: ['a.test'],
            maxUses: 2,
            location: { city: 'Ulm' },
            place: 'tools[3]',
          },
        ],
        toolChoice: { type: 'subset', mode: 'required', names: ['f', 'c'] },
        parallelToolCalls: false,
      },
      body: {
        tools: [
          { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
          {
            type: 'function',
            name: 'g',
            description: 'd',
            parameters: { type: 'object', properties: {} },
            strict: true,
          },
          { type: 'custom', name: 'c', format: { type: 'text' } },
          {
            type: 'web_search',
            search_context_size: 'low',
            user_location: { type: 'approximate', city: 'Ulm' },
            filters: { allowed_domains: ['a.test'] },
          },
        ],
        tool_choice: {
          type: 'allowed_tools',
          mode: 'required',
          tools: [
            { type: 'function', name: 'f' },
            { type: 'custom', name: 'c' },
          ],
        },
        parallel_tool_calls: false,
      },
      dropped: ['tools[0].cache_control', 'tools[3].max_uses'],
    },
    { name: 'a choice without tools', fields: { toolChoice: { type: 'required' }, parallelToolCalls: true }, body: {} },
  ])('$name', ({ fields, target, body, dropped = [] }) => {
    const encoded = encode(fields, target);
    expect(encoded.body).toEqual({ model: 'gpt', store: false, input: [], ...body });
    expect(encoded.dropped.map(({ field }) => field)).toEqual(dropped);
  });

  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; param: string }>([
    { name: 'several answers', fields: { dialect: 'openai-chat', count: 3 }, param: 'n' },
    { name: 'speech', fields: { dialect: 'openai-chat', modalities: ['text', 'audio'] }, param: 'modalities' },
    {
      name: 'log probabilities of a vendor without',
      fields: { dialect: 'openai-chat', logprobs: true },
      target: { ...OTHER, quirks: { logprobs: false } },
      param: 'logprobs',
    },
    {
      name: 'a tool of another vendor',
      fields: { tools: [{ type: 'hosted', provider: 'anthropic', name: 'bash', raw: {}, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
    {
      name: 'another vendor’s memory',
      fields: { dialect: 'gemini-generate', unportable: [{ field: 'cachedContent', reason: 'no' }] },
      param: 'cachedContent',
    },
  ])('refuses $name', ({ fields, target, param }) => {
    expect(() => encode(fields, target)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param } }),
    );
  });
});

it('stop sequences, which the wire has not, are cut from the answer', () => {
  const sent = encode({ dialect: 'openai-chat', stop: ['END'] });
  const item = { type: 'message', content: [{ type: 'output_text', text: 'one END two' }] };
  const body: JsonObject = { object: 'response', status: 'completed', output: [item] };
  expect(openAiResponses.decodeReply(body, sent).choices).toEqual([
    { parts: [text('one ')], stop: 'stop-sequence', stopSequence: 'END' },
  ]);
  const decoder = openAiResponses.streamDecoder(sent);
  const events = decoder.push({ event: '', data: JSON.stringify({ type: 'response.completed', response: body }) });
  expect(events.slice(1)).toEqual([
    { type: 'text-start', block: 0, choice: 0 },
    { type: 'delta', block: 0, text: 'one ' },
    { type: 'block-stop', block: 0 },
    { type: 'finish', choice: 0, stop: 'stop-sequence', stopSequence: 'END' },
    { type: 'end' },
  ]);
});

it('counting asks for the prompt alone', () => {
  const counting = openAiResponses.counting;
  const encoded = counting?.encodeRequest(
    requestOf({
      stream: true,
      maxOutputTokens: 5,
      temperature: 1,
      turns: [user(text('hi'))],
      tools: [{ type: 'function', name: 'f' }],
    }),
    OPENAI,
  );
  expect(Object.keys(encoded?.body ?? {}).sort()).toEqual(['input', 'model', 'tools']);
  expect(counting?.decodeReply({ object: 'response.input_tokens', input_tokens: 7 })).toBe(7);
  expect(counting?.encodeReply(7)).toEqual({ object: 'response.input_tokens', input_tokens: 7 });
  expect(() => counting?.decodeReply({})).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
});
