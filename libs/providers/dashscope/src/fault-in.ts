import type { Json } from '@model-gateway/contracts';
import { cleanFault, textAt, type Fault, type Upstream } from '@model-gateway/provider-kit';
import { codeOf } from './fault.ts';

/** `code` in a 200, or in one item of a task's results, is a refusal. */
export function faultIn(json: Json | undefined, upstream: Pick<Upstream, 'scrub'>): Fault | undefined {
  const vendorCode = textAt(json, 'code');
  if (vendorCode === undefined) return undefined;
  const message = textAt(json, 'message') ?? 'the vendor refused without saying why';
  return cleanFault({ code: codeOf(vendorCode, 500), message, vendorCode }, (text) => upstream.scrub(text));
}
