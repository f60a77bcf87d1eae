/** Runway's tasks (docs/wire/runway.md). */
import {
  cannotTake,
  defined,
  imageFieldsGiven,
  listAt,
  namesOfGiven,
  pixelsOf,
  proportionOf,
  refuseKinds,
  sortExtra,
  sortImageExtra,
  textAt,
  tierOf,
  type ImageCreate,
  type VideoCreate,
} from '@model-gateway/provider-kit';
import type { JobInput, JobVendor } from './job-vendor.ts';
import { ratioNear } from './many-makers.ts';

const VERSION = '2024-11-06';
const DEFAULT_SECONDS = 5;
/** Sizes of Gen-4's films and pictures. */
const FILM_SIZES = ['1280:720', '720:1280', '1104:832', '832:1104', '960:960', '1584:672'];
const TEXT_FILM_SIZES = ['1280:720', '720:1280'];
const PICTURE_SIZES = [
  '1920:1080',
  '1080:1920',
  '1024:1024',
  '1360:768',
  '1080:1080',
  '1168:880',
  '1440:1080',
  '1080:1440',
  '1808:768',
  '2112:912',
  '1280:720',
  '720:1280',
  '720:720',
  '960:720',
  '720:960',
  '1680:720',
];
/** What costs more than the row says, or is set by another field. */
const NEVER = new Set(['outputFormat', 'proresProfile', 'outputCount', 'ratio', 'resolution', 'aspect_ratio']);
const OWN_WORDS = new Set(['contentModeration', 'seed']);

export const RUNWAY: JobVendor = {
  authorize: (key) => ({ authorization: `Bearer ${key}`, 'x-runway-version': VERSION }),

  submit: ({ kind, model, body }) => {
    const film = body['promptImage'] === undefined ? '/text_to_video' : '/image_to_video';
    return { path: kind === 'image' ? '/text_to_image' : film, json: { ...body, model } };
  },
  idAt: ['id'],

  status: ({ id }) => ({ path: `/tasks/${encodeURIComponent(id)}` }),
  wordAt: [['status']],
  states: {
    PENDING: 'queued',
    THROTTLED: 'queued',
    RUNNING: 'running',
    SUCCEEDED: 'succeeded',
    FAILED: 'failed',
    CANCELLED: 'failed',
  },
  progressAt: ['progress'],
  failure: (answer) => ({ message: textAt(answer, 'failure'), code: textAt(answer, 'failureCode') }),
  filesAt: [['output']],
  cost: { at: ['cost', 'credits'] },
  linkSeconds: 86_400,
  renewsLinks: true,
  cancel: ({ id }) => ({ method: 'DELETE', path: `/tasks/${encodeURIComponent(id)}` }),

  refusal: (body) => {
    const [issue] = listAt(body, 'issues');
    const steps = listAt(issue, 'path').flatMap((step) => (typeof step === 'string' ? [step] : []));
    return {
      message: textAt(issue, 'message') ?? textAt(body, 'error') ?? textAt(body, 'message'),
      ...(steps.length > 0 && { param: steps.join('.') }),
    };
  },
  refusesContent: /SAFETY|moderat/i,

  videos: film,
  images: picture,
};

function film(input: VideoCreate): JobInput {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  const frames = input.images.map(({ role, url, param }) => {
    if (role === 'reference') throw cannotTake(param, 'reference images');
    return { uri: url, position: role === 'first_frame' ? 'first' : 'last' };
  });
  const [first] = frames;
  const own = input.shape === 'prompt' ? new Set(Object.keys(input.extra)) : OWN_WORDS;
  const ratio = input.ratio ?? textAt(input.extra, 'aspect_ratio') ?? textAt(input.extra, 'ratio');
  const extra = sortExtra(input, new Set([...own].filter((name) => !NEVER.has(name))));
  return {
    body: {
      ...Object.fromEntries(Object.entries(extra.passed).filter(([name]) => !NEVER.has(name))),
      ...defined({
        promptText: input.prompt,
        promptImage:
          frames.length === 1 && first?.position === 'first' ? first.uri : frames.length > 0 ? frames : undefined,
        negativePrompt: input.negativePrompt,
        seed: input.seed,
        audio: input.audio,
      }),
      ratio: sizeAs(ratio, input.size, frames.length > 0 ? FILM_SIZES : TEXT_FILM_SIZES),
      duration: input.duration ?? DEFAULT_SECONDS,
    },
    dropped: [
      ...namesOfGiven(input, ['watermark']),
      ...extra.dropped.filter((name) => name !== 'aspect_ratio' && name !== 'ratio'),
      ...(tierOf(input.resolution) === undefined || tierOf(input.resolution) === 720 ? [] : ['resolution']),
    ],
  };
}

function picture(input: ImageCreate, urls: readonly string[]): JobInput {
  const extra = sortImageExtra(input, { known: OWN_WORDS, ownShapes: ['prompt', 'edit'] });
  const passed = Object.entries(extra.passed).filter(([name]) => !NEVER.has(name));
  return {
    body: {
      ...Object.fromEntries(passed),
      ...defined({ promptText: input.prompt, seed: input.seed }),
      ratio: sizeAs(undefined, input.size, PICTURE_SIZES),
      ...(urls.length > 0 && { referenceImages: urls.map((uri) => ({ uri })) }),
    },
    dropped: [
      ...imageFieldsGiven(input, [
        'negativePrompt',
        'watermark',
        'promptExtend',
        'quality',
        'background',
        'outputFormat',
      ]),
      ...imageFieldsGiven(input, ['outputCompression', 'partialImages', 'user']),
      ...extra.dropped,
      ...Object.keys(extra.passed).filter((name) => NEVER.has(name)),
    ],
  };
}

/** Width and height with a colon: as they were asked for, else the nearest in shape, else the first. */
function sizeAs(ratio: string | undefined, size: string | undefined, sizes: readonly string[]): string {
  const pixels = pixelsOf(size);
  const exact = pixels === undefined ? ratio : `${pixels.width}:${pixels.height}`;
  if (exact !== undefined && /^\d{3,4}:\d{3,4}$/.test(exact))
    return sizes.includes(exact) ? exact : nearest(exact, sizes);
  const proportion = proportionOf(ratio ?? size);
  return proportion === undefined ? (sizes[0] ?? '1280:720') : ratioOf(proportion, sizes);
}

function nearest(size: string, sizes: readonly string[]): string {
  const [width = 16, height = 9] = size.split(':').map(Number);
  return ratioOf(width / height, sizes);
}

function ratioOf(proportion: number, sizes: readonly string[]): string {
  const shapes = sizes.map((size) => {
    const [width = 1, height = 1] = size.split(':').map(Number);
    return { size, ratio: `${Math.round((width / height) * 100)}:100` };
  });
  const best = ratioNear(
    proportion,
    shapes.map(({ ratio }) => ratio),
  );
  return shapes.find(({ ratio }) => ratio === best)?.size ?? '1280:720';
}
