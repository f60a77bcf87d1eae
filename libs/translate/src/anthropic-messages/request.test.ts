import { describe, expect, it } from '@jest/globals';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Opaque, Turn } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { anthropicMessages } from './index.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const JPEG = '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsK';
const BMP = 'Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsAAAAAAAAAAAAA////AA==';
const PDF = 'JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoKPDwvTGVuZ3RoIDMgMCBSPj4K';

const newest: Target = { model: 'claude-opus-5', provider: 'anthropic', maxOutputTokens: 128_000 };
/** A model without structured output. */
const weak: Target = { ...newest, quirks: { structured_output: false } };
const older: Target = {
  model: 'claude-haiku-4-5',
  provider: 'anthropic',
  maxOutputTokens: 64_000,
  quirks: { sampling: true, thinking: 'budget' },
};

function decode(body: JsonObject): ChatRequest {
  return anthropicMessages.decodeRequest({
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'hi' }],
    ...body,
  });
}

function request(fields: Partial<ChatRequest>): ChatRequest {
  const turns: Turn[] = [{ role: 'user', parts: [{ type: 'text', text: 'hi', place: 'messages[0]' }] }];
  return { dialect: 'openai-chat', model: 'm', stream: false, system: [], turns, tools: [], extra: {}, ...fields };
}

function encode(fields: Partial<ChatRequest>, target: Target = newest): Encoded {
  return anthropicMessages.encodeRequest(request(fields), target);
}

function fieldsDropped(encoded: Encoded): string[] {
  return encoded.dropped.map(({ field }) => field);
}

function thrown(act: () => unknown): GatewayError {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const call = (id: string, name = 'look', args = '{}'): Turn => ({
  role: 'assistant',
  parts: [{ type: 'tool-call', id, name, kind: 'function', arguments: args, place: `messages[1].tool_calls[0]` }],
});
const result = (callId: string, text: string): Turn => ({
  role: 'user',
  parts: [{ type: 'tool-result', callId, content: text === '' ? [] : [{ type: 'text', text }], place: 'messages[2]' }],
});

describe('reading a Messages body', () => {
  it('reads plain text and settings', () => {
    const read = decode({
      system: 'be short',
      stream: true,
      temperature: 0,
      top_p: 0.5,
      top_k: 5,
      stop_sequences: ['END'],
      metadata: { user_id: 'u1' },
      service_tier: 'standard_only',
      cache_control: { type: 'ephemeral', ttl: '1h' },
    });
    expect(read).toMatchObject({
      dialect: 'anthropic-messages',
      stream: true,
      system: [{ type: 'text', text: 'be short', place: 'system' }],
      turns: [
        { role: 'user', parts: [{ type: 'text', text: 'hi', place: 'messages[0].content' }], place: 'messages[0]' },
      ],
      temperature: 0,
      topP: 0.5,
      topK: 5,
      stop: ['END'],
      user: 'u1',
      serviceTier: 'default',
      maxOutputTokens: 100,
      autoCache: { ttl: '1h' },
    });
  });

  it.each([
    {
      name: 'enabled',
      body: { thinking: { type: 'enabled', budget_tokens: 2048 } },
      reads: { mode: 'enabled', budgetTokens: 2048 },
    },
    {
      name: 'adaptive, shown, with effort',
      body: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
      reads: { mode: 'adaptive', visible: true, summary: 'summarized', effort: 'high' },
    },
    {
      name: 'hidden',
      body: { thinking: { type: 'adaptive', display: 'omitted' } },
      reads: { mode: 'adaptive', visible: false, summary: 'omitted' },
    },
    { name: 'disabled', body: { thinking: { type: 'disabled' } }, reads: { mode: 'disabled' } },
    { name: 'effort alone', body: { output_config: { effort: 'low' } }, reads: { effort: 'low' } },
    { name: 'nothing', body: {}, reads: undefined },
  ])('thinking: $name', ({ body, reads }) => {
    expect(decode(body).reasoning).toEqual(reads);
  });

  it('keeps what has no word here: top level to forward, nested to report', () => {
    const read = decode({
      thinking: { type: 'between_tools' },
      speed: 'fast',
      output_config: { effort: 'low', novelty: 1 },
      tools: [{ name: 't', input_schema: { type: 'object' }, defer_loading: true }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'url', url: 'https://a/b.png' }, transformations: {} }],
        },
      ],
    });
    expect(read.extra).toEqual({ thinking: { type: 'between_tools' }, speed: 'fast' });
    expect(read.nested).toEqual([
      'output_config.novelty',
      'messages[0].content[0].transformations',
      'tools[0].defer_loading',
    ]);
  });

  it('tells what only Anthropic can do', () => {
    const read = decode({ mcp_servers: [{ url: 'https://x' }], container: 'c1' });
    expect(read.unportable?.map(({ field }) => field)).toEqual(['mcp_servers', 'container']);
    expect(decode({ mcp_servers: [] }).unportable).toBeUndefined();
  });

  it('bug 50 filedata_mime: corrects a declared type that the bytes deny', () => {
    const source = { type: 'base64', media_type: 'image/jpeg', data: PNG };
    const read = decode({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    expect(read.turns[0]?.parts[0]).toMatchObject({ type: 'image', source: { type: 'base64', mime: 'image/png' } });
  });

  it('reads documents of every source', () => {
    const document = (source: JsonObject): JsonObject => ({ type: 'document', title: 'T', source });
    const content = [
      document({ type: 'base64', media_type: 'application/pdf', data: PDF }),
      document({ type: 'text', media_type: 'text/plain', data: 'words' }),
      document({ type: 'url', url: 'https://a/b.pdf' }),
      document({ type: 'file', file_id: 'file_1' }),
      document({
        type: 'content',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
      { type: 'search_result', source: 'https://s', title: 'S', content: [{ type: 'text', text: 'found' }] },
    ];
    const read = decode({ messages: [{ role: 'user', content }] });
    expect(read.turns[0]?.parts.map((part) => ('source' in part ? part.source : undefined))).toEqual([
      { type: 'base64', mime: 'application/pdf', data: PDF },
      { type: 'text', text: 'words' },
      { type: 'url', url: 'https://a/b.pdf', mime: 'application/pdf' },
      { type: 'file', provider: 'anthropic', id: 'file_1' },
      { type: 'text', text: 'a\n\nb' },
      { type: 'text', text: 'https://s\n\nfound' },
    ]);
  });

  it('reads an assistant turn in order, with state native and foreign', () => {
    const foreign: Opaque = { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'G' };
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'SIG' },
      { type: 'redacted_thinking', data: 'RED' },
      { type: 'thinking', thinking: '', signature: wrapOpaque(foreign) },
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { x: 1 }, caller: { type: 'direct' } },
      { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] },
    ];
    const read = decode({
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content },
      ],
    });
    expect(read.nested).toBeUndefined();
    expect(read.turns[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'hm', opaque: { provider: 'anthropic', kind: 'signature', value: 'SIG' } },
      { type: 'reasoning', text: '', opaque: { provider: 'anthropic', kind: 'redacted', value: 'RED' } },
      { type: 'reasoning', text: '', opaque: foreign },
      { type: 'text', text: 'a' },
      { type: 'tool-call', id: 'toolu_1', name: 'look', arguments: '{"x":1}' },
      { type: 'server-tool', name: 'web_search', phase: 'call', query: 'q', id: 'srv_1' },
      { type: 'server-tool', name: 'web_search', phase: 'result', id: 'srv_1' },
    ]);
  });

  it.each([
    { name: 'auto', choice: { type: 'auto' }, reads: { toolChoice: { type: 'auto' } } },
    { name: 'any', choice: { type: 'any' }, reads: { toolChoice: { type: 'required' } } },
    { name: 'none', choice: { type: 'none' }, reads: { toolChoice: { type: 'none' } } },
    {
      name: 'one tool, one at a time',
      choice: { type: 'tool', name: 't', disable_parallel_tool_use: true },
      reads: { toolChoice: { type: 'tool', name: 't' }, parallelToolCalls: false },
    },
    {
      name: 'false says nothing',
      choice: { type: 'auto', disable_parallel_tool_use: false },
      reads: { toolChoice: { type: 'auto' } },
    },
  ])('tool_choice: $name', ({ choice, reads }) => {
    const read = decode({ tool_choice: choice });
    expect({
      toolChoice: read.toolChoice,
      ...(read.parallelToolCalls !== undefined && { parallelToolCalls: read.parallelToolCalls }),
    }).toEqual(reads);
  });

  it.each([
    { name: 'no messages', body: { messages: [] }, param: 'messages' },
    { name: 'messages of a wrong type', body: { messages: 'x' }, param: 'messages' },
    { name: 'an unknown role', body: { messages: [{ role: 'tool', content: 'x' }] }, param: 'messages[0].role' },
    {
      name: 'an unknown block',
      body: { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      param: 'messages[0].content[0].type',
    },
    {
      name: 'a result without an id',
      body: { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
      param: 'messages[0].content[0].tool_use_id',
    },
    {
      name: 'a result said by the assistant',
      body: { messages: [{ role: 'assistant', content: [{ type: 'tool_result', tool_use_id: 'x' }] }] },
      param: 'messages[0].content[0]',
    },
    { name: 'temperature as text', body: { temperature: '1' }, param: 'temperature' },
    { name: 'a budget that is none', body: { thinking: { type: 'enabled' } }, param: 'thinking.budget_tokens' },
    { name: 'no model', body: { model: null }, param: 'model' },
  ])('refuses $name, naming the place', ({ body, param }) => {
    const error = thrown(() => decode(body));
    expect(error.code).toBe('invalid_request');
    expect(error.details.param).toBe(param);
  });
});

describe('writing a Messages body', () => {
  it('fills max_tokens from the catalogue, and clamps to it', () => {
    expect(encode({}).body['max_tokens']).toBe(128_000);
    const clamped = encode({ maxOutputTokens: 200_000 });
    expect(clamped.body['max_tokens']).toBe(128_000);
    expect(fieldsDropped(clamped)).toEqual(['max_completion_tokens']);
    expect(encode({}, { model: 'x', provider: 'anthropic' }).body['max_tokens']).toBe(8192);
  });

  it.each([
    { name: 'bug 51: none on the newest', target: newest, sends: {}, lost: ['temperature', 'top_p'] },
    {
      name: 'bug 51: none on version 2026-10-21',
      target: { ...older, quirks: { sampling: true, api_version: '2026-10-21' } },
      sends: {},
      lost: ['temperature', 'top_p'],
    },
    {
      name: 'temperature wins on older ones, at most 1',
      target: older,
      sends: { temperature: 1 },
      lost: ['top_p', 'temperature'],
    },
  ])('sampling: $name', ({ target, sends, lost }) => {
    const encoded = encode({ temperature: 1.5, topP: 0.9 }, target);
    const { temperature, top_p } = encoded.body;
    expect({ ...(temperature !== undefined && { temperature }), ...(top_p !== undefined && { top_p }) }).toEqual(sends);
    expect(fieldsDropped(encoded)).toEqual(lost);
  });

  it('sampling: a model that must be told its budget is older than the refusal, unless the catalogue says otherwise', () => {
    const sent = (quirks: JsonObject): unknown =>
      encode({ temperature: 0.5 }, { ...newest, quirks }).body['temperature'];
    expect(sent({ thinking: 'budget' })).toBe(0.5);
    expect(sent({ thinking: 'budget', sampling: false })).toBeUndefined();
    expect(sent({ sampling: true })).toBe(0.5);
  });

  it('bug 51: citations in user text are left out, whatever the version', () => {
    const body = {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'c' }] }],
        },
      ],
    };
    const again = anthropicMessages.encodeRequest(anthropicMessages.decodeRequest(body), newest);
    expect(again.body['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'a' }] }]);
  });

  it('bug 34: client and server tool blocks keep their order on replay', () => {
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 't', name: 'n', input: {} },
      { type: 'server_tool_use', id: 's2', name: 'web_search', input: { query: 'r' } },
    ];
    const messages = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
    ];
    const again = anthropicMessages.encodeRequest(anthropicMessages.decodeRequest({ model: 'm', messages }), newest);
    expect((again.body['messages'] as JsonObject[])[1]?.['content']).toEqual(content);
  });

  it('a temperature of zero is a temperature', () => {
    expect(encode({ temperature: 0 }, older).body).toHaveProperty('temperature', 0);
  });

  it.each([
    { name: 'n', fields: { count: 3 }, param: 'n' },
    { name: 'logprobs', fields: { logprobs: true }, param: 'logprobs' },
    { name: 'top_logprobs', fields: { topLogprobs: 2 }, param: 'top_logprobs' },
    { name: 'audio out', fields: { modalities: ['audio'] }, param: 'modalities' },
    {
      name: 'audio in',
      fields: {
        turns: [
          {
            role: 'user',
            parts: [
              {
                type: 'audio',
                source: { type: 'base64', mime: 'audio/wav', data: 'UklGRg==' },
                place: 'messages[0].content[1]',
              },
            ],
          },
        ],
      },
      param: 'messages[0].content[1]',
    },
    {
      name: 'video in',
      fields: {
        turns: [
          {
            role: 'user',
            parts: [
              { type: 'video', source: { type: 'url', url: 'https://a/b.mp4' }, place: 'messages[0].content[1]' },
            ],
          },
        ],
      },
      param: 'messages[0].content[1]',
    },
    {
      name: 'a BMP image',
      fields: {
        turns: [
          {
            role: 'user',
            parts: [
              {
                type: 'image',
                source: { type: 'base64', mime: 'image/bmp', data: BMP },
                place: 'messages[0].content[0]',
              },
            ],
          },
        ],
      },
      param: 'messages[0].content[0]',
    },
    {
      name: "another vendor's file",
      fields: {
        turns: [
          {
            role: 'user',
            parts: [{ type: 'image', source: { type: 'file', provider: 'openai', id: 'file-1' }, place: 'p' }],
          },
        ],
      },
      param: 'p',
    },
    {
      name: "another vendor's tool",
      fields: { tools: [{ type: 'hosted', provider: 'openai', name: 'file_search', raw: {}, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
    {
      name: "what only the caller's vendor can do",
      fields: { unportable: [{ field: 'previous_response_id', reason: 'no' }] },
      param: 'previous_response_id',
    },
  ] as { name: string; fields: Partial<ChatRequest>; param: string }[])('refuses $name', ({ fields, param }) => {
    const error = thrown(() => encode(fields));
    expect([error.code, error.details.param]).toEqual(['invalid_request', param]);
  });

  it('refuses an image for a model that takes none', () => {
    const turns: Turn[] = [
      {
        role: 'user',
        parts: [
          { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG }, place: 'messages[0].content[0]' },
        ],
      },
    ];
    const error = thrown(() => encode({ turns }, { ...newest, inputs: ['text'] }));
    expect(error.details.param).toBe('messages[0].content[0]');
  });

  it("reports what is merely lost, by the caller's own names", () => {
    const encoded = encode({
      seed: 0,
      presencePenalty: 0,
      frequencyPenalty: 1,
      logitBias: {},
      verbosity: 'low',
      metadata: { a: 'b' },
      cacheKey: 'k',
      serviceTier: 'flex',
      extra: { prediction: {} },
    });
    expect(fieldsDropped(encoded).sort()).toEqual(
      [
        'prediction',
        'service_tier',
        'presence_penalty',
        'frequency_penalty',
        'seed',
        'logit_bias',
        'verbosity',
        'metadata',
        'prompt_cache_key',
      ].sort(),
    );
    const gemini = encode({ dialect: 'gemini-generate', seed: 1, topK: 3 });
    expect(fieldsDropped(gemini)).toEqual(['generationConfig.topK', 'generationConfig.seed']);
  });

  it('bug 50 stopsequence, bug 48: drops blank text and blank stop texts, leaves no empty turn, and merges neighbours', () => {
    const turns: Turn[] = [
      {
        role: 'user',
        parts: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'a' },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'b' }] },
      { role: 'assistant', parts: [{ type: 'text', text: '' }] },
      { role: 'user', parts: [{ type: 'text', text: 'c' }] },
    ];
    const encoded = encode({ turns, stop: ['', '  ', 'END'] });
    expect(encoded.body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
          { type: 'text', text: 'c' },
        ],
      },
    ]);
    expect(encoded.body['stop_sequences']).toEqual(['END']);
    expect(fieldsDropped(encoded)).toEqual(['stop']);
  });

  it('refuses a conversation that says nothing', () => {
    expect(thrown(() => encode({ turns: [] })).details.param).toBe('messages');
  });

  it('keeps system messages in their place, or shows them as wrapped user text', () => {
    const turns: Turn[] = [
      { role: 'user', parts: [{ type: 'text', text: 'a' }] },
      { role: 'system', parts: [{ type: 'text', text: 'now in French' }], place: 'messages[2]' },
      { role: 'user', parts: [{ type: 'text', text: 'b' }] },
    ];
    const roles = (encoded: Encoded): unknown => (encoded.body['messages'] as JsonObject[]).map(({ role }) => role);
    expect(roles(encode({ turns }))).toEqual(['user', 'system', 'user']);
    const wrapped = encode({ turns }, { ...newest, quirks: { system_turns: false } });
    expect(roles(wrapped)).toEqual(['user']);
    expect(JSON.stringify(wrapped.body['messages'])).toContain('<system>\\nnow in French\\n</system>');
    expect(fieldsDropped(wrapped)).toEqual(['messages[2]']);
  });

  it('bug 50 systemflatten: keeps system blocks apart with their cache marks', () => {
    const encoded = encode({
      system: [
        { type: 'text', text: 'a', cache: { ttl: '1h' } },
        { type: 'text', text: 'b' },
      ],
    });
    expect(encoded.body['system']).toEqual([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'b' },
    ]);
  });

  it('keeps the last four cache marks and gives other times the nearer one', () => {
    const system = [1, 2, 3, 4, 5].map((each) => ({
      type: 'text' as const,
      text: String(each),
      cache: { ttl: '30m' },
    }));
    const encoded = encode({ system });
    const marks = (encoded.body['system'] as JsonObject[]).map((block) => block['cache_control']);
    expect(marks).toEqual([undefined, ...Array<unknown>(4).fill({ type: 'ephemeral', ttl: '5m' })]);
    expect(fieldsDropped(encoded)).toContain('cache_control');
  });
});

describe('tools', () => {
  it('bug 15: schemas without type, without anything, and an empty list', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'a' },
        { type: 'function', name: 'b', parameters: { properties: { x: { type: 'string' } } } },
      ],
    });
    expect((encoded.body['tools'] as JsonObject[]).map((tool) => tool['input_schema'])).toEqual([
      { type: 'object', properties: {} },
      { type: 'object', properties: { x: { type: 'string' } } },
    ]);
    const empty = encode({ tools: [], toolChoice: { type: 'required' } });
    expect(empty.body).not.toHaveProperty('tools');
    expect(empty.body).not.toHaveProperty('tool_choice');
    expect(fieldsDropped(empty)).toEqual(['tool_choice']);
  });

  it('merges a union at the root, and says so', () => {
    const union = {
      anyOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'number' } }, required: ['a', 'b'] },
      ],
    };
    const encoded = encode({ tools: [{ type: 'function', name: 't', parameters: union, place: 'tools[0]' }] });
    expect((encoded.body['tools'] as JsonObject[])[0]?.['input_schema']).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a'],
    });
    expect(fieldsDropped(encoded)).toEqual(['tools[0].parameters']);
    expect(
      thrown(() =>
        encode({ tools: [{ type: 'function', name: 't', parameters: { type: 'string' }, place: 'tools[0]' }] }),
      ).details.param,
    ).toBe('tools[0]');
  });

  it.each([
    { name: 'nothing', fields: {}, sends: undefined },
    { name: 'auto', fields: { toolChoice: { type: 'auto' } }, sends: { type: 'auto' } },
    { name: 'none', fields: { toolChoice: { type: 'none' } }, sends: { type: 'none' } },
    { name: 'bug 50 toolchoiceany: required', fields: { toolChoice: { type: 'required' } }, sends: { type: 'any' } },
    { name: 'one', fields: { toolChoice: { type: 'tool', name: 'a' } }, sends: { type: 'tool', name: 'a' } },
    {
      name: 'one at a time',
      fields: { parallelToolCalls: false },
      sends: { type: 'auto', disable_parallel_tool_use: true },
    },
    {
      name: 'none, one at a time',
      fields: { toolChoice: { type: 'none' }, parallelToolCalls: false },
      sends: { type: 'none' },
    },
    { name: 'parallel is the default', fields: { parallelToolCalls: true }, sends: undefined },
  ] as { name: string; fields: Partial<ChatRequest>; sends: unknown }[])('choice: $name', ({ fields, sends }) => {
    expect(encode({ tools: [{ type: 'function', name: 'a' }], ...fields }).body['tool_choice']).toEqual(sends);
  });

  it('a subset is the list itself', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'a' },
        { type: 'function', name: 'b' },
      ],
      toolChoice: { type: 'subset', mode: 'required', names: ['b'] },
    });
    expect((encoded.body['tools'] as JsonObject[]).map(({ name }) => name)).toEqual(['b']);
    expect(encoded.body['tool_choice']).toEqual({ type: 'any' });
  });

  it('renames what the wire refuses, in tools, choice and history, and tells the undo', () => {
    const turns: Turn[] = [
      { role: 'user', parts: [{ type: 'text', text: 'q' }] },
      call('1', 'ns.look'),
      result('1', 'ok'),
    ];
    const encoded = encode({
      turns,
      tools: [{ type: 'function', name: 'ns.look' }],
      toolChoice: { type: 'tool', name: 'ns.look' },
    });
    const [[wire] = ['']] = [...(encoded.toolNames ?? new Map<string, string>()).entries()];
    expect(wire).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(encoded.body['tool_choice']).toEqual({ type: 'tool', name: wire });
    expect(JSON.stringify(encoded.body['messages'])).toContain(`"name":"${wire}"`);
    const reply = anthropicMessages.decodeReply(
      { content: [{ type: 'tool_use', id: 't', name: wire, input: {} }] },
      encoded,
    );
    expect(reply.choices[0]?.parts[0]).toMatchObject({ name: 'ns.look' });
  });

  it('bug 50 outputformatstrict: a strict tool gets a schema the grammar takes', () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
    const tool = { type: 'function' as const, name: 't', parameters, strict: true };
    expect((encode({ tools: [tool] }).body['tools'] as JsonObject[])[0]).toEqual({
      name: 't',
      strict: true,
      input_schema: {
        type: 'object',
        properties: { n: { type: 'integer', description: '(minimum: 1)' } },
        required: ['n'],
        additionalProperties: false,
      },
    });
    const without = encode({ tools: [tool] }, { ...newest, quirks: { structured_output: false } });
    expect((without.body['tools'] as JsonObject[])[0]).not.toHaveProperty('strict');
    expect(fieldsDropped(without)).toEqual(['tools[0].strict']);
  });

  it('a custom tool is one string field, and comes back as one', () => {
    const encoded = encode({ tools: [{ type: 'custom', name: 'sql', description: 'd' }] });
    expect((encoded.body['tools'] as JsonObject[])[0]).toMatchObject({
      name: 'sql',
      input_schema: { required: ['input'] },
    });
    const reply = anthropicMessages.decodeReply(
      { content: [{ type: 'tool_use', id: 't', name: 'sql', input: { input: 'select 1' } }] },
      encoded,
    );
    expect(reply.choices[0]?.parts[0]).toMatchObject({ kind: 'custom', arguments: 'select 1' });
  });

  it('web search, with what it can say', () => {
    const encoded = encode({
      tools: [
        {
          type: 'web-search',
          allowedDomains: ['a.example'],
          maxUses: 2,
          contextSize: 'high',
          location: { city: 'Ulm' },
          place: 'tools[0]',
        },
      ],
    });
    expect(encoded.body['tools']).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        allowed_domains: ['a.example'],
        user_location: { type: 'approximate', city: 'Ulm' },
      },
    ]);
    expect(fieldsDropped(encoded)).toEqual(['tools[0].search_context_size']);
  });

  it('bug 50 clienttoolnamecollision: client tools called like ours keep their calls', () => {
    const tools: ChatRequest['tools'] = [
      { type: 'function', name: 'json' },
      { type: 'function', name: 'web_search' },
      { type: 'web-search' },
    ];
    const schema = { type: 'object', properties: {} };
    const encoded = encode({ tools, format: { type: 'json-schema', schema } }, weak);
    const names = (encoded.body['tools'] as JsonObject[]).map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
    expect([names[0], names[2]]).toEqual(['json', 'web_search']);
    expect(encoded.toolNames?.get(String(names[1]))).toBe('web_search');
    expect(encoded.jsonTool).toBe(names[3]);
  });
});

describe('calls and their results', () => {
  const ask: Turn = { role: 'user', parts: [{ type: 'text', text: 'q' }] };

  it('bug 11: two results become one user turn', () => {
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [...call('a').parts, ...call('b').parts] as never },
      result('a', '1'),
      result('b', '2'),
      { role: 'user', parts: [{ type: 'text', text: 'go on' }] },
    ];
    expect(encode({ turns }).body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'q' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1' },
          { type: 'tool_result', tool_use_id: 'b', content: '2' },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  it('bug 12: results spread over later turns stand behind their calls', () => {
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [...call('a').parts, ...call('b').parts] as never },
      result('a', '1'),
      { role: 'user', parts: [{ type: 'text', text: 'wait' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'ok' }] },
      result('b', '2'),
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect((messages[2]?.['content'] as JsonObject[]).map((block) => block['tool_use_id'] ?? block['text'])).toEqual([
      'a',
      'b',
      'wait',
    ]);
  });

  it('bug 14: an image never stands between results', () => {
    const image = { type: 'image' as const, source: { type: 'base64' as const, mime: 'image/png', data: PNG } };
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [...call('a').parts, ...call('b').parts] as never },
      { role: 'user', parts: [...result('a', '1').parts, image, ...result('b', '2').parts] as never },
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect((messages[2]?.['content'] as JsonObject[]).map(({ type }) => type)).toEqual([
      'tool_result',
      'tool_result',
      'image',
    ]);
  });

  it("bug 15: an orphan result is the caller's mistake, a missing one is said to be missing", () => {
    expect(thrown(() => encode({ turns: [ask, result('x', '1')] })).details.param).toBe('messages[2]');
    const encoded = encode({ turns: [ask, call('a'), { role: 'user', parts: [{ type: 'text', text: 'go on' }] }] });
    const messages = encoded.body['messages'] as JsonObject[];
    expect(messages[2]?.['content']).toMatchObject([
      { type: 'tool_result', tool_use_id: 'a', is_error: true },
      { type: 'text', text: 'go on' },
    ]);
    expect(encoded.dropped).toHaveLength(1);
  });

  it('bug 15: an empty result has no content, an error keeps its flag', () => {
    const turns: Turn[] = [
      ask,
      call('a'),
      result('a', ''),
      call('b'),
      {
        role: 'user',
        parts: [{ type: 'tool-result', callId: 'b', content: [{ type: 'text', text: 'no' }], isError: true }],
      },
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect(messages[2]?.['content']).toEqual([{ type: 'tool_result', tool_use_id: 'a' }]);
    expect(messages[4]?.['content']).toEqual([
      { type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true },
    ]);
  });

  it('bug 45: images and documents stay inside the result', () => {
    const content = [
      { type: 'text' as const, text: 'see' },
      { type: 'image' as const, source: { type: 'base64' as const, mime: 'image/jpeg', data: JPEG } },
      { type: 'document' as const, source: { type: 'base64' as const, mime: 'application/pdf', data: PDF } },
    ];
    const turns: Turn[] = [ask, call('a'), { role: 'user', parts: [{ type: 'tool-result', callId: 'a', content }] }];
    const [, , user] = encode({ turns }).body['messages'] as JsonObject[];
    expect(user?.['content']).toMatchObject([
      { type: 'tool_result', content: [{ type: 'text' }, { type: 'image' }, { type: 'document' }] },
    ]);
  });

  it('bug 35: arguments that are no JSON are kept whole', () => {
    const turns: Turn[] = [ask, call('a', 'look', '{"x": tru'), result('a', '1')];
    expect(JSON.stringify(encode({ turns }).body['messages'])).toContain(JSON.stringify({ input: '{"x": tru' }));
  });

  it('bug 6: an assistant turn of calls alone, or of text and calls, is valid blocks', () => {
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [{ type: 'text', text: 'let me' }, ...call('a').parts] as never },
      result('a', '1'),
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect(messages[1]?.['content']).toMatchObject([{ type: 'text', text: 'let me' }, { type: 'tool_use' }]);
  });

  it('ids fit the wire, and are told apart where a vendor used one twice', () => {
    const turns: Turn[] = [ask, call('call:0'), result('call:0', '1'), call('call:0'), result('call:0', '2')];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    const ids = messages.flatMap(({ content }) =>
      (content as JsonObject[]).flatMap((block) => block['id'] ?? block['tool_use_id'] ?? []),
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[0]).not.toBe(ids[2]);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('an image the assistant made goes with the next user message', () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, mime: 'image/png', data: PNG },
      place: 'p',
    };
    const turns: Turn[] = [ask, { role: 'assistant', parts: [{ type: 'text', text: 'here' }, image] }, ask];
    const encoded = encode({ turns });
    const messages = encoded.body['messages'] as JsonObject[];
    expect((messages[2]?.['content'] as JsonObject[]).map(({ type }) => type)).toEqual(['image', 'text']);
    expect(fieldsDropped(encoded)).toEqual(['p']);
  });
});

describe('reasoning', () => {
  const effort = (word: NonNullable<ChatRequest['reasoning']>['effort']): Partial<ChatRequest> => ({
    reasoning: { effort: word as 'low' },
  });

  it.each([
    { effort: 'none', thinking: { type: 'disabled' }, config: undefined },
    { effort: 'minimal', thinking: { type: 'adaptive' }, config: { effort: 'low' } },
    { effort: 'low', thinking: { type: 'adaptive' }, config: { effort: 'low' } },
    { effort: 'high', thinking: { type: 'adaptive' }, config: { effort: 'high' } },
    { effort: 'xhigh', thinking: { type: 'adaptive' }, config: { effort: 'xhigh' } },
    { effort: 'max', thinking: { type: 'adaptive' }, config: { effort: 'max' } },
  ] as const)('adaptive: $effort', ({ effort: word, thinking, config }) => {
    const { body } = encode(effort(word));
    expect([body['thinking'], body['output_config']]).toEqual([thinking, config]);
  });

  it('xhigh becomes max on models without it', () => {
    const encoded = encode(effort('xhigh'), { ...newest, quirks: { xhigh: false } });
    expect(encoded.body['output_config']).toEqual({ effort: 'max' });
    expect(fieldsDropped(encoded)).toEqual(['reasoning_effort']);
  });

  it.each([
    { name: 'low, no cap', fields: effort('low'), budget: 6400, max: 64_000 },
    {
      name: 'high on top of the cap',
      fields: { ...effort('high'), maxOutputTokens: 1000 },
      budget: 38_400,
      max: 39_400,
    },
    { name: 'a small share', fields: { ...effort('minimal'), maxOutputTokens: 1000 }, budget: 1280, max: 2280 },
    { name: 'max stays below the model cap', fields: effort('max'), budget: 63_999, max: 64_000 },
    {
      name: 'an explicit budget with room',
      fields: { reasoning: { budgetTokens: 2000 }, maxOutputTokens: 4000 },
      budget: 2000,
      max: 4000,
    },
    {
      name: 'an explicit budget without',
      fields: { reasoning: { budgetTokens: 5000 }, maxOutputTokens: 4000 },
      budget: 5000,
      max: 9000,
    },
  ])('budget: $name', ({ fields, budget, max }) => {
    const { body } = encode(fields, older);
    expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: budget });
    expect(body['max_tokens']).toBe(max);
  });

  it('a budget is never below 1024, and there is none where the cap leaves no room', () => {
    const small: Target = { ...older, maxOutputTokens: 10_000 };
    expect(encode(effort('minimal'), small).body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1024 });
    const none = encode(effort('low'), { ...older, maxOutputTokens: 1024 });
    expect(none.body['thinking']).toEqual({ type: 'disabled' });
    expect(fieldsDropped(none)).toEqual(['reasoning_effort']);
  });

  it('bug 36: disabled is forwarded, and adaptive shows text when asked to', () => {
    expect(encode({ reasoning: { mode: 'disabled' } }).body['thinking']).toEqual({ type: 'disabled' });
    expect(encode({ reasoning: { effort: 'high', visible: true } }).body['thinking']).toEqual({
      type: 'adaptive',
      display: 'summarized',
    });
  });

  it('a budget on an adaptive model becomes an effort', () => {
    const encoded = encode({ dialect: 'anthropic-messages', reasoning: { mode: 'enabled', budgetTokens: 10_000 } });
    expect(encoded.body['thinking']).toEqual({ type: 'adaptive' });
    expect(encoded.body['output_config']).toMatchObject({ effort: 'low' });
    expect(fieldsDropped(encoded)).toEqual(['thinking.budget_tokens']);
  });

  it('a model that does not think is asked for nothing', () => {
    const encoded = encode(effort('high'), { ...newest, quirks: { thinking: 'none' } });
    expect(encoded.body).not.toHaveProperty('thinking');
    expect(fieldsDropped(encoded)).toEqual(['reasoning_effort']);
    expect(encode(effort('none'), { ...newest, quirks: { thinking: 'none' } }).dropped).toEqual([]);
  });

  it('no sampling while thinking, no manual thinking while a tool is forced', () => {
    const thinking = encode({ ...effort('low'), temperature: 0.5 }, older);
    expect(thinking.body).not.toHaveProperty('temperature');
    expect(fieldsDropped(thinking)).toEqual(['temperature']);
    const forced = encode(
      { ...effort('low'), tools: [{ type: 'function', name: 't' }], toolChoice: { type: 'required' } },
      older,
    );
    expect(forced.body['thinking']).toEqual({ type: 'disabled' });
    expect(fieldsDropped(forced)).toEqual(['reasoning_effort']);
  });

  const ask: Turn = { role: 'user', parts: [{ type: 'text', text: 'q' }] };
  const signed = (opaque: Opaque | undefined, text = 'hm'): Turn => ({
    role: 'assistant',
    parts: [
      { type: 'reasoning', text, ...(opaque !== undefined && { opaque }), place: 'messages[1].content[0]' },
      ...call('a').parts,
    ] as never,
  });
  const own: Opaque = { provider: 'anthropic', model: 'claude-haiku-4-5-20251001', kind: 'signature', value: 'SIG' };

  it('bug 37: signed thinking goes back unmodified, even without words', () => {
    const [, assistant] = encode({ turns: [ask, signed(own, ''), result('a', '1')], ...effort('low') }, older).body[
      'messages'
    ] as JsonObject[];
    expect((assistant?.['content'] as JsonObject[])[0]).toEqual({ type: 'thinking', thinking: '', signature: 'SIG' });
  });

  it.each([
    { name: 'of another vendor', opaque: { ...own, provider: 'gemini' } },
    { name: 'of another model', opaque: { ...own, model: 'claude-opus-4-5' } },
    { name: 'that is none', opaque: undefined },
    { name: 'that is empty', opaque: { ...own, value: '' } },
  ])('bug 38: a signature $name is left out, and manual thinking is off for the tool turn under way', ({ opaque }) => {
    const encoded = encode({ turns: [ask, signed(opaque), result('a', '1')], ...effort('low') }, older);
    expect(JSON.stringify(encoded.body['messages'])).not.toContain('thinking');
    expect(encoded.body['thinking']).toEqual({ type: 'disabled' });
    expect(fieldsDropped(encoded)).toEqual(['messages[1].content[0]', 'reasoning_effort']);
  });

  it('thinking stays on where the turn has its own, where the tool turn is over, and in adaptive mode', () => {
    const thinking = (turns: Turn[], target: Target): unknown =>
      (encode({ turns, ...effort('low') }, target).body['thinking'] as JsonObject)['type'];
    expect(thinking([ask, signed(own), result('a', '1')], older)).toBe('enabled');
    expect(
      thinking(
        [ask, call('a'), result('a', '1'), { role: 'assistant', parts: [{ type: 'text', text: 'done' }] }, ask],
        older,
      ),
    ).toBe('enabled');
    expect(thinking([ask, call('a'), result('a', '1')], newest)).toBe('adaptive');
  });

  it('bug 50 redactedthinkingenvelope: redacted thinking survives, foreign ones do not reach the vendor', () => {
    const redacted: Turn = {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: '', opaque: { ...own, kind: 'redacted', value: 'R' } },
        { type: 'text', text: 'x' },
      ],
    };
    const [, assistant] = encode({ turns: [ask, redacted, ask] }, older).body['messages'] as JsonObject[];
    expect((assistant?.['content'] as JsonObject[])[0]).toEqual({ type: 'redacted_thinking', data: 'R' });
  });
});

describe('structured output', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  it('where the model has it: a schema it takes', () => {
    const { body, dropped } = encode({ format: { type: 'json-schema', name: 'answer', schema, strict: true } });
    expect(body['output_config']).toEqual({
      format: { type: 'json_schema', schema: { title: 'answer', ...schema, additionalProperties: false } },
    });
    expect(dropped).toEqual([]);
  });

  it('where it has not: one forced tool, unwrapped in the answer', () => {
    const encoded = encode({ format: { type: 'json-schema', schema } }, weak);
    expect(encoded.body['tool_choice']).toEqual({ type: 'tool', name: 'json', disable_parallel_tool_use: true });
    expect(encoded.body).not.toHaveProperty('output_config');
    const reply = anthropicMessages.decodeReply(
      { content: [{ type: 'tool_use', id: 't', name: 'json', input: { n: 1 } }], stop_reason: 'tool_use' },
      encoded,
    );
    expect(reply.choices[0]).toMatchObject({ parts: [{ type: 'text', text: '{"n":1}' }], stop: 'stop' });
  });

  it('beside tools of the caller: one of them must be called', () => {
    const encoded = encode({ format: { type: 'json-schema', schema }, tools: [{ type: 'function', name: 'a' }] }, weak);
    expect(encoded.body['tool_choice']).toEqual({ type: 'any', disable_parallel_tool_use: true });
  });

  it('json_object, and a schema that is no object, are asked for in the instructions', () => {
    const object = encode({ format: { type: 'json-object' }, system: [{ type: 'text', text: 's' }] });
    expect(object.body['system']).toMatchObject([{ text: 's' }, { text: expect.stringContaining('JSON object') }]);
    expect(fieldsDropped(object)).toEqual(['response_format']);
    const list = encode({ format: { type: 'json-schema', schema: { type: 'array', items: schema } } }, weak);
    expect(JSON.stringify(list.body['system'])).toContain('JSON Schema');
  });
});

describe('counting', () => {
  it('sends what counts and nothing else', () => {
    const encoded = anthropicMessages.counting?.encodeRequest(
      request({
        stream: true,
        maxOutputTokens: 5,
        stop: ['x'],
        user: 'u',
        system: [{ type: 'text', text: 's' }],
        tools: [{ type: 'function', name: 'a' }],
      }),
      newest,
    );
    expect(Object.keys(encoded?.body ?? {}).sort()).toEqual(['messages', 'model', 'system', 'tools']);
  });

  it('reads a count body without max_tokens, and both ends of the answer', () => {
    expect(
      anthropicMessages.counting?.decodeRequest({ model: 'm', messages: [{ role: 'user', content: 'x' }] }).model,
    ).toBe('m');
    expect(anthropicMessages.counting?.decodeReply({ input_tokens: 0 })).toBe(0);
    expect(anthropicMessages.counting?.encodeReply(7)).toEqual({ input_tokens: 7 });
    expect(thrown(() => anthropicMessages.counting?.decodeReply({})).code).toBe('upstream_malformed');
  });
});
