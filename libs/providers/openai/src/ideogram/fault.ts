import { isJsonObject, type ErrorCode } from '@model-gateway/contracts';
import { retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** The refusal in a reply of Ideogram's, `{error}`: prompts and pictures that fail its checks are a 422. Pure. */
export function readFault({ status, headers, json }: UpstreamReply): Fault | undefined {
  if (status < 400 || !isJsonObject(json)) return undefined;
  const message = textAt(json, 'error') ?? textAt(json, 'message') ?? textAt(json, 'detail');
  const code = codeOf(status, message ?? '');
  const retryAfterSeconds = retryAfterOf(headers);
  return {
    code,
    message: message ?? 'the vendor refused without saying why',
    ...(code === 'upstream_rate_limited' && retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function codeOf(status: number, message: string): ErrorCode {
  if (/safety check/i.test(message)) return 'content_refused';
  if (status === 401 || status === 402 || status === 403) return 'upstream_rejected_key';
  if (status === 404) return 'upstream_rejected_model';
  if (status === 429) return 'upstream_rate_limited';
  if (status === 408 || status === 504) return 'upstream_timeout';
  return status >= 500 ? 'upstream_unavailable' : 'invalid_request';
}
