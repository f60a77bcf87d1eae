import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatRequest, Turn } from '../conversation.ts';
import type { Encoded } from '../dialect.ts';
import { geminiGenerate } from './index.ts';
import {
  ask,
  callPart,
  calls,
  contents,
  encode,
  fieldsDropped,
  newest,
  older,
  PNG,
  result,
} from './testing/requests.ts';

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
