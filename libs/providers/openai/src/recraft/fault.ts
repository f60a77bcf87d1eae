import { isJsonObject, type ErrorCode } from '@model-gateway/contracts';
import { retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** Where the status does not say what happened, the code or the sentence does. */
const SENTENCES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/content.?polic|moderation|nsfw|unsafe/i, 'content_refused'],
  [/not_enough_credits|not enough credits|insufficient/i, 'upstream_rejected_key'],
];

/** The refusal in a reply of Recraft's, `{code, message}`. Pure. */
export function readFault({ status, headers, json }: UpstreamReply): Fault | undefined {
  if (status < 400 || !isJsonObject(json)) return undefined;
  const vendorCode = textAt(json, 'code');
  const message = textAt(json, 'message') ?? 'the vendor refused without saying why';
  const said = SENTENCES.find(([pattern]) => pattern.test(`${vendorCode ?? ''} ${message}`))?.[1];
  const code = said ?? codeOf(status);
  const retryAfterSeconds = retryAfterOf(headers);
  return {
    code,
    message,
    ...(vendorCode !== undefined && { vendorCode }),
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
