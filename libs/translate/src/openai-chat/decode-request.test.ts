import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { withoutPlaces } from '../laws.ts';
import { decodeRequest } from './decode-request.ts';
import { messages, user } from './testing/bodies.ts';

const bodyOf = (fields: JsonObject): JsonObject => ({ model: 'm', messages: [user], ...fields });

describe('settings', () => {
  it('reads every scalar', () => {
    const request = decodeRequest(
      bodyOf({
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 10,
        max_tokens: 5,
        temperature: 0,
        top_p: 0.5,
        presence_penalty: 0,
        frequency_penalty: -1,
        seed: 0,
        n: 2,
        logprobs: true,
        top_logprobs: 5,
        logit_bias: { '50256': -100 },
        stop: 'END',
        verbosity: 'low',
        user: 'u',
        safety_identifier: 's',
        service_tier: 'flex',
        prompt_cache_key: 'k',
        metadata: { a: 'b' },
        modalities: ['text', 'audio'],
        audio: { format: 'wav', voice: 'alloy' },
        store: true,
        prediction: { type: 'content', content: 'x' },
        unheard_of: null,
      }),
    );
    expect(withoutPlaces(request)).toEqual({
      dialect: 'openai-chat',
      model: 'm',
      stream: true,
      streamUsage: true,
      system: [],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      tools: [],
      maxOutputTokens: 10,
      temperature: 0,
      topP: 0.5,
      presencePenalty: 0,
      frequencyPenalty: -1,
      seed: 0,
      count: 2,
      logprobs: true,
      topLogprobs: 5,
      logitBias: { '50256': -100 },
      stop: ['END'],
      verbosity: 'low',
      user: 'u',
      serviceTier: 'flex',
      cacheKey: 'k',
      metadata: { a: 'b' },
      modalities: ['audio'],
      audio: { format: 'wav', voice: 'alloy' },
      extra: { store: true, prediction: { type: 'content', content: 'x' }, safety_identifier: 's' },
    });
  });

  it('absent and null are absent; one answer and text only are what everyone gives', () => {
    const request = decodeRequest(
      bodyOf({ max_tokens: null, stop: null, n: 1, top_logprobs: 0, modalities: ['text'], tools: null }),
    );
    expect(Object.keys(request).sort()).toEqual(['dialect', 'extra', 'model', 'stream', 'system', 'tools', 'turns']);
  });

  it.each<{ name: string; fields: JsonObject; reasoning: object | undefined }>([
    { name: 'effort', fields: { reasoning_effort: 'high' }, reasoning: { effort: 'high' } },
    {
      name: 'OpenRouter',
      fields: { reasoning: { max_tokens: 2000, exclude: false } },
      reasoning: { budgetTokens: 2000, visible: true },
    },
    { name: 'Ark and DeepSeek', fields: { thinking: { type: 'disabled' } }, reasoning: { mode: 'disabled' } },
    {
      name: 'Qwen',
      fields: { enable_thinking: true, thinking_budget: 0 },
      reasoning: { mode: 'enabled', budgetTokens: 0 },
    },
    { name: 'nothing', fields: {}, reasoning: undefined },
  ])('reasoning by $name', ({ fields, reasoning }) => {
    expect(decodeRequest(bodyOf(fields)).reasoning).toEqual(reasoning);
  });

  it.each<{ name: string; format: JsonObject; decoded: object }>([
    { name: 'json_object', format: { type: 'json_object' }, decoded: { type: 'json-object' } },
    {
      name: 'json_schema',
      format: { type: 'json_schema', json_schema: { name: 'n', strict: false, schema: { type: 'object' } } },
      decoded: { type: 'json-schema', name: 'n', strict: false, schema: { type: 'object' } },
    },
    { name: 'text', format: { type: 'text' }, decoded: { type: 'text' } },
  ])('format $name', ({ format, decoded }) => {
    expect(decodeRequest(bodyOf({ response_format: format })).format).toEqual(decoded);
  });
});

describe('tools', () => {
  const fn: JsonObject = {
    type: 'function',
    function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
  };

  it('reads functions, custom tools, searches and what only one vendor knows', () => {
    const request = decodeRequest(
      bodyOf({
        tools: [
          fn,
          { type: 'function', function: { name: 'bare' } },
          {
            type: 'custom',
            custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
          },
          { type: 'retrieval', id: 1 },
        ],
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate: { city: 'Ulm' } },
        },
      }),
    );
    expect(withoutPlaces(request.tools)).toEqual([
      { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
      { type: 'function', name: 'bare' },
      { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      { type: 'hosted', provider: 'openai-chat', name: 'retrieval', raw: { type: 'retrieval', id: 1 } },
      { type: 'web-search', contextSize: 'low', location: { city: 'Ulm' } },
    ]);
  });

  it.each<{ name: string; choice: Json; decoded: object | undefined }>([
    { name: 'auto', choice: 'auto', decoded: { type: 'auto' } },
    { name: 'none', choice: 'none', decoded: { type: 'none' } },
    { name: 'required', choice: 'required', decoded: { type: 'required' } },
    { name: 'Mistral’s any', choice: 'any', decoded: { type: 'required' } },
    {
      name: 'one function',
      choice: { type: 'function', function: { name: 'f' } },
      decoded: { type: 'tool', name: 'f' },
    },
    {
      name: 'one custom tool',
      choice: { type: 'custom', custom: { name: 'g' } },
      decoded: { type: 'tool', name: 'g' },
    },
    {
      name: 'a subset',
      choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      decoded: { type: 'subset', mode: 'required', names: ['f'] },
    },
    { name: 'null', choice: null, decoded: undefined },
  ])('choice $name', ({ choice, decoded }) => {
    expect(decodeRequest(bodyOf({ tools: [fn], tool_choice: choice })).toolChoice).toEqual(decoded);
  });

  it('a choice without tools means nothing, an empty list of tools neither (bug 15)', () => {
    const request = decodeRequest(bodyOf({ tools: [], tool_choice: 'required', parallel_tool_calls: false }));
    expect(request).not.toHaveProperty('toolChoice');
    expect(request).not.toHaveProperty('parallelToolCalls');
  });

  it('the deprecated functions are tools', () => {
    const request = decodeRequest(bodyOf({ functions: [{ name: 'f' }], function_call: { name: 'f' } }));
    expect(withoutPlaces(request.tools)).toEqual([{ type: 'function', name: 'f' }]);
    expect(request.toolChoice).toEqual({ type: 'tool', name: 'f' });
  });

  it('fields of a function nobody else has are named for the report', () => {
    const request = decodeRequest(bodyOf({ tools: [{ type: 'function', function: { name: 'f', examples: [1] } }] }));
    expect(request.nested).toEqual(['tools[0].function.examples']);
  });
});

describe('what is wrong is named with its place', () => {
  it.each<{ param: string; body: Json }>([
    { param: 'model', body: { messages: [] } },
    { param: 'model', body: { model: '', messages: [] } },
    { param: 'messages', body: { model: 'm' } },
    { param: 'messages[0]', body: messages('hi') },
    { param: 'messages[0].role', body: messages({ content: 'x' }) },
    { param: 'messages[0].role', body: messages({ role: 'robot', content: 'x' }) },
    { param: 'messages[1].content', body: messages(user, { role: 'user', content: 7 }) },
    { param: 'messages[0].content', body: messages({ role: 'user', content: null }) },
    { param: 'messages[0].content[0].type', body: messages({ role: 'user', content: [{ type: 'hologram' }] }) },
    {
      param: 'messages[0].content[1].image_url.url',
      body: messages({
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: {} },
        ],
      }),
    },
    {
      param: 'messages[0].content[0].image_url.url',
      body: messages({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64' } }] }),
    },
    {
      param: 'messages[0].content[0].input_audio.data',
      body: messages({ role: 'user', content: [{ type: 'input_audio', input_audio: { format: 'wav' } }] }),
    },
    {
      param: 'messages[0].content[0].file.file_data',
      body: messages({ role: 'user', content: [{ type: 'file', file: {} }] }),
    },
    {
      param: 'messages[0].tool_calls[0].function.name',
      body: messages({ role: 'assistant', tool_calls: [{ function: {} }] }),
    },
    { param: 'messages[0].name', body: messages({ role: 'function', name: 'f', content: '' }) },
    { param: 'temperature', body: bodyOf({ temperature: 'hot' }) },
    { param: 'max_tokens', body: bodyOf({ max_tokens: 1.5 }) },
    { param: 'n', body: bodyOf({ n: 0 }) },
    { param: 'stop[1]', body: bodyOf({ stop: ['a', 1] }) },
    { param: 'reasoning_effort', body: bodyOf({ reasoning_effort: 'huge' }) },
    { param: 'response_format.type', body: bodyOf({ response_format: { type: 'xml' } }) },
    {
      param: 'response_format.json_schema.schema',
      body: bodyOf({ response_format: { type: 'json_schema', json_schema: { schema: 'x' } } }),
    },
    { param: 'tools[0].function.name', body: bodyOf({ tools: [{ type: 'function', function: {} }] }) },
    {
      param: 'tools[0].function.parameters',
      body: bodyOf({ tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] }),
    },
    {
      param: 'tool_choice',
      body: bodyOf({ tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'sometimes' }),
    },
    { param: 'stream_options.include_usage', body: bodyOf({ stream_options: { include_usage: 'yes' } }) },
  ])('$param', ({ param, body }) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param } }));
  });

  it('a body that is no object', () => {
    expect(() => decodeRequest([])).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('__proto__ is a field like any other', () => {
    const request = decodeRequest(JSON.parse('{"model":"m","messages":[],"__proto__":{"polluted":1}}') as Json);
    expect(Object.keys(request.extra)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
