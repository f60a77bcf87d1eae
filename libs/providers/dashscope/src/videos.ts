/** HappyHorse and Wan: /services/aigc/video-generation/video-synthesis and /tasks (docs/wire/dashscope.md). */
import { GatewayError, isJsonObject, type Json, type Usage } from '@model-gateway/contracts';
import {
  createJob,
  isMissing,
  malformedReply,
  numberAt,
  objectAt,
  pollJob,
  textAt,
  tooLate,
  type MediaFile,
  type Upstream,
  type VideoAdapter,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import { faultIn } from './fault-in.ts';
import { toDashScopeVideo } from './video-body.ts';

const CREATE = '/services/aigc/video-generation/video-synthesis';
/** A fresh id may be unknown to the query for a moment (docs/wire/dashscope.md#states). */
const FRESH_MS = 60_000;
/** Task and link live a day (docs/wire/dashscope.md#lifetimes). */
const LINK_SECONDS = 86_400;

export const videos: VideoAdapter = {
  async start(input, upstream) {
    const { body, dropped } = toDashScopeVideo(input, upstream.model);
    const headers: Record<string, string> = { 'x-dashscope-async': 'enable' };
    if (mentionsOss(body)) headers['x-dashscope-ossresourceresolve'] = 'enable';
    const { json } = await createJob(upstream, { method: 'POST', path: CREATE, headers, json: body });
    const taskId = textAt(json, 'output', 'task_id');
    if (taskId === undefined) throw malformedReply('it names no task');
    return { ticket: { taskId, startedAt: upstream.now() }, dropped };
  },

  async check(ticket, upstream) {
    const polled = await pollJob(upstream, { method: 'GET', path: taskPath(textAt(ticket, 'taskId')) });
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    const age = upstream.now() - (numberAt(ticket, 'startedAt') ?? 0);
    return fromDashScopeTask(polled.json, age, upstream);
  },

  async cancel(ticket, upstream) {
    try {
      await upstream.send({ method: 'POST', path: `${taskPath(textAt(ticket, 'taskId'))}/cancel` });
    } catch (error) {
      const refused = error instanceof GatewayError && (error.code === 'invalid_request' || isMissing(error));
      throw refused ? tooLate('it is no longer pending') : error;
    }
  },
};

function taskPath(taskId: string | undefined): string {
  return `/tasks/${encodeURIComponent(taskId ?? '')}`;
}

/** `oss://` addresses (the vendor's temporary uploads) want a header of their own (docs/wire/dashscope.md#addresses-and-headers). */
function mentionsOss(value: Json): boolean {
  if (typeof value === 'string') return value.startsWith('oss://');
  if (Array.isArray(value)) return value.some(mentionsOss);
  return isJsonObject(value) && Object.values(value).some(mentionsOss);
}

/** A task as progress; `ageMs` since its create. A failed job is a 200 (docs/wire/dashscope.md#query). */
export function fromDashScopeTask(
  task: Json,
  ageMs: number,
  upstream: Pick<Upstream, 'scrub' | 'storable' | 'now'>,
): VideoProgress {
  const status = textAt(task, 'output', 'task_status');
  if (status === undefined) throw malformedReply('a task without a task_status');
  const payload = upstream.storable(task);
  switch (status) {
    case 'PENDING':
      return { state: 'queued', payload };
    case 'RUNNING':
    case 'SUSPENDED':
      return { state: 'running', payload };
    case 'SUCCEEDED':
      return { state: 'succeeded', files: [fileOf(task, upstream)], usage: usageOf(task), payload };
    case 'FAILED': {
      const none = { code: 'upstream_unavailable', message: 'the vendor gave no reason' } as const;
      return { state: 'failed', fault: faultIn(objectAt(task, 'output'), upstream) ?? none, payload };
    }
    case 'CANCELED':
      return { state: 'failed', fault: { code: 'conflict', message: 'task canceled' }, payload };
    case 'UNKNOWN':
      return ageMs < FRESH_MS ? { state: 'queued', payload } : { state: 'missing', payload };
    default:
      return { state: 'unknown', word: status, payload };
  }
}

function fileOf(task: Json, upstream: Pick<Upstream, 'now'>): MediaFile {
  const url = textAt(task, 'output', 'video_url');
  if (url === undefined) throw malformedReply('a finished task without a video_url');
  const endedAt = chinaTime(textAt(task, 'output', 'end_time')) ?? upstream.now();
  return { url, mime: 'video/mp4', expiresAt: Math.floor(endedAt / 1000) + LINK_SECONDS };
}

/** `2026-11-21 09:01:20.500`, the clock of China, as milliseconds since 1970. */
export function chinaTime(text: string | undefined): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d+)?$/.exec(text ?? '');
  if (match === null) return undefined;
  const time = Date.parse(`${match[1] ?? ''}T${match[2] ?? ''}${match[3] ?? ''}+08:00`);
  return Number.isFinite(time) ? time : undefined;
}

/** `usage.duration` is what is billed: for editing, input and output together (docs/wire/dashscope.md#query). */
function usageOf(task: Json): Usage {
  const seconds =
    numberAt(task, 'usage', 'duration') ??
    numberAt(task, 'usage', 'output_video_duration') ??
    numberAt(task, 'usage', 'video_duration');
  return { videos: numberAt(task, 'usage', 'video_count') ?? 1, ...(seconds !== undefined && { seconds }) };
}
