/** The task record (docs/service.md#resources-and-their-fields). Names, types and order are binding. */
import type { JsonObject } from '@model-gateway/contracts';
import type { TaskPage, TaskRecord } from '@model-gateway/core';
import { seconds, textOf } from './task-fields.ts';

/** What a record shows that is not in the task itself. */
export interface TaskShown {
  resultUrl(task: TaskRecord): string;
  /** The number of a vendor's adapter, as callers of earlier gateways know it. */
  platformOf(vendor: string): string;
}

/** `data` of the task GET, and of webhooks. */
export function taskRecordOf(task: TaskRecord, shown: TaskShown): JsonObject {
  return {
    id: task.number,
    created_at: seconds(task.createdAt),
    updated_at: seconds(task.updatedAt),
    task_id: task.id,
    platform: shown.platformOf(task.vendor),
    user_id: task.ownerId,
    group: task.group,
    channel_id: task.submitted || task.ticket !== undefined ? task.accountId : 0,
    quota: task.quota,
    action: 'generate',
    status: task.state,
    fail_reason: task.failReason,
    result_url: shown.resultUrl(task),
    submit_time: seconds(task.submitTime ?? task.createdAt),
    start_time: seconds(task.startTime ?? 0),
    finish_time: seconds(task.finishTime ?? 0),
    progress: `${task.progress}%`,
    properties: {
      input: textOf(task.input['prompt']) ?? '',
      upstream_model_name: task.upstreamModel,
      origin_model_name: task.model,
    },
    data: task.payload ?? queued(task) ?? null,
  };
}

/** Where a task stands that waits for room at its account. */
function queued({ place }: TaskRecord): JsonObject | undefined {
  if (place === undefined) return undefined;
  const { position, expectedStart } = place;
  return { queue: { position, ...(expectedStart !== undefined && { expected_start: seconds(expectedStart) }) } };
}

/** The envelope of the task GET. */
export function taskReplyOf(task: TaskRecord, shown: TaskShown): JsonObject {
  return { code: 'success', message: '', data: taskRecordOf(task, shown) };
}

/** One page of task records, newest first. */
export function taskListOf({ tasks, hasMore }: TaskPage, shown: TaskShown): JsonObject {
  return {
    code: 'success',
    message: '',
    data: {
      items: tasks.map((task) => taskRecordOf(task, shown)),
      has_more: hasMore,
      next_after: hasMore ? (tasks.at(-1)?.id ?? null) : null,
    },
  };
}
