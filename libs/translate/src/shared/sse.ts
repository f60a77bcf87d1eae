import { createParser } from 'eventsource-parser';
import type { SseEvent } from '../dialect.ts';

/** One event of a stream as text; `data` must be one line (JSON is). */
export function formatSse(data: string, event?: string): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}

/** A comment of its own: keeps a connection warm and is nobody's event. */
export const SSE_COMMENT = ': keep-alive\n\n';

/** Whether a piece without an event is a comment, as text or as bytes. */
export function isSseComment(chunk: Uint8Array | string): boolean {
  return chunk[0] === ':' || chunk[0] === COLON;
}

const COLON = 58;

/** Bytes in, events out, wherever the bytes were cut. */
export interface SseParser {
  push(chunk: Uint8Array): SseEvent[];
  /** After the last byte: an event whose closing blank line never came is still delivered, maybe with half its data. */
  end(): SseEvent[];
}

/** WHATWG server-sent events: any line end, several data lines, comments, a byte order mark, characters cut in two. */
/** An event that has not ended after so many characters never will: a vendor that floods must not fill the memory. */
const LARGEST_EVENT = 32 * 1024 * 1024;
/** What stands for it: like any other event that cannot be read, it ends the stream with an error. */
const TOO_LARGE: SseEvent = { event: '', data: '{"an event that is too large":' };

export function createSseParser(largest = LARGEST_EVENT): SseParser {
  const text = new TextDecoder('utf-8');
  let ready: SseEvent[] = [];
  let isOver = false;
  const parser = createParser({
    maxBufferSize: largest,
    onError: ({ type, field, value }) => {
      // llama.cpp says in a line `error: {…}` why it breaks off.
      if (type === 'unknown-field' && field === 'error' && value?.startsWith('{') === true)
        ready.push({ event: 'error', data: value });
      if (type !== 'max-buffer-size-exceeded') return;
      isOver = true;
      ready.push(TOO_LARGE);
    },
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
      if (!isOver) parser.feed(text.decode(chunk, { stream: true }));
      return take();
    },
    end: () => {
      if (!isOver) parser.feed(`${text.decode()}\n\n`);
      return take();
    },
  };
}
