/** Refusals of requests to vendors of jobs: the status says what they are, the body why. */
import { faultOfStatus, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';
import type { JobTrouble, JobVendor } from './job-vendor.ts';

export function refusalIn(vendor: JobVendor, reply: UpstreamReply): Fault | undefined {
  const plain = plainRefusal(vendor, reply);
  if (plain === undefined) return undefined;
  const { message, code: vendorCode, param } = vendor.refusal(reply.json);
  const isOfInput = plain.code === 'invalid_request';
  const retryAfterSeconds = plain.retryAfterSeconds ?? secondsIn(plain.code === 'upstream_rate_limited', message);
  return {
    ...plain,
    code: isOfInput && saysRefused(vendor, { message, code: vendorCode }) ? 'content_refused' : plain.code,
    message: message ?? plain.message,
    ...(vendorCode !== undefined && { vendorCode }),
    ...(isOfInput && param !== undefined && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** By the status, unless the vendor says it in the body, with a 200 too. */
function plainRefusal({ refusalCode }: JobVendor, reply: UpstreamReply): Fault | undefined {
  const byStatus = reply.status >= 400 ? faultOfStatus(reply) : undefined;
  const code = refusalCode?.(reply.json);
  if (code === undefined) return byStatus;
  // A fault of its own may have come after it had taken the job.
  const taken = code === 'upstream_unavailable' ? 'unknown' : 'no';
  return { message: 'the vendor refused without saying why', ...byStatus, code, taken };
}

/** Whether the vendor's words mean that content was refused. */
export function saysRefused({ refusesContent }: JobVendor, { message = '', code = '' }: JobTrouble): boolean {
  return refusesContent.test(`${code} ${message}`);
}

/** `Your rate limit resets in ~30s.` */
function secondsIn(isLimit: boolean, message = ''): number | undefined {
  const seconds = isLimit ? /\bin ~?(\d{1,4}) ?s/.exec(message)?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds);
}
