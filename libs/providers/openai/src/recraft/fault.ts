import { isJsonObject, type ErrorCode } from '@model-gateway/contracts';
import { faultSaid, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** Where the status does not say what happened, the code or the sentence does. */
const SENTENCES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/content.?polic|moderation|nsfw|unsafe/i, 'content_refused'],
  [/not_enough_credits|not enough credits|insufficient/i, 'upstream_rejected_key'],
];

/** The refusal in a reply of Recraft's, `{code, message}`. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const { json } = reply;
  if (!isJsonObject(json)) return undefined;
  const [vendorCode, message] = [textAt(json, 'code'), textAt(json, 'message')];
  const code = SENTENCES.find(([pattern]) => pattern.test(`${vendorCode ?? ''} ${message ?? ''}`))?.[1];
  return faultSaid(reply, {
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(vendorCode !== undefined && { vendorCode }),
  });
}
