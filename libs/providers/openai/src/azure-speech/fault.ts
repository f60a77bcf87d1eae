import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import {
  faultOfStatus,
  readDialectFault,
  textAt,
  type Fault,
  type FaultWords,
  type UpstreamReply,
} from '@model-gateway/provider-kit';

/** Words of both halves of the service (docs/wire/azure-speech.md#errors). */
const WORDS: FaultWords = {
  unauthorized: 'upstream_rejected_key',
  forbidden: 'upstream_rejected_key',
  accessdenied: 'upstream_rejected_key',
  quotaexceeded: 'upstream_rejected_key',
  toomanyrequests: 'upstream_rate_limited',
  invalidmodel: 'upstream_rejected_model',
  modelnotfound: 'upstream_rejected_model',
};

/** The refusal in a reply of Azure Speech: `{code, message, innerError}` of transcripts, `{error: {code, message}}` of the entrance, a bare status of speech. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  if (reply.status < 400) return undefined;
  const { json } = reply;
  const error = isJsonObject(json) ? errorIn(json) : undefined;
  const said = error === undefined ? undefined : readDialectFault({ ...reply, json: { error } }, WORDS);
  if (said !== undefined) return said;
  const fault = faultOfStatus(reply);
  // Speech says what is wrong with a text or a voice in a line, or not at all.
  const line = reply.body.byteLength < 500 ? Buffer.from(reply.body).toString('utf8').trim() : '';
  return fault?.code === 'invalid_request' && line !== '' && !line.startsWith('<')
    ? { ...fault, message: line }
    : fault;
}

function errorIn(json: JsonObject): JsonObject | undefined {
  const body = isJsonObject(json['error']) ? json['error'] : json;
  const inner = isJsonObject(body['innerError']) ? body['innerError'] : body;
  const code = textAt(inner, 'code') ?? textAt(body, 'code');
  if (code === undefined) return undefined;
  return { code, message: textAt(inner, 'message') ?? textAt(body, 'message') ?? '' };
}
