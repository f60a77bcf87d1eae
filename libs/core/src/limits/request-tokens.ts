import { isJsonObject } from '@model-gateway/contracts';
import { declaredOutputCap } from '@model-gateway/translate';
import type { Asked } from './limiter.ts';

/** More than this is media, which vendors count at far less than its base64. */
const LARGEST_TEXT_BYTES = 100_000;
const BYTES_PER_TOKEN = 4;

/** What a request may take of the tokens of a minute, before anybody has counted. */
export function requestTokens(bytes: number, body: unknown): Asked {
  return {
    inputTokens: Math.ceil(Math.min(bytes, LARGEST_TEXT_BYTES) / BYTES_PER_TOKEN),
    outputTokens: isJsonObject(body) ? declaredOutputCap(body) : undefined,
  };
}
