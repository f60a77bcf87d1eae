/**
 * What callers see of a task: the acknowledgement, the task record, OpenAI's video object
 * (docs/service.md#resources-and-their-fields). Names, types and order are binding.
 */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { TaskRecord, TaskState } from '../ports.ts';

/** `platform`: the number of the vendor's adapter, as the gateways before this one number it (docs/wire/video-tasks.md#the-task-record). */
const PLATFORMS: Readonly<Record<string, string>> = {
  openai: '55',
  'openai-compatible': '55',
  ark: '54',
  dashscope: '17',
  veo: '41',
  gemini: '24',
  'tencent-vod': '23',
  kling: '50',
  minimax: '35',
};

const VIDEO_STATUS: Readonly<Record<TaskState, string>> = {
  NOT_START: 'queued',
  IN_PROGRESS: 'in_progress',
  SUCCESS: 'completed',
  FAILURE: 'failed',
};

/** Gives the address of our own content endpoint for a task. */
export type ContentUrl = (task: TaskRecord) => string;

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

/** What the POST answers. Family F has no `task_id`, milliseconds, `seconds`, and the `size` that was asked for. */
export function acknowledgementOf(task: TaskRecord): Acknowledgement {
  const { id, model } = task;
  const head = { object: 'video', model, status: 'queued', progress: 0 } as const;
  if (familyOf(task) === 'seconds') {
    const size = textOf(task.input['size']);
    return {
      id,
      ...head,
      created_at: task.createdAt,
      seconds: secondsOf(task) ?? '4',
      ...(size !== undefined && { size }),
    };
  }
  return { id, task_id: id, ...head, created_at: seconds(task.createdAt) };
}

/** `data` of the task GET. */
export function taskRecordOf(task: TaskRecord, contentUrl: ContentUrl): JsonObject {
  return {
    id: task.number,
    created_at: seconds(task.createdAt),
    updated_at: seconds(task.updatedAt),
    task_id: task.id,
    platform: PLATFORMS[task.vendor] ?? '0',
    user_id: task.ownerId,
    group: task.group,
    channel_id: task.submitted || task.ticket !== undefined ? task.accountId : 0,
    quota: task.quota,
    action: 'generate',
    status: task.state,
    fail_reason: task.failReason,
    result_url: resultUrlOf(task, contentUrl),
    submit_time: seconds(task.submitTime ?? task.createdAt),
    start_time: seconds(task.startTime ?? 0),
    finish_time: seconds(task.finishTime ?? 0),
    progress: `${task.progress}%`,
    properties: {
      input: textOf(task.input['prompt']) ?? '',
      upstream_model_name: task.upstreamModel,
      origin_model_name: task.model,
    },
    data: task.payload ?? null,
  };
}

/** The envelope of the task GET. */
export function taskReplyOf(task: TaskRecord, contentUrl: ContentUrl): JsonObject {
  return { code: 'success', message: '', data: taskRecordOf(task, contentUrl) };
}

/** The task as OpenAI's video object. */
export function videoOf(task: TaskRecord, contentUrl: ContentUrl): JsonObject {
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
    seconds: secondsOf(task) ?? null,
    size: textOf(task.input['size']) ?? null,
    remixed_from_video_id: null,
    error: task.state === 'FAILURE' ? { code: task.failCode, message: task.failReason } : null,
    ...(done && { metadata: { url: resultUrlOf(task, contentUrl) } }),
  };
}

/** One page of videos in OpenAI's list form. */
export function videoListOf(tasks: readonly TaskRecord[], hasMore: boolean, contentUrl: ContentUrl): JsonObject {
  return {
    object: 'list',
    data: tasks.map((task) => videoOf(task, contentUrl)),
    first_id: tasks[0]?.id ?? null,
    last_id: tasks.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** One page of task records, newest first. */
export function taskListOf(tasks: readonly TaskRecord[], hasMore: boolean, contentUrl: ContentUrl): JsonObject {
  return {
    code: 'success',
    message: '',
    data: {
      items: tasks.map((task) => taskRecordOf(task, contentUrl)),
      has_more: hasMore,
      next_after: hasMore ? (tasks.at(-1)?.id ?? null) : null,
    },
  };
}

/** The vendor's link, or our own when the file is kept here or its link needs the vendor's key; empty before SUCCESS. */
export function resultUrlOf(task: TaskRecord, contentUrl: ContentUrl): string {
  const file = task.files[0];
  if (task.state !== 'SUCCESS' || file === undefined) return '';
  if (file.fileId !== undefined || file.credentialed === true || file.url === undefined) return contentUrl(task);
  return file.url;
}

/** The body shape of the model's family. */
export function familyOf(task: Pick<TaskRecord, 'input'>): string {
  return textOf(task.input['family']) ?? '';
}

function secondsOf(task: TaskRecord): string | undefined {
  const duration = task.input['duration'] ?? task.input['default_duration'];
  return typeof duration === 'number' ? String(duration) : undefined;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The neutral input as it is kept with the task: no media, but what the bill, the record and the video object need. */
export function storedInput(input: Readonly<Record<string, unknown>>, more: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const name of KEPT) {
    const value = input[name];
    if (typeof value === 'string') kept[name] = value.slice(0, LONGEST_TEXT);
    else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
  }
  for (const name of ['images', 'videos', 'audios'] as const) {
    const items = input[name];
    if (Array.isArray(items) && items.length > 0) kept[name] = items.map(note);
  }
  if (Array.isArray(input['subjects']) && input['subjects'].length > 0) kept['subjects'] = input['subjects'] as Json[];
  return { ...kept, ...more };
}

const LONGEST_TEXT = 4000;
const KEPT = [
  'shape',
  'prompt',
  'negativePrompt',
  'duration',
  'resolution',
  'ratio',
  'size',
  'seed',
  'watermark',
  'audio',
] as const;

/** A medium as a note: its role and its link, or how much of it there was. */
function note(item: Json): JsonObject {
  if (!isJsonObject(item)) return {};
  const url = textOf(item['url']) ?? '';
  const short = url.length > 2048 || /^data:/i.test(url.slice(0, 5));
  return { role: item['role'] ?? '', url: short ? `[${url.length} characters of media]` : url };
}
