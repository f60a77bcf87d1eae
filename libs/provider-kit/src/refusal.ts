/** What went wrong with a vendor, in our words: broken connections, bare statuses, and faults as the errors the gateway prints. */
import { believedRetryAfter, GatewayError, type ErrorCode, type Json } from '@model-gateway/contracts';
import type { Account, Fault, UpstreamReply } from './adapter.ts';
import { cleanVendorBody, cleanVendorText } from './vendor-text.ts';

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A failed connection in our words; `taken` says whether the vendor may have the job. */
export function transportError(error: unknown, when: string): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_ABORTED' || isAbort(error)) {
    return new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'unknown', cause: error });
  }
  if (NEVER_CONNECTED.has(code)) {
    return new GatewayError('upstream_unavailable', 'the vendor could not be reached', { taken: 'no', cause: error });
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new GatewayError('upstream_timeout', `the vendor stopped responding ${when}`, {
      taken: 'unknown',
      cause: error,
    });
  }
  return new GatewayError('upstream_unavailable', `the vendor closed the connection ${when}`, {
    taken: 'unknown',
    cause: error,
  });
}

/** By shape, not by class: an error of another realm (a worker, a test's sandbox) is no `instanceof Error` here. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  if (Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  return codeOf(cause);
}

function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'AbortError';
}

/** The same error with another answer to "may the vendor have it?". */
export function withTaken(error: GatewayError, taken: 'no' | 'unknown'): GatewayError {
  return new GatewayError(error.code, error.message, { ...error.details, taken });
}

/**
 * What the vendor's check of content kept back of an answer that came. The vendor was asked: nobody else is. `taken` is `unknown` where it
 * bills what it withholds, else `no`.
 */
export function withheld(
  message: string,
  { vendorCode, taken }: { readonly vendorCode?: string; readonly taken: 'no' | 'unknown' },
): GatewayError {
  return new GatewayError('content_refused', message, { taken, ...(vendorCode !== undefined && { vendorCode }) });
}

/** What a status alone says, when the adapter found no words in the body. */
export function faultOfStatus(reply: UpstreamReply): Fault | undefined {
  if (reply.status < 300) return undefined;
  if (reply.status < 400) {
    return { code: 'upstream_unavailable', message: 'the vendor answered with a redirect', taken: 'no' };
  }
  const retryAfterSeconds = retryAfterOf(reply.headers);
  const base = {
    message: `the vendor answered ${reply.status}`,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  if (reply.status === 401 || reply.status === 402 || reply.status === 403)
    return { ...base, code: 'upstream_rejected_key', taken: 'no' };
  if (reply.status === 429) return { ...base, code: 'upstream_rate_limited', taken: 'no' };
  if (reply.status === 408 || reply.status === 504) return { ...base, code: 'upstream_timeout', taken: 'unknown' };
  if (reply.status >= 500) return { ...base, code: 'upstream_unavailable', taken: 'unknown' };
  return { ...base, code: reply.status === 404 ? 'upstream_unavailable' : 'invalid_request', taken: 'no' };
}

/** As `faultOfStatus` of a refusal, with what its body says. */
export function faultSaid(
  reply: UpstreamReply,
  {
    code: said,
    message,
    vendorCode,
  }: { readonly code?: ErrorCode; readonly message?: string; readonly vendorCode?: string },
): Fault | undefined {
  const plain = reply.status < 400 ? undefined : faultOfStatus(reply);
  if (plain === undefined) return undefined;
  const { retryAfterSeconds, ...rest } = plain;
  // Some vendors know a model by its address.
  const code = said ?? (reply.status === 404 ? 'upstream_rejected_model' : plain.code);
  return {
    ...rest,
    code,
    message: message ?? 'the vendor refused without saying why',
    ...(vendorCode !== undefined && { vendorCode }),
    ...(code === 'upstream_rate_limited' && retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Seconds a vendor asks to wait: `retry-after-ms`, `retry-after` (seconds or date is read as seconds only), RetryInfo is the adapter's. */
export function retryAfterOf(headers: Readonly<Record<string, string>>): number | undefined {
  const ms = Number(headers['retry-after-ms']);
  if (Number.isFinite(ms) && ms > 0) return ms / 1000;
  const text = headers['retry-after']?.trim() ?? '';
  if (text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  const served = Date.parse(headers['date'] ?? '');
  const until = Date.parse(text);
  return Number.isFinite(until) && Number.isFinite(served) ? Math.max(0, (until - served) / 1000) : undefined;
}

/** A fault as the error the gateway prints, scrubbed; the account is never named. */
export function faultToError(
  fault: Fault,
  account: Pick<Account, 'name' | 'baseUrl' | 'credentials' | 'headers'>,
  { status, json }: Pick<UpstreamReply, 'status' | 'json'>,
): GatewayError {
  const scrub = (text: string): string => cleanVendorText(text, account);
  return withVendorBody(refusalOf(fault, scrub, status), json, scrub);
}

/** A refusal with what its vendor says beyond the words of all, for callers of that vendor's wire. */
export function withVendorBody(
  refusal: GatewayError,
  json: Json | undefined,
  scrub: (text: string) => string,
): GatewayError {
  // What a vendor says of the gateway's own credentials is no caller's.
  const vendorBody = refusal.code === 'upstream_rejected_key' ? undefined : cleanVendorBody(json, scrub);
  return vendorBody === undefined
    ? refusal
    : new GatewayError(refusal.code, refusal.message, { ...refusal.details, vendorBody });
}

/** The same for a fault found inside a reply, where only `Upstream.scrub` is at hand. */
export function refusalOf(fault: Fault, scrub: (text: string) => string, status: number): GatewayError {
  const { code, message, taken, vendorCode, param, retryAfterSeconds } = cleanFault(fault, scrub);
  return new GatewayError(code, message, {
    taken: taken ?? (status < 500 ? 'no' : 'unknown'),
    vendorStatus: status,
    ...(message !== fault.message && { vendorWords: scrub(fault.message) }),
    ...(vendorCode !== undefined && { vendorCode }),
    ...(param !== undefined && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** The gateway's own quota at the vendor: no secret, and waiting does not help, so people must learn of it. What names an account stays hidden. */
const OWN_QUOTA = /quota/i;

/** A fault fit to be shown: the vendor's sentence scrubbed, its wish to wait bounded, and silence about the gateway's own credentials. */
export function cleanFault(fault: Fault, scrub: (text: string) => string): Fault {
  if (fault.code !== 'upstream_rejected_key') {
    const { retryAfterSeconds: told, ...rest } = fault;
    const retryAfterSeconds = believedRetryAfter(told);
    return { ...rest, message: scrub(fault.message), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
  const taken = fault.taken !== undefined && { taken: fault.taken };
  const { code, vendorCode } = fault;
  if (vendorCode !== undefined && OWN_QUOTA.test(vendorCode)) {
    const message = `the gateway’s own quota with this vendor is used up (${scrub(fault.message)})`;
    return { code, message, vendorCode, ...taken };
  }
  return { code, message: 'the gateway’s own credentials for this vendor were refused', ...taken };
}
