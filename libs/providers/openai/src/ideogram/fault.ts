import { isJsonObject } from '@model-gateway/contracts';
import { faultSaid, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** The refusal in a reply of Ideogram's, `{error}`: prompts and pictures that fail its checks are a 422. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const { json } = reply;
  if (!isJsonObject(json)) return undefined;
  const message = textAt(json, 'error') ?? textAt(json, 'message') ?? textAt(json, 'detail');
  if (message === undefined) return faultSaid(reply, {});
  return faultSaid(reply, { message, ...(/safety check/i.test(message) && { code: 'content_refused' }) });
}
