/** What the POST of a video answers (docs/service.md#resources-and-their-fields). Names, types and order are binding. */
import type { TaskRecord } from '@model-gateway/core';
import { seconds, secondsOf, sizeOf } from './task-fields.ts';

export interface Acknowledgement {
  readonly id: string;
  readonly task_id?: string;
  readonly object: 'video';
  readonly model: string;
  readonly status: 'queued';
  readonly progress: 0;
  readonly created_at: number;
  readonly seconds?: string;
  readonly size?: string;
}

/** What the POST answers. Family F has no `task_id`, milliseconds, `seconds` and `size`. */
export function acknowledgementOf(task: TaskRecord): Acknowledgement {
  const { id, model } = task;
  const head = { object: 'video', model, status: 'queued', progress: 0 } as const;
  if (task.input['family'] === 'seconds') {
    return { id, ...head, created_at: task.createdAt, seconds: secondsOf(task), size: sizeOf(task) };
  }
  return { id, task_id: id, ...head, created_at: seconds(task.createdAt) };
}
