/** Luma's Dream Machine API (docs/wire/luma.md). */
import type { JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  frameIn,
  imageFieldsGiven,
  imageSizeOf,
  listAt,
  namesOfGiven,
  refuseKinds,
  sortExtra,
  sortImageExtra,
  textAt,
  type ImageCreate,
  type VideoCreate,
} from '@model-gateway/provider-kit';
import type { JobInput, JobVendor } from './job-vendor.ts';
import { ratioNear } from './many-makers.ts';

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '21:9', '9:21'];
const FRAME = { resolutions: ['540p', '720p', '1080p', '4k'], ratios: RATIOS };
const NEVER = new Set([
  'callback_url',
  'sync',
  'sync_timeout',
  'generation_type',
  'aspect_ratio',
  'media',
  'keyframes',
]);
const OWN_VIDEO_WORDS = new Set(['loop', 'concepts']);
const OWN_IMAGE_WORDS = new Set(['character_ref', 'style_ref', 'modify_image_ref']);

export const LUMA: JobVendor = {
  authorize: (key) => ({ authorization: `Bearer ${key}` }),

  submit: ({ kind, model, body }) => ({ path: `/generations/${kind}`, json: { ...body, model } }),
  // It signs nothing.
  webhooks: { withAddress: ({ path, json }, url) => ({ path, json: { ...json, callback_url: url } }) },
  idAt: ['id'],

  status: ({ id }) => ({ path: `/generations/${encodeURIComponent(id)}` }),
  wordAt: [['state']],
  states: { queued: 'queued', dreaming: 'running', completed: 'succeeded', failed: 'failed' },
  failure: (answer) => ({ message: textAt(answer, 'failure_reason') }),
  filesAt: [
    ['assets', 'video'],
    ['assets', 'image'],
  ],
  linkSeconds: 86_400,
  // What removing a generation does to its bill is not said.

  refusal: (body) => {
    const [first] = listAt(body, 'detail');
    const steps = listAt(first, 'loc').flatMap((step) => (typeof step === 'string' && step !== 'body' ? [step] : []));
    return {
      message: textAt(first, 'msg') ?? textAt(body, 'detail') ?? textAt(body, 'message'),
      ...(steps.length > 0 && { param: steps.join('.') }),
    };
  },
  refusesContent: /moderat|flagged|safety|not allowed/i,

  videos: film,
  images: picture,
};

/** Only addresses: embedded pictures have no place. */
function address(url: string, param: string): string {
  if (/^https?:/i.test(url)) return url;
  throw cannotTake(param, 'embedded image; give its address');
}

function film(input: VideoCreate): JobInput {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  const frame = frameIn(input, FRAME);
  const own = input.shape === 'prompt' ? new Set(Object.keys(input.extra)) : OWN_VIDEO_WORDS;
  const extra = sortExtra(input, new Set([...own].filter((name) => !NEVER.has(name))));
  const keyframes: Record<string, JsonObject> = {};
  for (const { role, url, param } of input.images) {
    if (role === 'reference') throw cannotTake(param, 'reference images');
    keyframes[role === 'first_frame' ? 'frame0' : 'frame1'] = { type: 'image', url: address(url, param) };
  }
  return {
    body: {
      ...Object.fromEntries(Object.entries(extra.passed).filter(([name]) => !NEVER.has(name))),
      ...defined({ prompt: input.prompt, aspect_ratio: frame.ratio ?? textAt(input.extra, 'aspect_ratio') }),
      // Without them the model decides, and bills, what nobody has set aside.
      duration: `${input.duration ?? 5}s`,
      resolution: frame.resolution ?? '720p',
      ...(Object.keys(keyframes).length > 0 && { keyframes }),
    },
    dropped: [
      ...namesOfGiven(input, ['negativePrompt', 'seed', 'watermark', 'audio']),
      ...frame.dropped,
      ...extra.dropped.filter((name) => name !== 'aspect_ratio'),
    ],
  };
}

function picture(input: ImageCreate, urls: readonly string[]): JobInput {
  const extra = sortImageExtra(input, { known: OWN_IMAGE_WORDS, ownShapes: ['prompt', 'edit'] });
  const passed = Object.entries(extra.passed).filter(([name]) => !NEVER.has(name));
  const [first, second] = urls;
  if (second !== undefined) throw cannotTake(input.images[1]?.param ?? 'image', 'second picture');
  return {
    body: {
      ...Object.fromEntries(passed),
      ...defined({ prompt: input.prompt, aspect_ratio: ratioOf(input.size), format: formatOf(input.outputFormat) }),
      ...(first !== undefined && { modify_image_ref: { url: address(first, input.images[0]?.param ?? 'image') } }),
    },
    dropped: [
      ...imageFieldsGiven(input, ['negativePrompt', 'seed', 'watermark', 'promptExtend', 'quality', 'background']),
      ...imageFieldsGiven(input, ['outputCompression', 'partialImages', 'user']),
      ...extra.dropped,
      ...Object.keys(extra.passed).filter((name) => NEVER.has(name)),
    ],
  };
}

function ratioOf(asked: string | undefined): string | undefined {
  const size = imageSizeOf(asked);
  if (size === undefined || size.kind === 'auto') return undefined;
  if (size.kind === 'word') return size.word;
  return size.kind === 'class' ? '1:1' : ratioNear(size.width / size.height, RATIOS);
}

function formatOf(format: string | undefined): string | undefined {
  return format === 'jpeg' ? 'jpg' : format;
}
