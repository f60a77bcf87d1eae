/** Hailuo, API v1: create, query, and the file behind a finished task (docs/wire/minimax.md#create, #query-and-file, #states). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  cleanFault,
  createJob,
  idAt,
  malformedReply,
  numberAt,
  objectAt,
  pollJob,
  textAt,
  type Fault,
  type MediaFile,
  type Upstream,
  type VideoAdapter,
  type VideoProgress,
  cannotTake,
  defined,
  frameIn,
  listAt,
  namesOfGiven,
  refuseKinds,
  sortExtra,
  tierOf,
  type VideoCreate,
} from '@model-gateway/provider-kit';
import { codeOf } from './fault.ts';

/** What a task without a duration takes (docs/wire/minimax.md#create). */
const DEFAULT_SECONDS = 6;
/** The shortest of the documented lives of a download link. */
const LINK_SECONDS = 3600;
const RETRIEVE_AGAIN_MS = 5000;

export const videos: VideoAdapter = {
  async start(input, upstream) {
    const { body, dropped } = toHailuoVideo(input, upstream.model);
    const { json } = await createJob(upstream, { method: 'POST', path: '/video_generation', json: body });
    const taskId = idAt(json, 'task_id');
    if (taskId === undefined) throw malformedReply('it names no task');
    // No reply says how long the video is; the request does.
    return { ticket: { taskId, seconds: numberAt(body, 'duration') ?? DEFAULT_SECONDS }, dropped };
  },

  async check(ticket, upstream) {
    const polled = await query(ticket, upstream);
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    if (textAt(polled.json, 'status') === 'Success') return finished(polled.json, ticket, upstream);
    return fromHailuoTask(polled.json, upstream);
  },

  async refresh(ticket, upstream) {
    const polled = await query(ticket, upstream);
    if ('missing' in polled) throw new GatewayError('upstream_unavailable', 'the vendor no longer has this task');
    const file = await retrieve(polled.json, upstream);
    return [fileOf(polled.json, file, upstream)];
  },
};

async function query(ticket: JsonObject, upstream: Upstream): ReturnType<typeof pollJob> {
  const taskId = textAt(ticket, 'taskId') ?? '';
  try {
    return await pollJob(upstream, {
      method: 'GET',
      path: `/query/video_generation?task_id=${encodeURIComponent(taskId)}`,
    });
  } catch (error) {
    // No code for an unknown task is documented; the id is the only parameter that can be wrong here.
    if (error instanceof GatewayError && error.code === 'invalid_request') {
      return { missing: { error: { code: error.details.vendorCode ?? '', message: error.message } } };
    }
    throw error;
  }
}

/** Every state but Success, which is one more call away. */
export function fromHailuoTask(task: Json, upstream: Pick<Upstream, 'scrub' | 'storable'>): VideoProgress {
  const status = textAt(task, 'status');
  if (status === undefined) throw malformedReply('a task without a status');
  const payload = upstream.storable(task);
  switch (status) {
    case 'Preparing':
    case 'Queueing':
      return { state: 'queued', payload };
    case 'Processing':
      return { state: 'running', payload };
    case 'Fail':
      return { state: 'failed', fault: faultOf(task, upstream), payload };
    default:
      return { state: 'unknown', word: status, payload };
  }
}

/** Success once the file can be had; until then the task is still running, whatever the file's trouble is (docs/wire/minimax.md#states). */
async function finished(task: Json, ticket: JsonObject, upstream: Upstream): Promise<VideoProgress> {
  try {
    const file = await retrieve(task, upstream);
    const seconds = numberAt(ticket, 'seconds');
    return {
      state: 'succeeded',
      files: [fileOf(task, file, upstream)],
      usage: { videos: 1, ...(seconds !== undefined && { seconds }) },
      payload: upstream.storable(merged(task, file)),
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const waitSeconds = error.details.retryAfterSeconds ?? 0;
    return {
      state: 'running',
      checkAfterMs: Math.max(RETRIEVE_AGAIN_MS, waitSeconds * 1000),
      payload: upstream.storable(task),
    };
  }
}

interface RetrievedFile {
  readonly file: JsonObject;
  readonly downloadUrl: string;
}

async function retrieve(task: Json, upstream: Upstream): Promise<RetrievedFile> {
  const fileId = idAt(task, 'file_id');
  if (fileId === undefined) throw malformedReply('a finished task without a file_id');
  const { json } = await upstream.send({
    method: 'GET',
    path: `/files/retrieve?file_id=${encodeURIComponent(fileId)}`,
  });
  const file = objectAt(json, 'file');
  const downloadUrl = textAt(file, 'download_url') ?? textAt(file, 'backup_download_url');
  if (file === undefined || downloadUrl === undefined) throw malformedReply('a file without a download_url');
  // An integer there, text everywhere else (docs/service.md: file.file_id is a string).
  return { file: { ...file, file_id: fileId }, downloadUrl };
}

/** The task with what docs/service.md shows beside it: `file`, `download_url`, `video_url`. */
function merged(task: Json, { file, downloadUrl }: RetrievedFile): JsonObject {
  const known = isJsonObject(task) ? task : {};
  return {
    ...known,
    file_id: idAt(task, 'file_id') ?? '',
    file,
    download_url: downloadUrl,
    video_url: downloadUrl,
  };
}

function fileOf(task: Json, { downloadUrl }: RetrievedFile, upstream: Pick<Upstream, 'now'>): MediaFile {
  const width = numberAt(task, 'video_width');
  const height = numberAt(task, 'video_height');
  return {
    url: downloadUrl,
    mime: 'video/mp4',
    expiresAt: Math.floor(upstream.now() / 1000) + LINK_SECONDS,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}

function faultOf(task: Json, upstream: Pick<Upstream, 'scrub'>): Fault {
  const statusCode = numberAt(task, 'base_resp', 'status_code') ?? 0;
  const fault = {
    code: codeOf(statusCode),
    message: textAt(task, 'base_resp', 'status_msg') ?? 'the vendor gave no reason',
    ...(statusCode !== 0 && { vendorCode: String(statusCode) }),
  };
  return cleanFault(fault, (text) => upstream.scrub(text));
}

interface HailuoVideo {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

const FIELDS = new Set(['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark', 'subject_reference']);

/** The family's own shape goes as it came, any other is written anew. */
export function toHailuoVideo(input: VideoCreate, model: string): HailuoVideo {
  return input.shape === 'prompt' ? { body: fromOwnShape(input, model), dropped: [] } : fromForm(input, model);
}

const TRANSLATED = new Set(['model', 'callback_url', 'image', 'imageUrls', 'size', 'resolution']);

function fromOwnShape({ body, resolution }: VideoCreate, model: string): JsonObject {
  const rest = Object.entries(body).filter(([name]) => !TRANSLATED.has(name));
  const firstFrame = textAt(body, 'first_frame_image') ?? textAt(body, 'image') ?? textAt(listAt(body, 'imageUrls')[0]);
  // The class of a size in pixels, where the model's row has one.
  const asked = body['resolution'] ?? resolution ?? body['size'];
  return {
    ...Object.fromEntries(rest),
    ...defined({
      first_frame_image: firstFrame,
      resolution: typeof asked === 'string' && tierOf(asked) !== undefined ? asked.toUpperCase() : asked,
    }),
    model,
  };
}

function fromForm(input: VideoCreate, model: string): HailuoVideo {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  const frame = frameIn(input, { resolutions: resolutionsOf(model), ratios: [] });
  const extra = sortExtra(input, FIELDS);
  return {
    body: {
      ...extra.passed,
      ...defined({
        prompt: input.prompt,
        first_frame_image: input.images.find(({ role }) => role === 'first_frame')?.url,
        last_frame_image: input.images.find(({ role }) => role === 'last_frame')?.url,
        duration: input.duration,
        resolution: frame.resolution,
        aigc_watermark: input.watermark,
      }),
      ...subjectReference(input, model),
      model,
    },
    dropped: [...namesOfGiven(input, ['negativePrompt', 'seed', 'audio']), ...frame.dropped, ...extra.dropped],
  };
}

/** One picture of a person, and only S2V-01 takes it. */
function subjectReference(input: VideoCreate, model: string): JsonObject {
  const references = input.images.filter(({ role }) => role === 'reference');
  const [first, second] = references;
  if (first === undefined) return {};
  if (!model.startsWith('S2V')) throw cannotTake(first.param, 'reference images');
  if (second !== undefined) throw cannotTake(second.param, 'second reference image');
  return { subject_reference: [{ type: 'character', image: [first.url] }] };
}

/** docs/wire/minimax.md#create: the 01 series makes 720P, the others 768P and 1080P, Hailuo-02 also 512P. */
function resolutionsOf(model: string): string[] {
  if (/-01\b/.test(model)) return ['720P'];
  return /-02\b/.test(model) ? ['512P', '768P', '1080P'] : ['768P', '1080P'];
}
