import { isJsonObject, type Json } from '@model-gateway/contracts';
import { readDialectFault, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** What Cohere says of texts that it does not let through (docs/wire/cohere.md#errors). */
const BLOCKED = 498;

/** The refusal in a reply of Cohere's, `{id, message}`, also as an event of a stream. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const json = isAnswer(reply.json) ? reply.json : { error: { message: textAt(reply.json, 'message') ?? '' } };
  const fault = readDialectFault({ ...reply, ...(json !== undefined && { json }) });
  return fault !== undefined && reply.status === BLOCKED ? { ...fault, code: 'content_refused' } : fault;
}

/** Anything but an object that says `message` alone, beside its id. */
function isAnswer(json: Json | undefined): boolean {
  if (!isJsonObject(json) || typeof json['message'] !== 'string') return true;
  return Object.keys(json).some((name) => name !== 'id' && name !== 'message');
}
