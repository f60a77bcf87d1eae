/** `POST /v1/responses/input_tokens` (docs/wire/openai-responses.md#transport). */
import { GatewayError, isJsonObject, type Json } from '@model-gateway/contracts';
import type { TokenCounting } from '../dialect.ts';
import { without } from '../shared/openai-words.ts';
import { countOf } from '../shared/usage.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

/** The counting call takes the prompt's half of a request. */
const PROMPT_ONLY = [
  'stream',
  'store',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'include',
] as const;
const REST = ['metadata', 'user', 'service_tier', 'prompt_cache_key', 'safety_identifier'] as const;

export const counting: TokenCounting = {
  byVendors: true,
  decodeRequest: (body) => decodeRequest(body),
  encodeRequest: (request, target) => {
    const encoded = encodeRequest({ ...request, stream: false }, target);
    return { ...encoded, body: without(encoded.body, ...PROMPT_ONLY, ...REST) };
  },
  decodeReply: (body: Json) => {
    const count = isJsonObject(body) ? countOf(body['input_tokens']) : undefined;
    if (count === undefined) throw new GatewayError('upstream_malformed', 'The model returned no token count.');
    return count;
  },
  encodeReply: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
};
