import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { withoutPlaces } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { decodeRequest } from './decode-request.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const input = (...items: Json[]): JsonObject => ({ model: 'm', input: items });
const turnsOf = (...items: Json[]): unknown => withoutPlaces(decodeRequest(input(...items)).turns);
const fnCall = (id: string, more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
  ...more,
});
const call = (id: string, more: object = {}): object => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  arguments: '{}',
  ...more,
});

describe('input', () => {
  it('a string is a user message', () => {
    expect(decodeRequest({ model: 'm', input: 'hi' }).turns).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'hi', place: 'input' }], place: 'input' },
    ]);
  });

  it('instructions and leading messages of the developer are instructions', () => {
    const request = decodeRequest({
      ...input(
        { role: 'developer', content: [{ type: 'input_text', text: 'two' }] },
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'three' },
      ),
      instructions: 'one',
    });
    expect(request.system.map(({ text, place }) => [text, place])).toEqual([
      ['one', 'instructions'],
      ['two', 'input[0].content[0]'],
    ]);
    expect(request.turns.map(({ role }) => role)).toEqual(['user', 'system']);
  });

  it.each<{ name: string; part: JsonObject; decoded: object }>([
    { name: 'text', part: { type: 'input_text', text: 'a' }, decoded: { type: 'text', text: 'a' } },
    {
      name: 'an image URL',
      part: { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'low' },
      decoded: {
        type: 'image',
        source: { type: 'url', url: 'https://x.test/a.png', mime: 'image/png' },
        detail: 'low',
      },
    },
    {
      name: 'an image of wrong type',
      part: { type: 'input_image', image_url: `data:image/jpeg;base64,${PNG}` },
      decoded: { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
    },
    {
      name: 'a kept image',
      part: { type: 'input_image', file_id: 'file-1' },
      decoded: { type: 'image', source: { type: 'file', provider: 'openai', id: 'file-1' } },
    },
    {
      name: 'a file',
      part: { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      decoded: {
        type: 'document',
        source: { type: 'base64', mime: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.pdf',
      },
    },
    {
      name: 'a file by URL',
      part: { type: 'input_file', file_url: 'https://x.test/a.pdf' },
      decoded: { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf', mime: 'application/pdf' } },
    },
    {
      name: 'a kept file',
      part: { type: 'input_file', file_id: 'file-1' },
      decoded: { type: 'document', source: { type: 'file', provider: 'openai', id: 'file-1' } },
    },
    {
      name: 'audio',
      part: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      decoded: { type: 'audio', source: { type: 'base64', mime: 'audio/mpeg', data: 'AAAA' } },
    },
    {
      name: 'Ark’s video',
      part: { type: 'input_video', video_url: 'https://x.test/v.mp4' },
      decoded: { type: 'video', source: { type: 'url', url: 'https://x.test/v.mp4', mime: 'video/mp4' } },
    },
  ])('user part: $name', ({ part, decoded }) => {
    const request = decodeRequest(input({ type: 'message', role: 'user', content: [part] }));
    expect(request.turns[0]?.parts).toEqual([{ ...decoded, place: 'input[0].content[0]' }]);
  });

  it.each<{ name: string; items: Json[]; turns: object[] }>([
    {
      name: 'neighbouring items of the model are one turn',
      items: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
          encrypted_content: 'enc',
        },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          status: 'completed',
          content: [{ type: 'output_text', text: 'hi', annotations: [] }],
        },
        fnCall('a', { id: 'fc_1' }),
        fnCall('b'),
        { type: 'function_call_output', call_id: 'b', output: 'r' },
      ],
      turns: [
        {
          role: 'assistant',
          parts: [
            {
              type: 'reasoning',
              text: 'a\n\nb',
              summaries: ['a', 'b'],
              opaque: { provider: 'openai', kind: 'encrypted', value: 'enc', itemId: 'rs_1' },
            },
            { type: 'text', text: 'hi' },
            call('a', { itemId: 'fc_1' }),
            call('b'),
          ],
        },
        {
          role: 'user',
          parts: [{ type: 'tool-result', callId: 'b', name: 'f', content: [{ type: 'text', text: 'r' }] }],
        },
      ],
    },
    {
      name: 'a phase belongs to its message, and another one begins a turn',
      items: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }] },
        { role: 'assistant', content: 'looking', phase: 'commentary' },
        fnCall('a'),
        { role: 'assistant', content: 'found', phase: 'final_answer' },
        { role: 'assistant', content: 'and that is it' },
      ],
      turns: [
        {
          role: 'assistant',
          parts: [{ type: 'reasoning', text: 'a' }, { type: 'text', text: 'looking' }, call('a')],
          phase: 'commentary',
        },
        { role: 'assistant', parts: [{ type: 'text', text: 'found' }], phase: 'final_answer' },
        { role: 'assistant', parts: [{ type: 'text', text: 'and that is it' }] },
      ],
    },
    {
      name: 'bug 32: reasoning without id, without encrypted content, raw',
      items: [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'raw' }] }],
      turns: [{ role: 'assistant', parts: [{ type: 'reasoning', text: 'raw' }] }],
    },
    {
      name: 'another vendor’s state in its envelope',
      items: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: wrapOpaque({ provider: 'anthropic', model: 'c', kind: 'signature', value: 's' }),
        },
      ],
      turns: [
        {
          role: 'assistant',
          parts: [
            {
              type: 'reasoning',
              text: 'hm',
              opaque: { provider: 'anthropic', model: 'c', kind: 'signature', value: 's' },
            },
          ],
        },
      ],
    },
    {
      name: 'bug 39: Google’s signature rides on the call after it',
      items: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'thinking' }] },
        {
          type: 'reasoning',
          summary: [],
          encrypted_content: wrapOpaque({ provider: 'gemini', kind: 'signature', value: 'g' }),
        },
        fnCall('a'),
        fnCall('b'),
      ],
      turns: [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'thinking' },
            call('a', { opaque: { provider: 'gemini', kind: 'signature', value: 'g' } }),
            call('b'),
          ],
        },
      ],
    },
    {
      name: 'of a text, it comes after the text; or stays alone',
      items: [
        { role: 'assistant', content: 'hi' },
        {
          type: 'reasoning',
          summary: [],
          encrypted_content: wrapOpaque({ provider: 'gemini', kind: 'signature', value: 'g', itemId: 'msg' }),
        },
        {
          type: 'reasoning',
          summary: [],
          encrypted_content: wrapOpaque({ provider: 'gemini', kind: 'signature', value: 'h' }),
        },
        { role: 'user', content: 'go on' },
      ],
      turns: [
        {
          role: 'assistant',
          parts: [
            { type: 'text', text: 'hi', opaque: { provider: 'gemini', kind: 'signature', value: 'g' } },
            { type: 'reasoning', text: '', opaque: { provider: 'gemini', kind: 'signature', value: 'h' } },
          ],
        },
        { role: 'user', parts: [{ type: 'text', text: 'go on' }] },
      ],
    },
    {
      name: 'bug 45: pictures and files in a tool output',
      items: [
        fnCall('a'),
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
          ],
        },
        { type: 'function_call_output', call_id: 'a', output: '' },
      ],
      turns: [
        { role: 'assistant', parts: [call('a')] },
        {
          role: 'user',
          parts: [
            {
              type: 'tool-result',
              callId: 'a',
              name: 'f',
              content: [
                { type: 'text', text: 'see' },
                { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
              ],
            },
          ],
        },
        { role: 'user', parts: [{ type: 'tool-result', callId: 'a', name: 'f', content: [] }] },
      ],
    },
    {
      name: 'a custom call, a refusal, a search',
      items: [
        { type: 'custom_tool_call', call_id: 'a', name: 'g', input: 'free' },
        { type: 'custom_tool_call_output', call_id: 'a', output: 'r' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'cats' } },
      ],
      turns: [
        { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'g', kind: 'custom', arguments: 'free' }] },
        {
          role: 'user',
          parts: [{ type: 'tool-result', callId: 'a', name: 'g', content: [{ type: 'text', text: 'r' }] }],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'refusal', text: 'no' },
            {
              type: 'server-tool',
              provider: 'openai',
              name: 'web_search',
              phase: 'call',
              id: 'ws_1',
              query: 'cats',
              raw: {
                type: 'web_search_call',
                id: 'ws_1',
                status: 'completed',
                action: { type: 'search', query: 'cats' },
              },
            },
          ],
        },
      ],
    },
  ])('$name', ({ items, turns }) => {
    expect(turnsOf(...items)).toEqual(turns);
  });
});

describe('settings', () => {
  it('reads every scalar', () => {
    const request = decodeRequest({
      model: 'm',
      stream: true,
      max_output_tokens: 10,
      temperature: 0,
      top_p: 0.5,
      top_logprobs: 2,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs', 'file_search_call.results'],
      user: 'u',
      safety_identifier: 's',
      service_tier: 'flex',
      prompt_cache_key: 'k',
      metadata: { a: 'b' },
      reasoning: { effort: 'low', summary: 'auto', context: 'all_turns' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', strict: true, schema: { type: 'object' } } },
      store: true,
      truncation: 'auto',
    });
    expect(request).toEqual({
      dialect: 'openai-responses',
      model: 'm',
      stream: true,
      system: [],
      turns: [],
      tools: [],
      maxOutputTokens: 10,
      temperature: 0,
      topP: 0.5,
      logprobs: true,
      topLogprobs: 2,
      format: { type: 'json-schema', name: 'n', strict: true, schema: { type: 'object' } },
      verbosity: 'low',
      reasoning: { effort: 'low', summary: 'auto', visible: true },
      user: 'u',
      metadata: { a: 'b' },
      serviceTier: 'flex',
      cacheKey: 'k',
      extra: { store: true, truncation: 'auto', include: ['file_search_call.results'], safety_identifier: 's' },
      nested: ['reasoning.context'],
    });
  });

  it('reads tools, flat as they are', () => {
    const request = decodeRequest({
      model: 'm',
      tools: [
        { type: 'function', name: 'f', parameters: null, strict: null, defer_loading: true },
        { type: 'custom', name: 'g', format: { type: 'text' } },
        {
          type: 'web_search_2025_08_26',
          filters: { allowed_domains: ['a.test'] },
          user_location: { type: 'approximate', city: 'Ulm' },
          search_context_size: 'low',
        },
        { type: 'mcp', server_label: 's' },
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
    });
    expect(withoutPlaces(request.tools)).toEqual([
      { type: 'function', name: 'f' },
      { type: 'custom', name: 'g', format: { type: 'text' } },
      { type: 'web-search', contextSize: 'low', allowedDomains: ['a.test'], location: { city: 'Ulm' } },
      { type: 'hosted', provider: 'openai', name: 'mcp', raw: { type: 'mcp', server_label: 's' } },
    ]);
    expect(request).toMatchObject({
      toolChoice: { type: 'tool', name: 'f' },
      parallelToolCalls: false,
      nested: ['tools[0].defer_loading'],
    });
  });

  it.each<{ choice: Json; decoded: object | undefined; field?: string }>([
    { choice: 'required', decoded: { type: 'required' } },
    { choice: { type: 'custom', name: 'g' }, decoded: { type: 'tool', name: 'g' } },
    {
      choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      decoded: { type: 'subset', mode: 'auto', names: ['f'] },
    },
    { choice: { type: 'web_search_preview' }, decoded: undefined, field: 'tool_choice' },
    {
      choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 's' }] },
      decoded: undefined,
      field: 'tool_choice',
    },
  ])('choice $choice', ({ choice, decoded, field }) => {
    const request = decodeRequest({ model: 'm', tools: [{ type: 'function', name: 'f' }], tool_choice: choice });
    expect(request.toolChoice).toEqual(decoded);
    expect(request.unportable?.map((one) => one.field)).toEqual(field === undefined ? undefined : [field]);
  });

  it.each<{ field: string; body: JsonObject }>([
    { field: 'previous_response_id', body: { previous_response_id: 'resp_1' } },
    { field: 'conversation', body: { conversation: { id: 'conv_1' } } },
    { field: 'background', body: { background: true } },
    { field: 'prompt', body: { prompt: { id: 'pmpt_1' } } },
    { field: 'input[0]', body: { input: [{ type: 'item_reference', id: 'rs_1' }] } },
    { field: 'input[0]', body: { input: [{ type: 'compaction', encrypted_content: 'x' }] } },
  ])('what needs OpenAI’s memory is told: $field of $body', ({ field, body }) => {
    const request = decodeRequest({ model: 'm', input: 'hi', ...body });
    expect(request.unportable?.map((one) => one.field)).toEqual([field]);
  });

  it('background false asks for nothing', () => {
    expect(decodeRequest({ model: 'm', background: false })).not.toHaveProperty('unportable');
  });
});

it('many items of the model in a row are one turn, and a message of another phase begins a new one', () => {
  const calls = Array.from({ length: 20_000 }, (_, index) => ({
    ...{ type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' },
  }));
  const said = (text: string, phase: string) => ({
    ...{ role: 'assistant', phase, content: [{ type: 'output_text', text }] },
  });
  const { turns } = decodeRequest(input(...calls, said('one', 'commentary'), ...calls, said('two', 'final_answer')));
  expect(turns.map(({ parts }) => parts.length)).toEqual([40_001, 1]);
  expect(turns[0]?.parts[20_000]).toMatchObject({ type: 'text', text: 'one' });
  expect(turns[0]?.parts.at(-1)).toMatchObject({ type: 'tool-call', id: 'c19999' });
});

describe('what is wrong is named with its place', () => {
  it.each<{ param: string; body: Json }>([
    { param: 'model', body: { input: 'hi' } },
    { param: 'input', body: { model: 'm', input: 7 } },
    { param: 'input[0]', body: input({ content: 'x' }) },
    { param: 'input[0].role', body: input({ role: 'tool', content: 'x' }) },
    { param: 'input[0].content', body: input({ role: 'user' }) },
    { param: 'input[0].content[0].type', body: input({ role: 'user', content: [{ type: 'image_url' }] }) },
    { param: 'input[0].content[0].image_url', body: input({ role: 'user', content: [{ type: 'input_image' }] }) },
    { param: 'input[0].content[0].file_data', body: input({ role: 'user', content: [{ type: 'input_file' }] }) },
    { param: 'input[0].call_id', body: input({ type: 'function_call', name: 'f', arguments: '' }) },
    { param: 'input[0].name', body: input({ type: 'function_call', call_id: 'a', arguments: '' }) },
    { param: 'input[0].call_id', body: input({ type: 'function_call_output', output: '' }) },
    { param: 'tools[0].name', body: { model: 'm', tools: [{ type: 'function' }] } },
    { param: 'text.format.type', body: { model: 'm', text: { format: { type: 'xml' } } } },
    { param: 'reasoning.effort', body: { model: 'm', reasoning: { effort: 'huge' } } },
    {
      param: 'tool_choice.name',
      body: { model: 'm', tools: [{ type: 'function', name: 'f' }], tool_choice: { type: 'function' } },
    },
  ])('$param', ({ param, body }) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param } }));
  });
});
