/** Refusals on the Anthropic wire, both ways (docs/wire/anthropic-messages.md#errors, docs/wire/chat-errors.md#what-vendors-say). */
import { believedRetryAfter, GatewayError, type ErrorCode, type Json, type JsonObject } from '@model-gateway/contracts';
import { vendorErrorOf, wordsOf } from '../shared/error-words.ts';
import { readRetryAfter } from '../shared/openai-error.ts';
import { objectOf, wordOf } from '../shared/read.ts';

/** Their own words for these belong to other statuses (402, 404): ours stands beside the type. */
const TOLD_BESIDE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['insufficient_quota', 'model_not_found']);

/** `error` of an error body or event: what the SDK raises its typed error from. */
function errorObject(error: GatewayError, status: number): JsonObject {
  const vendorCode = error.details.vendorCode ?? (TOLD_BESIDE.has(error.code) ? error.code : undefined);
  const told = vendorErrorOf(error, 'anthropic-messages');
  const details = objectOf(told['details']);
  return {
    ...told,
    type: wordsOf(error.code, status).anthropic,
    message: error.message,
    ...((vendorCode !== undefined || details !== undefined) && {
      details: { ...(vendorCode !== undefined && { error_code: vendorCode }), ...details },
    }),
  };
}

export function encodeError(error: GatewayError, requestId: string, status: number): JsonObject {
  return { type: 'error', error: errorObject(error, status), request_id: requestId };
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  invalid_request_error: 'invalid_request',
  authentication_error: 'upstream_rejected_key',
  billing_error: 'upstream_rejected_key',
  permission_error: 'upstream_rejected_key',
  not_found_error: 'upstream_unavailable',
  conflict_error: 'upstream_unavailable',
  request_too_large: 'body_too_large',
  rate_limit_error: 'upstream_rate_limited',
  api_error: 'upstream_unavailable',
  overloaded_error: 'upstream_unavailable',
  timeout_error: 'upstream_timeout',
};

/** Any non-2xx body, or an `error` event or body inside a 200. The message is the vendor's own. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Json | undefined,
): GatewayError {
  const whole = objectOf(Array.isArray(body) ? body[0] : body);
  const error = objectOf(whole?.['error']) ?? whole;
  const type = wordOf(error?.['type']);
  const message = wordOf(error?.['message']) ?? wordOf(whole?.['error']) ?? `The model's vendor answered ${status}.`;
  const code = codeOf(status, type, message);
  const vendorCode = wordOf(objectOf(error?.['details'])?.['error_code']) ?? (type === 'error' ? undefined : type);
  const retryAfterSeconds =
    code === 'upstream_rate_limited' || code === 'upstream_unavailable'
      ? believedRetryAfter(retryAfter(headers))
      : undefined;
  return new GatewayError(code, message, {
    ...(vendorCode !== undefined && { vendorCode }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function codeOf(status: number, type: string | undefined, message: string): ErrorCode {
  const known = type === undefined || !Object.hasOwn(CODES, type) ? undefined : CODES[type];
  const code = known ?? codeOfStatus(status);
  if (code !== 'invalid_request') return code;
  if (/prompt is too long|exceed(?:s|ed)? (?:the )?(?:maximum )?context/i.test(message))
    return 'context_length_exceeded';
  // The account's own limits are told as bad requests, but no caller can mend them.
  return /credit balance|usage limits|spend limit/i.test(message) ? 'upstream_rejected_key' : code;
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  if (status === 408 || status === 504) return 'upstream_timeout';
  if (status === 413) return 'body_too_large';
  if (status === 429) return 'upstream_rate_limited';
  if (status === 404 || status === 409) return 'upstream_unavailable';
  return status >= 400 && status < 500 ? 'invalid_request' : 'upstream_unavailable';
}

/** The usual headers, else the latest reset of a limit that is used up. */
function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const told = readRetryAfter(headers);
  if (told !== undefined) return told;
  const now = Date.parse(headers['date'] ?? '');
  const waits = ['requests', 'tokens', 'input-tokens', 'output-tokens']
    .filter((kind) => headers[`anthropic-ratelimit-${kind}-remaining`] === '0')
    .map((kind) => (Date.parse(headers[`anthropic-ratelimit-${kind}-reset`] ?? '') - now) / 1000)
    .filter((seconds) => Number.isFinite(seconds));
  return waits.length === 0 ? undefined : Math.max(0, Math.ceil(Math.max(...waits)));
}
