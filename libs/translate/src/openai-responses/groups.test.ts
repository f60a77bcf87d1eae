/** Tools in groups (`namespace`), as Codex sends them: opened for vendors without groups, shown in groups to the caller. */
import { describe, expect, it } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { dialects } from '../index.ts';
import type { ReplyContext } from '../dialect.ts';
import { createSseParser } from '../shared/sse.ts';

const responses = dialects['openai-responses'];
const schema = { type: 'object', properties: { q: { type: 'string' } } };
const fn = (name: string): JsonObject => ({ type: 'function', name, description: `does ${name}`, parameters: schema });
const LONG = 'a_namespace_whose_name_is_long_enough_to_pass_every_limit_of_a_wire';
const TOOLS: JsonObject[] = [
  fn('crm__find'),
  { type: 'namespace', name: 'crm', description: 'the customers', tools: [fn('find'), fn('save')] },
  { type: 'namespace', name: 'log', description: '', tools: [fn('find'), { type: 'custom', name: 'note' }] },
  { type: 'namespace', name: LONG, description: 'x', tools: [fn('find')] },
];
const OTHERS: {
  dialect: DialectName;
  target: { model: string; provider: string };
  names(body: JsonObject): unknown;
}[] = [
  {
    dialect: 'openai-chat',
    target: { model: 'm', provider: 'ark' },
    names: (body) => (body['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name),
  },
  {
    dialect: 'anthropic-messages',
    target: { model: 'm', provider: 'anthropic' },
    names: (body) => (body['tools'] as { name: string }[]).map(({ name }) => name),
  },
  {
    dialect: 'gemini-generate',
    target: { model: 'm', provider: 'gemini' },
    names: (body) =>
      (body['tools'] as { functionDeclarations: { name: string }[] }[]).flatMap(({ functionDeclarations: all }) =>
        all.map(({ name }) => name),
      ),
  },
];

/** A vendor's answer that calls the tool of this wire name. */
const ANSWERS: Record<string, (name: string) => JsonObject> = {
  'openai-chat': (name) => ({
    id: 'c',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{"q":"x"}' } }],
        },
      },
    ],
  }),
  'anthropic-messages': (name) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'call_1', name, input: { q: 'x' } }],
    stop_reason: 'tool_use',
  }),
  'gemini-generate': (name) => ({
    candidates: [
      {
        content: { role: 'model', parts: [{ functionCall: { id: 'call_1', name, args: { q: 'x' } } }] },
        finishReason: 'STOP',
      },
    ],
  }),
};

const body = (extra: JsonObject = {}): JsonObject => ({ model: 'm', input: 'hi', tools: TOOLS, ...extra });

describe.each(OTHERS)('$dialect', ({ dialect, target, names }) => {
  const request = responses.decodeRequest(body());
  const sent = dialects[dialect].encodeRequest(request, target);
  const context: ReplyContext = { model: 'm', request, body: body(), id: 'a1', now: 7, requestId: 'req_1' };
  const wire = names(sent.body) as string[];

  it('gets every tool under a name of its own that the wire takes', () => {
    expect(wire).toHaveLength(6);
    expect(new Set(wire).size).toBe(6);
    const longest = dialect === 'gemini-generate' ? 128 : 64;
    for (const name of wire) {
      expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]*$/);
      expect(name.length).toBeLessThanOrEqual(longest);
    }
    expect(wire.slice(0, 3)).toEqual(['crm__find', 'crm__find_2', 'crm__save']);
  });

  it.each([
    [0, undefined, 'crm__find'],
    [1, 'crm', 'find'],
    [2, 'crm', 'save'],
    [3, 'log', 'find'],
    [4, 'log', 'note'],
    [5, LONG, 'find'],
  ] as const)('a call of tool %i is of %s, %s; streamed too', (index, namespace, name) => {
    const answer = ANSWERS[dialect]?.(String(wire[index])) ?? {};
    const reply = dialects[dialect].decodeReply(answer, sent);
    const [item] = responses.encodeReply(reply, context)['output'] as JsonObject[];
    const type = name === 'note' ? 'custom_tool_call' : 'function_call';
    expect(item).toMatchObject({ type, name, call_id: 'call_1', ...(namespace !== undefined && { namespace }) });
    if (namespace === undefined) expect(item).not.toHaveProperty('namespace');

    const encoder = responses.streamEncoder(context);
    const vendor = dialects[dialect].streamEncoder({ ...context, request: { ...request, tools: [] } });
    const decoder = dialects[dialect].streamDecoder(sent);
    const call = reply.choices[0]?.parts[0];
    if (call?.type !== 'tool-call') throw new Error('no call');
    const said = [
      { type: 'start' as const },
      {
        type: 'tool-call-start' as const,
        block: 0,
        choice: 0,
        id: 'call_1',
        name: String(wire[index]),
        kind: 'function' as const,
      },
      { type: 'delta' as const, block: 0, text: name === 'note' ? '{"input":"x"}' : '{"q":"x"}' },
      { type: 'block-stop' as const, block: 0 },
      { type: 'finish' as const, choice: 0, stop: 'tool-calls' as const },
      { type: 'end' as const },
    ];
    const bytes = said.map((event) => vendor.push(event)).join('');
    const events = createSseParser()
      .push(Buffer.from(bytes))
      .flatMap((event) => decoder.push(event));
    const text = [...events, ...decoder.end()].map((event) => encoder.push(event)).join('');
    const told = createSseParser()
      .push(Buffer.from(text))
      .map(({ data }) => JSON.parse(data) as JsonObject);
    const items = told.flatMap(({ item: one }) => (one === undefined ? [] : [one as JsonObject]));
    expect(items).toHaveLength(2);
    for (const one of items) expect(one).toMatchObject({ type, name, ...(namespace !== undefined && { namespace }) });
    const last = told.at(-1)?.['response'] as JsonObject;
    expect((last['output'] as JsonObject[])[0]).toMatchObject({ name, ...(namespace !== undefined && { namespace }) });
  });

  it('a history with calls of a group goes under the same names, and forced tools too', () => {
    const input: JsonObject[] = [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'a', namespace: 'crm', name: 'find', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'found' },
      { type: 'custom_tool_call', call_id: 'b', namespace: 'log', name: 'note', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'ok' },
      // Of a group that is no longer among the tools.
      { type: 'function_call', call_id: 'c', namespace: 'old', name: 'gone', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ];
    const tool_choice = { type: 'function', namespace: 'crm', name: 'find' };
    const encoded = dialects[dialect].encodeRequest(responses.decodeRequest(body({ input, tool_choice })), target);
    const text = JSON.stringify(encoded.body);
    expect(names(encoded.body)).toEqual(wire);
    expect(text.match(/"crm__find_2"/g)?.length).toBeGreaterThanOrEqual(3);
    expect(text).toContain('"log__note"');
    expect(text).toContain('"old__gone"');
  });

  it('settings of Codex that no other vendor has are dropped by name', () => {
    const asked = responses.decodeRequest(body({ client_metadata: { session: 'x' } }));
    const encoded = dialects[dialect].encodeRequest(asked, target);
    expect(encoded.dropped.map(({ field }) => field)).toContain('client_metadata');
    expect(JSON.stringify(encoded.body)).not.toContain('client_metadata');
  });
});

it('the model is told what a group is for, once', () => {
  const { tools } = responses.decodeRequest(body());
  expect(tools.map((tool) => 'description' in tool && tool.description)).toEqual([
    'does crm__find',
    'crm: the customers\n\ndoes find',
    'does save',
    'does find',
    false,
    `${LONG}: x\n\ndoes find`,
  ]);
});

it('groups go back to their own wire whole, calls by group and name', () => {
  const input = [{ type: 'function_call', call_id: 'a', namespace: 'crm', name: 'find', arguments: '{}' }];
  const request = responses.decodeRequest(body({ input, client_metadata: { a: 'b' } }));
  const encoded = responses.encodeRequest(request, { model: 'm', provider: 'openai' });
  expect(encoded.body).toMatchObject({ tools: TOOLS, input, client_metadata: { a: 'b' } });
  expect(encoded.dropped).toEqual([]);
  expect(responses.decodeRequest(encoded.body)).toEqual(request);
});

it.each([
  [{ tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'web_search' }] }] }, 'tools[0].tools[0].type'],
  [{ tools: [{ type: 'namespace', tools: [] }] }, 'tools[0].name'],
  [{ tools: [{ type: 'namespace', name: 'a' }] }, 'tools[0].tools'],
  [{ tool_choice: { type: 'namespace', name: 'none' } }, 'tool_choice.name'],
])('a group that is none is named: %j', (extra, place) => {
  expect(() => responses.decodeRequest(body(extra))).toThrow(expect.objectContaining({ details: { param: place } }));
});
