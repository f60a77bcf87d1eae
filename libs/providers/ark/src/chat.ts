import { isJsonObject } from '@model-gateway/contracts';
import { compatibleChat, readDialectFault, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** Doubao and its guests on Ark speak OpenAI's wire below the same base URL as the videos. */
export const chat = compatibleChat({ 'openai-chat': true, 'openai-responses': true });

/**
 * What only chat says: an error as an event of a stream that began with 200 (a failed task has an id beside its error, an event has not),
 * and a 404 that is about the model, not about a task.
 */
export function readChatFault(reply: UpstreamReply): Fault | undefined {
  const inStream = reply.status < 400 && isJsonObject(reply.json) && reply.json['id'] === undefined;
  if (!inStream && reply.status !== 404) return undefined;
  const fault = readDialectFault(reply);
  return inStream || /model/i.test(fault?.vendorCode ?? '') ? fault : undefined;
}
