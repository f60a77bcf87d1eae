/** Seedance on Ark / ModelArk: /contents/generations/tasks (docs/wire/ark.md). */
import { GatewayError, isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cleanFault,
  createJob,
  defined,
  frameIn,
  isMissing,
  malformedReply,
  namesOfGiven,
  numberAt,
  pollJob,
  refuseKinds,
  sortExtra,
  textAt,
  tooLate,
  type Fault,
  type MediaFile,
  type Upstream,
  type VideoAdapter,
  type VideoCreate,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import { codeOf } from './fault.ts';

const TASKS = '/contents/generations/tasks';
/** Links live a day from the end of the task (docs/wire/ark.md#cancel-and-lifetimes). */
const LINK_SECONDS = 86_400;

/** What Ark's body has beside `content` and the words of the neutral form (docs/wire/ark.md#create). */
const ARK_FIELDS = new Set([
  'frames',
  'camera_fixed',
  'draft',
  'return_last_frame',
  'service_tier',
  'execution_expires_after',
  'priority',
  'tools',
  'safety_identifier',
  'output_format',
  'omni_reference_task_type',
]);

export const videos: VideoAdapter = {
  async start(input, upstream) {
    const { body, dropped } = toArkTask(input, upstream.model);
    const { json } = await createJob(upstream, { method: 'POST', path: TASKS, json: body });
    const id = textAt(json, 'id');
    if (id === undefined) throw malformedReply('it names no task');
    return { ticket: { id }, dropped };
  },

  async check(ticket, upstream) {
    const polled = await pollJob(upstream, { method: 'GET', path: taskPath(ticket) });
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    return fromArkTask(polled.json, upstream);
  },

  async cancel(ticket, upstream) {
    // DELETE cancels what is queued, but removes the record of what has ended (docs/wire/ark.md#cancel-and-lifetimes): look first.
    const polled = await pollJob(upstream, { method: 'GET', path: taskPath(ticket) });
    const status = 'missing' in polled ? 'unknown to the vendor' : (textAt(polled.json, 'status') ?? 'unknown');
    if (status !== 'queued') throw tooLate(status);
    try {
      await upstream.send({ method: 'DELETE', path: taskPath(ticket) });
    } catch (error) {
      // It began to run in between.
      const refused = error instanceof GatewayError && (error.code === 'invalid_request' || isMissing(error));
      throw refused ? tooLate('running') : error;
    }
  },
};

function taskPath(ticket: JsonObject): string {
  return `${TASKS}/${encodeURIComponent(textAt(ticket, 'id') ?? '')}`;
}

/** The body of a create: Ark's own shape goes as it came, any other is written anew. */
export function toArkTask(
  input: VideoCreate,
  model: string,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  if (input.shape === 'content') return { body: ownBody(input.body, model), dropped: [] };
  refuseKinds(input, { subjects: 'subjects; give reference images instead' });
  const frame = frameIn(input, {
    resolutions: ['480p', '720p', '1080p', '4k'],
    ratios: ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'],
  });
  const extra = sortExtra(input, ARK_FIELDS);
  return {
    body: {
      ...extra.passed,
      ...defined({
        content: contentOf(input),
        resolution: frame.resolution,
        ratio: frame.ratio,
        duration: input.duration,
        seed: input.seed,
        watermark: input.watermark,
        generate_audio: input.audio,
      }),
      model,
    },
    dropped: [...namesOfGiven(input, ['negativePrompt']), ...frame.dropped, ...extra.dropped],
  };
}

/** The caller's own fields, whatever they are; the model is ours to name and callbacks are ours to receive (docs/wire/ark.md#what-is-passed-on). */
function ownBody(body: JsonObject, model: string): JsonObject {
  const fields = Object.entries(body).filter(([name]) => name !== 'callback_url' && name !== 'model');
  return { model, ...Object.fromEntries(fields) };
}

function contentOf(input: VideoCreate): Json[] {
  return [
    ...(input.prompt !== undefined ? [{ type: 'text', text: input.prompt }] : []),
    ...input.images.map(({ role, url }) => ({
      type: 'image_url',
      image_url: { url },
      role: role === 'reference' ? 'reference_image' : role,
    })),
    // Editing and continuing are reference mode with an instruction in the text (docs/wire/ark.md#content-items).
    ...input.videos.map(({ url }) => ({ type: 'video_url', video_url: { url }, role: 'reference_video' })),
    ...input.audios.map(({ url }) => ({ type: 'audio_url', audio_url: { url }, role: 'reference_audio' })),
  ];
}

/** A task of Ark's as progress (docs/wire/ark.md#states). Ark gives no percentage. */
export function fromArkTask(task: Json, upstream: Pick<Upstream, 'scrub' | 'storable'>): VideoProgress {
  const status = isJsonObject(task) ? textAt(task, 'status') : undefined;
  if (status === undefined) throw malformedReply('a task without a status');
  const payload = upstream.storable(task);
  switch (status) {
    case 'queued':
      return { state: 'queued', payload };
    case 'running':
      return { state: 'running', payload };
    case 'succeeded':
      return { state: 'succeeded', files: filesOf(task), usage: usageOf(task), payload };
    case 'failed':
      return { state: 'failed', fault: faultOf(task, upstream), payload };
    case 'cancelled':
      return { state: 'failed', fault: { code: 'conflict', message: 'task cancelled' }, payload };
    case 'expired':
      return { state: 'failed', fault: { code: 'upstream_timeout', message: 'task expired' }, payload };
    default:
      return { state: 'unknown', word: status, payload };
  }
}

function filesOf(task: Json): MediaFile[] {
  const video = textAt(task, 'content', 'video_url') ?? textAt(task, 'content', 'file_url');
  if (video === undefined) throw malformedReply('a finished task without a video_url');
  const lastFrame = textAt(task, 'content', 'last_frame_url');
  const endedAt = numberAt(task, 'updated_at');
  const life = endedAt === undefined ? {} : { expiresAt: endedAt + LINK_SECONDS };
  return [
    { url: video, mime: 'video/mp4', ...life },
    ...(lastFrame !== undefined ? [{ url: lastFrame, mime: 'image/png', ...life }] : []),
  ];
}

function usageOf(task: Json): Usage {
  const total = numberAt(task, 'usage', 'total_tokens');
  const output = numberAt(task, 'usage', 'completion_tokens') ?? total;
  const seconds = secondsOf(task);
  return {
    videos: 1,
    ...(output !== undefined && { outputTokens: output }),
    ...(total !== undefined && output !== undefined && total > output && { inputTokens: total - output }),
    ...(seconds !== undefined && { seconds }),
  };
}

/** `duration`, or frames over frames per second where the job was asked in frames. */
function secondsOf(task: Json): number | undefined {
  const duration = numberAt(task, 'duration');
  if (duration !== undefined && duration > 0) return duration;
  const frames = numberAt(task, 'frames');
  const perSecond = numberAt(task, 'framespersecond');
  return frames !== undefined && perSecond !== undefined && perSecond > 0 ? frames / perSecond : undefined;
}

function faultOf(task: Json, upstream: Pick<Upstream, 'scrub'>): Fault {
  const vendorCode = textAt(task, 'error', 'code');
  const code = codeOf(vendorCode ?? '', 500);
  const message = textAt(task, 'error', 'message') ?? 'the vendor gave no reason';
  const fault = { code, message, ...(vendorCode !== undefined && { vendorCode }) };
  return cleanFault(fault, (text) => upstream.scrub(text));
}
