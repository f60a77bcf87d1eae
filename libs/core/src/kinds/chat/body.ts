/** How many tokens a chat body can cost, reckoned from its bytes and its own caps. */
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { dialects, type BodyBytes } from '@model-gateway/translate';

const DEFAULT_MAX_OUTPUT = 8192;
/** Text averages four bytes a token; three leaves room. Media is counted apart, by vendors, at far less than its base64. */
const BYTES_PER_TOKEN = 3;
const LARGEST_TEXT_BYTES = 600_000;
/** What surely is text rather than JSON or media, and its tokens at the least. */
const SURE_TEXT_BYTES = 100_000;
const MOST_BYTES_PER_TOKEN = 6;

/** A chat body as it came, and what it says. */
export type ChatBody = BodyBytes;

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
  const { cap, answers } = dialects[dialect].outputLimits(json);
  return (cap ?? modelMaxOutput ?? DEFAULT_MAX_OUTPUT) * answers;
}
