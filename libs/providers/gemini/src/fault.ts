import { isJsonObject, type ErrorCode, type Json, type JsonObject } from '@model-gateway/contracts';
import { retryAfterOf, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** google.rpc status names (docs/wire/gemini-generate.md#errors). */
const STATUSES: Readonly<Record<string, ErrorCode>> = {
  INVALID_ARGUMENT: 'invalid_request',
  FAILED_PRECONDITION: 'invalid_request',
  OUT_OF_RANGE: 'invalid_request',
  UNAUTHENTICATED: 'upstream_rejected_key',
  PERMISSION_DENIED: 'upstream_rejected_key',
  NOT_FOUND: 'upstream_unavailable',
  ABORTED: 'upstream_unavailable',
  CANCELLED: 'upstream_unavailable',
  UNIMPLEMENTED: 'upstream_unavailable',
  INTERNAL: 'upstream_unavailable',
  UNKNOWN: 'upstream_unavailable',
  DATA_LOSS: 'upstream_unavailable',
  UNAVAILABLE: 'upstream_unavailable',
  RESOURCE_EXHAUSTED: 'upstream_rate_limited',
  DEADLINE_EXCEEDED: 'upstream_timeout',
};

/** Where the status does not say what happened, the sentence does. */
const SENTENCES: readonly (readonly [RegExp, ErrorCode])[] = [
  // A bad key is a 400 INVALID_ARGUMENT at Google.
  [
    /api key (?:not valid|expired|not found)|location is not supported|enable billing|credits are depleted/i,
    'upstream_rejected_key',
  ],
  [/token count .*exceeds|exceeds the maximum number of (?:input )?tokens/i, 'context_length_exceeded'],
  [
    /\bmodels?\/[\w.@-]+ is not found|publisher model .* (?:not found|not exist)|malformed publisher model/i,
    'upstream_rejected_model',
  ],
  // A file or cache the caller named: Google says 403 or 404 as if it were the key or the model.
  [/permission to access the file|cached ?content not found|\bfile\b.* (?:not found|not exist)/i, 'invalid_request'],
];

const KEY_REASONS = new Set([
  'API_KEY_INVALID',
  'API_KEY_EXPIRED',
  'API_KEY_SERVICE_BLOCKED',
  'BILLING_DISABLED',
  'SERVICE_DISABLED',
]);

/** The refusal in a Google reply; also in a stream's payload, and array-wrapped. A blocked prompt is an answer, not a refusal. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const json = Array.isArray(reply.json) ? reply.json[0] : reply.json;
  const error = isJsonObject(json) ? json['error'] : undefined;
  if (!isJsonObject(error)) return undefined;
  const message = typeof error['message'] === 'string' ? error['message'] : 'the vendor refused without saying why';
  const status = typeof error['status'] === 'string' ? error['status'] : undefined;
  const details = listOf(error['details']);
  const code = codeOf({ error, status, message, details, http: reply.status });
  const param = fieldOf(details);
  const retryAfterSeconds = retryDelayOf(details) ?? retryAfterOf(reply.headers);
  const passing = code === 'upstream_rate_limited' || code === 'upstream_unavailable';
  return {
    code,
    message,
    ...(status !== undefined && { vendorCode: status }),
    ...(param !== undefined && { param }),
    ...(passing && retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(reply.status < 400 && { taken: 'unknown' as const }),
  };
}

function codeOf(found: {
  readonly error: JsonObject;
  readonly status: string | undefined;
  readonly message: string;
  readonly details: readonly JsonObject[];
  readonly http: number;
}): ErrorCode {
  if (found.details.some(({ reason }) => typeof reason === 'string' && KEY_REASONS.has(reason)))
    return 'upstream_rejected_key';
  const said = SENTENCES.find(([pattern]) => pattern.test(found.message))?.[1];
  if (said !== undefined) return said;
  const known = found.status === undefined ? undefined : STATUSES[found.status];
  if (known !== undefined) return known;
  const http = found.http >= 400 ? found.http : Number(found.error['code']);
  if (http === 401 || http === 402 || http === 403) return 'upstream_rejected_key';
  if (http === 429) return 'upstream_rate_limited';
  if (http === 408 || http === 504) return 'upstream_timeout';
  return http >= 400 && http < 500 && http !== 404 && http !== 409 && http !== 499
    ? 'invalid_request'
    : 'upstream_unavailable';
}

/** `google.rpc.RetryInfo.retryDelay`, such as `12s` or `0.5s`: the only place where Google says how long. */
function retryDelayOf(details: readonly JsonObject[]): number | undefined {
  for (const { retryDelay } of details) {
    const seconds = typeof retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined;
    if (seconds !== undefined) return Number(seconds);
  }
  return undefined;
}

/** `google.rpc.BadRequest.fieldViolations[0].field`. */
function fieldOf(details: readonly JsonObject[]): string | undefined {
  for (const detail of details) {
    const field = listOf(detail['fieldViolations'])[0]?.['field'];
    if (typeof field === 'string' && field !== '') return field;
  }
  return undefined;
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
