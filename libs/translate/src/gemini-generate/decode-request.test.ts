import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { geminiGenerate } from './index.ts';
import { foreign, PNG, SENTINEL, thrown, WAV } from './testing/requests.ts';

const PDF = 'JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoKPDwvTGVuZ3RoIDMgMCBSPj4K';

function decode(body: JsonObject): ChatRequest {
  return geminiGenerate.decodeRequest(
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...body },
    { model: 'm', stream: true },
  );
}

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
