import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Turn } from '../conversation.ts';
import type { Encoded } from '../dialect.ts';
import { anthropicMessages } from './index.ts';
import { encode, fieldsDropped, newest, older, PNG, request, thrown, weak } from './testing/requests.ts';

const BMP = 'Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsAAAAAAAAAAAAA////AA==';

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
