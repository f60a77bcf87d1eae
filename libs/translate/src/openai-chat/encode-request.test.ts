import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { OPENAI_QUIRKS } from '../laws.ts';
import { assistant, call, encode, messagesOf, OPENAI, OTHER, result, text, user } from './testing/requests.ts';

describe('settings', () => {
  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; body: JsonObject; dropped?: string[] }>([
    { name: 'the cap for OpenAI', fields: { maxOutputTokens: 5 }, body: { max_completion_tokens: 5 } },
    { name: 'the cap for everyone else', fields: { maxOutputTokens: 5 }, target: OTHER, body: { max_tokens: 5 } },
    {
      name: 'the cap by its quirk',
      fields: { maxOutputTokens: 5 },
      target: { ...OTHER, quirks: { max_tokens_field: 'max_completion_tokens' } },
      body: { max_completion_tokens: 5 },
    },
    {
      name: 'zero is a value',
      fields: { temperature: 0, topP: 0, seed: 0, presencePenalty: 0 },
      body: { temperature: 0, top_p: 0, seed: 0, presence_penalty: 0 },
    },
    { name: 'no top_k', fields: { topK: 5 }, body: {}, dropped: ['top_k'] },
    {
      name: 'top_k where the vendor knows it',
      fields: { topK: 5 },
      target: { ...OTHER, quirks: { top_k: true } },
      body: { top_k: 5 },
    },
    {
      name: 'a model without sampling',
      fields: { temperature: 1, topP: 1 },
      target: { ...OPENAI, quirks: { ...OPENAI_QUIRKS, sampling: false } },
      body: {},
      dropped: ['temperature', 'top_p'],
    },
    { name: 'several answers', fields: { count: 3 }, body: { n: 3 } },
    { name: 'log probabilities', fields: { topLogprobs: 2 }, body: { logprobs: true, top_logprobs: 2 } },
    {
      name: 'a stream asks for its usage (bug 18)',
      fields: { stream: true },
      body: { stream: true, stream_options: { include_usage: true } },
    },
    {
      name: 'unless the vendor refuses the question',
      fields: { stream: true },
      target: { ...OTHER, quirks: { stream_options: false } },
      body: { stream: true },
    },
    {
      name: 'json_object',
      fields: { format: { type: 'json-object' } },
      body: { response_format: { type: 'json_object' } },
    },
    {
      name: 'a schema without a name',
      fields: { format: { type: 'json-schema', schema: {} } },
      body: { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: {} } } },
    },
    {
      name: 'user and tier',
      fields: { user: 'u', serviceTier: 'standard_only' },
      body: { user: 'u', service_tier: 'default' },
    },
    { name: 'a tier nobody knows', fields: { serviceTier: 'gold' }, body: {}, dropped: ['service_tier'] },
    {
      name: 'metadata without storage',
      fields: { dialect: 'openai-responses', metadata: { a: 'b' } },
      body: {},
      dropped: ['metadata'],
    },
    {
      name: 'metadata with storage',
      fields: { dialect: 'openai-responses', metadata: { a: 'b' }, extra: { store: true } },
      body: { store: true, metadata: { a: 'b' } },
    },
    {
      name: 'cache keys are OpenAI’s',
      fields: { cacheKey: 'k' },
      target: OTHER,
      body: {},
      dropped: ['prompt_cache_key'],
    },
    {
      name: 'extras of another dialect',
      fields: { extra: { container: 'c', store: true } },
      body: {},
      dropped: ['container', 'store'],
    },
    {
      name: 'nested extras',
      fields: { nested: ['tools[0].defer_loading'] },
      body: {},
      dropped: ['tools[0].defer_loading'],
    },
    {
      name: 'words both OpenAI wires share',
      fields: { dialect: 'openai-responses', extra: { safety_identifier: 's', truncation: 'auto' } },
      body: { safety_identifier: 's' },
      dropped: ['truncation'],
    },
    { name: 'effort', fields: { reasoning: { effort: 'xhigh' } }, body: { reasoning_effort: 'xhigh' } },
    { name: 'thinking off (bug 36)', fields: { reasoning: { mode: 'disabled' } }, body: { reasoning_effort: 'none' } },
    {
      name: 'a budget is the nearest effort',
      fields: { reasoning: { mode: 'enabled', budgetTokens: 3000 } },
      target: { ...OPENAI, maxOutputTokens: 10_000 },
      body: { reasoning_effort: 'medium' },
      dropped: ['thinking.budget_tokens'],
    },
    { name: 'adaptive thinking leaves it to the model', fields: { reasoning: { mode: 'adaptive' } }, body: {} },
    {
      name: 'Ark’s and DeepSeek’s switch',
      fields: { reasoning: { budgetTokens: 500 } },
      target: { ...OTHER, quirks: { reasoning_field: 'thinking' } },
      body: { thinking: { type: 'enabled', budget_tokens: 500 } },
    },
    {
      name: 'Qwen’s switch',
      fields: { reasoning: { effort: 'none' } },
      target: { ...OTHER, quirks: { reasoning_field: 'enable_thinking' } },
      body: { enable_thinking: false },
    },
    {
      name: 'OpenRouter’s object',
      fields: { reasoning: { budgetTokens: 500 } },
      target: { ...OTHER, quirks: { reasoning_field: 'reasoning' } },
      body: { reasoning: { max_tokens: 500 } },
    },
    {
      name: 'a model that does not reason',
      fields: { reasoning: { effort: 'low' } },
      target: { ...OTHER, quirks: { thinking: 'none' } },
      body: {},
      dropped: ['output_config.effort'],
    },
  ])('$name', ({ fields, target, body, dropped = [] }) => {
    const encoded = encode(fields, target);
    expect(encoded.body).toEqual({ model: (target ?? OPENAI).model, messages: [], ...body });
    expect(encoded.dropped.map(({ field }) => field)).toEqual(dropped);
  });

  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; param: string }>([
    {
      name: 'more stop sequences than the wire has',
      fields: { stop: ['1', '2', '3', '4', '5'] },
      param: 'stop_sequences',
    },
    {
      name: 'log probabilities from a vendor without',
      fields: { logprobs: true, dialect: 'openai-responses' },
      target: { ...OTHER, quirks: { logprobs: false } },
      param: 'include',
    },
    {
      name: 'several answers from a vendor without',
      fields: { count: 2, dialect: 'gemini-generate' },
      target: { ...OTHER, quirks: { several_answers: false } },
      param: 'generationConfig.candidateCount',
    },
    {
      name: 'pictures from OpenAI',
      fields: { modalities: ['image'], dialect: 'gemini-generate' },
      param: 'generationConfig.responseModalities',
    },
    {
      name: 'what needs another vendor’s memory',
      fields: { unportable: [{ field: 'previous_response_id', reason: 'not kept' }] },
      param: 'previous_response_id',
    },
    {
      name: 'a hosted tool',
      fields: { tools: [{ type: 'hosted', provider: 'openai', name: 'mcp', raw: {}, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
    {
      name: 'a search by a model that cannot',
      fields: { tools: [{ type: 'web-search', place: 'tools[0]' }] },
      target: { ...OTHER, quirks: { web_search: false } },
      param: 'tools[0]',
    },
    {
      name: 'a schema that is no object’s',
      fields: { tools: [{ type: 'function', name: 'f', parameters: { type: 'array' }, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
  ])('refuses $name', ({ fields, target, param }) => {
    expect(() => encode(fields, target)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param } }),
    );
  });
});

it('a schema for a vendor without them is told in words', () => {
  const schema = { type: 'object', properties: { a: {} } };
  const encoded = encode(
    { system: [text('be')], format: { type: 'json-schema', schema } },
    { ...OTHER, quirks: { structured_output: false } },
  );
  expect(encoded.body['response_format']).toEqual({ type: 'json_object' });
  expect(JSON.stringify(messagesOf(encoded))).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
  expect(encoded.dropped.map(({ field }) => field)).toEqual(['output_config.format']);
});

describe('tools', () => {
  it('bug 15: no parameters, a schema without type, no tools', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'bare' },
        { type: 'function', name: 'typeless', parameters: { properties: { a: { type: 'string' } } }, strict: false },
        { type: 'function', name: 'empty', parameters: { type: 'object' } },
      ],
      toolChoice: { type: 'tool', name: 'bare' },
      parallelToolCalls: false,
    });
    expect(encoded.body).toEqual({
      model: 'gpt',
      messages: [],
      tools: [
        { type: 'function', function: { name: 'bare' } },
        {
          type: 'function',
          function: {
            name: 'typeless',
            parameters: { type: 'object', properties: { a: { type: 'string' } } },
            strict: false,
          },
        },
        { type: 'function', function: { name: 'empty', parameters: { type: 'object', properties: {} } } },
      ],
      tool_choice: { type: 'function', function: { name: 'bare' } },
      parallel_tool_calls: false,
    });
    expect(encode({ tools: [], toolChoice: { type: 'required' }, parallelToolCalls: false }).body).toEqual({
      model: 'gpt',
      messages: [],
    });
  });

  it('renames what the wire refuses, in tools, choice and history, and tells how to undo it', () => {
    const encoded = encode({
      tools: [
        { type: 'function', name: 'my.tool' },
        { type: 'custom', name: 'raw', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      ],
      toolChoice: { type: 'subset', mode: 'auto', names: ['my.tool', 'raw'] },
      turns: [assistant(call('a', 'my.tool')), user(result('a'))],
    });
    const [[wire, own] = []] = [...(encoded.toolNames ?? [])];
    expect(own).toBe('my.tool');
    expect(encoded.body).toMatchObject({
      messages: [{ tool_calls: [{ function: { name: wire } }] }, {}],
      tools: [
        { function: { name: wire } },
        {
          type: 'custom',
          custom: { name: 'raw', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
        },
      ],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: [
            { type: 'function', function: { name: wire } },
            { type: 'custom', custom: { name: 'raw' } },
          ],
        },
      },
    });
  });

  it('web search with what the wire has, the rest reported', () => {
    const encoded = encode({
      tools: [
        {
          type: 'web-search',
          contextSize: 'high',
          allowedDomains: ['a.test'],
          maxUses: 3,
          location: { city: 'Ulm' },
          place: 'tools[0]',
        },
      ],
      toolChoice: { type: 'auto' },
    });
    expect(encoded.body).toEqual({
      model: 'gpt',
      messages: [],
      web_search_options: {
        search_context_size: 'high',
        user_location: { type: 'approximate', approximate: { city: 'Ulm' } },
      },
    });
    expect(encoded.dropped.map(({ field }) => field)).toEqual(['tools[0].allowed_domains', 'tools[0].max_uses']);
  });
});
