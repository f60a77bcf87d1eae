/** Server-sent events of an answer, one after the other. */
import { createParser } from 'eventsource-parser';

export interface ServerEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Calls `onEvent` for each event, and ends with the answer. Rejects when the answer breaks off. */
export async function readEvents(response: Response, onEvent: (event: ServerEvent) => void): Promise<void> {
  const parser = createParser({ onEvent: ({ event, data }) => onEvent({ event, data }) });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}
