import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Turn } from '../conversation.ts';
import { anthropicMessages } from './index.ts';
import { call, encode, fieldsDropped, newest, result, thrown, weak } from './testing/requests.ts';

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
