/** What the gateway reads from a chat body in the caller's own dialect, and the few members it changes before forwarding the bytes. */
import { isJsonObject, type DialectName, type JsonObject } from '@model-gateway/contracts';
import { setTopLevel } from './json-edit.ts';

const DEFAULT_MAX_OUTPUT = 8192;
/** Text averages four bytes a token; three leaves room. Media is counted apart, by vendors, at far less than its base64. */
const BYTES_PER_TOKEN = 3;
const LARGEST_TEXT_BYTES = 600_000;
/** What surely is text rather than JSON or media, and its tokens at the least. */
const SURE_TEXT_BYTES = 100_000;
const MOST_BYTES_PER_TOKEN = 6;

export interface ChatBody {
  readonly bytes: Buffer;
  readonly json: JsonObject;
}

/** The caller's bytes for the same dialect: model name changed, and usage asked for where the wire must be asked. */
export function forwardBody(
  dialect: DialectName,
  body: ChatBody,
  options: { readonly model: string; readonly stream: boolean; readonly askUsage: boolean },
): Buffer {
  const changes = new Map<string, string>();
  if (dialect !== 'gemini-generate' && body.json['model'] !== options.model)
    changes.set('model', JSON.stringify(options.model));
  if (dialect === 'openai-chat' && options.stream && options.askUsage && !asksUsage(body.json)) {
    const given = body.json['stream_options'];
    changes.set('stream_options', JSON.stringify({ ...(isJsonObject(given) ? given : {}), include_usage: true }));
  }
  return changes.size === 0 ? body.bytes : setTopLevel(body.bytes, changes);
}

/** Whether the caller of chat-completions wants the usage chunk. */
export function asksUsage(json: JsonObject): boolean {
  const options = json['stream_options'];
  return isJsonObject(options) && options['include_usage'] === true;
}

/** The most tokens this request can cost: an upper guess of its input, and the cap of its output for each answer it asks for. */
export function largestUsage(dialect: DialectName, body: ChatBody, modelMaxOutput: number | undefined): TokenCounts {
  return {
    inputTokens: Math.ceil(Math.min(body.bytes.length, LARGEST_TEXT_BYTES) / BYTES_PER_TOKEN),
    outputTokens: outputCount(dialect, body.json, modelMaxOutput),
  };
}

/** The tokens this request costs for certain: a lower guess of its input, and one to say something with. */
export function leastUsage(body: ChatBody): TokenCounts {
  return {
    inputTokens: Math.ceil(Math.min(body.bytes.length, SURE_TEXT_BYTES) / MOST_BYTES_PER_TOKEN),
    outputTokens: 1,
  };
}

interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The most tokens the answers can have: the request's own cap for each, or the model's. */
export function outputCount(dialect: DialectName, json: JsonObject, modelMaxOutput: number | undefined): number {
  return (outputCap(dialect, json) ?? modelMaxOutput ?? DEFAULT_MAX_OUTPUT) * answers(dialect, json);
}

/** How many answers are asked for. */
function answers(dialect: DialectName, json: JsonObject): number {
  const config = json['generationConfig'] ?? json['generation_config'];
  const asked =
    dialect === 'openai-chat'
      ? json['n']
      : dialect === 'gemini-generate' && isJsonObject(config)
        ? (config['candidateCount'] ?? config['candidate_count'])
        : 1;
  return typeof asked === 'number' && asked > 1 ? Math.ceil(asked) : 1;
}

/** The cap of output that the request itself sets. */
function outputCap(dialect: DialectName, json: JsonObject): number | undefined {
  const config = json['generationConfig'] ?? json['generation_config'];
  const named = {
    'openai-chat': json['max_completion_tokens'] ?? json['max_tokens'],
    'openai-responses': json['max_output_tokens'],
    'anthropic-messages': json['max_tokens'],
    'gemini-generate': isJsonObject(config) ? (config['maxOutputTokens'] ?? config['max_output_tokens']) : undefined,
  }[dialect];
  return typeof named === 'number' && named > 0 ? Math.ceil(named) : undefined;
}

/** Responses usage under both sets of names: OpenAI's and the ones the customer's document shows (design.md §3). */
export function bothUsageNames(usage: JsonObject): JsonObject {
  const input = usage['input_tokens'] ?? usage['prompt_tokens'] ?? 0;
  const output = usage['output_tokens'] ?? usage['completion_tokens'] ?? 0;
  const inputDetails = usage['input_tokens_details'];
  const outputDetails = usage['output_tokens_details'];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: {
      cached_tokens: 0,
      text_tokens: input,
      audio_tokens: 0,
      image_tokens: 0,
      ...(isJsonObject(inputDetails) ? inputDetails : {}),
    },
    completion_tokens_details: {
      text_tokens: output,
      audio_tokens: 0,
      reasoning_tokens: 0,
      ...(isJsonObject(outputDetails) ? outputDetails : {}),
    },
    ...usage,
  };
}
