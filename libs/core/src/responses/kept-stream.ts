/** A stream on its way to a caller for whom it is kept: the same events, under an id of the gateway's own. */
import type { JsonObject } from '@model-gateway/contracts';
import { createSseParser, isSseComment, keptResponses } from '@model-gateway/translate';
import type { Sink } from '../kinds/chat/chat-stream.ts';

export interface EventReader extends Sink {
  /** After the last byte. */
  end(): void;
}

/** Reads what is written to it event by event. `raw` is told of what is no event (a comment that keeps a connection warm). */
export function createEventReader(
  each: (event: JsonObject) => void,
  raw: (chunk: Uint8Array | string) => void,
  drain: Pick<Sink, 'drained'> & { readonly isFull: () => boolean },
): EventReader {
  const parser = createSseParser();
  const read = (found: readonly { readonly data: string }[]): void => {
    for (const { data } of found) {
      const event = parsed(data);
      if (event !== undefined) each(event);
    }
  };
  return {
    write(chunk) {
      const found = parser.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      if (found.length === 0 && isSseComment(chunk)) raw(chunk);
      read(found);
      return !drain.isFull();
    },
    drained: () => drain.drained(),
    end: () => read(parser.end()),
  };
}

function parsed(data: string): JsonObject | undefined {
  try {
    return JSON.parse(data) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Shows the events of a model's stream as the gateway's own; the one that ends it is held back until it is asked for. */
export function createShownStream(
  sink: Sink,
  shown: (response: JsonObject) => JsonObject,
  told: (event: JsonObject, text: string) => void = () => undefined,
) {
  let isFull = false;
  let last: JsonObject | undefined;
  const write = (chunk: Uint8Array | string): void => {
    if (!sink.write(chunk)) isFull = true;
  };
  const reader = createEventReader(
    (event) => {
      if (keptResponses.isEnding(event)) last = event;
      else {
        const response = keptResponses.responseIn(event);
        const shownEvent = response === undefined ? event : { ...event, response: shown(response) };
        const text = keptResponses.eventText(shownEvent);
        told(shownEvent, text);
        write(text);
      }
    },
    write,
    {
      isFull: () => isFull,
      drained: async () => {
        await sink.drained();
        isFull = false;
      },
    },
  );
  return { reader, last: () => last };
}
