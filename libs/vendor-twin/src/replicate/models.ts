/** The inputs of the models that the twin has (docs/wire/replicate.md#models). A member that a schema does not have is refused. */
import type { MediaWish } from '../core/job-media.ts';
import type { Reader } from '../core/reader.ts';
import { sizeFor } from '../core/values.ts';

type ReadModel = (input: Reader) => Omit<MediaWish, 'model' | 'prompt' | 'seed'>;

const RATIOS = ['1:1', '16:9', '21:9', '3:2', '2:3', '4:5', '5:4', '3:4', '4:3', '9:16', '9:21'] as const;
const FORMATS = { webp: 'webp', jpg: 'jpeg', png: 'png' } as const;

const PLAIN = [
  'prompt',
  'seed',
  'aspect_ratio',
  'output_format',
  'output_quality',
  'safety_tolerance',
  'prompt_upsampling',
];

function flux(more: readonly string[], most: number): ReadModel {
  const names = new Set([...PLAIN, ...more]);
  return (input) => {
    input.only(names);
    for (const name of more) if (/image/.test(name)) requireLink(input, name);
    const format = input.optionalOneOf('output_format', ['webp', 'jpg', 'png'] as const) ?? 'webp';
    return {
      kind: 'image',
      size: sizeFor('768p', input.optionalOneOf('aspect_ratio', RATIOS) ?? '1:1'),
      count: (most > 1 ? input.optionalInteger('num_outputs', 1, most) : undefined) ?? 1,
      format: FORMATS[format],
    };
  };
}

const KLING = new Set([
  'prompt',
  'seed',
  'negative_prompt',
  'aspect_ratio',
  'duration',
  'start_image',
  'end_image',
  'guidance_scale',
]);
const kling: ReadModel = (input) => {
  input.only(KLING);
  requireLink(input, 'start_image');
  requireLink(input, 'end_image');
  const ratio = input.optionalOneOf('aspect_ratio', ['16:9', '9:16', '1:1'] as const) ?? '16:9';
  return {
    kind: 'video',
    size: sizeFor('1080p', ratio),
    seconds: input.optionalOneOf('duration', [5, 10] as const) ?? 5,
  };
};

const SEEDANCE = new Set([
  'prompt',
  'seed',
  'image',
  'last_frame_image',
  'duration',
  'resolution',
  'aspect_ratio',
  'fps',
  'camera_fixed',
]);
const seedance: ReadModel = (input) => {
  input.only(SEEDANCE);
  requireLink(input, 'image');
  requireLink(input, 'last_frame_image');
  const resolution = input.optionalOneOf('resolution', ['480p', '720p', '1080p'] as const) ?? '1080p';
  const ratio =
    input.optionalOneOf('aspect_ratio', ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', '9:21'] as const) ?? '16:9';
  return { kind: 'video', size: sizeFor(resolution, ratio), seconds: input.optionalInteger('duration', 2, 12) ?? 5 };
};

function requireLink(input: Reader, name: string): void {
  const value = input.optionalString(name);
  if (value !== undefined && !/^(https?|data):/.test(value)) input.fail(name, 'a URI');
}

const MODELS: Readonly<Record<string, ReadModel>> = {
  'black-forest-labs/flux-schnell': flux(
    ['num_outputs', 'num_inference_steps', 'go_fast', 'megapixels', 'disable_safety_checker'],
    4,
  ),
  'black-forest-labs/flux-1.1-pro': flux(['image_prompt', 'width', 'height'], 1),
  'black-forest-labs/flux-kontext-pro': flux(['input_image'], 1),
  'kwaivgi/kling-v2.5-turbo-pro': kling,
  'bytedance/seedance-1-pro': seedance,
};

/** Every model of the twin. */
export const MODEL_NAMES: readonly string[] = Object.keys(MODELS);

export function readerOf(model: string): ReadModel | undefined {
  return Object.hasOwn(MODELS, model) ? MODELS[model] : undefined;
}

/** One version is known, of the first model: who names versions names models of the community. */
export const KNOWN_VERSION = '5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa';

export function modelOfVersion(version: string): string | undefined {
  return version === KNOWN_VERSION ? 'black-forest-labs/flux-schnell' : undefined;
}
