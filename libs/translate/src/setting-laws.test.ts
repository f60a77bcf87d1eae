/** What a caller sets stands in the vendor’s body, or is reported, or is refused, over all pairs of dialects. */
import { describe, expect, it } from 'vitest';
import {
  DIALECT_NAMES,
  GatewayError,
  isJsonObject,
  type ChatFormat,
  type Json,
  type JsonObject,
} from '@model-gateway/contracts';
import type { Encoded } from './dialect.ts';
import { dialects } from './dialects.ts';
import { targetOf } from './testing/pairs.ts';

interface Written {
  readonly field: string;
  readonly value: Json;
  /** Where it sits, when not at the top. */
  readonly around?: (value: Json) => JsonObject;
}

const inGeneration =
  (key: string) =>
  (value: Json): JsonObject => ({ generationConfig: { [key]: value } });
const FIELDS: Readonly<Record<ChatFormat, readonly Written[]>> = {
  'openai-chat': [
    { field: 'max_completion_tokens', value: 5 },
    { field: 'temperature', value: 0.5 },
    { field: 'top_p', value: 0.5 },
    { field: 'top_k', value: 5 },
    { field: 'stop', value: ['x'] },
    { field: 'presence_penalty', value: 1 },
    { field: 'frequency_penalty', value: 1 },
    { field: 'seed', value: 5 },
    { field: 'n', value: 2 },
    { field: 'logprobs', value: true },
    { field: 'logit_bias', value: { '5': 1 } },
    {
      field: 'response_format',
      value: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', properties: {} } } },
    },
    { field: 'reasoning_effort', value: 'low' },
    { field: 'verbosity', value: 'low' },
    { field: 'modalities', value: ['text', 'audio'] },
    { field: 'user', value: 'u' },
    { field: 'metadata', value: { a: 'b' } },
    { field: 'service_tier', value: 'flex' },
    { field: 'prompt_cache_key', value: 'k' },
    { field: 'prediction', value: { type: 'content', content: 'x' } },
    { field: 'web_search_options', value: {} },
    { field: 'unheard_of', value: 1 },
  ],
  'openai-responses': [
    { field: 'max_output_tokens', value: 5 },
    { field: 'temperature', value: 0.5 },
    { field: 'top_p', value: 0.5 },
    { field: 'top_logprobs', value: 2 },
    { field: 'include', value: ['file_search_call.results'] },
    { field: 'text', value: { verbosity: 'low' } },
    {
      field: 'text',
      value: { format: { type: 'json_schema', name: 'n', schema: { type: 'object', properties: {} } } },
    },
    { field: 'reasoning', value: { effort: 'low' } },
    { field: 'reasoning', value: { context: 'all_turns' } },
    { field: 'user', value: 'u' },
    { field: 'metadata', value: { a: 'b' } },
    { field: 'service_tier', value: 'flex' },
    { field: 'prompt_cache_key', value: 'k' },
    { field: 'truncation', value: 'auto' },
    { field: 'previous_response_id', value: 'resp_1' },
    { field: 'background', value: true },
    { field: 'max_tool_calls', value: 3 },
  ],
  'anthropic-messages': [
    { field: 'temperature', value: 0.5 },
    { field: 'top_p', value: 0.5 },
    { field: 'top_k', value: 5 },
    { field: 'stop_sequences', value: ['x'] },
    { field: 'thinking', value: { type: 'enabled', budget_tokens: 2000 } },
    { field: 'output_config', value: { effort: 'low' } },
    {
      field: 'output_config',
      value: {
        format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
    },
    { field: 'service_tier', value: 'standard_only' },
    { field: 'speed', value: 'fast' },
    { field: 'container', value: 'c' },
    { field: 'inference_geo', value: 'eu' },
    { field: 'metadata', value: { user_id: 'u' } },
    { field: 'cache_control', value: { type: 'ephemeral' } },
  ],
  'gemini-generate': [
    { field: 'temperature', value: 0.5, around: inGeneration('temperature') },
    { field: 'topP', value: 0.5, around: inGeneration('topP') },
    { field: 'topK', value: 5, around: inGeneration('topK') },
    { field: 'stopSequences', value: ['x'], around: inGeneration('stopSequences') },
    { field: 'seed', value: 5, around: inGeneration('seed') },
    { field: 'candidateCount', value: 2, around: inGeneration('candidateCount') },
    { field: 'maxOutputTokens', value: 5, around: inGeneration('maxOutputTokens') },
    { field: 'presencePenalty', value: 1, around: inGeneration('presencePenalty') },
    { field: 'responseLogprobs', value: true, around: inGeneration('responseLogprobs') },
    { field: 'responseModalities', value: ['IMAGE'], around: inGeneration('responseModalities') },
    { field: 'thinkingConfig', value: { thinkingBudget: 100 }, around: inGeneration('thinkingConfig') },
    { field: 'thinkingConfig', value: { includeThoughts: true }, around: inGeneration('thinkingConfig') },
    { field: 'mediaResolution', value: 'MEDIA_RESOLUTION_LOW', around: inGeneration('mediaResolution') },
    { field: 'safetySettings', value: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
    { field: 'cachedContent', value: 'cachedContents/1' },
    { field: 'serviceTier', value: 'flex' },
    { field: 'labels', value: { a: 'b' } },
  ],
};
const PLAIN: Readonly<Record<ChatFormat, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { model: 'm', input: 'hi' },
  'anthropic-messages': { model: 'm', max_tokens: 4096, messages: [{ role: 'user', content: 'hi' }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};
/** Marks of a caching that these vendors do without being asked. */
const AUTOMATIC: ReadonlySet<string> = new Set(
  ['openai-chat', 'openai-responses', 'gemini-generate'].map((name) => `cache_control ${name}`),
);
// Translations only: in its own dialect a caller's body goes out as it came.
const settings = DIALECT_NAMES.flatMap((from) =>
  FIELDS[from].flatMap((written) =>
    DIALECT_NAMES.filter((to) => to !== from && !AUTOMATIC.has(`${written.field} ${to}`)).map((to) => ({
      from,
      to,
      written,
      shown: `${written.field} ${JSON.stringify(written.value)}`,
    })),
  ),
);

describe('a setting leaves a trace in the vendor’s body, or is reported, or is refused', () => {
  it.each(settings)('$shown from $from to $to', ({ from, to, written }) => {
    const path = { model: 'm', stream: false };
    const added = written.around?.(written.value) ?? { [written.field]: written.value };
    const encode = (body: JsonObject): Encoded | GatewayError => {
      try {
        return dialects[to].encodeRequest(dialects[from].decodeRequest(body, path), targetOf(to));
      } catch (error) {
        if (error instanceof GatewayError) return error;
        throw error;
      }
    };
    const without = encode(PLAIN[from]);
    const result = encode({ ...PLAIN[from], ...added });
    if (result instanceof GatewayError) {
      expect(result.code).toBe('invalid_request');
      expect(result.details.param).toContain(isJsonObject(written.value) ? '' : written.field);
      return;
    }
    const trace = JSON.stringify(result.body) !== JSON.stringify((without as Encoded).body);
    expect({ trace, reported: result.dropped.length > 0 }).not.toEqual({ trace: false, reported: false });
  });
});
