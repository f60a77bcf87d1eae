import { describe, expect, it } from '@jest/globals';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatRequest, Opaque, Turn } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { geminiGenerate } from './index.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = 'JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoKPDwvTGVuZ3RoIDMgMCBSPj4K';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEA';
const SENTINEL = 'skip_thought_signature_validator';

const newest: Target = { model: 'gemini-3-pro', provider: 'gemini', maxOutputTokens: 65_536 };
const older: Target = { ...newest, model: 'gemini-2.5-flash', quirks: { thinking: 'budget' } };

function decode(body: JsonObject): ChatRequest {
  return geminiGenerate.decodeRequest(
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...body },
    { model: 'm', stream: true },
  );
}
function request(fields: Partial<ChatRequest>): ChatRequest {
  const turns: Turn[] = [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
  return { dialect: 'openai-chat', model: 'm', stream: false, system: [], turns, tools: [], extra: {}, ...fields };
}
function encode(fields: Partial<ChatRequest>, target: Target = newest): Encoded {
  return geminiGenerate.encodeRequest(request(fields), target);
}
function contents(encoded: Encoded): { role: string; parts: JsonObject[] }[] {
  return encoded.body['contents'] as { role: string; parts: JsonObject[] }[];
}
function config(encoded: Encoded): JsonObject {
  return (encoded.body['generationConfig'] ?? {}) as JsonObject;
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

const ask: Turn = { role: 'user', parts: [{ type: 'text', text: 'q' }] };
const callPart = (id: string, opaque?: Opaque, name = 'look'): AssistantPart => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: '{"x":1}',
  ...(opaque !== undefined && { opaque }),
});
const calls = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });
const result = (callId: string, text = 'ok'): Turn => ({
  role: 'user',
  parts: [{ type: 'tool-result', callId, content: [{ type: 'text', text }], place: 'messages[2]' }],
});
const own: Opaque = { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'SIG' };
const foreign: Opaque = { provider: 'anthropic', kind: 'signature', value: 'A' };

describe('reading a generateContent body', () => {
  it('camelCase and snake_case say the same', () => {
    const camel = {
      systemInstruction: { parts: [{ text: 's' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: PNG } },
            { fileData: { mimeType: 'application/pdf', fileUri: 'https://a/b.pdf' } },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parametersJsonSchema: { type: 'object', properties: { some_key: { type: 'string' } } } },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        maxOutputTokens: 5,
        stopSequences: ['x'],
        thinkingConfig: { includeThoughts: true },
        imageConfig: { aspectRatio: '1:1', imageSize: '2K' },
        responseModalities: ['TEXT', 'IMAGE'],
      },
    };
    const snake = {
      system_instruction: { parts: [{ text: 's' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { inline_data: { mime_type: 'image/png', data: PNG } },
            { file_data: { mime_type: 'application/pdf', file_uri: 'https://a/b.pdf' } },
          ],
        },
      ],
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters_json_schema: { type: 'object', properties: { some_key: { type: 'string' } } } },
          ],
        },
        { google_search: {} },
      ],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: {
        max_output_tokens: 5,
        stop_sequences: ['x'],
        thinking_config: { include_thoughts: true },
        image_config: { aspect_ratio: '1:1', image_size: '2K' },
        response_modalities: ['TEXT', 'IMAGE'],
      },
    };
    const read = decode(camel);
    expect(decode(snake)).toEqual(read);
    expect(read).toMatchObject({
      dialect: 'gemini-generate',
      model: 'm',
      stream: true,
      system: [{ text: 's' }],
      turns: [
        {
          parts: [
            { type: 'image', source: { mime: 'image/png' } },
            { type: 'document', source: { url: 'https://a/b.pdf' } },
          ],
        },
      ],
      tools: [{ name: 'f', parameters: { properties: { some_key: { type: 'string' } } } }, { type: 'web-search' }],
      toolChoice: { type: 'tool', name: 'f' },
      maxOutputTokens: 5,
      stop: ['x'],
      reasoning: { visible: true },
      image: { aspectRatio: '1:1', size: '2K' },
      modalities: ['image'],
    });
    expect(read.nested).toBeUndefined();
    expect(read.extra).toEqual({});
  });

  it.each([
    { name: 'level', thinking: { thinkingLevel: 'HIGH' }, reads: { effort: 'high' } },
    { name: 'budget of the model', thinking: { thinkingBudget: -1 }, reads: { budgetTokens: -1 } },
    {
      name: 'off',
      thinking: { thinkingBudget: 0, includeThoughts: false },
      reads: { budgetTokens: 0, visible: false },
    },
  ])('thinking: $name', ({ thinking, reads }) => {
    expect(decode({ generationConfig: { thinkingConfig: thinking } }).reasoning).toEqual(reads);
  });

  it('media by what they are', () => {
    const parts = [
      { inlineData: { mimeType: 'image/jpeg', data: PNG } },
      { inlineData: { mimeType: 'audio/mp3', data: WAV } },
      { inlineData: { mimeType: 'application/pdf', data: PDF } },
      { fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } },
      { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc', mimeType: 'video/mp4' } },
    ];
    expect(
      decode({ contents: [{ parts }] }).turns[0]?.parts.map((part) => [
        part.type,
        'source' in part ? part.source : undefined,
      ]),
    ).toEqual([
      ['image', { type: 'base64', mime: 'image/png', data: PNG }],
      ['audio', { type: 'base64', mime: 'audio/wav', data: WAV }],
      ['document', { type: 'base64', mime: 'application/pdf', data: PDF }],
      ['video', { type: 'url', url: 'https://www.youtube.com/watch?v=x' }],
      [
        'video',
        {
          type: 'file',
          provider: 'gemini',
          id: 'https://generativelanguage.googleapis.com/v1beta/files/abc',
          mime: 'video/mp4',
        },
      ],
    ]);
  });

  it('bug 10: a call without args, ids made up the same way each time, results found by name and order', () => {
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'q' }] },
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'a' } },
            { functionCall: { name: 'b', args: { x: 1 } } },
            { functionCall: { name: 'a', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'a', response: { output: 'first' } } },
            { functionResponse: { name: 'a', response: { output: 'second' } } },
            { functionResponse: { name: 'b', response: { error: 'no' } } },
          ],
        },
      ],
    };
    const read = decode(body);
    expect(decode(body)).toEqual(read);
    expect(read.turns[1]?.parts).toMatchObject([
      { id: 'call_1_0', arguments: '' },
      { id: 'call_1_1', arguments: '{"x":1}' },
      { id: 'call_1_2', arguments: '{}' },
    ]);
    expect(read.turns[2]?.parts).toMatchObject([
      { callId: 'call_1_0', content: [{ text: 'first' }] },
      { callId: 'call_1_2', content: [{ text: 'second' }] },
      { callId: 'call_1_1', content: [{ text: 'no' }], isError: true },
    ]);
  });

  it('results of an object are its JSON, with media beside', () => {
    const response = { temperature: 5 };
    const read = decode({
      contents: [
        { role: 'model', parts: [{ functionCall: { id: 'i', name: 'a' } }] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                id: 'i',
                name: 'a',
                response,
                parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }],
              },
            },
          ],
        },
      ],
    });
    expect(read.turns[1]?.parts[0]).toMatchObject({
      callId: 'i',
      data: response,
      content: [{ text: '{"temperature":5}' }, { type: 'image' }],
    });
  });

  it('a streamed answer kept chunk by chunk is one turn, its pieces whole again', () => {
    const envelope = wrapOpaque(foreign);
    const read = decode({
      contents: [
        { role: 'user', parts: [{ text: 'q' }] },
        { role: 'model', parts: [{ text: 'think', thought: true }] },
        { role: 'model', parts: [{ text: 'ing', thought: true }] },
        { role: 'model', parts: [{ text: '', thought: true, thoughtSignature: envelope }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: ' ' }] },
        { role: 'model', parts: [{ text: 'world' }] },
        { role: 'model', parts: [{ text: '' }] },
      ],
    });
    expect(read.turns).toHaveLength(2);
    expect(read.turns[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'thinking', opaque: foreign },
      { type: 'text', text: 'Hello world' },
    ]);
  });

  it('bug 41, bug 50 emptypartfilter: an empty text that is signed is kept, an empty part is not', () => {
    const read = decode({
      contents: [
        { role: 'user', parts: [{ text: 'q' }, {}] },
        { role: 'model', parts: [{ text: 'a' }, { text: '', thoughtSignature: 'S' }, {}] },
      ],
    });
    expect(read.turns[0]?.parts).toHaveLength(1);
    expect(read.turns[1]?.parts).toMatchObject([
      { text: 'a' },
      { text: '', opaque: { provider: 'gemini', value: 'S' } },
    ]);
  });

  it('a placeholder is no signature', () => {
    const read = decode({
      contents: [{ role: 'model', parts: [{ functionCall: { name: 'a' }, thoughtSignature: SENTINEL }] }],
    });
    expect(read.turns[0]?.parts[0]).not.toHaveProperty('opaque');
  });

  it("what Google's servers did is kept whole", () => {
    const parts = [
      { executableCode: { code: '1+1', language: 'PYTHON' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2' } },
    ];
    const read = decode({ contents: [{ role: 'model', parts }] });
    expect(read.turns[0]?.parts).toMatchObject([
      { type: 'server-tool', name: 'code_execution', phase: 'call', raw: parts[0] },
      { type: 'server-tool', name: 'code_execution', phase: 'result', raw: parts[1] },
    ]);
  });

  it.each([
    { mode: 'AUTO', reads: { type: 'auto' } },
    { mode: 'NONE', reads: { type: 'none' } },
    { mode: 'ANY', reads: { type: 'required' } },
    { mode: 'ANY', names: ['a', 'b'], reads: { type: 'subset', mode: 'required', names: ['a', 'b'] } },
    { mode: 'VALIDATED', names: ['a'], reads: { type: 'subset', mode: 'auto', names: ['a'] } },
  ])('calling mode $mode $names', ({ mode, names, reads }) => {
    const read = decode({
      toolConfig: { functionCallingConfig: { mode, ...(names !== undefined && { allowedFunctionNames: names }) } },
    });
    expect(read.toolChoice).toEqual(reads);
  });

  it('VALIDATED means strict tools', () => {
    const read = decode({
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
    });
    expect(read.tools[0]).toMatchObject({ name: 'f', strict: true });
  });

  it('bug 42: declarations in the OpenAPI subset become JSON Schema', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        a: { type: 'STRING', nullable: true, enum: ['x'] },
        b: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '1' },
      },
      required: ['a'],
    };
    const read = decode({ tools: [{ function_declarations: [{ name: 'f', parameters }] }] });
    expect(read.tools[0]).toMatchObject({
      parameters: {
        type: 'object',
        properties: {
          a: { type: ['string', 'null'], enum: ['x', null] },
          b: { type: 'array', items: { type: 'integer' }, minItems: 1 },
        },
        required: ['a'],
      },
    });
  });

  it.each([
    {
      name: 'a JSON Schema',
      fields: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } },
      reads: { type: 'json-schema', schema: { type: 'object' } },
    },
    {
      name: 'a subset schema',
      fields: { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } },
      reads: { type: 'json-schema', schema: { type: 'object' } },
    },
    { name: 'JSON', fields: { responseMimeType: 'application/json' }, reads: { type: 'json-object' } },
    { name: 'text', fields: { responseMimeType: 'text/plain' }, reads: undefined },
  ])('output: $name', ({ fields, reads }) => {
    expect(decode({ generationConfig: fields }).format).toEqual(reads);
  });

  it('keeps what has no word here, and tells what only Google can do', () => {
    const read = decode({
      safetySettings: [],
      labels: { a: 'b' },
      cachedContent: 'cachedContents/1',
      generationConfig: { mediaResolution: 'LOW' },
    });
    expect(read.extra).toEqual({ safetySettings: [], labels: { a: 'b' }, cachedContent: 'cachedContents/1' });
    expect(read.nested).toEqual(['generationConfig.mediaResolution']);
    expect(read.unportable?.map(({ field }) => field)).toEqual(['cachedContent']);
  });

  it.each([
    { name: 'no contents', body: { contents: [] }, param: 'contents' },
    { name: 'contents of a wrong type', body: { contents: 'x' }, param: 'contents' },
    { name: 'an unknown role', body: { contents: [{ role: 'assistant', parts: [] }] }, param: 'contents[0].role' },
    {
      name: 'a part of no known kind',
      body: { contents: [{ parts: [{ hologram: {} }] }] },
      param: 'contents[0].parts[0]',
    },
    {
      name: 'a call without a name',
      body: { contents: [{ role: 'model', parts: [{ functionCall: {} }] }] },
      param: 'contents[0].parts[0].functionCall.name',
    },
    {
      name: 'data that is no base64',
      body: { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: '§§' } }] }] },
      param: 'contents[0].parts[0].inlineData.data',
    },
    {
      name: 'a temperature as text',
      body: { generationConfig: { temperature: '1' } },
      param: 'generationConfig.temperature',
    },
  ])('refuses $name, naming the place', ({ body, param }) => {
    const error = thrown(() => decode(body));
    expect([error.code, error.details.param]).toEqual(['invalid_request', param]);
  });

  it('reads both bodies of countTokens', () => {
    const inner = { model: 'models/g', contents: [{ parts: [{ text: 'x' }] }] };
    const path = { model: 'm' };
    expect(geminiGenerate.counting?.decodeRequest({ generateContentRequest: inner }, path).turns).toHaveLength(1);
    expect(geminiGenerate.counting?.decodeRequest({ contents: inner.contents }, path).model).toBe('m');
    expect(geminiGenerate.counting?.decodeRequest({ generate_content_request: inner }).model).toBe('g');
  });
});

describe('writing a generateContent body', () => {
  it('settings by their names', () => {
    const encoded = encode({
      system: [{ type: 'text', text: 's' }],
      temperature: 0,
      topP: 0.5,
      topK: 3,
      maxOutputTokens: 9,
      stop: ['x'],
      seed: 0,
      count: 2,
      presencePenalty: 0,
      frequencyPenalty: 1,
      logprobs: true,
      topLogprobs: 2,
      serviceTier: 'flex',
    });
    expect(encoded.body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { parts: [{ text: 's' }] },
      generationConfig: {
        temperature: 0,
        topP: 0.5,
        topK: 3,
        candidateCount: 2,
        maxOutputTokens: 9,
        stopSequences: ['x'],
        presencePenalty: 0,
        frequencyPenalty: 1,
        seed: 0,
        responseLogprobs: true,
        logprobs: 2,
      },
      serviceTier: 'flex',
    });
    expect(encoded.dropped).toEqual([]);
  });

  it("reports what is merely lost, by the caller's own names", () => {
    const encoded = encode({
      user: 'u',
      metadata: {},
      verbosity: 'low',
      logitBias: {},
      cacheKey: 'k',
      serviceTier: 'scale',
      tools: [{ type: 'function', name: 'f' }],
      parallelToolCalls: false,
    });
    expect(fieldsDropped(encoded).sort()).toEqual([
      'logit_bias',
      'metadata',
      'parallel_tool_calls',
      'prompt_cache_key',
      'service_tier',
      'user',
      'verbosity',
    ]);
  });

  it.each([
    {
      name: "what only the caller's vendor can do",
      fields: { unportable: [{ field: 'previous_response_id', reason: 'no' }] },
      param: 'previous_response_id',
    },
    {
      name: "another vendor's tool",
      fields: { tools: [{ type: 'hosted', provider: 'openai', name: 'mcp', raw: {}, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
    {
      name: "another vendor's file",
      fields: {
        turns: [
          {
            role: 'user',
            parts: [{ type: 'image', source: { type: 'file', provider: 'openai', id: 'f' }, place: 'p' }],
          },
        ],
      },
      param: 'p',
    },
    { name: 'an orphan result', fields: { turns: [ask, result('x')] }, param: 'messages[2]' },
    { name: 'nothing said', fields: { turns: [], dialect: 'openai-responses' }, param: 'input' },
  ] as { name: string; fields: Partial<ChatRequest>; param: string }[])('refuses $name', ({ fields, param }) => {
    const error = thrown(() => encode(fields));
    expect([error.code, error.details.param]).toEqual(['invalid_request', param]);
  });

  it('media: bytes inline, addresses as files, or a refusal where the model fetches none', () => {
    const turns: Turn[] = [
      {
        role: 'user',
        parts: [
          { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
          { type: 'audio', source: { type: 'base64', mime: 'audio/mpeg', data: WAV } },
          { type: 'document', source: { type: 'text', text: 'ä' } },
          { type: 'image', source: { type: 'url', url: 'https://a/b.png', mime: 'image/png' }, place: 'p' },
        ],
      },
    ];
    expect(contents(encode({ turns }))[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: PNG } },
      { inlineData: { mimeType: 'audio/mp3', data: WAV } },
      { inlineData: { mimeType: 'text/plain', data: Buffer.from('ä').toString('base64') } },
      { fileData: { mimeType: 'image/png', fileUri: 'https://a/b.png' } },
    ]);
    expect(thrown(() => encode({ turns }, { ...newest, quirks: { media_urls: false } })).details.param).toBe('p');
    expect(thrown(() => encode({ turns }, { ...newest, inputs: ['text', 'image', 'audio'] })).code).toBe(
      'invalid_request',
    );
  });

  it('bug 50 remote_image_urls: what a model does not fetch is named, once, and put in by its bytes', () => {
    const target = { ...newest, quirks: { media_urls: false } };
    const remote = { type: 'image' as const, source: { type: 'url' as const, url: 'https://a/b' } };
    const video = { type: 'video' as const, source: { type: 'url' as const, url: 'https://youtu.be/x' } };
    const asked = request({
      turns: [
        { role: 'user', parts: [remote, video, remote] },
        calls(callPart('a')),
        { role: 'user', parts: [{ type: 'tool-result', callId: 'a', content: [remote] }] },
      ],
    });
    expect(geminiGenerate.media?.urls(asked, newest)).toEqual([]);
    expect(geminiGenerate.media?.urls(asked, target)).toEqual(['https://a/b']);
    const fetched = new Map([['https://a/b', { data: PNG, mime: 'text/html' }]]);
    const ready = geminiGenerate.media?.inline(asked, fetched);
    const inline = { inlineData: { mimeType: 'image/png', data: PNG } };
    const sent = contents(geminiGenerate.encodeRequest(ready ?? asked, target));
    expect(sent[0]?.parts).toEqual([inline, { fileData: { fileUri: 'https://youtu.be/x' } }, inline]);
    expect(sent[2]?.parts[0]).toMatchObject({ functionResponse: { parts: [inline] } });
  });

  it('merges neighbours, wraps system messages, leaves blanks as they are and empties out', () => {
    const turns: Turn[] = [
      {
        role: 'user',
        parts: [
          { type: 'text', text: '' },
          { type: 'text', text: ' ' },
        ],
      },
      { role: 'system', parts: [{ type: 'text', text: 'sys' }], place: 'messages[1]' },
      { role: 'assistant', parts: [{ type: 'refusal', text: 'no' }] },
      ask,
    ];
    const encoded = encode({ turns });
    expect(contents(encoded)).toEqual([
      { role: 'user', parts: [{ text: ' ' }, { text: '<system>\nsys\n</system>' }] },
      { role: 'model', parts: [{ text: 'no' }] },
      { role: 'user', parts: [{ text: 'q' }] },
    ]);
    expect(fieldsDropped(encoded)).toEqual(['messages[1]']);
  });

  it('a continuation goes back as the token', () => {
    expect(encode({ continuation: 'T' }).body['continuationToken']).toBe('T');
  });

  it('image and speech answers', () => {
    expect(config(encode({ modalities: ['image'], image: { aspectRatio: '16:9', size: '4K' } }))).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9', imageSize: '4K' },
    });
    expect(config(encode({ modalities: ['audio'], audio: { voice: 'Kore', format: 'pcm16' } }))).toEqual({
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    });
  });

  it('structured output as JSON Schema, or as the subset', () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false };
    expect(config(encode({ format: { type: 'json-schema', name: 'answer', schema } }))).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { title: 'answer', ...schema },
    });
    expect(
      config(encode({ format: { type: 'json-schema', schema } }, { ...newest, quirks: { json_schema: false } })),
    ).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
    });
    expect(config(encode({ format: { type: 'json-object' } }))).toEqual({ responseMimeType: 'application/json' });
  });

  it('counting sends the whole request', () => {
    const encoded = geminiGenerate.counting?.encodeRequest(request({ system: [{ type: 'text', text: 's' }] }), newest);
    expect(encoded?.body).toMatchObject({
      generateContentRequest: { model: 'models/gemini-3-pro', systemInstruction: { parts: [{ text: 's' }] } },
    });
    expect(geminiGenerate.counting?.decodeReply({ totalTokens: 0 })).toBe(0);
    expect(geminiGenerate.counting?.encodeReply(3)).toEqual({ totalTokens: 3 });
    expect(thrown(() => geminiGenerate.counting?.decodeReply({})).code).toBe('upstream_malformed');
  });
});

describe('reasoning', () => {
  const thinking = (encoded: Encoded): unknown => config(encoded)['thinkingConfig'];
  it.each([
    ['none', 'MINIMAL'],
    ['minimal', 'MINIMAL'],
    ['low', 'LOW'],
    ['medium', 'MEDIUM'],
    ['high', 'HIGH'],
    ['xhigh', 'HIGH'],
    ['max', 'HIGH'],
  ] as const)('level of %s is %s', (effort, thinkingLevel) => {
    const encoded = encode({ reasoning: { effort } });
    expect(thinking(encoded)).toEqual({ thinkingLevel });
    expect(fieldsDropped(encoded)).toEqual(effort === thinkingLevel.toLowerCase() ? [] : ['reasoning_effort']);
  });

  it('bug 47: no minimal level where the model refuses it', () => {
    const target = { ...newest, quirks: { reasoning_levels: 'no-minimal' } };
    expect(thinking(encode({ reasoning: { effort: 'minimal' } }, target))).toEqual({ thinkingLevel: 'LOW' });
    expect(thinking(encode({ reasoning: { effort: 'none' } }, target))).toEqual({ thinkingLevel: 'LOW' });
  });

  it.each([
    { name: 'off', reasoning: { effort: 'none' }, sends: { thinkingBudget: 0 } },
    { name: 'a share', reasoning: { effort: 'low' }, sends: { thinkingBudget: 6554 } },
    { name: 'capped', reasoning: { effort: 'max' }, sends: { thinkingBudget: 24_576 } },
    {
      name: 'as told',
      reasoning: { budgetTokens: 100, visible: true },
      sends: { thinkingBudget: 100, includeThoughts: true },
    },
    { name: 'up to the model', reasoning: { budgetTokens: -1 }, sends: { thinkingBudget: -1 } },
  ] as const)('budget: $name', ({ reasoning, sends }) => {
    expect(thinking(encode({ reasoning }, older))).toEqual(sends);
  });

  it('a budget on a model of levels becomes the level that holds it; never both', () => {
    const encoded = encode({ dialect: 'anthropic-messages', reasoning: { mode: 'enabled', budgetTokens: 20_000 } });
    expect(thinking(encoded)).toEqual({ thinkingLevel: 'MEDIUM', includeThoughts: true });
    expect(fieldsDropped(encoded)).toEqual(['thinking.budget_tokens']);
  });

  it('bug 39: the signature of a call goes back in the same part, parallel calls sign the first only', () => {
    const turns = [ask, calls(callPart('a', own), callPart('b')), result('a'), result('b')];
    const [, model] = contents(encode({ turns }));
    expect(model?.parts.map((part) => part['thoughtSignature'])).toEqual(['SIG', undefined]);
  });

  it.each([
    { name: 'that was lost', opaque: undefined, lost: [] },
    { name: 'of another vendor', opaque: foreign, lost: ['contents'] },
    { name: 'of another model', opaque: { ...own, model: 'gemini-2.5-pro' }, lost: ['contents'] },
  ])('bug 38, bug 39: the first call of each step has the sentinel for a signature $name', ({ opaque, lost }) => {
    const turns = [
      ask,
      calls(callPart('a', opaque), callPart('b', opaque)),
      result('a'),
      result('b'),
      calls(callPart('c', opaque)),
      result('c'),
    ];
    const encoded = encode({ turns });
    const signatures = contents(encoded).flatMap(({ parts }) =>
      parts.filter((part) => 'functionCall' in part).map((part) => part['thoughtSignature']),
    );
    expect(signatures).toEqual([SENTINEL, undefined, SENTINEL]);
    expect(fieldsDropped(encoded)).toEqual(lost);
    const budget = contents(encode({ turns }, older)).flatMap(({ parts }) =>
      parts.map((part) => part['thoughtSignature']),
    );
    expect(budget.every((signature) => signature === undefined)).toBe(true);
  });

  it('a signature that travelled ahead of its call is put back onto it', () => {
    const carried: AssistantPart = { type: 'reasoning', text: '', opaque: own };
    const [, model] = contents(
      encode({
        dialect: 'anthropic-messages',
        turns: [ask, calls(carried, callPart('a'), callPart('b')), result('a'), result('b')],
      }),
    );
    expect(model?.parts).toEqual([
      { functionCall: { id: 'a', name: 'look', args: { x: 1 } }, thoughtSignature: 'SIG' },
      { functionCall: { id: 'b', name: 'look', args: { x: 1 } } },
    ]);
  });

  it('a signature at the end of a text stands in an empty part behind it', () => {
    const parts: AssistantPart[] = [
      { type: 'text', text: 'a' },
      { type: 'reasoning', text: '', opaque: own },
    ];
    const [, model] = contents(encode({ dialect: 'anthropic-messages', turns: [ask, calls(...parts), ask] }));
    expect(model?.parts).toEqual([{ text: 'a' }, { text: '', thoughtSignature: 'SIG' }]);
  });

  it("foreign reasoning is left out and named; Google's own thoughts go back", () => {
    const thought: AssistantPart = { type: 'reasoning', text: 'hm', place: 'messages[1].content[0]' };
    const turns: Turn[] = [ask, calls(thought, { type: 'text', text: 'a' }), ask];
    const encoded = encode({ turns });
    expect(contents(encoded)[1]?.parts).toEqual([{ text: 'a' }]);
    expect(fieldsDropped(encoded)).toEqual(['messages[1].content[0]']);
    expect(contents(encode({ dialect: 'gemini-generate', turns }))[1]?.parts).toEqual([
      { text: 'hm', thought: true },
      { text: 'a' },
    ]);
  });
});

describe('tools', () => {
  const functions = (encoded: Encoded): JsonObject[] =>
    ((encoded.body['tools'] as JsonObject[])[0]?.['functionDeclarations'] ?? []) as JsonObject[];
  const calling = (encoded: Encoded): unknown =>
    (encoded.body['toolConfig'] as JsonObject | undefined)?.['functionCallingConfig'];

  it('bug 15, bug 42: no parameters are left out, a missing type is filled in, names keep dots', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'a.b:c' },
        { type: 'function', name: 'b', parameters: { type: 'object', properties: {} } },
        { type: 'function', name: 'c', parameters: { properties: { x: { type: 'string' } } } },
      ],
    });
    expect(functions(encoded)).toEqual([
      { name: 'a.b:c' },
      { name: 'b' },
      { name: 'c', parametersJsonSchema: { type: 'object', properties: { x: { type: 'string' } } } },
    ]);
    expect(encode({ tools: [] }).body).not.toHaveProperty('tools');
  });

  it('bug 42: the subset, for models that take no JSON Schema', () => {
    const parameters = {
      $schema: 'x',
      type: 'object',
      additionalProperties: false,
      $defs: {
        node: {
          type: 'object',
          properties: { next: { $ref: '#/$defs/node' }, v: { type: 'integer', format: 'int32' } },
        },
      },
      properties: {
        node: { $ref: '#/$defs/node' },
        kind: { const: 'k' },
        size: { enum: [1, 2, null] },
        either: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] },
        union: { type: ['string', 'number'] },
        list: { type: 'array' },
        when: { type: 'string', format: 'date-time' },
        all: {
          allOf: [
            { type: 'object', properties: { p: { type: 'string' } }, required: ['p'] },
            { properties: { q: { type: 'boolean' } } },
          ],
        },
      },
      required: ['node'],
    };
    const [tool] = functions(
      encode({ tools: [{ type: 'function', name: 'f', parameters }] }, { ...newest, quirks: { json_schema: false } }),
    );
    const schema = tool?.['parameters'] as JsonObject;
    const properties = schema['properties'] as Record<string, JsonObject>;
    expect(Object.keys(schema).sort()).toEqual(['properties', 'required', 'type']);
    expect(properties['node']).toMatchObject({
      type: 'OBJECT',
      properties: { v: { type: 'INTEGER', format: 'int32' } },
    });
    expect(JSON.stringify(schema)).not.toContain('$ref');
    expect({ ...properties, node: undefined }).toEqual({
      node: undefined,
      kind: { type: 'STRING', enum: ['k'] },
      size: { type: 'STRING', enum: ['1', '2'], nullable: true },
      either: { type: 'STRING', nullable: true },
      union: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
      list: { type: 'ARRAY', items: { type: 'STRING' } },
      when: { type: 'STRING', format: 'date-time' },
      all: { type: 'OBJECT', properties: { p: { type: 'STRING' }, q: { type: 'BOOLEAN' } }, required: ['p'] },
    });
  });

  it.each([
    { name: 'nothing', fields: {}, sends: undefined },
    { name: 'auto', fields: { toolChoice: { type: 'auto' } }, sends: { mode: 'AUTO' } },
    { name: 'none', fields: { toolChoice: { type: 'none' } }, sends: { mode: 'NONE' } },
    { name: 'required', fields: { toolChoice: { type: 'required' } }, sends: { mode: 'ANY' } },
    {
      name: 'one',
      fields: { toolChoice: { type: 'tool', name: 'a' } },
      sends: { mode: 'ANY', allowedFunctionNames: ['a'] },
    },
    {
      name: 'some',
      fields: { toolChoice: { type: 'subset', mode: 'auto', names: ['a'] } },
      sends: { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
    },
    {
      name: 'strict',
      fields: { tools: [{ type: 'function', name: 'a', strict: true }] },
      sends: { mode: 'VALIDATED' },
    },
    {
      name: 'bug 43: strict and forced stays ANY',
      fields: { tools: [{ type: 'function', name: 'a', strict: true }], toolChoice: { type: 'required' } },
      sends: { mode: 'ANY' },
    },
  ] as { name: string; fields: Partial<ChatRequest>; sends: unknown }[])('choice: $name', ({ fields, sends }) => {
    expect(calling(encode({ tools: [{ type: 'function', name: 'a' }], ...fields }))).toEqual(sends);
  });

  it('a choice without functions is dropped', () => {
    const encoded = encode({ toolChoice: { type: 'required' } });
    expect(encoded.body).not.toHaveProperty('toolConfig');
    expect(fieldsDropped(encoded)).toEqual(['tool_choice']);
  });

  it('web search beside functions', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'a' },
        { type: 'web-search', allowedDomains: ['x'], contextSize: 'low', place: 'tools[1]' },
      ],
    });
    expect(encoded.body['tools']).toEqual([{ functionDeclarations: [{ name: 'a' }] }, { googleSearch: {} }]);
    expect(encoded.body['toolConfig']).toEqual({ includeServerSideToolInvocations: true });
    expect(fieldsDropped(encoded)).toEqual(['tools[1].allowed_domains', 'tools[1].search_context_size']);
  });

  it('names Google refuses are renamed and undone; custom tools are one string', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: '1st tool' },
        { type: 'custom', name: 'sql' },
      ],
    });
    const [wire] = functions(encoded).map(({ name }) => String(name));
    expect(wire).toMatch(/^[A-Za-z_][A-Za-z0-9_.:-]*$/);
    const reply = geminiGenerate.decodeReply(
      {
        candidates: [
          {
            content: {
              parts: [
                { functionCall: { name: wire ?? '' } },
                { functionCall: { name: 'sql', args: { input: 'select' } } },
              ],
            },
            finishReason: 'STOP',
          },
        ],
      },
      encoded,
    );
    expect(reply.choices[0]?.parts).toMatchObject([
      { name: '1st tool' },
      { name: 'sql', kind: 'custom', arguments: 'select' },
    ]);
  });

  it('bug 44: ids go back where they mean something, and nowhere on Vertex', () => {
    const turns = [ask, calls(callPart('toolu_1')), result('toolu_1')];
    expect(JSON.stringify(contents(encode({ turns })))).toContain('"id":"toolu_1"');
    expect(JSON.stringify(contents(encode({ turns }, { ...newest, quirks: { call_ids: false } })))).not.toContain(
      '"id"',
    );
    const madeUp = [ask, calls(callPart('call_1_0')), result('call_1_0')];
    expect(JSON.stringify(contents(encode({ turns: madeUp })))).not.toContain('"id"');
  });

  it.each([
    { name: 'text', content: 'plain', response: { output: 'plain' } },
    { name: 'an object', content: '{"a":1}', response: { a: 1 } },
    { name: 'a list', content: '[1]', response: { output: '[1]' } },
    { name: 'nothing', content: '', response: { output: '' } },
  ])('results: $name', ({ content, response }) => {
    const [, , user] = contents(encode({ turns: [ask, calls(callPart('a')), result('a', content)] }));
    expect(user?.parts[0]).toMatchObject({ functionResponse: { id: 'a', name: 'look', response } });
  });

  it('bug 12: scattered results stand behind their calls; a lost one says so; errors say error', () => {
    const turns: Turn[] = [
      ask,
      calls(callPart('a'), callPart('b', undefined, 'see'), callPart('c')),
      { role: 'user', parts: [{ type: 'text', text: 'wait' }] },
      {
        role: 'user',
        parts: [
          { type: 'tool-result', callId: 'b', content: [{ type: 'text', text: 'bad' }], isError: true },
          ...result('a').parts,
        ] as never,
      },
    ];
    const encoded = encode({ turns });
    expect(contents(encoded)[2]?.parts).toMatchObject([
      { functionResponse: { id: 'a', name: 'look', response: { output: 'ok' } } },
      { functionResponse: { id: 'b', name: 'see', response: { error: 'bad' } } },
      { functionResponse: { id: 'c', name: 'look', response: { error: expect.any(String) } } },
      { text: 'wait' },
    ]);
    expect(encoded.dropped).toHaveLength(1);
  });

  it('bug 45: media inside the response, or behind all of them on older models', () => {
    const image = { type: 'image' as const, source: { type: 'base64' as const, mime: 'image/png', data: PNG } };
    const turns: Turn[] = [
      ask,
      calls(callPart('a'), callPart('b')),
      {
        role: 'user',
        parts: [
          { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: 's' }, image] },
          ...result('b').parts,
        ] as never,
      },
    ];
    const inline = { inlineData: { mimeType: 'image/png', data: PNG } };
    expect(contents(encode({ turns }))[2]?.parts[0]).toMatchObject({ functionResponse: { parts: [inline] } });
    const old = contents(encode({ turns }, { ...older, quirks: { thinking: 'budget', tool_result_media: false } }))[2]
      ?.parts;
    expect(old?.map((part) => Object.keys(part)[0])).toEqual(['functionResponse', 'functionResponse', 'inlineData']);
  });

  it('bug 35: arguments that are no JSON are kept whole', () => {
    const broken: AssistantPart = {
      type: 'tool-call',
      id: 'a',
      name: 'look',
      kind: 'function',
      arguments: '{"x": tru',
    };
    expect(contents(encode({ turns: [ask, calls(broken), result('a')] }))[1]?.parts[0]).toMatchObject({
      functionCall: { args: { input: '{"x": tru' } },
    });
  });
});
