/** Errors of both OpenAI wires and everybody who copied them (docs/wire/openai-chat.md#errors, docs/wire/chat-errors.md#what-vendors-say). */
import {
  believedRetryAfter,
  GatewayError,
  isJsonObject,
  type ErrorCode,
  type Json,
  type JsonObject,
} from '@model-gateway/contracts';
import type { StreamError } from '../conversation.ts';
import { vendorErrorOf, wordsOf } from './error-words.ts';
import { without } from './openai-words.ts';
import { wordOf } from './read.ts';

/** `{error: {message, type, param, code}}` for a status: what the OpenAI SDKs raise their typed errors from. */
export function encodeOpenAiError(error: GatewayError, status: number): JsonObject {
  const { type, code } = wordsOf(error.code, status).openAi;
  const { wire } = error.details;
  const told = wire === 'openai-chat' || wire === 'openai-responses' ? vendorErrorOf(error, wire) : {};
  return {
    error: {
      // What a vendor adds stays (OpenRouter's metadata, llama.cpp's n_ctx, Azure's inner error); its class would contradict the status.
      ...without(told, 'object'),
      message: error.message,
      type,
      param: error.details.param ?? null,
      code: code ?? error.details.vendorCode ?? numberOf(told['code']) ?? null,
    },
  };
}

/** A code that is a number and no status: Mistral's. */
function numberOf(code: Json | undefined): string | undefined {
  const text = typeof code === 'number' ? String(code) : code;
  return typeof text === 'string' && /^\d+$/.test(text) && !/^[45]\d\d$/.test(text) ? text : undefined;
}

/** Vendors' codes and types, lower case, in our words. */
const VENDOR_WORDS: Readonly<Record<string, ErrorCode>> = {
  context_length_exceeded: 'context_length_exceeded',
  exceed_context_size_error: 'context_length_exceeded',
  string_above_max_length: 'invalid_request',
  // Groq's, for a model that wrote a call it could not parse: a 400 where it is not streamed.
  tool_use_failed: 'invalid_request',
  content_filter: 'content_refused',
  content_policy_violation: 'content_refused',
  invalid_prompt: 'content_refused',
  moderation_blocked: 'content_refused',
  data_inspection_failed: 'content_refused',
  bio_policy: 'content_refused',
  misalignment_policy_violation: 'content_refused',
  invalid_api_key: 'upstream_rejected_key',
  authentication_error: 'upstream_rejected_key',
  permission_error: 'upstream_rejected_key',
  permission_denied: 'upstream_rejected_key',
  account_deactivated: 'upstream_rejected_key',
  billing_error: 'upstream_rejected_key',
  billing_hard_limit_reached: 'upstream_rejected_key',
  insufficient_quota: 'upstream_rejected_key',
  insufficient_balance: 'upstream_rejected_key',
  credit_exhausted: 'upstream_rejected_key',
  model_not_found: 'upstream_rejected_model',
  rate_limit_exceeded: 'upstream_rate_limited',
  rate_limit_error: 'upstream_rate_limited',
  slow_down: 'upstream_rate_limited',
  server_is_overloaded: 'upstream_unavailable',
  overloaded_error: 'upstream_unavailable',
  service_unavailable_error: 'upstream_unavailable',
  server_error: 'upstream_unavailable',
  internal_error: 'upstream_unavailable',
  internal_server_error: 'upstream_unavailable',
  api_error: 'upstream_unavailable',
  vector_store_timeout: 'upstream_timeout',
  timeout_error: 'upstream_timeout',
  timeout: 'upstream_timeout',
};

interface Told {
  readonly message: string | undefined;
  readonly words: readonly string[];
  readonly param: string | undefined;
  /** A status told inside the body (OpenRouter, vLLM: `code: 429`). */
  readonly status: number | undefined;
}

/** A vendor's refusal, whole body or error object, as ours. The message is the vendor's own: scrubbed of nothing. */
export function decodeOpenAiError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Json | undefined,
): GatewayError {
  const told = tell(body);
  const known = told.words.map((word) => VENDOR_WORDS[word.toLowerCase()]).find((code) => code !== undefined);
  const real = status >= 400 ? status : (told.status ?? 0);
  const code = known ?? byMessage(real, told.message) ?? byType(real, told.words) ?? byStatus(real);
  const vendorCode = told.words[0];
  const retryAfterSeconds = code === 'invalid_request' ? undefined : believedRetryAfter(readRetryAfter(headers));
  return new GatewayError(code, told.message ?? defaultMessage(real), {
    ...(told.param !== undefined && { param: told.param }),
    ...(vendorCode !== undefined && { vendorCode }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function tell(body: Json | undefined): Told {
  const whole = Array.isArray(body) ? body[0] : body;
  if (typeof whole === 'string')
    return { message: whole === '' ? undefined : whole.slice(0, 2000), words: [], param: undefined, status: undefined };
  if (!isJsonObject(whole)) return { message: undefined, words: [], param: undefined, status: undefined };
  const inner = whole['error'] ?? whole;
  if (typeof inner === 'string')
    return { message: inner, words: words(whole), param: wordOf(whole['param']), status: statusIn(whole) };
  const error = isJsonObject(inner) ? inner : whole;
  return {
    message: wordOf(error['message']) ?? wordOf(whole['message']) ?? detailOf(whole['detail']),
    words: words(error),
    param: wordOf(error['param']),
    status: statusIn(error),
  };
}

function words(error: JsonObject): string[] {
  return [error['code'], error['type'], error['status']].flatMap((word) => {
    const said = wordOf(word);
    return said === undefined || /^\d+$/.test(said) ? [] : [said];
  });
}

function statusIn(error: JsonObject): number | undefined {
  return [error['code'], error['status'], error['status_code']]
    .map(Number)
    .find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}

function detailOf(detail: Json | undefined): string | undefined {
  if (typeof detail === 'string') return detail;
  return detail === undefined || detail === null ? undefined : JSON.stringify(detail).slice(0, 2000);
}

/** Beside OpenAI's words those of servers that operators run (docs/wire/local-servers.md#which-server). */
const TOO_LONG =
  /maximum context length|context window|exceeds the (?:available )?context (?:size|length)|longer than the model.s context length|prompt is too long/i;

function byMessage(status: number, message: string | undefined): ErrorCode | undefined {
  if (status !== 0 && status !== 400 && status !== 413 && status !== 422) return undefined;
  if (message === undefined) return undefined;
  if (TOO_LONG.test(message)) return 'context_length_exceeded';
  if (/(?:incorrect|invalid) api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid|incorrect)/i.test(message))
    return 'upstream_rejected_key';
  return undefined;
}

/** Inside a stream, where no status is told. */
function byType(status: number, types: readonly string[]): ErrorCode | undefined {
  return status === 0 && types.includes('invalid_request_error') ? 'invalid_request' : undefined;
}

function byStatus(status: number): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  if (status === 404 || status === 405 || status === 409) return 'upstream_unavailable';
  if (status === 408 || status === 504) return 'upstream_timeout';
  if (status === 429) return 'upstream_rate_limited';
  if (status >= 400 && status < 500) return 'invalid_request';
  return 'upstream_unavailable';
}

function defaultMessage(status: number): string {
  return status === 0 ? 'The model reported an error without saying which.' : `The model's vendor answered ${status}.`;
}

/** Seconds to wait, from `retry-after-ms`, `retry-after` (seconds or a date beside the `date` header) or a used-up limit's reset. */
export function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const milliseconds = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && milliseconds >= 0) return Math.ceil(milliseconds / 1000);
  const after = headers['retry-after'];
  if (after !== undefined) {
    const seconds = Number(after);
    if (after.trim() !== '' && seconds >= 0) return Math.ceil(seconds);
    const wait = Date.parse(after) - Date.parse(headers['date'] ?? '');
    if (Number.isFinite(wait)) return Math.max(0, Math.ceil(wait / 1000));
  }
  for (const kind of ['requests', 'tokens']) {
    if (headers[`x-ratelimit-remaining-${kind}`] !== '0') continue;
    const reset = durationSeconds(headers[`x-ratelimit-reset-${kind}`]);
    if (reset !== undefined) return reset;
  }
  return undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** `6m0s`, `20ms` or plain seconds. */
function durationSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text));
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    seconds += Number(amount) * (UNITS[unit ?? 's'] ?? 1);
  }
  return Math.ceil(seconds);
}

const STREAM_CODES: Readonly<Partial<Record<ErrorCode, StreamError['code']>>> = {
  invalid_request: 'invalid_request',
  context_length_exceeded: 'invalid_request',
  model_not_found: 'invalid_request',
  content_refused: 'content_refused',
  upstream_rate_limited: 'upstream_rate_limited',
  rate_limited: 'upstream_rate_limited',
  upstream_malformed: 'upstream_malformed',
  upstream_timeout: 'upstream_timeout',
  upstream_rejected_key: 'upstream_unavailable',
  upstream_rejected_model: 'upstream_unavailable',
  upstream_unavailable: 'upstream_unavailable',
};

/** A refusal as the error event of a stream. */
export function toStreamError(error: GatewayError): StreamError {
  const vendorCode = error.details.vendorCode;
  return {
    code: STREAM_CODES[error.code] ?? 'internal',
    message: error.message,
    ...(vendorCode !== undefined && { vendorCode }),
  };
}

/** The error event of a stream as a refusal: for encoders that print it. */
export function fromStreamError(error: StreamError): GatewayError {
  return new GatewayError(
    error.code,
    error.message,
    error.vendorCode === undefined ? {} : { vendorCode: error.vendorCode },
  );
}

export const CUT_STREAM: StreamError = {
  code: 'upstream_unavailable',
  message: 'The connection to the model ended before its answer was complete.',
};

export const MALFORMED_STREAM: StreamError = {
  code: 'upstream_malformed',
  message: 'The model sent an event that is not valid JSON.',
};
