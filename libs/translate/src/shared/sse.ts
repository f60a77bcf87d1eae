import { createParser } from 'eventsource-parser';
import type { SseEvent } from '../dialect.ts';

/** One event of a stream as text; `data` must be one line (JSON is). */
export function formatSse(data: string, event?: string): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}

/** A comment of its own: keeps a connection warm and is nobody's event. */
export const SSE_COMMENT = ': keep-alive\n\n';

/**
 * A blank line of its own: keeps a connection warm where clients take every line that is not blank for data. Google's Python client,
 * and what is built on it, fails on a comment.
 */
export const SSE_BLANK = '\n';

/** Bytes in, events out, wherever the bytes were cut. */
export interface SseParser {
  push(chunk: Uint8Array): SseEvent[];
  /** After the last byte: an event whose closing blank line never came is still delivered, maybe with half its data. */
  end(): SseEvent[];
}

/** WHATWG server-sent events: any line end, several data lines, comments, a byte order mark, characters cut in two. */
export function createSseParser(): SseParser {
  const text = new TextDecoder('utf-8');
  let ready: SseEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      ready.push({ event: event ?? '', data });
    },
  });
  const take = (): SseEvent[] => {
    const taken = ready;
    ready = [];
    return taken;
  };
  return {
    push: (chunk) => {
      parser.feed(text.decode(chunk, { stream: true }));
      return take();
    },
    end: () => {
      parser.feed(`${text.decode()}\n\n`);
      return take();
    },
  };
}
