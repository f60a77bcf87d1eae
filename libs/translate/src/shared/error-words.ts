/** How each wire says each error. A type never contradicts the status it is sent with: SDKs choose their class and their retries by the status. */
import {
  isJsonObject,
  type DialectName,
  type ErrorCode,
  type GatewayError,
  type JsonObject,
} from '@model-gateway/contracts';

interface ErrorWords {
  /** `code` is OpenAI's word where it has one, else ours; null where the vendor's own stands, if it gave one. */
  readonly openAi: { readonly type: string; readonly code: string | null };
  /** `error.type` */
  readonly anthropic: string;
  /** `error.status` */
  readonly google: string;
}

/** The words of a code with `status`, and those with another one that it may be sent with. */
interface Row extends ErrorWords {
  readonly also?: ErrorWords & { readonly status: number };
}

const REFUSED = 'invalid_request_error';
const OURS = 'server_error';

const ERROR_WORDS: Readonly<Record<ErrorCode, Row>> = {
  invalid_request: words(REFUSED, null, REFUSED, 'INVALID_ARGUMENT'),
  model_not_found: words(REFUSED, 'model_not_found', REFUSED, 'INVALID_ARGUMENT'),
  content_refused: words(REFUSED, 'content_filter', REFUSED, 'INVALID_ARGUMENT'),
  context_length_exceeded: words(REFUSED, 'context_length_exceeded', REFUSED, 'INVALID_ARGUMENT'),
  run_limit_reached: words(REFUSED, 'run_limit_reached', REFUSED, 'INVALID_ARGUMENT'),
  task_not_exist: words(REFUSED, 'task_not_exist', REFUSED, 'INVALID_ARGUMENT'),
  unauthenticated: words(REFUSED, 'invalid_api_key', 'authentication_error', 'UNAUTHENTICATED'),
  forbidden: words(REFUSED, 'forbidden', 'permission_error', 'PERMISSION_DENIED'),
  insufficient_quota: {
    ...words(REFUSED, 'insufficient_quota', 'permission_error', 'PERMISSION_DENIED'),
    also: {
      status: 429,
      ...words('insufficient_quota', 'insufficient_quota', 'rate_limit_error', 'RESOURCE_EXHAUSTED'),
    },
  },
  not_found: words(REFUSED, 'not_found', 'not_found_error', 'NOT_FOUND'),
  // Neither wire has a word for 405; Google's UNIMPLEMENTED is a 501, and worth a retry to some clients.
  method_not_allowed: words(REFUSED, 'method_not_allowed', REFUSED, 'INVALID_ARGUMENT'),
  conflict: words(REFUSED, 'conflict', 'conflict_error', 'ABORTED'),
  body_too_large: words(REFUSED, 'body_too_large', 'request_too_large', 'INVALID_ARGUMENT'),
  unsupported_media_type: words(REFUSED, 'unsupported_media_type', REFUSED, 'INVALID_ARGUMENT'),
  rate_limited: words('rate_limit_error', 'rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED'),
  internal: words(OURS, 'internal', 'api_error', 'INTERNAL'),
  not_implemented: words(OURS, 'not_implemented', 'api_error', 'UNIMPLEMENTED'),
  unavailable: words(OURS, 'unavailable', 'overloaded_error', 'UNAVAILABLE'),
  submission_unknown: words(OURS, 'submission_unknown', 'api_error', 'UNAVAILABLE'),
  upstream_rejected_key: words(OURS, 'upstream_rejected_key', 'api_error', 'UNAVAILABLE'),
  upstream_rate_limited: {
    // Not overloaded_error: LiteLLM makes a fault of the server's own of that word, and goes by the status for this one.
    ...words(OURS, 'upstream_rate_limited', 'api_error', 'UNAVAILABLE'),
    also: {
      status: 429,
      ...words('rate_limit_error', 'rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED'),
    },
  },
  upstream_rejected_model: words(OURS, 'upstream_rejected_model', 'api_error', 'UNAVAILABLE'),
  upstream_malformed: words(OURS, 'upstream_malformed', 'api_error', 'UNAVAILABLE'),
  upstream_unavailable: words(OURS, 'upstream_unavailable', 'overloaded_error', 'UNAVAILABLE'),
  upstream_timeout: {
    ...words(OURS, 'upstream_timeout', 'api_error', 'UNAVAILABLE'),
    also: { status: 504, ...words(OURS, 'upstream_timeout', 'timeout_error', 'DEADLINE_EXCEEDED') },
  },
};

/** What an error is called beside a status of its own. */
export function wordsOf(code: ErrorCode, status: number): ErrorWords {
  const row = ERROR_WORDS[code];
  return row.also?.status === status ? row.also : row;
}

/** The codes that callers know by a word, in whatever form they met it: `permission_error`, `rate_limit_exceeded`, `forbidden`. */
export function codesCalled(word: string): readonly ErrorCode[] {
  const wanted = word.toLowerCase();
  return (Object.keys(ERROR_WORDS) as ErrorCode[]).filter((code) => {
    const { also, ...row } = ERROR_WORDS[code];
    const rows: readonly ErrorWords[] = also === undefined ? [row] : [row, also];
    const said = rows.flatMap(({ openAi, anthropic, google }) => [openAi.code, anthropic, google]);
    return code === wanted || said.some((each) => each?.toLowerCase() === wanted);
  });
}

/** What an answer in the form of a dialect calls a code: the word that its SDK shows. */
export function wordIn(form: DialectName, code: ErrorCode, status: number): string {
  const { openAi, anthropic, google } = wordsOf(code, status);
  if (form === 'anthropic-messages') return anthropic;
  return form === 'gemini-generate' ? google : (openAi.code ?? openAi.type);
}

/** The status whose words say most: for an error inside a stream, where the 200 has gone out and contradicts nothing. */
export function statusInStream(error: GatewayError): number {
  return ERROR_WORDS[error.code].also?.status ?? error.status();
}

function words(type: string, code: string | null, anthropic: string, google: string): ErrorWords {
  return { openAi: { type, code }, anthropic, google };
}

/** What the vendor itself said in its error object, where caller and vendor share this wire; empty otherwise. */
export function vendorErrorOf({ details }: GatewayError, wire: DialectName): JsonObject {
  const { vendorBody } = details;
  if (vendorBody === undefined || details.wire !== wire) return {};
  const { error } = vendorBody;
  if (isJsonObject(error)) return error;
  return typeof error === 'string' ? {} : vendorBody;
}
