import { isJsonObject, type ErrorCode } from '@model-gateway/contracts';
import { faultSaid, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

const NAMES: Readonly<Record<string, ErrorCode>> = {
  content_moderation: 'content_refused',
  payment_required: 'upstream_rejected_key',
  unauthorized: 'upstream_rejected_key',
  permission_denied: 'upstream_rejected_key',
  rate_limit_exceeded: 'upstream_rate_limited',
};

/** The refusal in a reply of Stability's, `{id, name, errors}`; a picture that its filter withheld is a 200. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const { json } = reply;
  if (!isJsonObject(json)) return undefined;
  if (json['finish_reason'] === 'CONTENT_FILTERED')
    return {
      code: 'content_refused',
      message: 'the vendor’s content filter withheld the picture',
      vendorCode: 'CONTENT_FILTERED',
    };
  const vendorCode = textAt(json, 'name');
  const errors = Array.isArray(json['errors']) ? json['errors'].filter((each) => typeof each === 'string') : [];
  const code = NAMES[vendorCode ?? ''];
  return faultSaid(reply, {
    ...(code !== undefined && { code }),
    ...(errors.length > 0 && { message: errors.join('; ') }),
    ...(vendorCode !== undefined && { vendorCode }),
  });
}
