/** PixVerse's platform API (docs/wire/pixverse.md). */
import { randomUUID } from 'node:crypto';
import { GatewayError, type ErrorCode, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  classIn,
  defined,
  frameIn,
  idAt,
  malformedReply,
  namesOfGiven,
  numberAt,
  readDataUrl,
  refuseKinds,
  sortExtra,
  textAt,
  type FormPart,
  type Upstream,
  type VideoCreate,
} from '@model-gateway/provider-kit';
import type { JobInput, JobVendor } from './job-vendor.ts';

const FRAME = {
  resolutions: ['360p', '540p', '720p', '1080p'],
  ratios: ['16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9'],
};
const DEARER = ['1080p'];
/** What costs more than the row says, leads elsewhere, or is set by another field. */
const NEVER =
  /^(?:webhook_id|img_ids?|first_frame_img|last_frame_img|model|quality|aspect_ratio|template_id|motion_mode|generate_(?:audio|audio_switch|multi_clip_switch)|(?:sound_effect|lip_sync)_.*)$/;
const OWN_WORDS = new Set(['thinking_type']);
const DEFAULT_SECONDS = 5;
const LARGEST_IMAGE = 20 * 1024 * 1024;
const IMAGE_ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/jpg': 'jpg',
  'image/webp': 'webp',
};

const KEY_CODES = new Set([400012, 500020, 500090]);
const CONTENT_CODES = new Set([500052, 500054, 500063]);
const MODERATED = '7';

export const PIXVERSE: JobVendor = {
  // Each request has a trace of its own.
  authorize: (key) => ({ 'api-key': key, 'ai-trace-id': randomUUID() }),

  submit: ({ model, body }) => {
    const way = body['last_frame_img'] !== undefined ? 'transition' : body['img_id'] !== undefined ? 'img' : 'text';
    return { path: `/video/${way}/generate`, json: { ...body, model } };
  },
  upload,
  idAt: ['Resp', 'video_id'],
  keep: { credit: ['Resp', 'credit'] },

  status: ({ id }) => ({ path: `/video/result/${encodeURIComponent(id)}` }),
  wordAt: [['Resp', 'status']],
  states: { '1': 'succeeded', '5': 'running', '6': 'failed', [MODERATED]: 'failed', '8': 'failed' },
  failure: (answer) => {
    const status = String(numberAt(answer, 'Resp', 'status') ?? '');
    return status === MODERATED ? { message: 'the vendor’s check of content refused the video', code: status } : {};
  },
  filesAt: [['Resp']],
  cost: { kept: 'credit' },
  // Nothing says how long they live.
  linkSeconds: 86_400,

  refusalCode: (body) => codeOf(errorCode(body)),
  refusal: (body) => ({
    message: textAt(body, 'ErrMsg') ?? textAt(body, 'err_msg'),
    code: String(errorCode(body) ?? ''),
  }),
  refusesContent: /^7 |moderat|not compliant|inappropriate/i,

  videos: film,
};

function errorCode(body: Json | undefined): number | undefined {
  const code = numberAt(body, 'ErrCode') ?? numberAt(body, 'err_code');
  return code === 0 ? undefined : code;
}

/** Codes say what their HTTP status, which is 200, does not. */
function codeOf(code: number | undefined): ErrorCode | undefined {
  if (code === undefined) return undefined;
  if (CONTENT_CODES.has(code)) return 'content_refused';
  if (KEY_CODES.has(code)) return 'upstream_rejected_key';
  if (code === 500008) return 'task_not_exist';
  if (code === 500044) return 'upstream_rate_limited';
  // 400…: parameters; 50003…, 50004…: pictures.
  return /^(?:400\d{3}|5000[34]\d)$/.test(String(code)) ? 'invalid_request' : 'upstream_unavailable';
}

/** It makes videos of pictures that it has: each becomes a number. */
async function upload(url: string, param: string, upstream: Upstream): Promise<string> {
  if (url.startsWith('asset:')) throw cannotTake(param, 'asset:// identifiers');
  const { json } = await upstream.send({ method: 'POST', path: '/image/upload', form: [pictureOf(url, param)] });
  const id = idAt(json, 'Resp', 'img_id');
  if (id === undefined) throw malformedReply('it names no picture');
  return id;
}

function pictureOf(url: string, param: string): FormPart {
  const embedded = readDataUrl(url, param);
  if (embedded === undefined) return { name: 'image_url', value: url };
  const ending = IMAGE_ENDINGS[embedded.mime];
  const bytes = Buffer.from(embedded.base64, 'base64');
  if (ending === undefined || bytes.length >= LARGEST_IMAGE) {
    throw new GatewayError('invalid_request', `${param} must be a PNG, JPEG or WebP of less than 20 MB`, { param });
  }
  return {
    name: 'image',
    filename: `image.${ending}`,
    contentType: embedded.mime,
    size: bytes.length,
    open: () => once(bytes),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

/** `images` are those that were uploaded, by their numbers; before that it only refuses what it cannot take. */
function film(input: VideoCreate): JobInput {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  const frame = frameIn(input, FRAME);
  // Bills know its own word as one that makes a film dearer, never cheaper.
  const quality = classIn(DEARER, textAt(input.extra, 'quality') ?? '');
  const own = input.shape === 'prompt' ? new Set(Object.keys(input.extra)) : OWN_WORDS;
  const extra = sortExtra(input, new Set([...own].filter((name) => !NEVER.test(name))));
  const isSet = (name: string): boolean => name === 'aspect_ratio' || (name === 'quality' && quality !== undefined);
  const pictures = picturesOf(input);
  const ratio = frame.ratio ?? textAt(input.extra, 'aspect_ratio');
  const isText = Object.keys(pictures).length === 0;
  return {
    body: {
      ...Object.fromEntries(Object.entries(extra.passed).filter(([name]) => !NEVER.test(name))),
      ...defined({ prompt: input.prompt ?? '', seed: input.seed, generate_audio_switch: input.audio }),
      ...pictures,
      // The shape of a picture is that of its video.
      ...(isText && { aspect_ratio: ratio ?? '16:9' }),
      // The vendor refuses a body without them.
      duration: input.duration ?? DEFAULT_SECONDS,
      quality: frame.resolution ?? quality ?? '720p',
    },
    dropped: [
      ...namesOfGiven(input, ['negativePrompt', 'watermark']),
      ...frame.dropped,
      ...(isText || ratio === undefined ? [] : ['aspect_ratio']),
      ...[...extra.dropped, ...Object.keys(extra.passed).filter((name) => NEVER.test(name))].filter(
        (name) => !isSet(name),
      ),
    ],
  };
}

function picturesOf({ images }: VideoCreate): JsonObject {
  const first = images.find(({ role }) => role === 'first_frame');
  const last = images.find(({ role }) => role === 'last_frame');
  const reference = images.find(({ role }) => role === 'reference');
  if (reference !== undefined) throw cannotTake(reference.param, 'reference images');
  if (last !== undefined && first === undefined) throw cannotTake(last.param, 'a last frame without a first one');
  if (first === undefined) return {};
  if (last === undefined) return { img_id: Number(first.url) };
  return { first_frame_img: Number(first.url), last_frame_img: Number(last.url) };
}
