import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { Asked } from './limiter.ts';

/** More than this is media, which vendors count at far less than its base64. */
const LARGEST_TEXT_BYTES = 100_000;
const BYTES_PER_TOKEN = 4;
/** The cap of output in the words of every format. */
const CAPS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens', 'maxOutputTokens'];

/** What a request may take of the tokens of a minute, before anybody has counted. */
export function requestTokens(bytes: number, body: unknown): Asked {
  const json = isJsonObject(body) ? body : {};
  const config = json['generationConfig'] ?? json['generation_config'];
  return {
    inputTokens: Math.ceil(Math.min(bytes, LARGEST_TEXT_BYTES) / BYTES_PER_TOKEN),
    outputTokens: capIn(json) ?? (isJsonObject(config) ? capIn(config) : undefined),
  };
}

function capIn(json: JsonObject): number | undefined {
  for (const name of CAPS) {
    const cap = json[name];
    if (typeof cap === 'number' && cap > 0) return Math.ceil(cap);
  }
  return undefined;
}
