import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { withoutPlaces } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { decodeRequest } from './decode-request.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const user = { role: 'user', content: 'hi' };
const bodyOf = (fields: JsonObject): JsonObject => ({ model: 'm', messages: [user], ...fields });
const call = (id: string, name = 'f', text = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const messages = (...list: Json[]): JsonObject => ({ model: 'm', messages: list });

describe('messages', () => {
  it('leading system and developer messages are instructions, later ones stay in place', () => {
    const request = decodeRequest(
      messages(
        { role: 'system', content: 'one' },
        {
          role: 'developer',
          content: [{ type: 'text', text: 'two', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
        user,
        { role: 'system', content: 'three' },
      ),
    );
    expect(request.system).toEqual([
      { type: 'text', text: 'one', place: 'messages[0].content' },
      { type: 'text', text: 'two', cache: { ttl: '1h' }, place: 'messages[1].content[0]' },
    ]);
    expect(request.turns.map(({ role }) => role)).toEqual(['user', 'system']);
  });

  it.each<{ name: string; part: JsonObject; decoded: object }>([
    { name: 'text', part: { type: 'text', text: 'a' }, decoded: { type: 'text', text: 'a' } },
    {
      name: 'text with OpenAI’s cache mark',
      part: { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
      decoded: { type: 'text', text: 'a', cache: {} },
    },
    {
      name: 'an image by URL',
      part: { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } },
      decoded: {
        type: 'image',
        source: { type: 'url', url: 'https://x.test/a.png', mime: 'image/png' },
        detail: 'low',
      },
    },
    {
      name: 'an image URL without its object',
      part: { type: 'image_url', image_url: `data:image/jpeg;base64,${PNG}` },
      decoded: { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
    },
    {
      name: 'audio',
      part: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      decoded: { type: 'audio', source: { type: 'base64', mime: 'audio/wav', data: 'AAAA' } },
    },
    {
      name: 'audio by URL',
      part: { type: 'input_audio', input_audio: { data: 'https://x.test/a.mp3' } },
      decoded: { type: 'audio', source: { type: 'url', url: 'https://x.test/a.mp3', mime: 'audio/mpeg' } },
    },
    {
      name: 'video, as vendors take it',
      part: { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' } },
      decoded: { type: 'video', source: { type: 'url', url: 'https://x.test/a.mp4', mime: 'video/mp4' } },
    },
    {
      name: 'a file',
      part: { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      decoded: {
        type: 'document',
        source: { type: 'base64', mime: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.pdf',
      },
    },
    {
      name: 'a file as bare base64',
      part: { type: 'file', file: { filename: 'a.txt', file_data: 'aGVsbG8=' } },
      decoded: { type: 'document', source: { type: 'base64', mime: 'text/plain', data: 'aGVsbG8=' }, title: 'a.txt' },
    },
    {
      name: 'an image in a file part',
      part: { type: 'file', file: { filename: 'a.bin', file_data: `data:;base64,${PNG}` } },
      decoded: { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
    },
    {
      name: 'a kept file',
      part: { type: 'file', file: { file_id: 'file-1' } },
      decoded: { type: 'document', source: { type: 'file', provider: 'openai', id: 'file-1' } },
    },
  ])('user part: $name', ({ part, decoded }) => {
    const request = decodeRequest(messages({ role: 'user', content: [part] }));
    expect(request.turns[0]?.parts).toEqual([{ ...decoded, place: 'messages[0].content[0]' }]);
  });

  it.each<{ name: string; message: JsonObject; parts: object[] }>([
    {
      name: 'content null beside calls',
      message: { content: null, tool_calls: [call('a')] },
      parts: [{ type: 'tool-call', id: 'a', name: 'f', kind: 'function', arguments: '{}' }],
    },
    { name: 'empty content', message: { content: '' }, parts: [] },
    {
      name: 'text beside calls',
      message: { content: 'ok', tool_calls: [call('a')] },
      parts: [
        { type: 'text', text: 'ok' },
        { type: 'tool-call', id: 'a', name: 'f', kind: 'function', arguments: '{}' },
      ],
    },
    { name: 'a refusal', message: { content: null, refusal: 'no' }, parts: [{ type: 'refusal', text: 'no' }] },
    {
      name: 'a refusal part',
      message: { content: [{ type: 'refusal', refusal: 'no' }] },
      parts: [{ type: 'refusal', text: 'no' }],
    },
    {
      name: 'spoken audio',
      message: { audio: { id: 'audio_1' } },
      parts: [{ type: 'audio', source: { type: 'file', provider: 'openai', id: 'audio_1' } }],
    },
    {
      name: 'arguments as an object',
      message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] },
      parts: [{ type: 'tool-call', id: 'a', name: 'f', kind: 'function', arguments: '{"x":1}' }],
    },
    {
      name: 'a call without id',
      message: { tool_calls: [{ type: 'function', function: { name: 'f' } }] },
      parts: [{ type: 'tool-call', id: 'call_1_0', name: 'f', kind: 'function', arguments: '' }],
    },
    {
      name: 'a custom call',
      message: { tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'g', input: 'free' } }] },
      parts: [{ type: 'tool-call', id: 'a', name: 'g', kind: 'custom', arguments: 'free' }],
    },
    {
      name: 'the deprecated call',
      message: { content: null, function_call: { name: 'f', arguments: '{}' } },
      parts: [{ type: 'tool-call', id: 'call_1_0', name: 'f', kind: 'function', arguments: '{}' }],
    },
    {
      name: 'reasoning_content (bug 49)',
      message: { content: 'a', reasoning_content: 'hm' },
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'reasoning',
      message: { content: 'a', reasoning: 'hm' },
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'thinking_blocks before reasoning_content',
      message: {
        content: 'a',
        reasoning_content: 'hm',
        thinking_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'secret' },
          { type: 'thinking', thinking: '', signature: '' },
        ],
      },
      parts: [
        { type: 'reasoning', text: 'hm', opaque: { provider: 'anthropic', kind: 'signature', value: 'sig' } },
        { type: 'reasoning', text: '', opaque: { provider: 'anthropic', kind: 'redacted', value: 'secret' } },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'thinking_blocks with an envelope',
      message: {
        content: 'a',
        thinking_blocks: [
          {
            type: 'thinking',
            thinking: 'hm',
            signature: wrapOpaque({ provider: 'openai', model: 'gpt', kind: 'encrypted', value: 'x', itemId: 'rs_1' }),
          },
        ],
      },
      parts: [
        {
          type: 'reasoning',
          text: 'hm',
          opaque: { provider: 'openai', model: 'gpt', kind: 'encrypted', value: 'x', itemId: 'rs_1' },
        },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'reasoning_details',
      message: {
        content: 'a',
        reasoning_details: [
          { type: 'reasoning.text', text: 'h', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.text', text: 'm', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.encrypted', data: 'enc', id: 'rs_1', format: 'openai-responses-v1', index: 1 },
        ],
      },
      parts: [
        { type: 'reasoning', text: 'hm', opaque: { provider: 'anthropic', kind: 'signature', value: 'sig' } },
        {
          type: 'reasoning',
          text: '',
          opaque: { provider: 'openai', kind: 'encrypted', value: 'enc', itemId: 'rs_1' },
        },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'Google’s signature on a call',
      message: { tool_calls: [{ ...call('a'), extra_content: { google: { thought_signature: 'sig' } } }] },
      parts: [
        {
          type: 'tool-call',
          id: 'a',
          name: 'f',
          kind: 'function',
          arguments: '{}',
          opaque: { provider: 'gemini', kind: 'signature', value: 'sig' },
        },
      ],
    },
  ])('assistant: $name', ({ message, parts }) => {
    const request = decodeRequest(messages(user, { role: 'assistant', ...message }));
    expect(withoutPlaces(request.turns[1]?.parts)).toEqual(parts);
  });

  it.each<{ name: string; content: Json; decoded: object[] }>([
    { name: 'text', content: 'r', decoded: [{ type: 'text', text: 'r' }] },
    { name: 'nothing', content: '', decoded: [] },
    { name: 'null', content: null, decoded: [] },
    {
      name: 'parts',
      content: [
        { type: 'text', text: 'r' },
        { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      ],
      decoded: [
        { type: 'text', text: 'r' },
        { type: 'image', source: { type: 'url', url: 'https://x.test/a.png', mime: 'image/png' } },
      ],
    },
    { name: 'an object', content: { ok: true }, decoded: [{ type: 'text', text: '{"ok":true}' }] },
  ])('tool result of $name knows its call', ({ content, decoded }) => {
    const request = decodeRequest(
      messages(
        user,
        { role: 'assistant', tool_calls: [call('a', 'weather')] },
        { role: 'tool', tool_call_id: 'a', content },
      ),
    );
    expect(withoutPlaces(request.turns[2]?.parts)).toEqual([
      { type: 'tool-result', callId: 'a', name: 'weather', content: decoded },
    ]);
  });

  it('bug 13: a result without id is matched only when one call is open', () => {
    const one = decodeRequest(messages({ role: 'assistant', tool_calls: [call('a')] }, { role: 'tool', content: 'r' }));
    expect(one.turns[1]?.parts[0]).toMatchObject({ type: 'tool-result', callId: 'a' });
    expect(() =>
      decodeRequest(
        messages({ role: 'assistant', tool_calls: [call('a'), call('b')] }, { role: 'tool', content: 'r' }),
      ),
    ).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param: 'messages[1].tool_call_id' } }));
  });

  it('the deprecated role function answers by name', () => {
    const request = decodeRequest(
      messages(
        { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'r' },
      ),
    );
    expect(request.turns[1]?.parts[0]).toMatchObject({ callId: 'call_0_0', name: 'f' });
  });
});

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
