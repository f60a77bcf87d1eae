/** Tencent Cloud's refusals: HTTP 200 with `Response.Error` (docs/wire/tencent-vod.md#errors). */
import { retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

type Code = Fault['code'];

/** The first that fits; the special before the general. */
const BY_CODE: readonly (readonly [RegExp, Code])[] = [
  // The clock of the request was off; nothing is wrong with the key, and another try signs anew.
  [/^AuthFailure\.SignatureExpire/, 'upstream_unavailable'],
  [/^AuthFailure|^UnauthorizedOperation/, 'upstream_rejected_key'],
  // The vendor's own spelling has both.
  [/V(?:io|oi)lationContent/, 'content_refused'],
  [/^InvalidParameterValue\.TaskId|^ResourceNotFound/, 'task_not_exist'],
  [/^InvalidParameterValue\.SubAppId|^FailedOperation\.InvalidVodUser|^LimitExceeded/, 'upstream_rejected_key'],
  [/^(?:InvalidParameter|MissingParameter|UnknownParameter|UnsupportedOperation)/, 'invalid_request'],
  [/^RequestLimitExceeded/, 'upstream_rate_limited'],
  [/^(?:FailedOperation|ResourceUnavailable|ResourceInsufficient|ActionOffline|InternalError)/, 'upstream_unavailable'],
];

/** The same SessionId was seen in the last three days: a job of that name exists. */
export const DUPLICATE_SESSION = 'InvalidParameterValue.SessionId';

/** The refusal in a reply: nearly every one comes on HTTP 200. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const vendorCode = textAt(reply.json, 'Response', 'Error', 'Code');
  if (vendorCode === undefined) return undefined;
  const code = codeOf(vendorCode);
  const param = /^(?:InvalidParameterValue|MissingParameter|UnknownParameter)\.(\w+)$/.exec(vendorCode)?.[1];
  const retryAfterSeconds = retryAfterOf(reply.headers);
  return {
    code,
    message: textAt(reply.json, 'Response', 'Error', 'Message') ?? `the vendor answered ${vendorCode}`,
    vendorCode,
    taken: vendorCode === DUPLICATE_SESSION || vendorCode.startsWith('InternalError') ? 'unknown' : 'no',
    ...(param !== undefined && code === 'invalid_request' && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** What a code of Tencent's means, in a refusal or as a task's `ErrCodeExt`. */
export function codeOf(vendorCode: string): Code {
  return BY_CODE.find(([pattern]) => pattern.test(vendorCode))?.[1] ?? 'upstream_unavailable';
}
