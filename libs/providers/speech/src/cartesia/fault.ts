import { isJsonObject } from '@model-gateway/contracts';
import { readDialectFault, textAt, type Fault, type FaultWords, type UpstreamReply } from '@model-gateway/provider-kit';

/** The vendor's words (docs/wire/cartesia.md#errors). */
const WORDS: FaultWords = {
  concurrency_limited: 'upstream_rate_limited',
  quota_exceeded: 'upstream_rejected_key',
  plan_upgrade_required: 'upstream_rejected_key',
  voice_not_found: 'invalid_request',
  model_not_found: 'upstream_rejected_model',
};

/** The refusal in a reply of Cartesia: `{error_code, title, message, request_id}`. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const { json } = reply;
  if (!isJsonObject(json) || (json['error_code'] === undefined && json['title'] === undefined))
    return readDialectFault(reply, WORDS);
  const code = textAt(json, 'error_code');
  const error = {
    message: textAt(json, 'message') ?? textAt(json, 'title') ?? '',
    ...(code !== undefined && { code }),
    ...(code === 'voice_not_found' && { param: 'voice' }),
  };
  return readDialectFault({ ...reply, json: { error } }, WORDS);
}
