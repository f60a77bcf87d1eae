/** Kling's v1 endpoints: omni-video, text2video, image2video, multi-image2video (docs/wire/kling.md#endpoints). */
import { type Json, type Usage } from '@model-gateway/contracts';
import {
  listAt,
  malformedReply,
  numberAt,
  textAt,
  type MediaFile,
  type Upstream,
  type VideoAdapter,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import { codeOfSentence } from './fault.ts';
import { findTask, queryTask, startTask } from './tasks.ts';
import { isOmni, toKlingVideo, type Endpoint } from './video-body.ts';

/** Results are cleared after thirty days (docs/wire/kling.md#endpoints). */
const LINK_SECONDS = 30 * 86_400;

export const videos: VideoAdapter = {
  async start(input, upstream) {
    const { endpoint, body, dropped } = toKlingVideo(input, upstream.model);
    const taskId = await startTask(pathOf(endpoint), { ...body, external_task_id: input.dedupeKey }, upstream);
    return { ticket: { endpoint, taskId }, dropped };
  },

  async check(ticket, upstream) {
    const endpoint = textAt(ticket, 'endpoint') ?? 'omni-video';
    const polled = await queryTask(pathOf(endpoint), textAt(ticket, 'taskId') ?? '', upstream);
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    return fromKlingTask(polled.json, upstream);
  },

  async reconcile({ dedupeKey }, upstream) {
    const possible: Endpoint[] = isOmni(upstream.model)
      ? ['omni-video']
      : ['text2video', 'image2video', 'multi-image2video'];
    for (const endpoint of possible) {
      const taskId = await findTask(pathOf(endpoint), dedupeKey, upstream);
      if (taskId !== undefined) return { endpoint, taskId };
    }
    return undefined;
  },
};

function pathOf(endpoint: string): string {
  return `/v1/videos/${endpoint}`;
}

/** A task as progress; Kling gives no percentage. */
export function fromKlingTask(task: Json, upstream: Pick<Upstream, 'scrub' | 'storable' | 'now'>): VideoProgress {
  const status = textAt(task, 'data', 'task_status');
  if (status === undefined) throw malformedReply('a task without a task_status');
  const payload = upstream.storable(task);
  switch (status) {
    case 'submitted':
      return { state: 'queued', payload };
    case 'processing':
      return { state: 'running', payload };
    case 'succeed':
    case 'succeeded':
      return { state: 'succeeded', files: filesOf(task, upstream), usage: usageOf(task), payload };
    case 'failed': {
      const reason = textAt(task, 'data', 'task_status_msg') ?? 'the vendor gave no reason';
      return { state: 'failed', fault: { code: codeOfSentence(reason), message: upstream.scrub(reason) }, payload };
    }
    default:
      return { state: 'unknown', word: status, payload };
  }
}

function filesOf(task: Json, upstream: Pick<Upstream, 'now'>): MediaFile[] {
  const endedAt = numberAt(task, 'data', 'updated_at') ?? upstream.now();
  const files = listAt(task, 'data', 'task_result', 'videos').flatMap((video) => textAt(video, 'url') ?? []);
  if (files.length === 0) throw malformedReply('a finished task without a video');
  return files.map((url) => ({ url, mime: 'video/mp4', expiresAt: Math.floor(endedAt / 1000) + LINK_SECONDS }));
}

function usageOf(task: Json): Usage {
  const videos = listAt(task, 'data', 'task_result', 'videos');
  const seconds = videos.map((video) => numberAt(video, 'duration')).filter((length) => length !== undefined);
  return {
    videos: videos.length,
    ...(seconds.length > 0 && { seconds: seconds.reduce((sum, length) => sum + length, 0) }),
  };
}
