/** Grok Imagine's videos (docs/wire/openai-videos.md#xai): generations, edits, extensions. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  cleanFault,
  createJob,
  defined,
  fieldOf,
  frameIn,
  isMissing,
  malformedReply,
  MAX_POLL_BYTES,
  namesOfGiven,
  numberAt,
  refuseKinds,
  sortExtra,
  textAt,
  valueAt,
  type Fault,
  type Upstream,
  type UpstreamReply,
  type VideoAdapter,
  type VideoCreate,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import { errorFault } from './openai-videos.ts';

const FRAME = {
  resolutions: ['480p', '720p', '1080p'],
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'],
};

export const xaiVideos: VideoAdapter = {
  async start(input, upstream) {
    const { path, body, dropped } = toXaiVideo(input, upstream.model);
    const { json } = await createJob(upstream, { method: 'POST', path, json: body });
    const requestId = textAt(json, 'request_id');
    if (requestId === undefined) throw malformedReply('it names no request');
    return { ticket: { wire: 'xai', requestId }, dropped };
  },

  async check(ticket, upstream) {
    const path = `/videos/${encodeURIComponent(textAt(ticket, 'requestId') ?? '')}`;
    let reply: UpstreamReply;
    try {
      reply = await upstream.send({ method: 'GET', path, notFound: 'task', maxReplyBytes: MAX_POLL_BYTES });
    } catch (error) {
      if (!isMissing(error)) throw error;
      return { state: 'missing', payload: { error: { message: error.message } } };
    }
    return fromXaiVideo(reply, upstream);
  },
};

export function toXaiVideo(
  input: VideoCreate,
  model: string,
): { readonly path: string; readonly body: JsonObject; readonly dropped: readonly string[] } {
  refuseKinds(input, { audios: 'audio inputs', subjects: 'subjects' });
  const [video, second] = input.videos;
  if (second !== undefined) throw cannotTake(second.param, 'second video');
  for (const { url, role, param } of [...input.images, ...input.videos]) {
    if (url.startsWith('asset:')) throw cannotTake(param, 'asset:// identifiers');
    if (role === 'last_frame') throw cannotTake(param, 'last frame');
  }
  const [image] = input.images;
  if (video !== undefined && image !== undefined) throw cannotTake(image.param, 'images beside a video');
  const first = input.images.find(({ role }) => role === 'first_frame');
  const references = input.images.filter(({ role }) => role === 'reference');
  const frame = frameIn(input, video === undefined ? FRAME : { resolutions: [], ratios: [] });
  const extra = sortExtra(input, new Set(['reference_audios']));
  const isEdit = video !== undefined && video.role !== 'first_clip';
  return {
    path: video === undefined ? '/videos/generations' : isEdit ? '/videos/edits' : '/videos/extensions',
    body: {
      ...extra.passed,
      ...defined({
        prompt: input.prompt,
        duration: isEdit ? undefined : input.duration,
        aspect_ratio: frame.ratio,
        resolution: frame.resolution,
        image: first === undefined ? undefined : { url: first.url },
        reference_images: references.length > 0 ? references.map(({ url }) => ({ url })) : undefined,
        video: video === undefined ? undefined : { url: video.url },
      }),
      model,
    },
    dropped: [
      ...namesOfGiven(input, ['negativePrompt', 'seed', 'watermark', 'audio']),
      ...(isEdit && input.duration !== undefined ? [fieldOf(input, 'duration')] : []),
      ...frame.dropped,
      ...extra.dropped,
    ],
  };
}

/** 202, perhaps without a body, while it runs. */
export function fromXaiVideo(
  reply: Pick<UpstreamReply, 'status' | 'json'>,
  upstream: Pick<Upstream, 'scrub' | 'storable'>,
): VideoProgress {
  const body: Json = reply.json ?? {};
  const payload = upstream.storable(body);
  const status = textAt(body, 'status');
  if (status === undefined) {
    if (reply.status !== 202) throw malformedReply('a video without a status');
    return { state: 'running', ...percentOf(body), payload };
  }
  switch (status.toLowerCase()) {
    case 'queued':
      return { state: 'queued', payload };
    case 'pending':
    case 'processing':
    case 'in_progress':
    case 'running':
      return { state: 'running', ...percentOf(body), payload };
    case 'done':
      return finished(body, payload);
    case 'failed':
    case 'expired':
      return { state: 'failed', fault: faultOf(body, status, upstream), payload };
    default:
      return { state: 'unknown', word: status, payload };
  }
}

function percentOf(body: Json): { readonly percent?: number } {
  const percent = numberAt(body, 'progress');
  return percent !== undefined && percent >= 0 ? { percent: Math.min(99, Math.trunc(percent)) } : {};
}

function finished(body: Json, payload: Json): VideoProgress {
  if (valueAt(body, 'video', 'respect_moderation') === false) {
    const fault: Fault = { code: 'content_refused', message: 'the video was blocked by the vendor’s moderation' };
    return { state: 'failed', fault, payload };
  }
  const url = textAt(body, 'video', 'url');
  if (url === undefined) throw malformedReply('a finished video without a url');
  const seconds = numberAt(body, 'video', 'duration');
  return {
    state: 'succeeded',
    files: [{ url, mime: 'video/mp4' }],
    usage: { videos: 1, ...(seconds !== undefined && { seconds }) },
    payload,
  };
}

function faultOf(body: Json, status: string, upstream: Pick<Upstream, 'scrub'>): Fault {
  const error = valueAt(body, 'error');
  const told = isJsonObject(error) ? errorFault(error) : undefined;
  if (told !== undefined) return cleanFault(told, (text) => upstream.scrub(text));
  return status.toLowerCase() === 'expired'
    ? { code: 'upstream_timeout', message: 'task expired' }
    : { code: 'upstream_unavailable', message: 'task failed' };
}
