/** Kling's v1 endpoints: omni-video, text2video, image2video, multi-image2video (docs/wire/kling.md#endpoints). */
import { type Json, type Usage, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import {
  listAt,
  malformedReply,
  numberAt,
  textAt,
  type MediaFile,
  type Upstream,
  type VideoAdapter,
  type VideoProgress,
  cannotTake,
  defined,
  fieldOf,
  frameIn,
  namesOfGiven,
  readDataUrl,
  refuseKinds,
  sortExtra,
  tierOf,
  type VideoCreate,
  type VideoInput,
  type VideoWord,
} from '@model-gateway/provider-kit';
import { codeOfSentence } from './fault.ts';
import { findTask, queryTask, startTask } from './tasks.ts';

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

export type Endpoint = 'omni-video' | 'text2video' | 'image2video' | 'multi-image2video';
export interface KlingVideo {
  readonly endpoint: Endpoint;
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

const FIELDS = new Set([
  'multi_shot',
  'shot_type',
  'multi_prompt',
  'mode',
  'cfg_scale',
  'camera_control',
  'static_mask',
  'dynamic_masks',
  'voice_list',
  'watermark_info',
]);
const FRAME = { resolutions: ['720P', '1080P', '4K'], ratios: ['16:9', '9:16', '1:1'] };
const MODES: Readonly<Record<number, string>> = { 720: 'std', 1080: 'pro', 2160: '4k' };

/** Whether a model is asked through omni-video. */
export function isOmni(model: string): boolean {
  return /omni|video-o\d/.test(model);
}

/** Endpoint and body; the external id is added by whoever sends it. */
export function toKlingVideo(input: VideoCreate, model: string): KlingVideo {
  refuseKinds(input, { audios: 'audio inputs' });
  refuseLibraryFiles(input);
  const made = isOmni(model) ? omni(input) : plain(input);
  const picturesDecide = made.frameGiven;
  const frame = frameIn(input, { ...FRAME, ratios: picturesDecide ? [] : FRAME.ratios });
  const tier = tierOf(frame.resolution);
  const extra = sortExtra(input, FIELDS);
  return {
    endpoint: made.endpoint,
    body: {
      ...defined({
        watermark_info: input.watermark === undefined ? undefined : { enabled: input.watermark },
        mode: tier === undefined ? undefined : MODES[tier],
      }),
      ...extra.passed,
      ...defined({
        prompt: input.prompt,
        // Required where no picture decides it (docs/wire/kling.md#endpoints); the family's own default.
        aspect_ratio: picturesDecide ? undefined : (frame.ratio ?? '16:9'),
        duration: input.duration === undefined ? undefined : String(input.duration),
        sound: input.audio === undefined ? undefined : input.audio ? 'on' : 'off',
      }),
      ...made.body,
      model_name: model,
    },
    dropped: [...namesOfGiven(input, made.unknown), ...frame.dropped, ...extra.dropped],
  };
}

interface Made {
  readonly endpoint: Endpoint;
  readonly body: JsonObject;
  /** A first frame or an edited video decides the ratio. */
  readonly frameGiven: boolean;
  readonly unknown: readonly VideoWord[];
}

function omni(input: VideoCreate): Made {
  const [video, second] = input.videos;
  if (second !== undefined) throw cannotTake(second.param, 'second video');
  if (video?.role === 'first_clip') throw cannotTake(video.param, 'video to continue');
  if (video !== undefined && input.audio === true) {
    throw cannotTake(fieldOf(input, 'audio'), 'sound together with a reference video');
  }
  const images = input.images.map((image) => ({
    image_url: contentOf(image),
    ...(image.role !== 'reference' && { type: image.role === 'first_frame' ? 'first_frame' : 'end_frame' }),
  }));
  return {
    endpoint: 'omni-video',
    frameGiven: input.images.some(({ role }) => role === 'first_frame') || video?.role === 'base',
    unknown: ['negativePrompt', 'seed'],
    body: defined({
      image_list: images.length > 0 ? images : undefined,
      element_list: input.subjects.length > 0 ? input.subjects.map((id) => ({ element_id: id })) : undefined,
      video_list: video === undefined ? undefined : [videoOf(video, input)],
      sound: video === undefined ? undefined : 'off',
    }),
  };
}

function videoOf(video: VideoInput<string>, input: VideoCreate): JsonObject {
  if (video.url.startsWith('data:')) throw cannotTake(video.param, 'embedded video; give its address');
  return {
    video_url: contentOf(video),
    refer_type: video.role === 'base' ? 'base' : 'feature',
    ...keepSound(input, video.url),
  };
}

/** `KeepOriginalSound` has no place in the form: it is read from the family's own body. */
function keepSound(input: VideoCreate, url: string): JsonObject {
  const file = ownFiles(input).find((item) => textAt(item, 'url') === url);
  const word = textAt(file, 'keeporiginalsound')?.toLowerCase();
  return word === 'enabled' || word === 'disabled' ? { keep_original_sound: word === 'enabled' ? 'yes' : 'no' } : {};
}

function plain(input: VideoCreate): Made {
  refuseKinds(input, {
    videos: 'reference videos (its omni sibling does)',
    subjects: 'subjects (its omni sibling does)',
  });
  const first = input.images.find(({ role }) => role === 'first_frame');
  const last = input.images.find(({ role }) => role === 'last_frame');
  const references = input.images.filter(({ role }) => role === 'reference');
  const negative = defined({ negative_prompt: input.negativePrompt });
  const [reference] = references;
  if (first !== undefined || last !== undefined) {
    if (reference !== undefined) throw cannotTake(reference.param, 'reference images beside a first frame');
    return {
      endpoint: 'image2video',
      frameGiven: true,
      unknown: ['seed'],
      body: {
        ...negative,
        ...defined({
          image: first === undefined ? undefined : contentOf(first),
          image_tail: last === undefined ? undefined : contentOf(last),
        }),
      },
    };
  }
  if (reference === undefined) {
    return { endpoint: 'text2video', frameGiven: false, unknown: ['seed'], body: negative };
  }
  return {
    endpoint: 'multi-image2video',
    frameGiven: false,
    unknown: ['seed'],
    body: { ...negative, image_list: references.map((image) => ({ image: contentOf(image) })) },
  };
}

/** An address, or the bare base64 of a data: URL. */
function contentOf({ url, param }: VideoInput<string>): string {
  if (url.startsWith('asset:')) throw cannotTake(param, 'asset:// identifiers');
  return readDataUrl(url, param)?.base64 ?? url;
}

/** The body's own file list with lower-case keys without underscores, whichever way they were written. */
function ownFiles(input: VideoCreate): JsonObject[] {
  if (input.shape !== 'omni') return [];
  const list = Object.entries(input.body).find(([name]) => plainName(name) === 'fileinfos')?.[1];
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map((item) => {
    const members = Object.entries(item).map(([name, value]): [string, Json] => [plainName(name), value]);
    return Object.fromEntries(members);
  });
}

function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** A file of another vendor's library, or a subject by name, would silently be missing from the video. */
function refuseLibraryFiles(input: VideoCreate): void {
  const index = ownFiles(input).findIndex((item) => textAt(item, 'fileid') !== undefined);
  if (index >= 0) throw cannotTake(`file_infos[${index}].FileId`, 'files of another vendor’s library');
}
