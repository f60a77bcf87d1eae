/** Server-sent events of an answer, one after the other. */
import { createParser } from 'eventsource-parser';
import { sendWell } from '../api/connection.ts';
import type { Schemas } from '../api/api.ts';

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

type Task = Schemas['VideoTask'];

/** Calls `onTask` with each state and resolves after the last one. Rejects when the gateway refuses or goes away. */
export async function followTask(id: string, signal: AbortSignal, onTask: (task: Task) => void): Promise<void> {
  const path = `/v1/video/generations/${encodeURIComponent(id)}`;
  const response = await sendWell(path, { headers: { accept: 'text/event-stream' }, signal });
  await readEvents(response, ({ data }) => {
    if (data === '' || data === '[DONE]') return;
    onTask((JSON.parse(data) as Schemas['VideoTaskEvent']).data);
  });
}
