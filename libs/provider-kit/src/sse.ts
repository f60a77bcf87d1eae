import { createParser } from 'eventsource-parser';

export interface SseMessage {
  /** '' when the wire gave no name. */
  readonly event: string;
  readonly data: string;
}

/** The events of a text/event-stream, however its bytes are cut. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage> {
  const ready: SseMessage[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => ready.push({ event: event ?? '', data }) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
  // A last event without its blank line is still an event: vendors close early.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* ready.splice(0);
}
