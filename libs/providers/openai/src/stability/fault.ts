import { isJsonObject, type ErrorCode } from '@model-gateway/contracts';
import { retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

const NAMES: Readonly<Record<string, ErrorCode>> = {
  content_moderation: 'content_refused',
  payment_required: 'upstream_rejected_key',
  unauthorized: 'upstream_rejected_key',
  permission_denied: 'upstream_rejected_key',
  rate_limit_exceeded: 'upstream_rate_limited',
};

/** The refusal in a reply of Stability's, `{id, name, errors}`; a picture that its filter withheld is a 200. Pure. */
export function readFault({ status, headers, json }: UpstreamReply): Fault | undefined {
  if (!isJsonObject(json)) return undefined;
  if (json['finish_reason'] === 'CONTENT_FILTERED')
    return {
      code: 'content_refused',
      message: 'the vendor’s content filter withheld the picture',
      vendorCode: 'CONTENT_FILTERED',
    };
  if (status < 400) return undefined;
  const name = textAt(json, 'name') ?? '';
  const errors = Array.isArray(json['errors']) ? json['errors'].filter((each) => typeof each === 'string') : [];
  const retryAfterSeconds = retryAfterOf(headers);
  const code = NAMES[name] ?? codeOf(status);
  return {
    code,
    message: errors.length === 0 ? 'the vendor refused without saying why' : errors.join('; '),
    ...(name !== '' && { vendorCode: name }),
    ...(code === 'upstream_rate_limited' && retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  if (status === 404) return 'upstream_rejected_model';
  if (status === 429) return 'upstream_rate_limited';
  if (status === 408 || status === 504) return 'upstream_timeout';
  return status >= 500 ? 'upstream_unavailable' : 'invalid_request';
}
