import { readDialectFault, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** The refusal in a reply of MiMo: OpenAI's error body, at any status and inside a stream. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  return readDialectFault(reply);
}
