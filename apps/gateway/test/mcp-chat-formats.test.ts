/** Chats in the other formats whose models use tools of MCP servers that the gateway asks, by Anthropic's, OpenAI's and Google's SDKs. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { JsonObject } from '@model-gateway/contracts';
import {
  LIVE_KEY,
  openTestGateway,
  startModernMcpServer,
  type TestGateway,
  type TestMcpServer,
} from '@model-gateway/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let gateway: TestGateway;
let docs: TestMcpServer;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  docs = await startModernMcpServer();
  gateway = await openTestGateway({
    yaml: `
security: { allow_private: ['${new URL(docs.url).host}'] }
mcp:
  servers:
    - { name: docs, url: '${docs.url}', tools: { exclude: [secret] }, keys: [harness-live] }
    - { name: always, url: '${docs.url}', keys: [harness-live], tools: { include: [add] }, offered_to: { models: [qwen3-max] } }
  chat: { max_turns: 4 }`,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: LIVE_KEY, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: LIVE_KEY, maxRetries: 0 });
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(async () => {
  await gateway.close();
  await docs.close();
});

describe('Anthropic’s format', () => {
  const servers = [{ type: 'url', name: 'docs', url: '' }] as Anthropic.Beta.BetaRequestMCPServerURLDefinition[];
  const toolset: Anthropic.Beta.BetaMCPToolset = { type: 'mcp_toolset', mcp_server_name: 'docs' };
  const body = {
    model: 'claude-sonnet-5',
    max_tokens: 2000,
    mcp_servers: servers,
    betas: ['mcp-client-2025-11-20'],
  };

  it.each(['claude-sonnet-5', 'gpt-5.2'])('shows what the tool said and goes on from it, with %s', async (model) => {
    const own: Anthropic.Beta.BetaTool = { name: 'tide', input_schema: { type: 'object', properties: {} } };
    const tools = [toolset, own];
    const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content: 'Please [[twin:tools]]' }];
    const first = await anthropic.beta.messages.stream({ ...body, model, tools, messages }).finalMessage();
    expect(
      first.content
        .map(({ type }) => type)
        .filter((type) => type !== 'thinking')
        .toSorted(),
    ).toEqual(['mcp_tool_result', 'mcp_tool_use', 'tool_use']);
    expect(first.stop_reason).toBe('tool_use');
    const use = first.content.find(({ type }) => type === 'tool_use') as Anthropic.Beta.BetaToolUseBlock;
    const result: Anthropic.Beta.BetaToolResultBlockParam = {
      type: 'tool_result',
      tool_use_id: use.id,
      content: 'at noon',
    };
    messages.push({ role: 'assistant', content: first.content as Anthropic.Beta.BetaContentBlockParam[] });
    messages.push({ role: 'user', content: [result] });
    const second = await anthropic.beta.messages.create({ ...body, model, tools, messages });
    const said = second.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    expect(said).toContain('tide answered: at noon');
    expect(said).toContain('docs__add answered');
    expect(second.stop_reason).toBe('end_turn');
  });

  it.each([false, true])('goes on thinking with what was thought before a call, streamed: %s', async (streamed) => {
    const ask: Anthropic.Beta.MessageCreateParamsNonStreaming = {
      ...body,
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [{ ...toolset, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: 'Please [[twin:tool]]' }],
    };
    const message = streamed
      ? await anthropic.beta.messages.stream(ask).finalMessage()
      : await anthropic.beta.messages.create(ask);
    const thought = message.content.find(({ type }) => type === 'thinking');
    const sent = gateway.twin.requests.last()?.json as { messages: { content: JsonObject[] }[]; tools: JsonObject[] };
    expect(sent.messages[1]?.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    expect(sent.messages[1]?.content[0]).toEqual(thought);
    expect(sent.tools.at(-1)).toMatchObject({ name: 'docs__add', cache_control: { type: 'ephemeral' } });
  });

  it('gives the input of a call by its deltas, as Anthropic does', async () => {
    const messages = [{ role: 'user' as const, content: 'Please [[twin:tool]]' }];
    const stream = await anthropic.beta.messages.create({ ...body, tools: [toolset], messages, stream: true });
    const events: Anthropic.Beta.BetaRawMessageStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const at = events.findIndex(
      (event) => event.type === 'content_block_start' && event.content_block.type === 'mcp_tool_use',
    );
    expect(events[at]).toMatchObject({ content_block: { name: 'add', server_name: 'docs', input: {} } });
    expect(events[at + 1]).toMatchObject({
      delta: { type: 'input_json_delta', partial_json: expect.stringContaining('"a"') },
    });
    expect(events.map(({ type }) => type).filter((type) => type === 'message_start')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('message_stop');
  });

  it('says at the limit of turns that it can go on', async () => {
    const ask = { ...body, tools: [toolset], messages: [{ role: 'user' as const, content: '[[twin:steps=9]]' }] };
    expect((await anthropic.beta.messages.create(ask)).stop_reason).toBe('pause_turn');
  });

  it('is counted with the tools that the model is offered', async () => {
    const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content: 'hi' }];
    const { max_tokens: _most, ...ask } = { ...body, messages };
    const { mcp_servers: _servers, ...plain } = ask;
    const without = await anthropic.beta.messages.countTokens(plain);
    const counted = await anthropic.beta.messages.countTokens({ ...ask, tools: [toolset] });
    expect(counted.input_tokens).toBeGreaterThan(without.input_tokens);
    expect(gateway.twin.requests.last()?.body).not.toContain('mcp');
  });

  it('gives one answer of several turns, whose usage is their sum', async () => {
    const message = await anthropic.beta.messages.create({
      ...body,
      tools: [toolset],
      messages: [{ role: 'user', content: 'Please [[twin:steps=3]]' }],
    });
    expect(message.content.filter(({ type }) => type === 'mcp_tool_use')).toHaveLength(3);
    const told = gateway.twin.requests.list().map((request) => JSON.parse(request.body) as { messages: JsonObject[] });
    expect(told.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7]);
    expect(message.usage.output_tokens).toBeGreaterThan(40);
    expect(message.content.at(-1)?.type).toBe('text');
  });
});

describe('a server that the operator offers', () => {
  it.each([false, true])('is used in chat completions, streamed: %s', async (stream) => {
    const messages = [{ role: 'user' as const, content: 'Please [[twin:steps=2]]' }];
    const completion = stream
      ? await openai.chat.completions
          .stream({ model: 'qwen3-max', messages, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await openai.chat.completions.create({ model: 'qwen3-max', messages });
    const [choice] = completion.choices;
    expect(choice?.finish_reason).toBe('stop');
    expect(choice?.message.tool_calls ?? []).toEqual([]);
    expect(choice?.message.content).toContain('always__add answered');
    expect(gateway.twin.requests.list()).toHaveLength(3);
    expect(completion.usage?.prompt_tokens).toBeGreaterThan(100);
  });

  it.each([false, true])(
    'is used in a request that only its vendor knows how to read, streamed: %s',
    async (stream) => {
      const messages = [{ role: 'user' as const, content: 'Please [[twin:tool]]' }];
      const ask = { model: 'qwen3-max', messages, verbosity: 'of the vendor’s own' as 'low' };
      const completion = stream
        ? await openai.chat.completions
            .stream({ ...ask, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await openai.chat.completions.create(ask);
      expect(completion.choices[0]?.message.content).toContain('always__add answered');
      expect(completion.usage?.prompt_tokens).toBeGreaterThan(100);
      expect(gateway.twin.requests.last()?.json).toMatchObject({ verbosity: ask.verbosity });
      expect(gateway.server.own.accounts().reduce((sum, { inFlight }) => sum + inFlight, 0)).toBe(0);
    },
  );

  it('is used in Gemini’s format', async () => {
    const google = new GoogleGenAI({ apiKey: LIVE_KEY, httpOptions: { baseUrl: gateway.url } });
    const ask = { model: 'qwen3-max', contents: 'Please [[twin:tool]]' };
    const answer = await google.models.generateContent(ask);
    expect(answer.text).toContain('always__add answered');
    let text = '';
    for await (const chunk of await google.models.generateContentStream(ask)) text += chunk.text ?? '';
    expect(text).toContain('always__add answered');
  });

  it('leaves the caller’s own calls to the caller, and is not asked then', async () => {
    const before = docs.requests.length;
    const completion = await openai.chat.completions.create({
      model: 'qwen3-max',
      messages: [{ role: 'user', content: 'Please [[twin:tools]]' }],
      tools: [{ type: 'function', function: { name: 'tide', parameters: { type: 'object', properties: {} } } }],
    });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'tide' } }] },
    });
    expect(docs.requests.slice(before).filter(({ body }) => body.includes('tools/call'))).toEqual([]);
  });
});

it('chat completions and Gemini’s format name a server, too', async () => {
  const completion = await openai.chat.completions.create({
    model: 'claude-sonnet-5',
    messages: [{ role: 'user', content: 'Please [[twin:tool]]' }],
    tools: [{ type: 'mcp', server_label: 'docs' } as unknown as OpenAI.Chat.ChatCompletionTool],
  });
  expect(completion.choices[0]?.message.content).toContain('docs__add answered');
  const google = new GoogleGenAI({ apiKey: LIVE_KEY, httpOptions: { baseUrl: gateway.url } });
  const answer = await google.models.generateContent({
    model: 'gemini-3.1-pro',
    contents: 'Please [[twin:tool]]',
    config: { tools: [{ mcpServers: [{ name: 'docs' }] }] },
  });
  expect(answer.text).toContain('docs__add answered');
});

it('text completions have no tools, and stay as they are', async () => {
  const { choices } = await openai.completions.create({ model: 'qwen3-max', prompt: 'Please [[twin:tool]]' });
  expect(choices[0]?.text).not.toContain('always__add');
  expect(gateway.twin.requests.list()).toHaveLength(1);
  expect(gateway.twin.requests.last()?.body).not.toContain('always__add');
});

describe('bodies that nobody meant', () => {
  const user = { role: 'user', content: 'hi' };
  const gemini = '/v1beta/models/qwen3-max:generateContent';
  const call = { type: 'mcp_call', id: 'mcp_gw_1' };
  const use = { type: 'mcp_tool_use', id: 'mcptoolu_gw_1' };

  it.each<[string, JsonObject]>([
    [
      '/v1/responses',
      { input: [null, 5, 'x', call], tools: [null, 5, { type: 'mcp' }, { type: 'mcp', server_label: 5 }] },
    ],
    ['/v1/responses', { input: { type: 'mcp_call' }, tools: {} }],
    ['/v1/responses', { input: 'hi', tools: [{ type: 'mcp', server_label: 'docs', allowed_tools: 5 }] }],
    ['/v1/responses', { input: 'hi', tools: [{ type: 'mcp', server_label: 'docs', require_approval: [] }] }],
    ['/v1/responses', { input: 'hi', tools: [{ type: 'mcp', server_label: 'docs', server_url: '::' }] }],
    ['/v1/responses', { input: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_gw_1' }] }],
    ['/v1/responses', { input: [{ type: 'mcp_approval_request', id: 'mcpr_gw_1', name: {}, server_label: [] }] }],
    ['/v1/responses', { input: 'hi', tool_choice: { type: 'mcp', server_label: {} } }],
    ['/v1/responses', { input: 'hi', max_tool_calls: -1, background: 'yes' }],
    ['/v1/messages', { messages: [user], max_tokens: 9, mcp_servers: 'docs' }],
    [
      '/v1/messages',
      { messages: [user], max_tokens: 9, mcp_servers: [null, 5, { name: 5 }, { name: 'docs' }, { name: 'docs' }] },
    ],
    ['/v1/messages', { messages: [null, { role: 'assistant', content: [use, null] }], max_tokens: 9 }],
    ['/v1/messages', { messages: [user, { role: 'assistant', content: [use] }], max_tokens: 9 }],
    ['/v1/messages', { messages: {}, max_tokens: 9, tools: 'x', mcp_servers: [{ name: 'docs' }] }],
    ['/v1/chat/completions', { messages: [null], tools: 'x' }],
    [
      '/v1/chat/completions',
      { messages: [user], tools: [{ type: 'mcp', server_label: 'docs', require_approval: 'always' }] },
    ],
    ['/v1/chat/completions', { messages: [user], tools: [{ type: 'mcp', server_label: 'docs' }], n: 2 }],
    [gemini, { contents: 5, tools: [{ mcpServers: 5 }, 5, null] }],
    [gemini, { contents: null, tools: { mcpServers: { name: 'docs' } }, toolConfig: 5 }],
  ])('%s %j are answered, and never by a fault of ours', async (path, body) => {
    const reply = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'qwen3-max', ...body }),
    });
    expect([reply.status, await reply.text()]).toEqual([
      expect.toSatisfy((status: number) => status < 500),
      expect.any(String),
    ]);
  });
});
