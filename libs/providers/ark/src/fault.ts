/** Ark's refusals (docs/wire/ark.md#errors; volcengine Ark docs 82379/1299023). The same body serves videos, images and chat. */
import { retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

type Code = Fault['code'];

/** By the start of the code, the longer before the shorter. */
const BY_CODE: readonly (readonly [RegExp, Code])[] = [
  // The check itself failed, not the content: worth another try.
  [/^ContentSecurityDetectionError/, 'upstream_unavailable'],
  [/SensitiveContent|RiskDetection/, 'content_refused'],
  [/^(?:MissingParameter|InvalidParameter)/, 'invalid_request'],
  [/^(?:AuthenticationError|InvalidAccountStatus|InvalidApiKey)/, 'upstream_rejected_key'],
  [/^(?:AccountOverdueError|AccessDenied|OperationDenied)/, 'upstream_rejected_key'],
  [/^(?:InvalidEndpoint|InvalidEndpointOrModel|ModelNotOpen)/, 'upstream_unavailable'],
  [/^(?:RateLimitExceeded|ModelAccount|APIAccount|AccountRateLimit|RequestBurst|Inflight)/, 'upstream_rate_limited'],
  [/^(?:ServerOverloaded|ModelLoadingError)/, 'upstream_rate_limited'],
  [/^(?:InternalServiceError|ServiceUnavailable)/, 'upstream_unavailable'],
];
const MODEL_CODES = /^(?:InvalidEndpoint|InvalidEndpointOrModel|ModelNotOpen)/;

/** The refusal in a reply of Ark's: every one has an error status. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  if (reply.status < 400) return undefined;
  const vendorCode = textAt(reply.json, 'error', 'code');
  const said = textAt(reply.json, 'error', 'message');
  if (vendorCode === undefined && said === undefined) return undefined;
  const code = quotaCode(vendorCode ?? '', said ?? '') ?? codeOf(vendorCode ?? '', reply.status);
  const param = textAt(reply.json, 'error', 'param') ?? paramOf(vendorCode ?? '');
  const retryAfterSeconds = retryAfterOf(reply.headers);
  return {
    code,
    message: MODEL_CODES.test(vendorCode ?? '')
      ? 'the vendor does not offer this model to the gateway'
      : (said ?? `the vendor answered ${vendorCode ?? reply.status}`),
    taken: reply.status < 500 ? 'no' : 'unknown',
    ...(vendorCode !== undefined && { vendorCode }),
    ...(param !== undefined && code === 'invalid_request' && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** One code, two meanings (docs/wire/ark.md#errors): a full queue passes, a spent allowance is the account's trouble. */
function quotaCode(vendorCode: string, message: string): Code | undefined {
  if (!/^(?:QuotaExceeded|SetLimitExceeded)/.test(vendorCode)) return undefined;
  return /queue|concurren|in progress|running|too many/i.test(message)
    ? 'upstream_rate_limited'
    : 'upstream_rejected_key';
}

/** What a code of Ark's means; `status` decides where the code is new to us. */
export function codeOf(vendorCode: string, status: number): Code {
  const known = BY_CODE.find(([pattern]) => pattern.test(vendorCode));
  if (known !== undefined) return known[1];
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  // No code of a task query is documented; any 404 that names no model is a task Ark no longer has.
  if (status === 404) return 'task_not_exist';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 500 ? 'upstream_unavailable' : 'invalid_request';
}

/** `MissingParameter.duration` names the field in the code itself. */
function paramOf(vendorCode: string): string | undefined {
  return /^(?:MissingParameter|InvalidParameter)\.([a-z_][\w.[\]]*)$/.exec(vendorCode)?.[1];
}
