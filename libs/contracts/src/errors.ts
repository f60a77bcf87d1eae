import type { DialectName } from './dialects.ts';
import type { JsonObject } from './json.ts';
import type { Usage } from './usage.ts';

/** What went wrong, in one word; the document's `ErrorCode` schema lists the same words. */
export type ErrorCode = keyof typeof ERRORS;

interface ErrorRow {
  /** HTTP status where docs/service.md lists 400, 401 and 503. */
  readonly status: number;
  /** Status in the two groups that list 429 and 500 instead: chat-completions and /v1/videos. */
  readonly openAiStatus?: number;
  /** Whether another offer may be tried while the caller has seen nothing. */
  readonly retry: 'never' | 'elsewhere';
}

export const ERRORS = {
  invalid_request: { status: 400, retry: 'never' },
  model_not_found: { status: 400, retry: 'never' },
  content_refused: { status: 400, retry: 'never' },
  context_length_exceeded: { status: 400, retry: 'never' },
  run_limit_reached: { status: 400, retry: 'never' },
  task_not_exist: { status: 400, retry: 'never' },
  unauthenticated: { status: 401, retry: 'never' },
  forbidden: { status: 403, retry: 'never' },
  insufficient_quota: { status: 403, openAiStatus: 429, retry: 'never' },
  not_found: { status: 404, retry: 'never' },
  method_not_allowed: { status: 405, retry: 'never' },
  conflict: { status: 409, retry: 'never' },
  body_too_large: { status: 413, retry: 'never' },
  unsupported_media_type: { status: 415, retry: 'never' },
  rate_limited: { status: 429, retry: 'never' },
  internal: { status: 500, retry: 'never' },
  not_implemented: { status: 501, retry: 'never' },
  unavailable: { status: 503, openAiStatus: 500, retry: 'never' },
  submission_unknown: { status: 503, openAiStatus: 500, retry: 'never' },
  upstream_rejected_key: { status: 503, openAiStatus: 500, retry: 'elsewhere' },
  upstream_rate_limited: { status: 503, openAiStatus: 429, retry: 'elsewhere' },
  upstream_rejected_model: { status: 503, openAiStatus: 500, retry: 'never' },
  upstream_malformed: { status: 503, openAiStatus: 500, retry: 'elsewhere' },
  upstream_unavailable: { status: 503, openAiStatus: 500, retry: 'elsewhere' },
  upstream_timeout: { status: 503, openAiStatus: 500, retry: 'elsewhere' },
} as const satisfies Record<string, ErrorRow>;

export interface GatewayErrorDetails {
  /** Where: `messages[2].content[0].image_url.url`. */
  readonly param?: string;
  /** Which limit was reached, by its name: `spend_per_day`, `balance`. */
  readonly limit?: string;
  /** When to come again. What a vendor said of it is at most `LONGEST_RETRY_AFTER_SECONDS`. */
  readonly retryAfterSeconds?: number;
  /** The vendor's own word for it, when it says more than ours; never a secret. */
  readonly vendorCode?: string;
  /** What the vendor answered with; for operators. */
  readonly vendorStatus?: number;
  /** The vendor's sentence without secrets, where callers are told another one; for operators. */
  readonly vendorWords?: string;
  /** The vendor's whole answer, without secrets and names of accounts. */
  readonly vendorBody?: JsonObject;
  /** The wire that caller and vendor share, where they do: what `vendorBody` adds is shown. */
  readonly wire?: DialectName;
  /** Methods the path does take, for `method_not_allowed`. */
  readonly allow?: readonly string[];
  /** Whether the vendor may have taken the job although it refused or did not answer (video and subject creation). */
  readonly taken?: 'no' | 'unknown';
  /**
   * Set when the vendor did answer, although nothing can be made of it: the request is not repeated, says nothing about the account's
   * health, and is billed by `usage` where the answer told it.
   */
  readonly answered?: { readonly usage?: Usage };
  /** The answer had nothing in it, and another one is wanted in its place. */
  readonly isEmpty?: true;
  readonly cause?: unknown;
}

/** The longest wait that a vendor is believed. */
export const LONGEST_RETRY_AFTER_SECONDS = 300;

/**
 * How long a vendor asks to wait, as it is kept: at most five minutes, so that an odd header pauses no account, poll or caller for longer.
 * Undefined for what is no time to wait.
 */
export function believedRetryAfter(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !(seconds >= 0)) return undefined;
  return Math.min(seconds, LONGEST_RETRY_AFTER_SECONDS);
}

/** The one error of the house: a code of the table, a sentence for the caller, and the place. Never a secret, a stack or an address. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly details: GatewayErrorDetails;

  constructor(code: ErrorCode, message: string, details: GatewayErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.details = details;
  }

  /** The HTTP status of this error; `openAiGroup` for chat-completions and /v1/videos (docs/architecture.md#errors). */
  status(openAiGroup = false): number {
    const row: ErrorRow = ERRORS[this.code];
    return openAiGroup ? (row.openAiStatus ?? row.status) : row.status;
  }

  /** Whether another offer may be tried before the caller has seen a byte. */
  get retryElsewhere(): boolean {
    return this.details.answered === undefined && ERRORS[this.code].retry === 'elsewhere';
  }
}
