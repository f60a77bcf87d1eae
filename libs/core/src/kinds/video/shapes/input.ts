/**
 * Family B (body shape `input`): DashScope's own `{ input, parameters }`
 * (docs/service.md#post-v1videogenerations-for-video_family_b_models; docs/wire/dashscope.md#create).
 */
import type { VideoCreate } from '@model-gateway/provider-kit';
import { readAddress } from './address.ts';
import { given, objectFields, readFields, shown, wrong, type Fields } from './fields.ts';
import type { ShapeReader } from './shape.ts';

type Media = Pick<VideoCreate, 'images' | 'videos' | 'audios'>;
type Count = { readonly min: number; readonly max: number };

interface Mode {
  readonly name: string;
  readonly promptRequired: boolean;
  readonly media: Readonly<Record<string, Count>>;
}

/** What HappyHorse's four kinds take; the catalogue row names the kind (`limits.mode`). Rows without one take what DashScope takes. */
const MODES: Readonly<Record<string, Mode>> = {
  t2v: { name: 'text to video', promptRequired: true, media: {} },
  i2v: { name: 'image to video', promptRequired: false, media: { first_frame: { min: 1, max: 1 } } },
  r2v: { name: 'reference to video', promptRequired: true, media: { reference_image: { min: 1, max: 9 } } },
  'video-edit': {
    name: 'video editing',
    promptRequired: true,
    media: { video: { min: 1, max: 1 }, reference_image: { min: 0, max: 5 } },
  },
};

/** Where each media type of DashScope's video models goes in the neutral form. */
const PLACES: Readonly<Record<string, (media: Media, url: string, param: string) => Media>> = {
  first_frame: (media, url, param) => ({ ...media, images: [...media.images, { role: 'first_frame', url, param }] }),
  last_frame: (media, url, param) => ({ ...media, images: [...media.images, { role: 'last_frame', url, param }] }),
  reference_image: (media, url, param) => ({ ...media, images: [...media.images, { role: 'reference', url, param }] }),
  refer: (media, url, param) => ({ ...media, images: [...media.images, { role: 'reference', url, param }] }),
  video: (media, url, param) => ({ ...media, videos: [...media.videos, { role: 'base', url, param }] }),
  base: (media, url, param) => ({ ...media, videos: [...media.videos, { role: 'base', url, param }] }),
  first_clip: (media, url, param) => ({ ...media, videos: [...media.videos, { role: 'first_clip', url, param }] }),
  reference_video: (media, url, param) => ({ ...media, videos: [...media.videos, { role: 'reference', url, param }] }),
  driving_audio: (media, url, param) => ({ ...media, audios: [...media.audios, { role: 'driving', url, param }] }),
};

/** Reads the body of family B. */
export const readInputBody: ShapeReader = (body, row) => {
  const fields = readFields(body);
  fields.take('model');
  const input = fields.object('input');
  if (input === undefined) throw wrong('input', "is required: an object, as in { prompt: 'Snow over a harbour' }");
  const parameters = fields.object('parameters');
  const mode = MODES[typeof row.limits['mode'] === 'string' ? row.limits['mode'] : ''];
  const prompt =
    mode?.promptRequired === true ? input.requiredText('prompt', `${mode.name} needs a prompt`) : input.text('prompt');
  const media = readMedia(input, mode);
  if ((prompt === undefined || prompt.trim() === '') && !input.has('media') && input.rest()['img_url'] === undefined) {
    throw wrong('input.prompt', 'is required when there are no media');
  }
  return {
    shape: 'input',
    body,
    ...given({ prompt, negativePrompt: input.text('negative_prompt') }),
    ...media,
    subjects: [],
    ...given({
      resolution: parameters?.text('resolution'),
      ratio: parameters?.text('ratio'),
      size: parameters?.text('size'),
      duration: parameters?.integer('duration', { min: 1 }),
      watermark: parameters?.flag('watermark'),
      seed: parameters?.integer('seed', { min: 0, max: 2_147_483_647 }),
      audio: parameters?.flag('audio'),
    }),
    extra: {
      ...fields.rest(),
      ...under('input', input),
      ...under('parameters', parameters),
    },
  };
};

function under(name: string, fields: Fields | undefined): Record<string, ReturnType<Fields['rest']>> {
  const rest = fields?.rest() ?? {};
  return Object.keys(rest).length === 0 ? {} : { [name]: rest };
}

function readMedia(input: Fields, mode: Mode | undefined): Media {
  let media: Media = { images: [], videos: [], audios: [] };
  const counts = new Map<string, number>();
  for (const { value, path } of input.list('media') ?? []) {
    const item = objectFields(value, path);
    const type = item.text('type');
    const allowed = mode === undefined ? Object.keys(PLACES) : Object.keys(mode.media);
    if (type === undefined || !allowed.includes(type)) {
      throw wrong(`${path}.type`, typeComplaint(type, allowed, mode));
    }
    const { url } = readAddress(item.take('url'), `${path}.url`, { dataUrl: true, oss: true });
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const most = mode?.media[type]?.max ?? Infinity;
    if (count > most) throw wrong(path, `is one ${type} too many: ${mode?.name ?? ''} takes at most ${most}`);
    media = PLACES[type]?.(media, url, `${path}.url`) ?? media;
  }
  for (const [type, { min }] of Object.entries(mode?.media ?? {})) {
    if ((counts.get(type) ?? 0) < min) {
      throw wrong('input.media', `must hold ${min} item of type ${type}: ${mode?.name ?? ''} needs it`);
    }
  }
  return media;
}

function typeComplaint(type: string | undefined, allowed: readonly string[], mode: Mode | undefined): string {
  if (allowed.length === 0) return `cannot be given: ${mode?.name ?? 'this model'} takes no media`;
  return `must be one of ${allowed.join(', ')}; it is ${type === undefined ? 'missing' : shown(type)}`;
}
