import { describe, expect, it } from 'vitest';
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import { baseUrlOf, textAt, type ChatCall } from '@model-gateway/provider-kit';
import { describeChatAdapter, describeEmbeddingAdapter, describeRerankAdapter } from '@model-gateway/testing';
import { fromConverse } from './converse-reply.ts';
import { toConverse } from './converse-request.ts';
import { bedrock } from './adapter.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const answers = (json: unknown) => textAt(json as Json, 'content', 0, 'text');
const counted = { body: { messages }, at: 'input_tokens' };

describeChatAdapter(bedrock, 'bedrock', {
  dialect: 'anthropic-messages',
  model: 'eu.amazon.nova-pro-v1:0',
  body: { max_tokens: 50, messages },
  answers,
});
describeChatAdapter(bedrock, 'bedrock', {
  dialect: 'anthropic-messages',
  model: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
  body: { max_tokens: 50, messages },
  answers,
  counted,
});
describeEmbeddingAdapter(bedrock, 'bedrock', { model: 'amazon.titan-embed-text-v2:0' });
describeEmbeddingAdapter(bedrock, 'bedrock', { model: 'cohere.embed-v4:0' });
describeRerankAdapter(bedrock, 'bedrock', { model: 'cohere.rerank-v3-5:0' });
describeRerankAdapter(bedrock, 'bedrock', { model: 'amazon.rerank-v1:0' });

const request = (call: Partial<ChatCall>) => {
  const made = bedrock.chat?.request({
    dialect: 'anthropic-messages',
    purpose: 'generate',
    model: 'amazon.nova-lite-v1:0',
    stream: false,
    body: Buffer.from('{"messages":[]}'),
    headers: {},
    settings: {},
    ...call,
  });
  if (made === undefined) throw new Error('bedrock does not chat');
  return made;
};

describe('where Bedrock has it', () => {
  it('in the region of the account', () => {
    expect(baseUrlOf(bedrock.declares, { region: 'eu-central-1' })).toBe(
      'https://bedrock-runtime.eu-central-1.amazonaws.com',
    );
    expect(baseUrlOf(bedrock.declares, { region: '' })).toBe('https://bedrock-runtime.us-east-1.amazonaws.com');
  });

  const PROFILE = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc';
  it.each([
    ['us.anthropic.claude-opus-4-8', {}, 'us.anthropic.claude-opus-4-8/invoke'],
    ['anthropic.claude-haiku-4-5-20251001-v1:0', {}, 'anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke'],
    ['us.amazon.nova-pro-v1:0', {}, 'us.amazon.nova-pro-v1%3A0/converse'],
    ['anthropic.claude-x', { wire: 'converse' }, 'anthropic.claude-x/converse'],
    [PROFILE, { wire: 'invoke' }, `${encodeURIComponent(PROFILE)}/invoke`],
    [PROFILE, {}, `${encodeURIComponent(PROFILE)}/converse`],
  ])('%s %j is asked at %s', (model, settings, path) => {
    expect(request({ model, settings }).path).toBe(`/model/${path}`);
  });

  it('Claude’s body is the caller’s bytes but for what the address and the body say now', () => {
    const { body, headers } = request({
      model: 'anthropic.claude-x',
      stream: true,
      body: Buffer.from('{"model":"anthropic.claude-x","max_tokens":1e2, "stream":true,"n":12345678901234567890}'),
      headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'one-1, two-2' },
      settings: { guardrail: 'gr-1', latency: 'optimized' },
    });
    expect(Buffer.from(body ?? []).toString()).toBe(
      '{"max_tokens":1e2,"n":12345678901234567890,"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["one-1","two-2"]}',
    );
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-amzn-bedrock-guardrailidentifier': 'gr-1',
      'x-amzn-bedrock-guardrailversion': 'DRAFT',
      'x-amzn-bedrock-performanceconfig-latency': 'optimized',
    });
  });
});

describe('a request for Converse', () => {
  const plain = { guardrail: '', guardrailVersion: '', latency: '', betas: [] };
  const converse = (body: JsonObject) => toConverse({ messages, ...body }, plain);

  it('has results of one turn in one turn, calls, thoughts, pictures and documents', () => {
    expect(
      converse({
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: '' },
              { type: 'text', text: 'look' },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 'sig' },
              { type: 'redacted_thinking', data: 'cmVk' },
              { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
              { type: 'tool_use', id: 't2', name: 'look', input: {} },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a tree' }] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 't2', is_error: true },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
              {
                type: 'document',
                title: 'a_b.pdf',
                source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
              },
              {
                type: 'document',
                source: { type: 'text', media_type: 'text/plain', data: 'words' },
                cache_control: { type: 'ephemeral' },
              },
            ],
          },
        ],
        tools: [{ name: 'look', description: '', input_schema: { type: 'object' } }],
        tool_choice: { type: 'any' },
        max_tokens: 9,
        temperature: 0,
        stop_sequences: ['x'],
        top_k: 3,
      }),
    ).toEqual({
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      messages: [
        { role: 'user', content: [{ text: 'look' }] },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
            { reasoningContent: { redactedContent: 'cmVk' } },
            { toolUse: { toolUseId: 't1', name: 'look', input: { at: 1 } } },
            { toolUse: { toolUseId: 't2', name: 'look', input: {} } },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 't1', content: [{ text: 'a tree' }] } },
            { toolResult: { toolUseId: 't2', content: [{ text: '(no output)' }], status: 'error' } },
            { image: { format: 'png', source: { bytes: 'aW1n' } } },
            { document: { format: 'pdf', name: 'a b pdf 1', source: { bytes: 'cGRm' } } },
            { document: { format: 'txt', name: 'document 2', source: { bytes: 'd29yZHM=' } } },
            { cachePoint: { type: 'default' } },
          ],
        },
      ],
      toolConfig: {
        tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }],
        toolChoice: { any: {} },
      },
      inferenceConfig: { maxTokens: 9, temperature: 0, stopSequences: ['x'] },
      additionalModelRequestFields: { top_k: 3 },
    });
  });

  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  const history = [
    ...messages,
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
  ];

  it('has no tools where none may be called, unless it tells of calls', () => {
    expect(converse({ tools, tool_choice: { type: 'none' } })).not.toHaveProperty('toolConfig');
    expect(converse({ tools, tool_choice: { type: 'none' }, messages: history })).toHaveProperty('toolConfig.tools');
  });

  it.each<[string, JsonObject, string]>([
    [
      'a picture by its address',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } }] }] },
      'messages[0].content[0]',
    ],
    ['the vendor’s own tools', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0]'],
    [
      'a block it has no word for',
      { messages: [{ role: 'user', content: [{ type: 'search_result' }] }] },
      'messages[0].content[0]',
    ],
  ])('refuses %s, by its place', (_, body, param) => {
    expect(() => converse(body)).toThrow(GatewayError);
    try {
      converse(body);
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_request', details: { param } });
    }
  });
});

describe('an answer of Converse', () => {
  it('is a message, what was read from a cache apart', () => {
    const usage = {
      inputTokens: 5,
      outputTokens: 3,
      cacheReadInputTokens: 100,
      cacheWriteInputTokens: 30,
      cacheDetails: [
        { ttl: '5m', inputTokens: 10 },
        { ttl: '1h', inputTokens: 20 },
      ],
    };
    const content = [{ reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } }, { text: 'yes' }];
    const json = { output: { message: { role: 'assistant', content } }, stopReason: 'guardrail_intervened', usage };
    expect(fromConverse(json, 'm', 'msg_1')).toMatchObject({
      id: 'msg_1',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'yes' },
      ],
      stop_reason: 'refusal',
      usage: {
        input_tokens: 5,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        output_tokens: 3,
      },
    });
    expect(() => fromConverse({ message: 'no' }, 'm', 'x')).toThrow(/no message/);
  });
});

describe('what Bedrock refuses', () => {
  it.each<[number, string, string, string]>([
    [429, 'ThrottlingException', 'Too many requests', 'upstream_rate_limited'],
    [400, 'ServiceQuotaExceededException', 'Quota', 'upstream_rate_limited'],
    [429, 'ModelNotReadyException', 'Model is not ready', 'upstream_unavailable'],
    [408, 'ModelTimeoutException', 'Too long', 'upstream_timeout'],
    [424, 'ModelErrorException', 'Model error', 'upstream_unavailable'],
    [400, 'ValidationException', 'Input is too long for requested model.', 'context_length_exceeded'],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'upstream_rejected_model'],
    [
      400,
      'ValidationException',
      "Invocation of model ID x with on-demand throughput isn't supported.",
      'upstream_rejected_model',
    ],
    [400, 'ValidationException', "The provided model doesn't support counting tokens.", 'upstream_unavailable'],
    [400, 'ValidationException', 'The value at messages.0 is empty.', 'invalid_request'],
    [
      403,
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      'upstream_rejected_model',
    ],
    [403, 'AccessDeniedException', 'User is not authorized', 'upstream_rejected_key'],
    [403, 'ExpiredTokenException', 'The security token is expired', 'upstream_rejected_key'],
    [404, 'ResourceNotFoundException', 'Model not found', 'upstream_rejected_model'],
    [500, 'ComposedException:http://internal', 'No', 'upstream_unavailable'],
  ])('%i %s "%s" is %s', (status, name, message, code) => {
    const headers = { 'x-amzn-errortype': name };
    expect(bedrock.readFault({ status, headers, body: new Uint8Array(0), json: { message } })?.code).toBe(code);
  });
});
