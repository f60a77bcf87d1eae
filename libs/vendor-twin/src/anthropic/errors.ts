import { dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';
import type { Exchange } from '../core/exchange.ts';

const WORDS: StatusWords<readonly [type: string, message: string]> = {
  400: ['invalid_request_error', 'The request was invalid.'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'There is an issue with your billing.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'Not found'],
  409: ['conflict_error', 'The request conflicts with another one.'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', 'This request would exceed the rate limit for your organization.'],
  500: ['api_error', 'Internal server error'],
  504: ['timeout_error', 'The request timed out.'],
  529: ['overloaded_error', 'Overloaded'],
};

const REQUEST_ID = 'req_twin';

/** Anthropic's error body: https://platform.claude.com/docs/en/api/errors */
export function refuseAsAnthropic(status: number, hints: RefusalHints = {}): Refusal {
  const [type, message] = wordsOf(WORDS, status);
  const body = { type: 'error', error: { type, message: hints.message ?? message }, request_id: REQUEST_ID };
  return new Refusal(status, body, { 'request-id': REQUEST_ID });
}

/** `errorCode` is what SDKs read to tell one bad request from another. */
export function badMessage(message: string, errorCode?: string): Refusal {
  const { status, body, headers } = refuseAsAnthropic(400, { message });
  if (errorCode === undefined) return new Refusal(status, body, headers);
  const error = { type: 'invalid_request_error', message, details: { error_code: errorCode } };
  return new Refusal(status, { type: 'error', error, request_id: REQUEST_ID }, headers);
}

export function complainAsAnthropic({ kind, path, want }: Problem): Refusal {
  const at = dotted(path);
  switch (kind) {
    case 'missing':
      return badMessage(`${at}: Field required`);
    case 'unknown':
      return badMessage(`${at}: Extra inputs are not permitted`);
    case 'type':
    case 'value':
      return badMessage(`${at}: Input should be ${want}`);
  }
}

export const OVERLOADED_EVENT = `event: error\ndata: ${JSON.stringify({
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
})}\n\n`;

const NEW_VERSION = '2026-10-21';

/** Every request names an API version; both that exist are served. */
export function requireVersion(exchange: Exchange): void {
  const version = exchange.header('anthropic-version');
  if (version === undefined) throw badMessage('anthropic-version: header is required');
  if (version !== '2023-06-01' && version !== NEW_VERSION) {
    throw badMessage(`anthropic-version: "${version}" is not a valid version`);
  }
}

export function isNewVersion(exchange: Exchange): boolean {
  return exchange.header('anthropic-version') === NEW_VERSION;
}

/** The names in `anthropic-beta`. */
export function betasOf(exchange: Exchange): readonly string[] {
  return (exchange.header('anthropic-beta') ?? '').split(',').map((name) => name.trim());
}
