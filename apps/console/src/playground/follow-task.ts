/** A task's events until its end. */
import { sendWell } from '../api/connection.ts';
import type { Schemas } from '../api/api.ts';
import { readEvents } from './read-events.ts';

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
