/** Black Forest Labs (docs/wire/bfl.md). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  frameIn,
  imageFieldsGiven,
  imageSizeOf,
  listAt,
  namesOfGiven,
  readDataUrl,
  refuseKinds,
  sortExtra,
  sortImageExtra,
  textAt,
  valueAt,
  type ImageCreate,
  type VideoCreate,
} from '@model-gateway/provider-kit';
import type { JobInput, JobVendor } from './job-vendor.ts';
import { ratioNear } from './many-makers.ts';

/** What costs more, or leads elsewhere, has its own field or none; pictures are counted where the body has them. */
const NEVER = /^(?:webhook_url|webhook_secret|width|height|aspect_ratio|draft_cache|mode|start_video|input_image.*)$/;
const OWN_IMAGE_WORDS = new Set([
  'safety_tolerance',
  'prompt_upsampling',
  'raw',
  'steps',
  'guidance',
  'transparent_bg',
]);
const OWN_VIDEO_WORDS = new Set(['safety_tolerance', 'draft', 'version']);
/** Models that take a ratio in place of pixels. */
const BY_RATIO = /kontext|ultra|raw/;
const DEFAULT_SECONDS = 5;
const VIDEO = { resolutions: ['720p', '1080p'], ratios: ['21:9', '2:1', '16:9', '4:3', '1:1', '3:4', '9:16', 'auto'] };

export const BFL: JobVendor = {
  authorize: (key) => ({ 'x-key': key }),
  // A job is asked after at the cluster that has it: api.us1.bfl.ai.
  ownsHost: (host, baseUrl) => /(^|\.)bfl\.ai$/.test(host) && /(^|\.)bfl\.ai$/.test(new URL(baseUrl).hostname),

  submit: ({ model, body }) => ({ path: `/${model}`, json: body }),
  idAt: ['id'],
  keep: { pollingUrl: ['polling_url'], cost: ['cost'] },

  status: (ticket, baseUrl) => {
    const url = textAt(ticket, 'pollingUrl');
    const path = `/get_result?id=${encodeURIComponent(ticket.id)}`;
    return { path, ...(url !== undefined && takesKey(url, baseUrl) && { url }) };
  },
  wordAt: [['status'], ['state']],
  states: {
    Pending: 'running',
    Ready: 'succeeded',
    Error: 'failed',
    Failed: 'failed',
    'Request Moderated': 'failed',
    'Content Moderated': 'failed',
    'Task not found': 'missing',
  },
  progressAt: ['progress'],
  failure: (answer) => ({ message: wordsOf(valueAt(answer, 'details')) }),
  filesAt: [['result', 'sample']],
  cost: { at: ['cost'], kept: 'cost' },
  linkSeconds: 600,

  refusal: (body) => {
    const [first] = listAt(body, 'detail');
    const param = listAt(first, 'loc').flatMap((step) => (typeof step === 'string' && step !== 'body' ? [step] : []));
    return {
      message: textAt(first, 'msg') ?? textAt(body, 'detail') ?? textAt(body, 'message'),
      ...(param.length > 0 && { param: param.join('.') }),
    };
  },
  refusesContent: /moderat|safety|flagged/i,

  videos: film,
  images: picture,
};

/** Behind another address the account's own is asked: a cluster that gets no key refuses a job that is paid. */
function takesKey(url: string, baseUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, origin } = new URL(url);
  return origin === new URL(baseUrl).origin || BFL.ownsHost?.(hostname, baseUrl) === true;
}

/** A sentence, or an object of them. */
function wordsOf(details: Json | undefined): string | undefined {
  if (typeof details === 'string') return details;
  return details === undefined || details === null ? undefined : JSON.stringify(details).slice(0, 500);
}

/** An address, or bare base64. */
function contentOf(url: string, param: string): string {
  return readDataUrl(url, param)?.base64 ?? url;
}

function picture(input: ImageCreate, urls: readonly string[], { model }: { readonly model: string }): JobInput {
  const extra = sortImageExtra(input, { known: OWN_IMAGE_WORDS, ownShapes: ['prompt', 'edit'] });
  const passed = Object.entries(extra.passed).filter(([name]) => !NEVER.test(name));
  const images = urls.map((url, index): [string, string] => [
    index === 0 ? 'input_image' : `input_image_${index + 1}`,
    contentOf(url, input.images[index]?.param ?? 'image'),
  ]);
  return {
    body: {
      ...Object.fromEntries(passed),
      ...defined({ prompt: input.prompt, seed: input.seed, output_format: input.outputFormat }),
      ...sizeFor(model, input.size),
      ...Object.fromEntries(images),
    },
    dropped: [
      ...imageFieldsGiven(input, [
        'negativePrompt',
        'watermark',
        'promptExtend',
        'quality',
        'background',
        'outputCompression',
      ]),
      ...imageFieldsGiven(input, ['partialImages', 'user']),
      ...extra.dropped,
      ...Object.keys(extra.passed).filter((name) => NEVER.test(name)),
    ],
  };
}

/** Their sides are multiples of 32: the nearest is asked for. */
const IN_STEPS = /^flux-pro-1\.1$|^flux-dev$/;
const inSteps = (side: number): number => Math.round(side / 32) * 32;

function sizeFor(model: string, asked: string | undefined): JsonObject {
  const size = imageSizeOf(asked);
  if (size === undefined || size.kind === 'auto') return {};
  if (size.kind === 'word') return { aspect_ratio: size.word };
  const { width, height } = size.kind === 'class' ? { width: size.side, height: size.side } : size;
  if (BY_RATIO.test(model)) return { aspect_ratio: ratioNear(width / height) };
  return IN_STEPS.test(model) ? { width: inSteps(width), height: inSteps(height) } : { width, height };
}

function film(input: VideoCreate): JobInput {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  const first = input.images.find(({ role }) => role === 'first_frame');
  const last = input.images.find(({ role }) => role === 'last_frame');
  const reference = input.images.find(({ role }) => role === 'reference');
  if (reference !== undefined) throw cannotTake(reference.param, 'reference images');
  if (last !== undefined && first === undefined) throw cannotTake(last.param, 'last frame without a first one');
  const frame = frameIn(input, VIDEO);
  const own = input.shape === 'prompt' ? new Set(Object.keys(input.extra)) : OWN_VIDEO_WORDS;
  const ratio = frame.ratio ?? textAt(input.extra, 'aspect_ratio');
  const extra = sortExtra(input, new Set([...own].filter((name) => !NEVER.test(name))));
  const keyframes = [first, last].flatMap((image) => (image === undefined ? [] : [contentOf(image.url, image.param)]));
  return {
    body: {
      ...Object.fromEntries(Object.entries(extra.passed).filter(([name]) => !NEVER.test(name))),
      mode: keyframes.length > 0 ? 'i2v' : 't2v',
      prompt: input.prompt ?? '',
      // Without them the model decides, and bills, what nobody has set aside.
      duration: input.duration ?? DEFAULT_SECONDS,
      resolution: frame.resolution === '1080p' ? 'fhd' : 'hd',
      ...defined({ aspect_ratio: ratio, generate_audio: input.audio }),
      ...(keyframes.length > 0 && { keyframes }),
    },
    dropped: [
      ...namesOfGiven(input, ['negativePrompt', 'seed', 'watermark']),
      ...frame.dropped,
      ...extra.dropped.filter((name) => name !== 'aspect_ratio'),
    ],
  };
}
