import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { readDialectFault, textAt, type Fault, type FaultWords, type UpstreamReply } from '@model-gateway/provider-kit';

/** The vendor's words (docs/wire/deepgram.md#errors). */
const WORDS: FaultWords = {
  invalid_auth: 'upstream_rejected_key',
  insufficient_permissions: 'upstream_rejected_key',
  asr_payment_required: 'upstream_rejected_key',
  payment_required: 'upstream_rejected_key',
  too_many_requests: 'upstream_rate_limited',
};
const UNKNOWN_MODEL = /no such model|model(?:\/\w+)* (?:combination )?(?:not found|does not exist)/i;

/** The refusal in a reply of Deepgram: `{err_code, err_msg, request_id}`, or `{category, message, details, request_id}`. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const error = isJsonObject(reply.json) ? errorIn(reply.json) : undefined;
  const fault = readDialectFault(error === undefined ? reply : { ...reply, json: { error } }, WORDS);
  return fault !== undefined && reply.status === 400 && UNKNOWN_MODEL.test(fault.message)
    ? { ...fault, code: 'upstream_rejected_model' }
    : fault;
}

function errorIn(json: JsonObject): JsonObject | undefined {
  const code = textAt(json, 'err_code') ?? textAt(json, 'category');
  if (code === undefined) return undefined;
  return { code, message: textAt(json, 'err_msg') ?? textAt(json, 'details') ?? textAt(json, 'message') ?? '' };
}
