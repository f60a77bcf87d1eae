import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  listAt,
  readDialectFault,
  textAt,
  type Fault,
  type FaultWords,
  type UpstreamReply,
} from '@model-gateway/provider-kit';

/** The vendor's words (docs/wire/elevenlabs.md#errors). A quota that is used up comes with the status of a wrong key. */
const WORDS: FaultWords = {
  quota_exceeded: 'upstream_rejected_key',
  insufficient_credits: 'upstream_rejected_key',
  missing_permissions: 'upstream_rejected_key',
  detected_unusual_activity: 'upstream_rejected_key',
  too_many_concurrent_requests: 'upstream_rate_limited',
  concurrent_limit_exceeded: 'upstream_rate_limited',
  system_busy: 'upstream_rate_limited',
  voice_not_found: 'invalid_request',
  invalid_voice_id: 'invalid_request',
  voice_limit_reached: 'upstream_rejected_key',
  max_character_limit_exceeded: 'invalid_request',
  text_too_long: 'invalid_request',
  model_not_found: 'upstream_rejected_model',
  invalid_model_id: 'upstream_rejected_model',
  content_against_policy: 'content_refused',
  bad_prompt: 'content_refused',
};

/** The caller's name of what the vendor complains about. */
const FIELDS: Readonly<Record<string, string>> = {
  text: 'input',
  voice_id: 'voice',
  model_id: 'model',
  language_code: 'language',
  output_format: 'response_format',
  'voice_settings.speed': 'speed',
};

/** The refusal in a reply of ElevenLabs: `{detail: {type, code, status, message, param}}`, or a list of what is wrong with the fields. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const error = isJsonObject(reply.json) ? errorIn(reply.json['detail']) : undefined;
  return readDialectFault(error === undefined ? reply : { ...reply, json: { error } }, WORDS);
}

function errorIn(detail: Json | undefined): JsonObject | undefined {
  if (Array.isArray(detail)) {
    const [first] = detail;
    const place = listAt(first, 'loc').slice(1).map(String).join('.');
    return { message: textAt(first, 'msg') ?? '', ...(place !== '' && { param: FIELDS[place] ?? place }) };
  }
  if (!isJsonObject(detail)) return undefined;
  // `status` is the older name of `code`; both are there for a while.
  const code = textAt(detail, 'code') ?? textAt(detail, 'status');
  const param = textAt(detail, 'param') ?? (code !== undefined && /voice/.test(code) ? 'voice_id' : undefined);
  return {
    message: textAt(detail, 'message') ?? '',
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param: FIELDS[param] ?? param }),
  };
}
