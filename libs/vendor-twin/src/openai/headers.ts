import type { Exchange } from '../core/exchange.ts';

/** What OpenAI puts on every answer: a request id, and how much of the rate limit is left. */
export function standardHeaders(exchange: Exchange): Record<string, string> {
  return {
    'x-request-id': exchange.stage.newId('req_'),
    'openai-processing-ms': '3',
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-reset-requests': '6ms',
    'x-ratelimit-limit-tokens': '2000000',
    'x-ratelimit-remaining-tokens': '1999000',
    'x-ratelimit-reset-tokens': '1ms',
  };
}
