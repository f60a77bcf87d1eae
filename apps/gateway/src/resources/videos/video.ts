/** A task as OpenAI's video object. */
import type { JsonObject } from '@model-gateway/contracts';
import type { TaskPage, TaskRecord, TaskState } from '@model-gateway/core';
import { seconds, secondsOf, sizeOf, textOf } from './task-fields.ts';

const VIDEO_STATUS: Readonly<Record<TaskState, string>> = {
  NOT_START: 'queued',
  IN_PROGRESS: 'in_progress',
  SUCCESS: 'completed',
  FAILURE: 'failed',
};

/** The task as OpenAI's video object. */
export function videoOf(task: TaskRecord, resultUrl: (task: TaskRecord) => string): JsonObject {
  const done = task.state === 'SUCCESS';
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: VIDEO_STATUS[task.state],
    progress: task.progress,
    created_at: seconds(task.createdAt),
    completed_at: done ? seconds(task.finishTime ?? 0) : null,
    expires_at: done ? (task.files[0]?.expiresAt ?? null) : null,
    prompt: textOf(task.input['prompt']) ?? null,
    seconds: secondsOf(task),
    size: sizeOf(task),
    remixed_from_video_id: task.input['change'] === 'remix' ? (textOf(task.input['changed_from']) ?? null) : null,
    error: task.state === 'FAILURE' ? { code: task.failCode, message: task.failReason } : null,
    ...(done && { metadata: { url: resultUrl(task) } }),
  };
}

/** One page of videos in OpenAI's list form. */
export function videoListOf({ tasks, hasMore }: TaskPage, resultUrl: (task: TaskRecord) => string): JsonObject {
  return {
    object: 'list',
    data: tasks.map((task) => videoOf(task, resultUrl)),
    first_id: tasks[0]?.id ?? null,
    last_id: tasks.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
