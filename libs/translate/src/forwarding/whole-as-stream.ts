/** Vendors that answer a request for a stream with one JSON body: told to the caller as the stream that was asked for. */
import type { Json } from '@model-gateway/contracts';
import type { ChatDialect, ReplyContext } from '../dialect.ts';
import { replyEvents } from '../shared/reply-events.ts';
import { formatSse } from '../shared/sse.ts';

/** Whether these first bytes of a body can only be JSON: a line of an event stream begins with neither. */
export function isJsonBody(first: Uint8Array): boolean {
  const start = Buffer.from(first)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  return start.startsWith('{') || start.startsWith('[');
}

/**
 * The event stream of a whole reply, in the dialect it came in. Throws as `decodeReply` does: the typed refusal of an error body,
 * `upstream_malformed` for what is no reply.
 */
export function streamOfReply(dialect: ChatDialect, body: Json, context: ReplyContext): string {
  const reply = dialect.decodeReply(body);
  if (dialect.forwarding.repliesAreEvents === true) {
    return (Array.isArray(body) ? body : [body]).map((event) => formatSse(JSON.stringify(event))).join('');
  }
  const encoder = dialect.streamEncoder({ ...context, model: reply.model ?? context.model });
  return replyEvents(reply)
    .map((event) => encoder.push(event))
    .join('');
}
