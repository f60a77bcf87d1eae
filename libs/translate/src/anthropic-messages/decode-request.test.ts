import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Opaque } from '../conversation.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { anthropicMessages } from './index.ts';
import { PDF, PNG, thrown } from './testing/requests.ts';

function decode(body: JsonObject): ChatRequest {
  return anthropicMessages.decodeRequest({
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'hi' }],
    ...body,
  });
}

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
