/** What bodies may be billed for: what refers outside in each dialect, caps in all their spellings, and what changes prices. */
import { describe, expect, it } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { dialects } from './dialects.ts';

const costOf = (dialect: DialectName, body: JsonObject) => dialects[dialect].readCost(body);
const DATA = `data:image/png;base64,${'A'.repeat(400)}`;
const said = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });
const input = (...items: JsonObject[]): JsonObject => ({ input: items });
const parts = (...all: JsonObject[]): JsonObject => ({ contents: [{ role: 'user', parts: all }] });

describe('what refers outside the body', () => {
  it.each<[DialectName, JsonObject, string]>([
    ['openai-responses', { previous_response_id: 'resp_1', input: 'hi' }, 'previous_response_id'],
    ['openai-responses', { conversation: { id: 'c' } }, 'conversation'],
    ['openai-responses', { prompt: { id: 'p' } }, 'prompt'],
    ['openai-responses', input({ type: 'item_reference', id: 'i' }), 'input[0]'],
    ['openai-responses', input({ type: 'reasoning', id: 'rs_1', summary: [] }), 'input[0]'],
    ['openai-responses', input({ type: 'a_new_item' }), 'input[0]'],
    [
      'openai-responses',
      input({ role: 'user', content: [{ type: 'input_image', image_url: 'https://a/b' }] }),
      'input[0].content[0]',
    ],
    [
      'openai-responses',
      input({ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }),
      'input[0].content[0]',
    ],
    [
      'openai-responses',
      input({ role: 'user', content: [{ type: 'input_file', file_data: 'JVBE' }] }),
      'input[0].content[0]',
    ],
    [
      'openai-responses',
      input({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_url: 'https://a/b' }] }),
      'input[0].output[0]',
    ],
    ['openai-responses', { input: 'hi', tools: [{ type: 'function', name: 'f' }, { type: 'mcp' }] }, 'tools[1]'],
    ['openai-chat', said({ type: 'image_url', image_url: { url: 'https://a/b' } }), 'messages[0].content[0]'],
    ['openai-chat', said({ type: 'image_url', image_url: 'gs://a/b' }), 'messages[0].content[0]'],
    [
      'openai-chat',
      said({ type: 'image_url', image_url: { url: 'data:application/pdf;base64,JVBE' } }),
      'messages[0].content[0]',
    ],
    ['openai-chat', said({ type: 'file', file: { file_id: 'f' } }), 'messages[0].content[0]'],
    ['openai-chat', said({ type: 'video_url', video_url: { url: DATA } }), 'messages[0].content[0]'],
    ['openai-chat', said({ type: 'input_audio', input_audio: { data: 'https://a/b.mp3' } }), 'messages[0].content[0]'],
    ['openai-chat', { messages: [{ role: 'assistant', audio: { id: 'a' } }] }, 'messages[0].audio'],
    ['openai-chat', { messages: [], web_search_options: {} }, 'web_search_options'],
    ['openai-chat', { messages: [], tools: [{ type: 'web_search' }] }, 'tools[0]'],
    [
      'anthropic-messages',
      said({ type: 'image', source: { type: 'url', url: 'https://a/b' } }),
      'messages[0].content[0]',
    ],
    [
      'anthropic-messages',
      said({ type: 'document', source: { type: 'file', file_id: 'f' } }),
      'messages[0].content[0]',
    ],
    ['anthropic-messages', said({ type: 'container_upload', file_id: 'f' }), 'messages[0].content[0]'],
    [
      'anthropic-messages',
      said({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'url' } }] }),
      'messages[0].content[0].content[0]',
    ],
    ['anthropic-messages', { messages: [], container: 'c' }, 'container'],
    ['anthropic-messages', { messages: [], mcp_servers: [{ url: 'https://a' }] }, 'mcp_servers'],
    ['anthropic-messages', { messages: [], tools: [{ type: 'code_execution_20250825', name: 'c' }] }, 'tools[0]'],
    ['gemini-generate', { contents: [], cachedContent: 'c' }, 'cachedContent'],
    ['gemini-generate', { contents: [], cached_content: 'c' }, 'cachedContent'],
    ['gemini-generate', parts({ fileData: { fileUri: 'files/1' } }), 'contents[0].parts[0]'],
    ['gemini-generate', parts({ file_data: { file_uri: 'gs://a' } }), 'contents[0].parts[0]'],
    ['gemini-generate', parts({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }), 'contents[0].parts[0]'],
    ['gemini-generate', { contents: [], tools: [{ google_search: {} }] }, 'tools[0].google_search'],
    ['gemini-generate', { contents: [], tools: { urlContext: {} } }, 'tools[0].urlContext'],
    ['gemini-generate', { systemInstruction: { parts: { fileData: {} } } }, 'systemInstruction.parts[0]'],
  ])('%s %j', (dialect, body, outside) => {
    expect(costOf(dialect, body).outside).toBe(outside);
  });

  it.each<[DialectName, JsonObject]>([
    ['openai-responses', { input: 'https://a/b', previous_response_id: null, tools: [], background: false }],
    ['openai-responses', input({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'abc' })],
    ['openai-responses', input({ role: 'user', content: [{ type: 'input_image', image_url: DATA }] })],
    [
      'openai-responses',
      { input: 'hi', tools: [{ type: 'function', name: 'f', parameters: { properties: { file_id: {} } } }] },
    ],
    ['openai-chat', said({ type: 'text', text: 'see https://a/b' }, { type: 'image_url', image_url: { url: DATA } })],
    [
      'openai-chat',
      { messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
    ['anthropic-messages', { messages: [{ role: 'user', content: 'hi' }], system: 'be kind', max_tokens: 5 }],
    ['anthropic-messages', said({ type: 'tool_use', id: 't', name: 'f', input: { url: 'https://a', file_id: 'x' } })],
    ['anthropic-messages', said({ type: 'web_search_tool_result', tool_use_id: 't', content: [{ url: 'https://a' }] })],
    ['gemini-generate', parts({ text: 'hi' }, { functionCall: { name: 'f', args: { fileUri: 'gs://a' } } })],
    ['gemini-generate', parts({ inline_data: { mime_type: 'image/png', data: 'AAAA' } })],
  ])('%s %j holds all there is', (dialect, body) => {
    expect(costOf(dialect, body).outside).toBeUndefined();
  });
});

it('a history that may be summed up is read more than once', () => {
  const asked = (type: string) =>
    costOf('anthropic-messages', { messages: [], context_management: { edits: [{ type }] } }).runsTools;
  expect([asked('compact_20260112'), asked('clear_tool_uses_20250919')]).toEqual([true, false]);
});

describe('the cap', () => {
  it.each<[string, DialectName, JsonObject, { cap?: number; answers: number; beyondCap: number }]>([
    [
      'of two spellings is the larger',
      'openai-chat',
      { max_tokens: 1, max_completion_tokens: 9 },
      { cap: 9, answers: 1, beyondCap: 0 },
    ],
    [
      '… whichever it is',
      'openai-chat',
      { max_tokens: 9, max_completion_tokens: 1 },
      { cap: 9, answers: 1, beyondCap: 0 },
    ],
    [
      'of less than none is none',
      'openai-chat',
      { max_tokens: 1, max_completion_tokens: -1 },
      { answers: 1, beyondCap: 0 },
    ],
    ['of null is none', 'openai-chat', { max_tokens: null, n: 3 }, { answers: 3, beyondCap: 0 }],
    ['of zero is none', 'openai-chat', { max_tokens: 0 }, { answers: 1, beyondCap: 0 }],
    ['as text counts', 'openai-chat', { max_tokens: '7', n: '2' }, { cap: 7, answers: 2, beyondCap: 0 }],
    [
      'has budgets on top',
      'openai-chat',
      { max_tokens: 5, thinking: { budget_tokens: 100 } },
      { cap: 5, answers: 1, beyondCap: 100 },
    ],
    [
      'has thinking on top',
      'anthropic-messages',
      { max_tokens: 5, thinking: { budget_tokens: 9 } },
      { cap: 5, answers: 1, beyondCap: 9 },
    ],
    [
      'in both cases of Google’s names is the larger',
      'gemini-generate',
      { generationConfig: { maxOutputTokens: 1 }, generation_config: { max_output_tokens: '8', candidate_count: 4 } },
      { cap: 8, answers: 4, beyondCap: 0 },
    ],
    ['of Responses', 'openai-responses', { max_output_tokens: 3 }, { cap: 3, answers: 1, beyondCap: 0 }],
  ])('%s', (_name, dialect, body, expected) => {
    const { cap, answers, beyondCap } = costOf(dialect, body);
    expect({ ...(cap !== undefined && { cap }), answers, beyondCap }).toEqual(expected);
  });

  it.each<[DialectName, JsonObject, JsonObject]>([
    ['openai-chat', { max_tokens: 11, max_completion_tokens: 10 }, { max_tokens: 10 }],
    ['openai-chat', { max_tokens: '11' }, { max_tokens: 10 }],
    ['openai-chat', { max_tokens: 10 }, {}],
    ['openai-responses', { max_output_tokens: 1e9 }, { max_output_tokens: 10 }],
    ['anthropic-messages', { max_tokens: 11 }, { max_tokens: 10 }],
    [
      'gemini-generate',
      { generationConfig: { maxOutputTokens: 99, temperature: 0 } },
      { generationConfig: { maxOutputTokens: 10, temperature: 0 } },
    ],
  ])('%s %j is lowered to 10 by %j', (dialect, body, edits) => {
    const found = [...dialects[dialect].capEdits(body, 10)].map(([name, text]) => [name, JSON.parse(text) as unknown]);
    expect(Object.fromEntries(found)).toEqual(edits);
  });
});

describe('what changes prices', () => {
  it.each<[DialectName, JsonObject, string[]]>([
    ['openai-chat', { service_tier: 'auto' }, []],
    ['openai-chat', { service_tier: 'default' }, []],
    ['openai-chat', { service_tier: null }, []],
    ['openai-chat', { service_tier: 'Priority' }, ['service_tier priority']],
    ['openai-responses', { service_tier: 'ultrafast' }, ['service_tier ultrafast']],
    ['anthropic-messages', { service_tier: 'standard_only', speed: 'standard', inference_geo: 'global' }, []],
    ['anthropic-messages', { speed: 'fast', inference_geo: 'us' }, ['speed fast', 'inference_geo us']],
    ['gemini-generate', { serviceTier: 'SERVICE_TIER_STANDARD' }, []],
    ['gemini-generate', { service_tier: 'FLEX' }, ['service_tier flex']],
  ])('%s %j', (dialect, body, options) => {
    expect(costOf(dialect, body).options.map(({ name, value }) => `${name} ${value}`)).toEqual(options);
  });

  it('every beta may have a price, and one may ask for a longer context', () => {
    const beta = 'claude-code-20250219, context-1m-2025-08-07,x-unknown';
    const { options, context } = dialects['anthropic-messages'].readCost({}, { 'anthropic-beta': beta });
    expect(options.map(({ value }) => value)).toEqual(['claude-code-20250219', 'context-1m-2025-08-07', 'x-unknown']);
    expect(context).toBe(1_000_000);
    expect(dialects['anthropic-messages'].readCost({}, { 'anthropic-beta': 'x-unknown' }).context).toBeUndefined();
  });

  it.each<[DialectName, JsonObject, boolean]>([
    ['anthropic-messages', { cache_control: { type: 'ephemeral', ttl: '1h' } }, true],
    ['anthropic-messages', { system: [{ type: 'text', text: 'a', cache_control: { ttl: '1h' } }] }, true],
    [
      'anthropic-messages',
      said({ type: 'tool_result', content: [{ type: 'text', cache_control: { ttl: '1h' } }] }),
      true,
    ],
    ['anthropic-messages', { tools: [{ name: 'f', cache_control: { ttl: '1h' } }] }, true],
    ['anthropic-messages', { cache_control: { type: 'ephemeral', ttl: '5m' } }, false],
    ['anthropic-messages', { cache_control: { type: 'ephemeral' } }, false],
    ['openai-chat', said({ type: 'text', text: 'a', cache_control: { ttl: '1h' } }), true],
  ])('%s %j caches for an hour: %s', (dialect, body, expected) => {
    expect(costOf(dialect, body).cachesForAnHour).toBe(expected);
  });
});

it('media are not text, searches are counted, and nothing is thrown at nonsense', () => {
  const chat = costOf('openai-chat', said({ type: 'image_url', image_url: { url: DATA } }));
  expect(chat).toMatchObject({ images: 1, mediaCharacters: DATA.length });
  expect(costOf('anthropic-messages', { tools: [{ type: 'web_search_20250305', max_uses: 3 }] }).searches).toBe(3);
  expect(costOf('openai-responses', { tools: [{ type: 'web_search' }] }).searches).toBe(Infinity);
  const nonsense: JsonObject = {
    messages: [1, null, [2]],
    tools: 'x',
    input: [[null]],
    contents: { parts: [null] },
    generationConfig: [],
  };
  for (const dialect of Object.values(dialects)) expect(() => dialect.readCost(nonsense)).not.toThrow();
});

it('reports of searches are read from the answer where usage does not tell', () => {
  const response = {
    output: [{ type: 'web_search_call' }, { type: 'message' }, { type: 'web_search_call' }],
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  expect(dialects['openai-responses'].readUsage(response)).toMatchObject({ webSearches: 2 });
  expect(dialects['openai-responses'].readUsage({ type: 'response.completed', response })).toMatchObject({
    webSearches: 2,
  });
  const grounded = {
    candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] } }],
    usageMetadata: { promptTokenCount: 1 },
  };
  expect(dialects['gemini-generate'].readUsage(grounded)).toMatchObject({ webSearches: 3 });
});

describe('words of other servers', () => {
  const chat = { messages: [{ role: 'user', content: 'hi', max_new_tokens: 7000 }], max_tokens: 1 };
  const response = { input: 'hi', max_output_tokens: 1 };
  const generate = { contents: [], generationConfig: { maxOutputTokens: 1 } };
  const BODIES: readonly (readonly [DialectName, JsonObject])[] = [
    ['openai-chat', chat],
    ['openai-responses', response],
    ['anthropic-messages', chat],
    ['gemini-generate', generate],
  ];

  describe.each(BODIES)('%s', (dialect, body) => {
    it.each([
      { n_predict: 5000 },
      { num_predict: 5000 },
      { max_new_tokens: 5000 },
      { maxGenLen: 5000 },
      { 'max-length': '5000' },
      { min_tokens: 5000 },
      { max_decode_steps: 5000 },
      { some_token_limit: 5000 },
      { options: { num_predict: 5000 } },
      { extra_body: { options: { num_predict: 5000 } } },
    ])('%j raises the cap', (words) => {
      expect(costOf(dialect, { ...body, ...words }).cap).toBe(5000);
    });

    it.each([{ n_predict: -1 }, { n_predict: 1e400 }, { options: { num_predict: '-2' } }])('%j lifts it', (words) => {
      expect(costOf(dialect, { ...body, ...words }).cap).toBeUndefined();
    });

    it.each([{ best_of: 8 }, { num_return_sequences: 8 }, { n: '8' }, { extra_body: { num_beams: 8 } }])(
      '%j asks for more answers',
      (words) => {
        expect(costOf(dialect, { ...body, ...words }).answers).toBe(8);
      },
    );

    it.each([
      { temperature: 1, top_k: 5000, top_logprobs: 20, seed: 5000, num_ctx: 5000 },
      { max_tool_calls: 5000, metadata: { max_tokens: 5000 }, logit_bias: { 5000: 100 } },
      { user_id: 5000, timeout: 5000, max_tokens_note: 'a word' },
      { n_predict: 0, min_tokens: 0, best_of: 1 },
    ])('%j says nothing of it', (words) => {
      expect(costOf(dialect, { ...body, ...words })).toMatchObject({ cap: 1, answers: 1 });
    });

    it('never lower a request without a cap', () => {
      const { max_tokens: _m, max_output_tokens: _o, generationConfig: _g, ...rest }: JsonObject = body;
      expect(costOf(dialect, { ...rest, n_predict: 5 }).cap).toBeUndefined();
    });

    it('too many members to look at may hold any', () => {
      const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`field_${index}`, 1]));
      expect(costOf(dialect, { ...body, ...many }).cap).toBeUndefined();
    });
  });
});
