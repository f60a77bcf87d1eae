import { type Fault, type UpstreamReply } from '@model-gateway/provider-kit';
import { readFault as ofOpenAi } from '../fault.ts';

/** A model that there is not is told in a sentence alone (docs/wire/voyage.md#errors). */
const NO_MODEL = /^model \S+ is not supported/i;

/** The refusal in a reply of Voyage's, `{detail}`. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const fault = ofOpenAi(reply);
  return fault !== undefined && NO_MODEL.test(fault.message) ? { ...fault, code: 'upstream_rejected_model' } : fault;
}
