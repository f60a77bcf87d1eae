/**
 * Refusals of everyone who speaks OpenAI's or Anthropic's wire: the error body, the word in it, the status, in that order.
 */
import { isJsonObject, type ErrorCode, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Fault, UpstreamReply } from './adapter.ts';
import { retryAfterOf } from './refusal.ts';

/** A vendor's error code or type (lower case) in our words. */
export type FaultWords = Readonly<Record<string, ErrorCode>>;

/** Words seen on the OpenAI and Anthropic wires and their relatives. A key, a bill or a permission is the gateway's own affair. */
const WORDS: FaultWords = {
  context_length_exceeded: 'context_length_exceeded',
  model_context_window_exceeded: 'context_length_exceeded',
  exceed_context_size_error: 'context_length_exceeded',
  content_filter: 'content_refused',
  content_policy_violation: 'content_refused',
  moderation_blocked: 'content_refused',
  bio_policy: 'content_refused',
  misalignment_policy_violation: 'content_refused',
  invalid_prompt: 'content_refused',
  image_content_policy_violation: 'content_refused',
  data_inspection_failed: 'content_refused',
  datainspectionfailed: 'content_refused',
  invalid_api_key: 'upstream_rejected_key',
  invalidapikey: 'upstream_rejected_key',
  incorrect_api_key: 'upstream_rejected_key',
  authentication_error: 'upstream_rejected_key',
  authenticationerror: 'upstream_rejected_key',
  permission_error: 'upstream_rejected_key',
  permission_denied: 'upstream_rejected_key',
  accessdenied: 'upstream_rejected_key',
  account_deactivated: 'upstream_rejected_key',
  access_terminated: 'upstream_rejected_key',
  billing_error: 'upstream_rejected_key',
  billing_not_active: 'upstream_rejected_key',
  billing_hard_limit_reached: 'upstream_rejected_key',
  insufficient_quota: 'upstream_rejected_key',
  insufficient_balance: 'upstream_rejected_key',
  credit_exhausted: 'upstream_rejected_key',
  arrearage: 'upstream_rejected_key',
  accountoverdueerror: 'upstream_rejected_key',
  unsupported_country_region_territory: 'upstream_rejected_key',
  model_not_found: 'upstream_rejected_model',
  modelnotfound: 'upstream_rejected_model',
  modelnotopen: 'upstream_unavailable',
  unsupportedmodel: 'upstream_rejected_model',
  'invalidendpointormodel.notfound': 'upstream_rejected_model',
  rate_limit_exceeded: 'upstream_rate_limited',
  rate_limit_error: 'upstream_rate_limited',
  rate_limit_reached_error: 'upstream_rate_limited',
  slow_down: 'upstream_rate_limited',
  limit_requests: 'upstream_rate_limited',
  server_is_overloaded: 'upstream_unavailable',
  engine_overloaded_error: 'upstream_unavailable',
  overloaded_error: 'upstream_unavailable',
  service_unavailable_error: 'upstream_unavailable',
  server_error: 'upstream_unavailable',
  internal_error: 'upstream_unavailable',
  api_error: 'upstream_unavailable',
  timeout_error: 'upstream_timeout',
};

/** Families of words (Ark and DashScope name each kind of content and each kind of quota apart). */
const WORD_PATTERNS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/sensitivecontent|riskdetection|content_?policy/, 'content_refused'],
  [/^throttling|ratelimitexceeded|serveroverloaded|quotaexceeded/, 'upstream_rate_limited'],
];

/** Sentences that say what the code does not. */
const SENTENCES: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /maximum context length|context window.{0,40}exceed|exceed.{0,40}context (?:window|length|size)|longer than the model.s context length|`inputs` (?:must have less than \d|tokens \+ `max_new_tokens` must be)|prompt is too long|input token count .*exceeds/i,
    'context_length_exceeded',
  ],
  // Many say an unknown model with a plain 400; the name is the catalogue's, not the caller's.
  [
    /\bmodel\b:?\s*(?:[`'"“]?[\w./:@-]+[`'"”]?\s+)?(?:(?:does|is|was) )?not (?:exist|found)/i,
    'upstream_rejected_model',
  ],
  // What is not there now may be there later.
  [/\bmodel\b:?\s*(?:[`'"“]?[\w./:@-]+[`'"”]?\s+)?(?:is |was )?not available/i, 'upstream_unavailable'],
  // xAI and others answer 400 to a wrong key, which is the gateway's own.
  [/(?:incorrect|invalid) api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid|incorrect)/i, 'upstream_rejected_key'],
  // Anthropic answers 400 invalid_request_error when the account's own money or limit is used up.
  [/credit balance is too low|specified (?:workspace )?api usage limits/i, 'upstream_rejected_key'],
];

/** What callers name by its id, in the words of OpenAI, Anthropic and those who speak their wires. */
const NAMED_THING =
  /\b(?:conversation|response|file|prompt|container|vector[ _]store|item|skill|batch|cached[ _]?content)s?\b.{0,120}\b(?:not found|not exist|not be found|no longer)|\bno such (?:file|response|conversation|item|batch)/i;

interface ErrorBody {
  readonly words: readonly string[];
  readonly message: string;
  readonly param?: string;
  /** HTTP status told inside the body. */
  readonly status?: number;
}

/**
 * The refusal in a reply of the OpenAI or Anthropic wire, in a stream's error event (as a reply with status 200), or in a 200 that
 * carries one. `words` are the vendor's own, looked at first. Pure.
 */
export function readDialectFault(reply: UpstreamReply, words: FaultWords = {}): Fault | undefined {
  const body = readErrorBody(reply);
  if (body === undefined) return undefined;
  const status = reply.status >= 400 ? reply.status : body.status;
  const code = codeOf(body, status, words);
  const retryAfterSeconds = retryAfterOf(reply.headers) ?? resetAfterOf(reply.headers);
  const vendorCode = body.words[0];
  return {
    code,
    message: body.message,
    ...(vendorCode !== undefined && { vendorCode }),
    ...(body.param !== undefined && { param: body.param }),
    ...(isPassing(code) && retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(reply.status < 400 && { taken: 'unknown' as const }),
  };
}

function isPassing(code: ErrorCode): boolean {
  return code === 'upstream_rate_limited' || code === 'upstream_unavailable' || code === 'upstream_timeout';
}

function codeOf(body: ErrorBody, status: number | undefined, own: FaultWords): ErrorCode {
  const words = body.words.map((word) => word.toLowerCase());
  for (const word of words) {
    const code = own[word] ?? WORDS[word] ?? matching(WORD_PATTERNS, word);
    if (code !== undefined) return code;
  }
  if (status === undefined || status === 400 || status === 404 || status === 413 || status === 422) {
    const code = matching(SENTENCES, body.message);
    if (code !== undefined) return code;
  }
  if (status === undefined) return words.includes('invalid_request_error') ? 'invalid_request' : 'upstream_unavailable';
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  if (status === 404) {
    if (body.param === 'model') return 'upstream_rejected_model';
    return isForeignId(body) ? 'invalid_request' : 'upstream_unavailable';
  }
  if (status === 408 || status === 504) return 'upstream_timeout';
  // A conflict is the vendor's lock, not the caller's fault.
  if (status === 409) return 'upstream_unavailable';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 500 ? 'upstream_unavailable' : 'invalid_request';
}

/** A 404 about something the caller named (a file, an earlier response), not about the model. */
function isForeignId({ param, message }: ErrorBody): boolean {
  return (param !== undefined && param !== 'model') || NAMED_THING.test(message);
}

function matching(patterns: readonly (readonly [RegExp, ErrorCode])[], text: string): ErrorCode | undefined {
  return patterns.find(([pattern]) => pattern.test(text))?.[1];
}

function readErrorBody(reply: UpstreamReply): ErrorBody | undefined {
  const failed = reply.status >= 400;
  // Google's compatible endpoint wraps errors into an array.
  const json = Array.isArray(reply.json) ? reply.json[0] : reply.json;
  if (!isJsonObject(json)) return undefined;
  const error = json['error'];
  if (isJsonObject(error)) return failed || isRefusal(json, error) ? describe(error) : undefined;
  if (json['type'] === 'error' || json['object'] === 'error') return describe(json);
  const response = json['response'];
  if (json['type'] === 'response.failed' && isJsonObject(response)) {
    return isJsonObject(response['error']) ? describe(response['error']) : describe({});
  }
  if (!failed) return undefined;
  if (typeof error === 'string') return describe({ message: error });
  return describe({ ...json, message: json['message'] ?? detailOf(json['detail']) });
}

/** Whether an `error` object in a 200 is the whole answer, and not a remark beside results. */
function isRefusal(json: JsonObject, error: JsonObject): boolean {
  if (Object.keys(error).length === 0) return false;
  if (json['object'] === 'response') return json['status'] === 'failed';
  // A job that failed tells its error beside its status: that is an answer.
  if (typeof json['status'] === 'string') return false;
  return json['choices'] === undefined && json['data'] === undefined && json['output'] === undefined;
}

/** FastAPI servers say `detail`, as text or as a list of complaints. */
function detailOf(detail: Json | undefined): Json {
  if (Array.isArray(detail)) return isJsonObject(detail[0]) ? (detail[0]['msg'] ?? null) : null;
  return detail ?? null;
}

function describe(error: JsonObject): ErrorBody {
  const details = error['details'];
  const candidates = [isJsonObject(details) ? details['error_code'] : undefined, error['code'], error['type']];
  const words = candidates.filter(
    (word): word is string => typeof word === 'string' && word !== '' && word !== 'error',
  );
  const status = Number(error['code']);
  const { message, param } = error;
  return {
    words: words.filter((word) => !/^\d+$/.test(word)),
    message: typeof message === 'string' && message !== '' ? message : 'the vendor refused without saying why',
    ...(typeof param === 'string' && param !== '' && { param }),
    ...(status >= 400 && status < 600 && { status }),
  };
}

/**
 * Seconds until the exhausted limit is open again: OpenAI's `x-ratelimit-reset-*` (a duration such as `6m0s`), Anthropic's
 * `anthropic-ratelimit-*-reset` (a time, against the reply's own date).
 */
function resetAfterOf(headers: Readonly<Record<string, string>>): number | undefined {
  const waits: number[] = [];
  for (const kind of ['requests', 'tokens']) {
    if (headers[`x-ratelimit-remaining-${kind}`] === '0') waits.push(durationOf(headers[`x-ratelimit-reset-${kind}`]));
  }
  const served = Date.parse(headers['date'] ?? '');
  for (const kind of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
    if (headers[`anthropic-ratelimit-${kind}-remaining`] !== '0') continue;
    waits.push((Date.parse(headers[`anthropic-ratelimit-${kind}-reset`] ?? '') - served) / 1000);
  }
  const known = waits.filter((seconds) => Number.isFinite(seconds) && seconds >= 0);
  return known.length === 0 ? undefined : Math.max(...known);
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

function durationOf(text: string | undefined): number {
  const parts = [...(text ?? '').matchAll(/([\d.]+)(ms|[smhd])/g)];
  if (parts.length === 0) return NaN;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? NaN), 0);
}
