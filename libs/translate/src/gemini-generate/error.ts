/** Refusals on the Google wire, both ways (docs/wire/gemini-generate.md#errors, docs/wire/chat-errors.md#what-vendors-say). */
import { believedRetryAfter, GatewayError, type ErrorCode, type Json, type JsonObject } from '@model-gateway/contracts';
import { statusInStream, vendorErrorOf, wordsOf } from '../shared/error-words.ts';
import { readRetryAfter } from '../shared/openai-error.ts';
import { objectOf, objectsOf, textOf, wordOf } from '../shared/read.ts';
import { formatSse } from '../shared/sse.ts';

const RPC = 'type.googleapis.com/google.rpc.';

/** `{error: {code, message, status, details}}`; the details carry what Google's own clients look for. */
export function encodeError(error: GatewayError, requestId: string, status: number): JsonObject {
  const { param, retryAfterSeconds, vendorCode } = error.details;
  const reason = error.code === 'unauthenticated' ? 'API_KEY_INVALID' : (vendorCode ?? error.code).toUpperCase();
  const told = vendorErrorOf(error, 'gemini-generate');
  const details: JsonObject[] = objectsOf(told['details']).map((detail) => ({ ...detail }));
  const has = (name: string): boolean => details.some((detail) => detail['@type'] === `${RPC}${name}`);
  if (!has('ErrorInfo')) details.unshift({ '@type': `${RPC}ErrorInfo`, reason, domain: 'model-gateway' });
  if (param !== undefined && !has('BadRequest')) {
    const fieldViolations = [{ field: param, description: error.message }];
    details.push({ '@type': `${RPC}BadRequest`, fieldViolations });
  }
  if (retryAfterSeconds !== undefined && !has('RetryInfo')) {
    details.push({ '@type': `${RPC}RetryInfo`, retryDelay: `${Math.ceil(retryAfterSeconds)}s` });
  }
  if (requestId !== '') details.push({ '@type': `${RPC}RequestInfo`, requestId });
  return {
    error: { ...told, code: status, message: error.message, status: wordsOf(error.code, status).google, details },
  };
}

/**
 * An error within a stream: an event for whoever reads events, and once more as a bare line, as Google says it (docs/wire/gemini-generate.md#errors).
 * Clients that look for nothing else would take what came so far for the whole answer.
 */
export function errorInStream(error: GatewayError, requestId: string): string {
  const line = JSON.stringify(encodeError(error, requestId, statusInStream(error)));
  return `${formatSse(line)}${line}\n`;
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  INVALID_ARGUMENT: 'invalid_request',
  OUT_OF_RANGE: 'invalid_request',
  FAILED_PRECONDITION: 'invalid_request',
  UNAUTHENTICATED: 'upstream_rejected_key',
  PERMISSION_DENIED: 'upstream_rejected_key',
  NOT_FOUND: 'upstream_unavailable',
  RESOURCE_EXHAUSTED: 'upstream_rate_limited',
  DEADLINE_EXCEEDED: 'upstream_timeout',
};

const KEY_TROUBLE = /^(?:API_KEY_|BILLING_DISABLED$|SERVICE_DISABLED$|CONSUMER_|ACCESS_TOKEN_)/;

const ACCOUNT_TROUBLE =
  /api key (?:not valid|expired|not found)|location is not supported|enable billing|credits are depleted/i;

/** Any non-2xx body, array-wrapped or not, or an error inside a 200. The message is the vendor's own. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Json | undefined,
): GatewayError {
  const error = objectOf(objectOf(Array.isArray(body) ? body[0] : body)?.['error']) ?? {};
  const details = objectsOf(error['details']);
  const word = wordOf(error['status']);
  const message = wordOf(error['message']) ?? `The model's vendor answered ${status}.`;
  const reason = details.map((detail) => textOf(detail['reason'])).find((found) => found !== undefined);
  const code = codeOf({ word, reason, message, status: status >= 400 ? status : Number(error['code']) });
  const param = fieldOf(details);
  const waits = code === 'upstream_rate_limited' || code === 'upstream_unavailable';
  const retryAfterSeconds = waits ? believedRetryAfter(retryDelay(details) ?? readRetryAfter(headers)) : undefined;
  const vendorCode = reason ?? word;
  return new GatewayError(code, message, {
    ...(param !== undefined && { param }),
    ...(vendorCode !== undefined && { vendorCode }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

interface Told {
  readonly word: string | undefined;
  readonly reason: string | undefined;
  readonly message: string;
  readonly status: number;
}

function codeOf({ word, reason, message, status }: Told): ErrorCode {
  // A bad key is a 400 INVALID_ARGUMENT here.
  if (reason !== undefined && KEY_TROUBLE.test(reason)) return 'upstream_rejected_key';
  if (ACCOUNT_TROUBLE.test(message)) return 'upstream_rejected_key';
  if (/token count .*exceeds|exceeds the maximum number of (?:input )?tokens/i.test(message)) {
    return 'context_length_exceeded';
  }
  if (word !== undefined && Object.hasOwn(CODES, word)) return CODES[word] ?? 'upstream_unavailable';
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  if (status === 429) return 'upstream_rate_limited';
  if (status === 408 || status === 504) return 'upstream_timeout';
  const passing = status === 404 || status === 409 || status === 499;
  return status >= 400 && status < 500 && !passing ? 'invalid_request' : 'upstream_unavailable';
}

/** `google.rpc.RetryInfo.retryDelay`, such as `12s`: the only place where Google says how long (vercel/ai#18662). */
function retryDelay(details: readonly JsonObject[]): number | undefined {
  for (const detail of details) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(detail['retryDelay']) ?? '')?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds));
  }
  return undefined;
}

function fieldOf(details: readonly JsonObject[]): string | undefined {
  return details
    .flatMap((detail) => objectsOf(detail['fieldViolations']))
    .map((violation) => wordOf(violation['field']))
    .find((field) => field !== undefined);
}
