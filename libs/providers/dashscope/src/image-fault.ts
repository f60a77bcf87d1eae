import type { Json } from '@model-gateway/contracts';
import { cleanFault, textAt, type Fault, type Upstream } from '@model-gateway/provider-kit';

/** `code` in a 200, or in one item of a task's results, is a refusal. */
export function faultIn(json: Json | undefined, upstream: Pick<Upstream, 'scrub'>): Fault | undefined {
  const vendorCode = textAt(json, 'code');
  if (vendorCode === undefined) return undefined;
  const message = textAt(json, 'message') ?? 'the vendor refused without saying why';
  return cleanFault({ code: codeOf(vendorCode), message, vendorCode }, (text) => upstream.scrub(text));
}

function codeOf(vendorCode: string): Fault['code'] {
  if (/DataInspection|Inappropriate|Sensitive/i.test(vendorCode)) return 'content_refused';
  if (/^(?:InvalidParameter|InvalidURL|BadRequest)/.test(vendorCode)) return 'invalid_request';
  if (/^(?:InvalidApiKey|AccessDenied|Arrearage)/.test(vendorCode)) return 'upstream_rejected_key';
  return vendorCode.startsWith('Throttling') ? 'upstream_rate_limited' : 'upstream_unavailable';
}
