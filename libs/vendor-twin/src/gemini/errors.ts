import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';
import { same } from '../core/auth.ts';
import type { Exchange } from '../core/exchange.ts';
import { apiKeyOf } from '../core/vendor.ts';

const WORDS: StatusWords<readonly [status: string, message: string]> = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: [
    'PERMISSION_DENIED',
    "Method doesn't allow unregistered callers. Please use API Key or other form of API consumer identity.",
  ],
  404: ['NOT_FOUND', 'Requested entity was not found.'],
  413: ['INVALID_ARGUMENT', 'Request payload size exceeds the limit.'],
  429: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'],
  499: ['CANCELLED', 'The operation was cancelled.'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  504: ['DEADLINE_EXCEEDED', 'The request timed out. Please try again.'],
};

export interface GoogleError {
  readonly code: number;
  readonly message: string;
  readonly status: string;
  readonly details?: readonly object[];
}

/** Google's error: no rate-limit header, the delay stands in the details (https://google.aip.dev/193). */
export function googleError(status: number, hints: RefusalHints = {}, details: readonly object[] = []): GoogleError {
  const [word, message] = wordsOf(WORDS, status);
  const retry =
    hints.retryAfterSeconds === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${hints.retryAfterSeconds}s` }];
  const all = [...details, ...retry];
  return { code: status, message: hints.message ?? message, status: word, ...(all.length > 0 && { details: all }) };
}

export function refuseAsGoogle(status: number, hints: RefusalHints = {}, details: readonly object[] = []): Refusal {
  return new Refusal(status, { error: googleError(status, hints, details) });
}

export function badContent(message: string): Refusal {
  return refuseAsGoogle(400, { message });
}

/** A wrong key is a bad request here, not a 401. */
export function refuseKey(key: string | undefined): Refusal {
  if (key === undefined) return refuseAsGoogle(403);
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  };
  return refuseAsGoogle(400, { message: 'API key not valid. Please pass a valid API key.' }, [info]);
}

export function refuseUnknownModel(model: string): void {
  if (!/^(no-such|unknown|missing)-/.test(model)) return;
  const message = `models/${model} is not found for API version v1beta, or is not supported for this method.`;
  throw refuseAsGoogle(404, { message });
}

/** Google takes the key as a header or in the query. */
export function requireGoogleKey(exchange: Exchange, vendor: string): void {
  const key = exchange.header('x-goog-api-key') ?? exchange.query.get('key') ?? undefined;
  if (!same(key, apiKeyOf(vendor))) throw refuseKey(key);
}
