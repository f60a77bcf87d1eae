/** Everything a call can throw, besides the reason of an aborted signal. */
import type { Schemas } from './operations.ts';

/** The gateway's own word for what went wrong; the document's list at `ErrorCode`. */
export type ErrorCode = Schemas['ErrorCode'];

/** What the client throws, whichever it is. */
export abstract class ClientError extends Error {
  /** The task that was waited for, where the error ended a wait: it goes on, and `resume(taskId)` waits on. */
  taskId?: string;
}

/** The gateway (or a proxy before it) refused: which status, which code, where in the request. */
export class ApiError extends ClientError {
  override name = 'ApiError';
  readonly status: number;
  /** One vocabulary for all four error forms. */
  readonly code: ErrorCode;
  /** The place in the request: `messages[2].content`; undefined when no single place is to blame. */
  readonly param: string | undefined;
  /** Names this request in the gateway's logs and ledger. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the same request can succeed, where the gateway said so. */
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Headers;
  /** The error body as it came: parsed JSON, or text. */
  readonly body: unknown;

  constructor(status: number, headers: Headers, body: unknown) {
    const { message, code, param } = readErrorBody(status, body);
    const requestId = headers.get('x-request-id') ?? undefined;
    super(`${status} ${code}: ${message}`);
    this.status = status;
    this.code = code;
    this.param = param;
    this.requestId = requestId;
    this.retryAfterSeconds = readRetryAfter(headers);
    this.headers = headers;
    this.body = body;
  }
}
/** 400, 413 and 415: the request is wrong as it stands. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}
/** 401: the key is missing, unknown, expired or revoked. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}
/** 403: the key may not use this, or its money is used up. */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
}
/** 404 and 405. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
/** 409: the Idempotency-Key was used with another body, or the task's state forbids it. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** 429: a limit was reached. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}
/** 5xx: the gateway or every vendor behind it failed. */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

/** No answer came: refused, cut, unresolvable. */
export class ConnectionError extends ClientError {
  override name = 'ConnectionError';
}
/** No answer, or no further piece of it, came in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}
/** A stream said that it failed, or ended before it was whole. */
export class StreamError extends ClientError {
  override name = 'StreamError';
  readonly code: ErrorCode;
  readonly requestId: string | undefined;
  /** The error event, or undefined when the stream just ended. */
  readonly event: unknown;
  constructor(event: unknown, requestId: string | undefined) {
    const { message, code } = event === undefined ? BROKEN_OFF : readErrorBody(500, event);
    super(message);
    this.code = code;
    this.requestId = requestId;
    this.event = event;
  }
}
const BROKEN_OFF = { message: 'the stream ended before the answer was whole', code: 'upstream_malformed' } as const;

/** A task ended in failure; nothing was charged. */
export class TaskFailedError<Task> extends ClientError {
  override name = 'TaskFailedError';
  readonly task: Task;
  constructor(reason: string, task: Task) {
    super(reason === '' ? 'the task failed' : reason);
    this.task = task;
  }
}

const OF_KIND: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: NotFoundError,
  409: ConflictError,
  413: BadRequestError,
  415: BadRequestError,
  429: RateLimitError,
};

/** The typed error of a refusal. */
export function apiErrorOf(status: number, headers: Headers, body: unknown): ApiError {
  return new (OF_KIND[status] ?? (status >= 500 ? ServerError : ApiError))(status, headers, body);
}

/** Seconds from `retry-after-ms` or `retry-after` (seconds or a date). */
export function readRetryAfter(headers: Headers): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (ms >= 0) return ms / 1000;
  const text = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(text);
  if (seconds >= 0) return seconds;
  const date = Date.parse(text) - Date.now();
  return Number.isNaN(date) ? undefined : Math.max(0, date / 1000);
}

/** What the SDK forms call it, where neither the word nor the status says so by itself → the gateway's own word. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  content_filter: 'content_refused',
  billing_error: 'insufficient_quota',
  rate_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'unavailable',
  timeout_error: 'upstream_timeout',
  // With a 404 it is what it says; with a 400 it is Anthropic's word for an unknown model.
  not_found_error: 'model_not_found',
};
const OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  501: 'not_implemented',
  502: 'unavailable',
  503: 'unavailable',
  504: 'upstream_timeout',
};
/** Words that only the body can say. */
const OWN =
  /^(model_not_found|content_refused|context_length_exceeded|run_limit_reached|task_not_exist|insufficient_quota|submission_unknown|unavailable|upstream_(rejected_key|rate_limited|malformed|unavailable|timeout))$/;

interface Told {
  readonly message: string;
  readonly code: ErrorCode;
  readonly param?: string | undefined;
}
type Loose = Readonly<Record<string, unknown>>;

/** Reads the task, OpenAI, Anthropic and Google forms alike. */
export function readErrorBody(status: number, body: unknown): Told {
  const whole = looseOf(Array.isArray(body) ? body[0] : body);
  const error = looseOf(whole['error'] ?? whole);
  const details = listOf(error['details']).map(looseOf);
  const reason = details.map((detail) => detail['reason']).find((each) => typeof each === 'string');
  // Anthropic's form; with a 5xx it is the vendor's own word.
  const beside = status < 500 ? looseOf(error['details'])['error_code'] : undefined;
  const words = [whole['code'], error['code'], reason, beside, error['type']];
  const code =
    (status === 404 ? 'not_found' : undefined) ??
    words.map((word) => ownWord(word)).find((word) => word !== undefined) ??
    OF_STATUS[status] ??
    (status >= 500 ? 'internal' : 'invalid_request');
  const violation = details
    .flatMap((detail) => listOf(detail['fieldViolations']))
    .map((each) => looseOf(each)['field']);
  const param = [error['param'], ...violation].find((each) => typeof each === 'string');
  const message = typeof error['message'] === 'string' ? error['message'] : textOf(body);
  return { message, code, param };
}

function ownWord(word: unknown): ErrorCode | undefined {
  if (typeof word !== 'string') return undefined;
  const lower = word.toLowerCase();
  return CODES[lower] ?? (OWN.test(lower) ? (lower as ErrorCode) : undefined);
}

function looseOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(body: unknown): string {
  return typeof body === 'string' && body !== '' ? body.slice(0, 500) : 'the answer carried no message';
}
