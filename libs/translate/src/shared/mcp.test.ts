/** What the chat wires say of MCP servers: names, approvals, and conversations in which servers have been asked. */
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { dialects } from '../dialects.ts';
import { functionName, wantsApproval, type McpForm, type McpOffer, type OfferedTool, type ToolOutcome } from './mcp.ts';

const ADD: OfferedTool = {
  ...{ name: 'docs__add', label: 'docs', tool: 'add', description: 'Adds.' },
  schema: { type: 'object', properties: {} },
  needsApproval: false,
};
const OFFER: McpOffer = {
  labels: new Set(['docs']),
  tools: [ADD],
  nameOf: functionName,
  decided: new Map([['mcpr_gw_yes', { callId: 'mcpr_gw_yes', name: 'add', text: '5' }]]),
};
const OUTCOME: ToolOutcome = { callId: 'c1', name: 'docs__add', text: '5' };
const FAILED: ToolOutcome = { ...OUTCOME, text: 'Error: no', error: { type: 'http_error' } };

function formOf(dialect: DialectName): McpForm {
  const { mcp } = dialects[dialect];
  if (mcp === undefined) throw new Error(`${dialect} has no tools`);
  return mcp;
}

describe('names of functions', () => {
  it('are taken by every wire, and never twice', () => {
    const taken = new Set<string>();
    for (const [label, tool] of [
      ['docs', 'add'],
      ['docs', 'a.dd'],
      ['docs', 'a_dd'],
      ['docs_', '_add'],
      ['9', 'x'.repeat(128)],
      ['9', `${'x'.repeat(127)}y`],
      ['docs', 'add'],
      ['docs', 'add'],
    ] as const) {
      const name = functionName(label, tool, taken);
      expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      expect(taken).not.toContain(name);
      taken.add(name);
    }
    expect(functionName('docs', 'add')).toBe('docs__add');
  });

  it('give way to a tool of the caller’s, long ones too', () => {
    const long = 'x'.repeat(100);
    const taken = new Set([functionName('docs', 'add'), functionName('docs', long)]);
    expect(functionName('docs', 'add', taken)).toMatch(/^docs__add_/);
    expect(functionName('docs', long, taken)).toHaveLength(64);
    expect(taken).not.toContain(functionName('docs', long, taken));
    // A name is cut behind, where it begins with what was put before a digit.
    const digit = functionName('9', long, new Set([functionName('9', long)]));
    expect(digit).toMatch(/^_9__x+_\w+_2$/);
    expect(digit).toHaveLength(64);
  });
});

it.each([
  [{ usual: true }, true, true],
  [{ usual: false }, false, false],
  [{ usual: true, never: { names: ['read'] } }, false, true],
  [{ usual: true, never: { readOnly: true } }, false, true],
  [{ usual: false, always: { readOnly: false } }, false, true],
  [{ usual: false, always: { names: ['read'] }, never: { names: ['read', 'write'] } }, true, false],
  [{ usual: true, never: { names: ['read'], readOnly: false } }, true, true],
])('the caller is asked by %j', (rule, read, write) => {
  expect([wantsApproval(rule, 'read', true), wantsApproval(rule, 'write', false)]).toEqual([read, write]);
});

describe('Responses', () => {
  const mcp = formOf('openai-responses');
  const call = { type: 'mcp_call', id: 'mcp_gw_1', server_label: 'docs', name: 'add', arguments: '{"a":1}' };
  const request = { type: 'mcp_approval_request', server_label: 'docs', name: 'add', arguments: '{}' };
  const asked = (input: JsonObject[], more: JsonObject = {}) => mcp.asked({ model: 'm', input, ...more }, OFFER);

  it('shows a model earlier calls as calls of functions, and leaves a vendor’s own alone', () => {
    const own = { ...call, id: 'mcp_123', server_label: 'theirs', output: 'x' };
    expect(
      asked([
        { type: 'mcp_list_tools', id: 'mcpl_gw_1', server_label: 'docs', tools: [] },
        { ...call, output: '5' },
        { ...call, id: 'mcp_gw_2', output: null, error: { type: 'http_error', message: 'no' } },
        own,
      ])['input'],
    ).toEqual([
      { type: 'function_call', call_id: 'mcp_gw_1', name: 'docs__add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'mcp_gw_1', output: '5' },
      { type: 'function_call', call_id: 'mcp_gw_2', name: 'docs__add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'mcp_gw_2', output: 'Error: {"type":"http_error","message":"no"}' },
      own,
    ]);
  });

  it('tells each approval once: made, refused, just now, not yet', () => {
    const decided = (id: string, approve: boolean, reason?: string) => ({
      ...{ type: 'mcp_approval_response', approval_request_id: id, approve },
      ...(reason !== undefined && { reason }),
    });
    const input = [
      { ...request, id: 'mcpr_gw_made' },
      decided('mcpr_gw_made', true),
      { ...call, approval_request_id: 'mcpr_gw_made', output: '7' },
      { ...request, id: 'mcpr_gw_no' },
      decided('mcpr_gw_no', false, 'too dear'),
      { ...request, id: 'mcpr_gw_yes' },
      decided('mcpr_gw_yes', true),
      { ...request, id: 'mcpr_gw_open' },
      // Nobody was asked for this one.
      decided('mcpr_gw_forged', true),
    ];
    expect(mcp.decisions?.({ input }).map(({ requestId, approved }) => [requestId, approved])).toEqual([
      ['mcpr_gw_no', false],
      ['mcpr_gw_yes', true],
    ]);
    const outputs = (asked(input)['input'] as JsonObject[]).map(({ call_id, output }) => [call_id, output]);
    expect(outputs).toEqual([
      ['mcp_gw_1', undefined],
      ['mcp_gw_1', '7'],
      ['mcpr_gw_no', undefined],
      ['mcpr_gw_no', 'This call was not approved: too dear'],
      ['mcpr_gw_yes', undefined],
      ['mcpr_gw_yes', '5'],
      ['mcpr_gw_open', undefined],
      ['mcpr_gw_open', expect.stringContaining('has not been approved yet')],
    ]);
  });

  it.each([
    [
      { type: 'mcp', server_label: 'docs' },
      { type: 'function', name: 'docs__add' },
    ],
    [
      { type: 'mcp', server_label: 'docs', name: 'add' },
      { type: 'function', name: 'docs__add' },
    ],
    [{ type: 'mcp', server_label: 'docs', name: 'gone' }, 'auto'],
    [
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'mcp', server_label: 'docs' },
          { type: 'function', name: 'f' },
        ],
      },
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'docs__add' },
          { type: 'function', name: 'f' },
        ],
      },
    ],
    ['required', 'required'],
  ])('makes the choice %j one of a function, which is free once it was called', (choice, wanted) => {
    const first = asked([], { tool_choice: choice });
    expect(first['tool_choice']).toEqual(wanted);
    expect(mcp.continued(first, { output: [] }, [OUTCOME])['tool_choice']).toBe('auto');
  });
});

describe('Messages', () => {
  const mcp = formOf('anthropic-messages');
  const use = (id: string) => ({
    type: 'mcp_tool_use',
    id: `mcptoolu_gw_${id}`,
    name: 'add',
    server_name: 'docs',
    input: {},
  });
  const result = (id: string, text: string) => ({
    ...{ type: 'mcp_tool_result', tool_use_id: `mcptoolu_gw_${id}`, is_error: false },
    content: [{ type: 'text', text }],
  });
  const text = { type: 'text', text: 'so' };
  const own = { type: 'tool_use', id: 'toolu_1', name: 'tide', input: {} };
  const answer = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'noon' };

  const rolesOf = (messages: JsonObject[]) =>
    (mcp.asked({ messages }, OFFER)['messages'] as { role: string; content: JsonObject[] | string }[]).map(
      ({ role, content }) =>
        `${role}: ${typeof content === 'string' ? content : content.map(({ type, id, tool_use_id }) => [type, id ?? tool_use_id].filter(Boolean).join(' ')).join(', ')}`,
    );

  it('has results on the user’s side, each behind its call and beside the caller’s own', () => {
    const content = [
      { type: 'thinking', thinking: 'a', signature: 's' },
      use('1'),
      result('1', '5'),
      text,
      own,
      use('2'),
      result('2', '6'),
    ];
    expect(
      rolesOf([
        { role: 'user', content: 'hi' },
        { role: 'assistant', content },
        { role: 'user', content: [answer] },
      ]),
    ).toEqual([
      'user: hi',
      'assistant: thinking, tool_use mcptoolu_gw_1',
      'user: tool_result mcptoolu_gw_1',
      'assistant: text, tool_use toolu_1, tool_use mcptoolu_gw_2',
      'user: tool_result mcptoolu_gw_2, tool_result toolu_1',
    ]);
  });

  it('has them where nobody speaks after them, and before words', () => {
    const message = { role: 'assistant', content: [use('1'), result('1', '5')] };
    expect(rolesOf([message])).toEqual(['assistant: tool_use mcptoolu_gw_1', 'user: tool_result mcptoolu_gw_1']);
    expect(rolesOf([message, { role: 'user', content: 'and?' }])).toEqual([
      'assistant: tool_use mcptoolu_gw_1',
      'user: tool_result mcptoolu_gw_1, text',
    ]);
    expect(rolesOf([message, message])).toHaveLength(4);
  });

  it.each([
    [{ mcp_servers: [{ name: 'docs' }] }, {}, []],
    [{ mcp_servers: [{ name: 'docs', tool_configuration: { allowed_tools: ['add'] } }] }, { names: ['add'] }, []],
    [{ mcp_servers: [{ name: 'docs', tool_configuration: { enabled: false } }] }, { names: [] }, []],
    [
      {
        mcp_servers: [{ name: 'docs' }],
        tools: [
          {
            type: 'mcp_toolset',
            mcp_server_name: 'docs',
            default_config: { enabled: false },
            configs: { add: { enabled: true } },
          },
        ],
      },
      { names: ['add'] },
      [],
    ],
    [
      {
        mcp_servers: [{ name: 'docs' }],
        tools: [{ type: 'mcp_toolset', mcp_server_name: 'docs', configs: { add: { enabled: false } } }],
      },
      {},
      ['add'],
    ],
  ])('reads what %j offers', (body, offered, hidden) => {
    const [name, ...others] = mcp.servers(body);
    expect(others).toEqual([]);
    expect(name).toMatchObject({ label: 'docs', place: 'mcp_servers[0]' });
    expect(name && mcp.rules(body, name)).toMatchObject({ offered, hidden });
  });
});

it('chat completions go on with the message and the results, without what only answers have', () => {
  const message = {
    role: 'assistant',
    content: '',
    refusal: null,
    annotations: [],
    tool_calls: [{ id: 'c1' }],
    reasoning_content: 'hm',
  };
  const mcp = formOf('openai-chat');
  const next = mcp.continued({ messages: [], tool_choice: 'required' }, { choices: [{ message }] }, [FAILED]);
  expect(next).toEqual({
    messages: [
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }], reasoning_content: 'hm' },
      { role: 'tool', tool_call_id: 'c1', content: 'Error: no' },
    ],
    tool_choice: 'auto',
  });
});

it('Gemini’s contents go on with the ids that the model gave, and without a call that is forced', () => {
  const mcp = formOf('gemini-generate');
  const content = {
    role: 'model',
    parts: [{ text: 'a' }, { functionCall: { id: 'g1', name: 'docs__add' }, thoughtSignature: 's' }],
  };
  const body = { contents: { parts: [{ text: 'hi' }] }, tool_config: { function_calling_config: { mode: 'ANY' } } };
  expect(mcp.continued(body, { candidates: [{ content }] }, [OUTCOME])).toEqual({
    contents: [
      { parts: [{ text: 'hi' }] },
      content,
      { role: 'user', parts: [{ functionResponse: { id: 'g1', name: 'docs__add', response: { output: '5' } } }] },
    ],
  });
});
