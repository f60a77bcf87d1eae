/**
 * DashScope's refusals: `{ code, message, request_id }`, in compatible mode OpenAI's `{ error }` (docs/wire/dashscope.md#errors,
 * docs/wire/images.md#dashscope-images).
 */
import {
  readDialectFault,
  retryAfterOf,
  textAt,
  type Fault,
  type UpstreamReply,
  cleanFault,
  type Upstream,
} from '@model-gateway/provider-kit';
import type { Json } from '@model-gateway/contracts';

type Code = Fault['code'];

/** The first that fits. */
const BY_CODE: readonly (readonly [RegExp, Code])[] = [
  // The media could not be fetched to be inspected: an address, not a verdict.
  [/^InvalidParameter\.DataInspection$/, 'invalid_request'],
  [/DataInspection|Inappropriate|Sensitive|IPInfringement/i, 'content_refused'],
  [/^(?:InvalidApiKey|Arrearage|(?:Model\.)?AccessDenied|AllocationQuota)/, 'upstream_rejected_key'],
  [/^(?:InvalidParameter|InvalidURL|BadRequest|UnsupportedOperation)/, 'invalid_request'],
  [/^ModelNotFound/, 'upstream_rejected_model'],
  [/^ModelUnavailable/, 'upstream_unavailable'],
  [/^Throttling/, 'upstream_rate_limited'],
  [/Time-?out/i, 'upstream_timeout'],
  [/^(?:InternalError|SystemError|ServiceUnavailable)/, 'upstream_unavailable'],
];

/** The refusal in a reply with an error status. A failed job is an answer on HTTP 200. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  if (reply.status < 400) return readDialectFault(reply);
  const vendorCode = textAt(reply.json, 'code');
  if (vendorCode === undefined) return readDialectFault(reply);
  const retryAfterSeconds = retryAfterOf(reply.headers);
  return {
    code: codeOf(vendorCode, reply.status),
    message: textAt(reply.json, 'message') ?? `the vendor answered ${vendorCode}`,
    vendorCode,
    taken: reply.status < 500 ? 'no' : 'unknown',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** What a code of DashScope's means; `status` decides where the code is new to us. */
export function codeOf(vendorCode: string, status: number): Code {
  const known = BY_CODE.find(([pattern]) => pattern.test(vendorCode));
  if (known !== undefined) return known[1];
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  // Every 404 that names no model is a task it does not have.
  if (status === 404) return 'task_not_exist';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 500 ? 'upstream_unavailable' : 'invalid_request';
}

/** `code` in a 200, or in one item of a task's results, is a refusal. */
export function faultIn(json: Json | undefined, upstream: Pick<Upstream, 'scrub'>): Fault | undefined {
  const vendorCode = textAt(json, 'code');
  if (vendorCode === undefined) return undefined;
  const message = textAt(json, 'message') ?? 'the vendor refused without saying why';
  return cleanFault({ code: codeOf(vendorCode, 500), message, vendorCode }, (text) => upstream.scrub(text));
}
