/** HappyHorse and Wan: /services/aigc/video-generation/video-synthesis and /tasks (docs/wire/dashscope.md). */
import { GatewayError, isJsonObject, type Json, type Usage, type JsonObject } from '@model-gateway/contracts';
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
  cannotTake,
  classIn,
  defined,
  frameIn,
  namesOfGiven,
  pixelsIn,
  refuseKinds,
  sortExtra,
  tierOf,
  type VideoCreate,
  type VideoInput,
  type VideoWord,
} from '@model-gateway/provider-kit';
import { faultIn } from './fault.ts';

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

export interface DashScopeVideo {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/** DashScope's own shape goes as it came, any other is written anew in the words of the model's generation. */
export function toDashScopeVideo(input: VideoCreate, model: string): DashScopeVideo {
  if (input.shape === 'input') return fromOwnShape(input, model);
  refuseKinds(input, { subjects: 'subjects; give reference images instead' });
  switch (generationOf(model)) {
    case 'happyhorse':
      return fromForm(input, model, happyHorse(input, model));
    case 'wan-media':
      return fromForm(input, model, wanMedia(input));
    case 'wan-classic':
      return fromForm(input, model, wanClassic(input));
    case 'kling':
      return fromForm(input, model, kling(input));
  }
}

// ---- own shape -----------------------------------------------------------------------------------------------------

const HAPPY_HORSE_CLASSES = ['720P', '1080P'];
/** What HappyHorse refuses beside the picture or video that decides it (docs/wire/dashscope.md#create): taken out and named, not answered with a 400. */
const NOT_TAKEN: Readonly<Record<string, readonly string[]>> = {
  i2v: ['ratio'],
  'video-edit': ['ratio', 'duration'],
};

function fromOwnShape({ body, resolution, size }: VideoCreate, model: string): DashScopeVideo {
  const fields = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'callback_url'));
  const parameters = fields['parameters'];
  const refused = NOT_TAKEN[kindOf(model) ?? ''] ?? [];
  if (!isJsonObject(parameters)) return { body: { ...fields, model }, dropped: [] };
  // HappyHorse knows no sizes: the class of one is what is billed.
  const asked = resolution ?? classIn(HAPPY_HORSE_CLASSES, size ?? '');
  const byClass = kindOf(model) !== undefined && parameters['size'] !== undefined && asked !== undefined;
  const kept = Object.entries(parameters).filter(([name]) => !refused.includes(name) && !(byClass && name === 'size'));
  return {
    body: { ...fields, parameters: { ...Object.fromEntries(kept), ...(byClass && { resolution: asked }) }, model },
    dropped: refused.filter((name) => Object.hasOwn(parameters, name)).map((name) => `parameters.${name}`),
  };
}

/** `t2v`, `i2v`, `r2v`, `video-edit` of a HappyHorse model. */
function kindOf(model: string): string | undefined {
  return /^happyhorse-.*?(t2v|i2v|r2v|video-edit)/.exec(model)?.[1];
}

/** Which words a model understands: Wan changed them with 2.7; Kling keeps its own. */
function generationOf(model: string): 'happyhorse' | 'wan-media' | 'wan-classic' | 'kling' {
  if (model.startsWith('happyhorse')) return 'happyhorse';
  if (model.startsWith('kling')) return 'kling';
  const version = /^wanx?(\d+)\.(\d+)/.exec(model);
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  return version !== null && (major < 2 || (major === 2 && minor < 7)) ? 'wan-classic' : 'wan-media';
}

// ---- other shapes --------------------------------------------------------------------------------------------------

interface Written {
  readonly input: JsonObject;
  readonly parameters: JsonObject;
  readonly dropped: readonly string[];
  /** Words of the form this generation has no place for. */
  readonly unknown: readonly VideoWord[];
}

const INPUT_EXTRAS = new Set(['multi_shot', 'multi_prompt', 'element_list', 'shot_type', 'template']);
const PARAMETER_EXTRAS = ['audio_setting', 'prompt_extend', 'mode', 'smart_rewrite'];

function fromForm(input: VideoCreate, model: string, written: Written): DashScopeVideo {
  const extra = sortExtra(input, new Set([...INPUT_EXTRAS, ...PARAMETER_EXTRAS]));
  const entries = Object.entries(extra.passed);
  const parameters = {
    ...Object.fromEntries(entries.filter(([name]) => !INPUT_EXTRAS.has(name))),
    ...defined({ duration: input.duration, seed: input.seed, watermark: input.watermark }),
    ...written.parameters,
  };
  for (const word of written.unknown) Reflect.deleteProperty(parameters, word);
  return {
    body: {
      model,
      input: {
        ...Object.fromEntries(entries.filter(([name]) => INPUT_EXTRAS.has(name))),
        ...defined({ prompt: input.prompt }),
        ...written.input,
      },
      ...(Object.keys(parameters).length > 0 && { parameters }),
    },
    dropped: [...namesOfGiven(input, written.unknown), ...written.dropped, ...extra.dropped],
  };
}

const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4'];
const RATIOS_1_1 = [...RATIOS, '4:5', '5:4', '21:9', '9:21'];

function happyHorse(input: VideoCreate, model: string): Written {
  refuseKinds(input, { audios: 'audio inputs' });
  const kind = kindOf(model) ?? 't2v';
  const media: Json[] = [];
  for (const image of input.images) {
    const type = image.role === 'reference' ? 'reference_image' : image.role;
    const taken = kind === 'i2v' ? type === 'first_frame' : kind !== 't2v' && type === 'reference_image';
    if (!taken) throw cannotTake(image.param, type.replace('_', ' '));
    media.push({ type, url: image.url });
  }
  for (const video of input.videos) {
    // A reference video with an instruction is what this model calls editing.
    if (kind !== 'video-edit' || video.role === 'first_clip') throw cannotTake(video.param, 'video inputs');
    media.unshift({ type: 'video', url: video.url });
  }
  const ratios = kind === 'i2v' || kind === 'video-edit' ? [] : model.includes('1.1') ? RATIOS_1_1 : RATIOS;
  const frame = frameIn(input, { resolutions: HAPPY_HORSE_CLASSES, ratios });
  return {
    input: media.length > 0 ? { media } : {},
    parameters: defined({ resolution: frame.resolution, ratio: frame.ratio }),
    dropped: frame.dropped,
    unknown: ['negativePrompt', 'audio', ...(kind === 'video-edit' ? (['duration'] as const) : [])],
  };
}

const WAN_MEDIA = {
  first_frame: 'first_frame',
  last_frame: 'last_frame',
  first_clip: 'first_clip',
  base: 'video',
  driving: 'driving_audio',
} as const;

function wanMedia(input: VideoCreate): Written {
  const media: Json[] = [
    ...input.images.map(({ role, url }) => ({ type: role === 'reference' ? 'reference_image' : WAN_MEDIA[role], url })),
    ...input.videos.map(({ role, url }) => ({ type: role === 'reference' ? 'reference_video' : WAN_MEDIA[role], url })),
    ...input.audios.map(({ role, url, param }) => {
      if (role === 'reference') throw cannotTake(param, 'reference audio; only a driving one');
      return { type: WAN_MEDIA[role], url };
    }),
  ];
  const frame = frameIn(input, { resolutions: ['480P', '720P', '1080P'], ratios: RATIOS });
  return {
    input: defined({ negative_prompt: input.negativePrompt, media: media.length > 0 ? media : undefined }),
    parameters: defined({ resolution: frame.resolution, ratio: frame.ratio }),
    dropped: frame.dropped,
    unknown: ['audio'],
  };
}

/** Wan 2.6 and older: one picture, a list of references, a sound, and sizes in pixels where no picture decides. */
function wanClassic(input: VideoCreate): Written {
  const first = input.images.find(({ role }) => role === 'first_frame');
  const last = input.images.find(({ role }) => role === 'last_frame');
  if (last !== undefined) throw cannotTake(last.param, 'last frame');
  const base = input.videos.find(({ role }) => role !== 'reference');
  if (base !== undefined) throw cannotTake(base.param, 'video to edit or continue');
  const references: readonly VideoInput<string>[] = [
    ...input.images.filter(({ role }) => role === 'reference'),
    ...input.videos,
  ];
  const sound = input.audios[0];
  if (input.audios[1] !== undefined) throw cannotTake(input.audios[1].param, 'second sound');
  const frame = frameIn(input, { resolutions: ['480P', '720P', '1080P'], ratios: first === undefined ? RATIOS : [] });
  const pixels = first === undefined ? pixelsIn(input) : undefined;
  return {
    input: defined({
      negative_prompt: input.negativePrompt,
      img_url: first?.url,
      reference_urls: references.length > 0 ? references.map(({ url }) => url) : undefined,
      audio_url: sound?.url,
    }),
    parameters: defined({
      resolution: first === undefined ? undefined : frame.resolution,
      size: pixels === undefined ? undefined : `${pixels.width}*${pixels.height}`,
      audio: input.audio,
    }),
    dropped: pixels === undefined ? frame.dropped : [],
    unknown: [],
  };
}

function kling(input: VideoCreate): Written {
  refuseKinds(input, { audios: 'audio inputs' });
  const media: Json[] = [
    ...input.images.map(({ role, url }) => ({ type: role === 'reference' ? 'refer' : role, url })),
    ...input.videos.map(({ role, url, param }) => {
      if (role === 'first_clip') throw cannotTake(param, 'video to continue');
      return { type: 'base', url };
    }),
  ];
  const frame = frameIn(input, { resolutions: ['720P', '1080P'], ratios: ['16:9', '9:16', '1:1'] });
  const tier = tierOf(frame.resolution);
  return {
    input: defined({ negative_prompt: input.negativePrompt, media: media.length > 0 ? media : undefined }),
    parameters: defined({
      mode: tier === undefined ? undefined : tier === 720 ? 'std' : 'pro',
      aspect_ratio: frame.ratio,
      audio: input.audio,
    }),
    dropped: frame.dropped,
    unknown: ['seed'],
  };
}
