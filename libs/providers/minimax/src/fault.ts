/** MiniMax's refusals: HTTP 200 with `base_resp.status_code` (docs/wire/minimax.md#errors). */
import { numberAt, retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

type Code = Fault['code'];

const BY_CODE: Readonly<Record<number, Code>> = {
  1000: 'upstream_unavailable',
  1001: 'upstream_timeout',
  1002: 'upstream_rate_limited',
  1004: 'upstream_rejected_key',
  1008: 'upstream_rejected_key',
  1013: 'upstream_unavailable',
  1024: 'upstream_unavailable',
  1026: 'content_refused',
  1027: 'content_refused',
  1033: 'upstream_unavailable',
  1039: 'upstream_rate_limited',
  1041: 'upstream_rate_limited',
  1042: 'invalid_request',
  2013: 'invalid_request',
  2038: 'upstream_rejected_key',
  2045: 'upstream_rate_limited',
  2049: 'upstream_rejected_key',
  2056: 'upstream_rate_limited',
  2061: 'upstream_rejected_key',
};
/** Troubles of the vendor's own: it may have begun before it stumbled. */
const MAY_HAVE_BEGUN: ReadonlySet<Code> = new Set(['upstream_unavailable', 'upstream_timeout']);

/** The refusal in a reply; a failed task (`status: Fail`) carries a code too, but is an answer. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const statusCode = numberAt(reply.json, 'base_resp', 'status_code');
  if (statusCode === undefined || statusCode === 0) return undefined;
  if (reply.status < 400 && textAt(reply.json, 'status') === 'Fail') return undefined;
  const code = codeOf(statusCode);
  const retryAfterSeconds = retryAfterOf(reply.headers);
  return {
    code,
    message: textAt(reply.json, 'base_resp', 'status_msg') ?? `the vendor answered ${statusCode}`,
    vendorCode: String(statusCode),
    taken: MAY_HAVE_BEGUN.has(code) ? 'unknown' : 'no',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** What a `base_resp.status_code` means. */
export function codeOf(statusCode: number): Code {
  return BY_CODE[statusCode] ?? 'upstream_unavailable';
}
