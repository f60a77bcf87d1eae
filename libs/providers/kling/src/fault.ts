/** Kling's refusals: `{ code, message, request_id }` (docs/wire/kling.md#errors). */
import { numberAt, retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

type Code = Fault['code'];

const BY_CODE: Readonly<Record<number, Code>> = {
  1000: 'upstream_rejected_key',
  1001: 'upstream_rejected_key',
  1002: 'upstream_rejected_key',
  // The token was not yet valid, or no longer: clocks, not keys. The next request carries a new one.
  1003: 'upstream_unavailable',
  1004: 'upstream_unavailable',
  1100: 'upstream_rejected_key',
  1101: 'upstream_rejected_key',
  1102: 'upstream_rejected_key',
  1103: 'upstream_rejected_key',
  1200: 'invalid_request',
  1201: 'invalid_request',
  1202: 'upstream_unavailable',
  1203: 'task_not_exist',
  1300: 'content_refused',
  1301: 'content_refused',
  1302: 'upstream_rate_limited',
  1303: 'upstream_rate_limited',
  1304: 'upstream_rejected_key',
  5000: 'upstream_unavailable',
  5001: 'upstream_unavailable',
  5002: 'upstream_timeout',
};

/** The refusal in a reply: a code that is not 0, with whatever status. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const vendorCode = numberAt(reply.json, 'code');
  if (vendorCode === undefined || vendorCode === 0) return undefined;
  const retryAfterSeconds = retryAfterOf(reply.headers);
  return {
    code: BY_CODE[vendorCode] ?? codeOfStatus(reply.status),
    message: textAt(reply.json, 'message') ?? `the vendor answered ${vendorCode}`,
    vendorCode: String(vendorCode),
    taken: vendorCode >= 5000 || reply.status >= 500 ? 'unknown' : 'no',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function codeOfStatus(status: number): Code {
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  if (status === 404) return 'task_not_exist';
  if (status === 429) return 'upstream_rate_limited';
  return status === 400 ? 'invalid_request' : 'upstream_unavailable';
}

/** A failed task has a sentence and no code. */
export function codeOfSentence(sentence: string): Code {
  return /sensitive|moderation|risk control|policy|violat|prohibit/i.test(sentence)
    ? 'content_refused'
    : 'upstream_unavailable';
}
