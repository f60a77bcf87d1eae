/** Refusals inside a stream, told the same way on most wires: an event named `error`, or data with an `error` object. */
import { isJsonObject, type GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ChatDialect, SseEvent } from '../dialect.ts';
import { parseJson } from './read.ts';

/** The refusal that an event carries, understood by the wire's own `decodeError`. */
export function refusalIn(
  { event, data }: SseEvent,
  decodeError: ChatDialect['decodeError'],
): GatewayError | undefined {
  if (event !== 'error' && !data.includes('"error"')) return undefined;
  const json = parseJson(data);
  if (!isJsonObject(json) || !isRefusal(event, json)) return undefined;
  // The status went out with the stream: what the event itself says of it counts.
  return decodeError(200, {}, json);
}

function isRefusal(event: string, json: JsonObject): boolean {
  const { type, object, error } = json;
  if (event === 'error' || type === 'error' || object === 'error' || isJsonObject(error)) return true;
  // xAI's error is a sentence; an answer has its choices beside whatever it remarks.
  return typeof error === 'string' && error !== '' && json['choices'] === undefined;
}
