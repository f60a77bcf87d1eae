/** Chats in the Responses format whose models use tools of MCP servers that the gateway asks, by OpenAI's SDK: over several vendors, with approvals, bounds, money and faults. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  LIVE_KEY,
  openTestGateway,
  OTHER_KEY,
  startMcpServer,
  startModernMcpServer,
  until,
  type TestGateway,
  type TestMcpServer,
} from '@model-gateway/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isEnd, openSocket } from './open-socket.ts';

const POOR_KEY = 'sk-live-poor-0123456789abcdef';
const KEY = Buffer.alloc(32, 7).toString('base64');
const RESPONSES_MODELS = ['gpt-5.2', 'claude-sonnet-5', 'gemini-3.1-pro', 'deepseek-chat'] as const;
const DOCS = { type: 'mcp', server_label: 'docs', require_approval: 'never' } as const;
const TOLD = { ...DOCS, server_label: 'told' };
const OWN: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'tide',
  description: 'High tide',
  parameters: { type: 'object', properties: {} },
  strict: false,
};

let gateway: TestGateway;
let docs: TestMcpServer;
/** It answers calls as it is told to. */
let told: TestMcpServer;
let onCall: (answer: (result: JsonObject) => void, closed: Promise<void>) => void;
let openai: OpenAI;

beforeAll(async () => {
  docs = await startModernMcpServer();
  told = await startMcpServer((_request, response, body) => {
    const { id, method } = JSON.parse(body) as { id: Json; method: string };
    const answer = (result: JsonObject): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    const closed = new Promise<void>((resolve) => void response.once('close', resolve));
    if (method === 'server/discover') answer({ supportedVersions: ['2026-07-28'] });
    else if (method === 'tools/list') answer({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
    else onCall(answer, closed);
  });
  gateway = await openTestGateway({
    keys: `  - { name: poor, key: ${POOR_KEY}, owner: 3, limits: { spend_total: 1 } }`,
    yaml: `
security: { encryption_key: '${KEY}', allow_private: ['${new URL(docs.url).host}', '${new URL(told.url).host}', '127.0.0.1:1'] }
mcp:
  servers:
    - { name: docs, url: '${docs.url}', tools: { exclude: [secret] }, keys: [harness-live], price_per_call: 0.01 }
    - { name: dear, url: '${docs.url}', tools: { include: [add] }, price_per_call: 5 }
    - { name: told, url: '${told.url}', keys: [harness-live] }
    - { name: gone, url: 'http://127.0.0.1:1/mcp', keys: [harness-live], offered_to: { models: [gemini-3.1-pro] } }
  chat: { max_turns: 4 }`,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: LIVE_KEY, maxRetries: 0 });
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(async () => {
  await gateway.close();
  await docs.close();
  await told.close();
});

function typesOf(output: readonly { readonly type: string }[]): string[] {
  return output.map(({ type }) => type).filter((type) => type !== 'reasoning');
}

describe.each(RESPONSES_MODELS)('Responses with %s', (model) => {
  it.each([false, true])('calls the tool and answers with what it said, streamed: %s', async (streamed) => {
    const body = { model, input: 'Please [[twin:tool]] now', tools: [DOCS] };
    const response = streamed
      ? await openai.responses.stream(body).finalResponse()
      : await openai.responses.create(body);
    expect(typesOf(response.output)).toEqual(['mcp_list_tools', 'mcp_call', 'message']);
    const [list, call] = response.output.filter(({ type }) => type.startsWith('mcp_'));
    expect(list).toMatchObject({ server_label: 'docs', tools: [{ name: 'add', input_schema: { type: 'object' } }] });
    expect(call).toMatchObject({ server_label: 'docs', name: 'add', error: null, status: 'completed' });
    expect((call as { output: string }).output).toMatch(/^-?\d+(\.\d+)?$/);
    expect(response.output_text).toContain('docs__add answered');
    expect(response.status).toBe('completed');
  });
});

it('goes on from an answer with what its tools said, whichever model goes on', async () => {
  const first = await openai.responses.create({
    model: 'claude-sonnet-5',
    input: 'Please [[twin:tool]]',
    tools: [DOCS],
  });
  const call = first.output.find(({ type }) => type === 'mcp_call') as OpenAI.Responses.ResponseOutputItem.McpCall;
  gateway.twin.requests.clear();
  const second = await openai.responses.create({
    model: 'gpt-5.2',
    previous_response_id: first.id,
    input: 'And now?',
    tools: [DOCS],
  });
  // Its tools stand in the conversation already.
  expect(typesOf(second.output)).toEqual(['message']);
  const sent = JSON.parse(gateway.twin.requests.last()?.body ?? '{}') as { input: JsonObject[]; tools: JsonObject[] };
  expect(sent.tools).toMatchObject([{ type: 'function', name: 'docs__add' }]);
  expect(sent.input).toEqual(
    expect.arrayContaining([
      { type: 'function_call', call_id: call.id, name: 'docs__add', arguments: call.arguments },
      { type: 'function_call_output', call_id: call.id, output: call.output },
    ]),
  );
  expect(JSON.stringify(sent)).not.toContain('mcp_call');
});

it.each([false, true])('leaves the caller’s own tools to the caller, streamed: %s', async (streamed) => {
  const tools: OpenAI.Responses.Tool[] = [DOCS, OWN];
  const ask = (body: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>) =>
    streamed ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);
  const first = await ask({ model: 'claude-sonnet-5', input: 'Please [[twin:tools]]', tools });
  expect(typesOf(first.output).toSorted()).toEqual(['function_call', 'mcp_call', 'mcp_list_tools']);
  const own = first.output.find(({ type }) => type === 'function_call') as OpenAI.Responses.ResponseFunctionToolCall;
  expect(own.name).toBe('tide');
  gateway.twin.requests.clear();
  const second = await ask({
    model: 'claude-sonnet-5',
    previous_response_id: first.id,
    input: [{ type: 'function_call_output', call_id: own.call_id, output: 'at noon' }],
    tools,
  });
  expect(second.output_text).toContain('tide answered: at noon');
  expect(second.output_text).toContain('docs__add answered');
});

it('asks the caller before a call, and makes it when it is approved, once', async () => {
  const tools: OpenAI.Responses.Tool[] = [{ ...DOCS, require_approval: 'always' }];
  const before = docs.requests.length;
  const first = await openai.responses.create({ model: 'gpt-5.2', input: 'Please [[twin:tool]]', tools });
  expect(typesOf(first.output)).toEqual(['mcp_list_tools', 'mcp_approval_request']);
  expect(first.status).toBe('completed');
  const calls = () => docs.requests.slice(before).filter(({ body }) => body.includes('tools/call')).length;
  expect(calls()).toBe(0);
  const { id } = first.output.at(-1) as { id: string };
  const decide = (approve: boolean) =>
    openai.responses
      .stream({
        model: 'gpt-5.2',
        previous_response_id: first.id,
        input: [{ type: 'mcp_approval_response', approval_request_id: id, approve, reason: 'not today' }],
        tools,
      })
      .finalResponse();
  const refused = await decide(false);
  expect(typesOf(refused.output)).toEqual(['message']);
  expect(refused.output_text).toContain('not today');
  expect(calls()).toBe(0);
  const approved = await decide(true);
  expect(typesOf(approved.output)).toEqual(['mcp_call', 'message']);
  expect(approved.output[0]).toMatchObject({ approval_request_id: id, status: 'completed' });
  const last = await openai.responses.create({
    model: 'gpt-5.2',
    previous_response_id: approved.id,
    input: 'Thanks',
    tools,
  });
  expect(typesOf(last.output)).toEqual(['message']);
  expect(calls()).toBe(1);
});

it('charges every turn and every call once, each with a row of its own, and says the sum', async () => {
  const { data, response } = await openai.responses
    .create(
      { model: 'gpt-5.2', input: 'Please [[twin:steps=2]]', tools: [DOCS] },
      { headers: { 'x-gateway-tags': 'of=mcp' } },
    )
    .withResponse();
  await gateway.server.flushRequests();
  await gateway.server.own.flush();
  const admin = { headers: { authorization: `Bearer ${gateway.adminKey}` } };
  const listed = (await (await fetch(`${gateway.url}/admin/requests?tag=of%3Dmcp`, admin)).json()) as {
    data: { id: string; model: string; cost: number; input_tokens?: number; output_tokens?: number }[];
  };
  expect(listed.data.map(({ model }) => model).toSorted()).toEqual([
    ...['gpt-5.2', 'gpt-5.2', 'gpt-5.2'],
    ...['mcp/docs/add', 'mcp/docs/add'],
  ]);
  const sum = (of: (row: (typeof listed.data)[number]) => number | undefined): number =>
    listed.data.reduce((total, row) => total + (of(row) ?? 0), 0);
  expect(sum((row) => row.output_tokens)).toBe(data.usage?.output_tokens);
  expect(sum((row) => row.input_tokens)).toBe(data.usage?.input_tokens);
  const bills = await Promise.all(
    listed.data.map(async ({ id }) => {
      const bill = await (await fetch(`${gateway.url}/admin/ledger/replay/${id}`, admin)).json();
      expect(bill).toMatchObject({ matches: true });
      return (bill as { charged: number }).charged;
    }),
  );
  const charged = bills.reduce((total, units) => total + units, 0);
  expect(charged).toBeGreaterThan(10_000);
  expect(Number(response.headers.get('x-gateway-cost'))).toBeCloseTo(charged / 500_000, 6);
});

it('charges what was done when the money runs out in the middle', async () => {
  const poor = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: POOR_KEY, maxRetries: 0 });
  const ask = { model: 'gpt-5.2', input: '[[twin:steps=9]]', tools: [{ ...DOCS, server_label: 'dear' }] };
  await expect(poor.responses.create(ask)).rejects.toMatchObject({ code: 'insufficient_quota' });
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await poor.responses.create({ ...ask, stream: true })) events.push(event);
  expect(events.at(-1)?.type).toBe('response.failed');
  await gateway.server.own.flush();
  const admin = { headers: { authorization: `Bearer ${gateway.adminKey}` } };
  const listed = await fetch(`${gateway.url}/admin/ledger?owner_id=3`, admin);
  const { data } = (await listed.json()) as { data: { model?: string; charged?: number; kind: string }[] };
  const captures = data.filter(({ kind }) => kind === 'capture');
  // The first turn of both answers; the call would have been dearer than what there is.
  expect(captures.map(({ model }) => model)).toEqual(['gpt-5.2', 'gpt-5.2']);
  expect(captures.every(({ charged = 0 }) => charged > 0)).toBe(true);
});

it('is estimated with the tools that the model is offered', async () => {
  const estimate = async (tools: JsonObject[]): Promise<number> => {
    const body = { model: 'claude-sonnet-5', input: 'hi', max_output_tokens: 16, tools };
    const reply = await fetch(`${gateway.url}/v1/estimate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint: '/v1/responses', body }),
    });
    return ((await reply.json()) as { quota: number }).quota;
  };
  expect(await estimate([DOCS])).toBeGreaterThan(await estimate([]));
});

it('ends at the limit of turns, and says so', async () => {
  const response = await openai.responses.create({ model: 'gpt-5.2', input: '[[twin:steps=9]]', tools: [DOCS] });
  expect(response.status).toBe('incomplete');
  expect(gateway.twin.requests.list()).toHaveLength(4);
  expect(response.output.at(-1)).toMatchObject({
    type: 'mcp_call',
    status: 'failed',
    error: { message: 'the limit of 4 turns for one answer is reached' },
  });
});

it('goes on thinking with what was thought before a call', async () => {
  const body = { model: 'gpt-5.2', input: '[[twin:tool]]', tools: [DOCS], reasoning: { effort: 'low' as const } };
  for (const ask of [openai.responses.create(body), openai.responses.stream(body).finalResponse()]) {
    const thought = (await ask).output.find(({ type }) => type === 'reasoning');
    const { input } = gateway.twin.requests.last()?.json as { input: JsonObject[] };
    const resent = input.filter(({ type }) => type === 'reasoning');
    expect(resent).toHaveLength(1);
    expect(resent[0]).toMatchObject({ id: thought?.id });
    expect(String(resent[0]?.['encrypted_content']).length).toBeGreaterThan(10);
  }
});

it('goes without a server of the operator’s that cannot be asked', async () => {
  const { choices } = await openai.chat.completions.create({
    model: 'gemini-3.1-pro',
    messages: [{ role: 'user', content: 'hello' }],
  });
  expect(choices[0]?.message.content).toContain('hello');
  await expect(
    openai.responses.create({ model: 'gpt-5.2', input: 'hi', tools: [{ ...DOCS, server_label: 'gone' }] }),
  ).rejects.toThrow("the MCP server 'gone' could not be reached");
});

it('is used over a WebSocket, and gone on from there without being kept', async () => {
  const socket = await openSocket(gateway.url, { authorization: `Bearer ${LIVE_KEY}` });
  const respond = async (ask: JsonObject): Promise<OpenAI.Responses.Response> => {
    const tools = [{ ...DOCS, require_approval: 'always' }];
    socket.send({ type: 'response.create', model: 'gpt-5.2', store: false, tools, ...ask });
    return (await socket.until(isEnd)).at(-1)?.['response'] as unknown as OpenAI.Responses.Response;
  };
  const first = await respond({ input: '[[twin:tool]]' });
  const { id } = first.output.at(-1) as { id: string };
  const second = await respond({
    previous_response_id: first.id,
    input: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
  });
  expect(typesOf(second.output)).toEqual(['mcp_call', 'message']);
  await socket.close();
});

it('makes no more calls than the caller allows', async () => {
  const response = await openai.responses.create({
    ...{ model: 'gpt-5.2', input: '[[twin:steps=2]]', tools: [DOCS], max_tool_calls: 1 },
  });
  const calls = response.output.filter(({ type }) => type === 'mcp_call');
  expect(calls.map((call) => (call as { status?: string }).status)).toEqual(['completed', 'failed']);
});

describe('which servers', () => {
  const ask = (tool: Partial<OpenAI.Responses.Tool.Mcp>, apiKey = LIVE_KEY, model = 'gpt-5.2') =>
    new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 }).responses.create({
      ...{ model, input: 'Please [[twin:tool]]' },
      tools: [{ type: 'mcp', server_label: 'docs', require_approval: 'never', ...tool }],
    });

  it('are found by their address, too, and by that of the gateway', async () => {
    for (const server_url of [docs.url, `${gateway.url}/mcp/docs`]) {
      const { output } = await ask({ server_label: 'theirs', server_url });
      expect(output.find(({ type }) => type === 'mcp_call')).toMatchObject({
        server_label: 'theirs',
        status: 'completed',
      });
    }
  });

  it('are refused in the same words where there is none and where the key may not see it', async () => {
    const words = async (asking: Promise<unknown>): Promise<string> =>
      asking.then(
        () => 'answered',
        (error: unknown) => (error as Error).message,
      );
    const before = docs.requests.length;
    const hidden = await words(ask({}, OTHER_KEY));
    expect(hidden).toContain("tools[0]: there is no MCP server 'docs' for this key");
    const missing = await words(ask({ server_label: 'nope' }, OTHER_KEY));
    expect(missing.replace('nope', 'docs')).toBe(hidden);
    expect(await words(ask({ server_url: `${gateway.url}/mcp/docs` }, OTHER_KEY))).toBe(hidden);
    expect(docs.requests).toHaveLength(before);
  });

  it('stay with the vendor where they are its own, or come with the caller’s own credentials', async () => {
    for (const tool of [
      { server_url: 'https://elsewhere.example.com/mcp', require_approval: 'someday' as 'never' },
      { server_url: docs.url, authorization: 'mine' },
      { connector_id: 'connector_gmail' as const },
    ]) {
      gateway.twin.requests.clear();
      await ask(tool);
      expect(JSON.parse(gateway.twin.requests.last()?.body ?? '{}')).toMatchObject({
        tools: [{ type: 'mcp', ...tool }],
      });
    }
  });

  it('offer only the tools that the caller allows', async () => {
    const { output } = await ask({ allowed_tools: ['subtract'] });
    expect(output.find(({ type }) => type === 'mcp_list_tools')).toMatchObject({ tools: [] });
    expect(output.some(({ type }) => type === 'mcp_call')).toBe(false);
  });
});

it('refuses what goes on without its caller, in so many words', async () => {
  const asking = openai.responses.create({ model: 'gpt-5.2', input: 'hi', tools: [DOCS], background: true });
  await expect(asking).rejects.toThrow('MCP servers are not asked for lines of batches and answers in the background');
});

it('tells the caller in the middle of a stream when the model cannot be asked again', async () => {
  onCall = (answer) => {
    const { vendor, operation } = gateway.twin.requests.last() ?? {};
    if (vendor !== undefined && operation !== undefined)
      gateway.twin.faults.next(vendor as 'openai', operation, { kind: 'status', status: 400 });
    answer({ content: [{ type: 'text', text: 'done' }] });
  };
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  const body = { model: 'gpt-5.2', input: '[[twin:tool]]', tools: [TOLD] };
  for await (const event of await openai.responses.create({ ...body, stream: true })) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
  expect(events.filter(({ type }) => type === 'response.mcp_call.completed')).toHaveLength(1);
});

it.each([false, true])(
  'ends when the caller hangs up: the tool is left, no model is asked again, streamed: %s',
  async (stream) => {
    const hangUp = new AbortController();
    let wasLeft: Promise<void> | undefined;
    onCall = (_answer, closed) => {
      wasLeft = closed;
      hangUp.abort();
    };
    const body = { model: 'gpt-5.2', input: '[[twin:tool]]', tools: [TOLD] };
    const asking = openai.responses.create({ ...body, stream }, { signal: hangUp.signal }).then(async (answer) => {
      if (Symbol.asyncIterator in answer) for await (const _event of answer);
    });
    // A stream that is cut by its reader ends without a word.
    await (stream ? asking : expect(asking).rejects.toThrow());
    await until(() => wasLeft !== undefined);
    await wasLeft;
    expect(gateway.twin.requests.list()).toHaveLength(1);
  },
);

it('tells the model what a tool fails with, and how much of a result it is told', async () => {
  const sent = (): string => gateway.twin.requests.last()?.body ?? '';
  const ask = () => openai.responses.create({ model: 'gpt-5.2', input: '[[twin:tool]]', tools: [TOLD] });
  onCall = (answer) => answer({ isError: true, content: [{ type: 'text', text: 'no such page' }] });
  const failed = await ask();
  expect(failed.output[1]).toMatchObject({
    status: 'failed',
    output: null,
    error: { type: 'mcp_tool_execution_error' },
  });
  expect(sent()).toContain('no such page');
  onCall = (answer) =>
    answer({
      content: [
        { type: 'image', mimeType: 'image/png', data: 'QUJD' },
        { type: 'text', text: `a\u0007b\u{e0041}${'x'.repeat(100_000)}` },
      ],
    });
  await ask();
  expect(sent()).toContain('[image image/png]\\nabxxx');
  expect(sent()).not.toContain('QUJD');
  expect(sent().length).toBeLessThan(80_000);
});

it('numbers the events of all turns as one answer', async () => {
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  const body = { model: 'claude-sonnet-5', input: '[[twin:steps=2]] [[twin:think]]', tools: [DOCS] };
  for await (const event of await openai.responses.create({ ...body, stream: true })) events.push(event);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const added = events.filter((event) => event.type === 'response.output_item.added');
  expect(added.map(({ output_index }) => output_index)).toEqual(added.map((_, index) => index));
  const names = events.map(({ type }) => type);
  for (const once of ['response.created', 'response.in_progress', 'response.completed'])
    expect(names.filter((name) => name === once)).toHaveLength(1);
  const from = names.indexOf('response.mcp_call.in_progress');
  expect(names.slice(from - 1, from + 5)).toEqual([
    'response.output_item.added',
    'response.mcp_call.in_progress',
    'response.mcp_call_arguments.delta',
    'response.mcp_call_arguments.done',
    'response.mcp_call.completed',
    'response.output_item.done',
  ]);
});
