/** The inputs of the models that the twin has, as fal's own client types them (docs/wire/fal.md#models). */
import type { JsonObject } from '@model-gateway/contracts';
import type { MediaWish } from '../core/job-media.ts';
import { Reader, type Problem } from '../core/reader.ts';
import { Refusal } from '../core/refusal.ts';
import { sizeFor, type Size } from '../core/values.ts';

type ReadModel = (input: Reader) => Omit<MediaWish, 'model' | 'prompt' | 'seed'>;

const WORDED_SIZES: Readonly<Record<string, Size>> = {
  square_hd: { width: 1024, height: 1024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1024 },
  portrait_16_9: { width: 576, height: 1024 },
  landscape_4_3: { width: 1024, height: 768 },
  landscape_16_9: { width: 1024, height: 576 },
};

function readSize(input: Reader): Size {
  const { image_size: size } = input.value;
  if (size === undefined) return { width: 1024, height: 768 };
  if (typeof size !== 'string') {
    const pixels = input.object('image_size');
    return { width: pixels.integer('width', 1, 14_142), height: pixels.integer('height', 1, 14_142) };
  }
  return WORDED_SIZES[size] ?? input.fail('image_size', 'one of the words of ImageSize, or width and height');
}

const flux: ReadModel = (input) => {
  input.optionalInteger('num_inference_steps', 1, 50);
  input.optionalNumber('guidance_scale', 1, 20);
  input.optionalBoolean('enable_safety_checker');
  return {
    kind: 'image',
    size: readSize(input),
    count: input.optionalInteger('num_images', 1, 4) ?? 1,
    format: input.optionalOneOf('output_format', ['jpeg', 'png'] as const) ?? 'jpeg',
  };
};

const fluxUltra: ReadModel = (input) => ({
  kind: 'image',
  size: sizeFor('1024p', input.optionalString('aspect_ratio') ?? '16:9'),
  count: input.optionalInteger('num_images', 1, 4) ?? 1,
  format: input.optionalOneOf('output_format', ['jpeg', 'png'] as const) ?? 'jpeg',
});

const kontext: ReadModel = (input) => {
  requireLink(input, 'image_url');
  return fluxUltra(input);
};

function kling(withImage: boolean): ReadModel {
  return (input) => {
    if (withImage) requireLink(input, 'image_url');
    input.optionalString('tail_image_url');
    input.optionalNumber('cfg_scale', 0, 1);
    input.optionalString('negative_prompt', 2500);
    const ratio = input.optionalOneOf('aspect_ratio', ['16:9', '9:16', '1:1'] as const) ?? '16:9';
    const seconds = Number(input.optionalOneOf('duration', ['5', '10'] as const) ?? '5');
    return { kind: 'video', size: sizeFor('1080p', ratio), seconds };
  };
}

function veo(withImage: boolean): ReadModel {
  return (input) => {
    if (withImage) requireLink(input, 'image_url');
    const ratio = input.optionalOneOf('aspect_ratio', ['16:9', '9:16', 'auto'] as const) ?? '16:9';
    const resolution = input.optionalOneOf('resolution', ['720p', '1080p', '4k'] as const) ?? '720p';
    const seconds = Number.parseInt(input.optionalOneOf('duration', ['4s', '6s', '8s'] as const) ?? '8s', 10);
    return {
      ...{ kind: 'video', seconds, audio: input.optionalBoolean('generate_audio') ?? true },
      size: sizeFor(resolution === '4k' ? '2160p' : resolution, ratio === 'auto' ? '16:9' : ratio),
    };
  };
}

function requireLink(input: Reader, name: string): void {
  if (!/^(https?|data):/.test(input.string(name))) input.fail(name, 'a valid URL');
}

const MODELS: Readonly<Record<string, ReadModel>> = {
  'fal-ai/flux/schnell': flux,
  'fal-ai/flux/dev': flux,
  'fal-ai/flux-pro/v1.1': flux,
  'fal-ai/flux-pro/v1.1-ultra': fluxUltra,
  'fal-ai/flux-pro/kontext': kontext,
  'fal-ai/kling-video/v2.5-turbo/pro/text-to-video': kling(false),
  'fal-ai/kling-video/v2.5-turbo/pro/image-to-video': kling(true),
  'fal-ai/veo3.1/fast': veo(false),
  'fal-ai/veo3.1/fast/image-to-video': veo(true),
};

/** `image` for a model that the twin does not have. */
export function kindOf(model: string): 'image' | 'video' {
  return /video|veo/.test(model) ? 'video' : 'image';
}

/** Every model of the twin. */
export const MODEL_NAMES: readonly string[] = Object.keys(MODELS);

export function hasModel(model: string): boolean {
  return Object.hasOwn(MODELS, model);
}

/** What an input asks for. Throws the model's own 422, as FastAPI prints it. */
export function readInput(model: string, value: JsonObject): MediaWish {
  const input = new Reader(value, ['body'], complain);
  const prompt = input.string('prompt');
  const wish = MODELS[model]?.(input);
  if (wish === undefined) throw complain({ kind: 'value', path: ['body'], want: 'a model of the twin' });
  return { ...wish, model, prompt, seed: input.optionalInteger('seed') };
}

function complain({ kind, path, want }: Problem): Refusal {
  const type = kind === 'missing' ? 'missing' : kind === 'type' ? 'type_error' : 'value_error';
  const msg = kind === 'missing' ? 'Field required' : `Input should be ${want}`;
  return new Refusal(422, { detail: [{ loc: [...path], msg, type }] });
}

/** What a model says to content that it refuses (docs/wire/fal.md#errors). */
export const CONTENT_REFUSED = {
  detail: [
    {
      loc: ['body', 'prompt'],
      msg: 'The content could not be processed because it contained material flagged by a content checker.',
      type: 'content_policy_violation',
      url: 'https://docs.fal.ai/errors#content_policy_violation',
    },
  ],
};
