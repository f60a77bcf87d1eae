/** The body of the webhook `videoTaskEnded`. */
import type { EndedTask } from '@model-gateway/core';
import { taskRecordOf, type TaskShown } from '../videos/task-record.ts';

/** The record of the ended task under its event's name, as JSON text. */
export function webhookBodyOf(
  { task, resultUrl, at }: EndedTask,
  { platformOf }: Pick<TaskShown, 'platformOf'>,
): string {
  return JSON.stringify({
    type: task.state === 'SUCCESS' ? 'video.task.succeeded' : 'video.task.failed',
    timestamp: new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    data: taskRecordOf(task, { resultUrl: () => resultUrl, platformOf }),
  });
}
