/** Models of many makers behind one vendor: each has names of its own for the same fields, which an offer's `quirks` say. */
import type { DeclaredFields, Json, JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  imageFieldsGiven,
  imageSizeOf,
  namesOfGiven,
  pixelsOf,
  proportionOf,
  refuseKinds,
  sortExtra,
  sortImageExtra,
  tierOf,
  type ImageCreate,
  type Upstream,
  type VideoCreate,
  type VideoInput,
} from '@model-gateway/provider-kit';
import type { JobInput } from './job-vendor.ts';

/** What a vendor's models usually call the fields. */
export interface UsualNames {
  readonly firstFrame: string;
  readonly lastFrame: string;
  readonly image: string;
  readonly count: string | undefined;
  readonly sizeFormat: SizeFormat;
  /** Names that callers must not reach the vendor by: what they set is set elsewhere, or costs more than the row says. */
  readonly never: ReadonlySet<string>;
}

type SizeFormat = (typeof SIZE_FORMATS)[number];
const SIZE_FORMATS = ['pixels', 'ratio', 'none'] as const;
const DURATION_FORMATS = ['number', 'text', 'seconds'] as const;

const WITH_PICTURE = {
  about: 'The model that is asked when a picture is given, where the maker has another one for that.',
  type: 'text',
} as const;
const LIST = 'A name that ends in [] takes a list.';

export const VIDEO_QUIRKS: DeclaredFields = {
  image_model: WITH_PICTURE,
  first_frame_field: { about: 'What the model calls the first frame.', type: 'text' },
  last_frame_field: { about: 'What the model calls the last frame.', type: 'text' },
  reference_field: { about: `What the model calls reference images; without it, it takes none. ${LIST}`, type: 'text' },
  duration_format: { about: 'How the model writes a duration: 5, "5" or "5s".', values: DURATION_FORMATS },
};
export const IMAGE_QUIRKS: DeclaredFields = {
  image_model: WITH_PICTURE,
  image_field: { about: `What the model calls the picture to work from. ${LIST}`, type: 'text' },
  count_field: { about: 'What the model calls the number of pictures; `none`: it makes one at a time.', type: 'text' },
  size_format: {
    about: 'How the model writes a size: width and height, a ratio, or not at all.',
    values: SIZE_FORMATS,
  },
};

type Asked = Pick<Upstream, 'quirks'>;

export function countFieldOf({ quirks }: Asked, usual: UsualNames): string | undefined {
  const said = textOf(quirks, 'count_field') ?? usual.count;
  return said === 'none' ? undefined : said;
}

/** A video body; what the caller adds in its own words goes to the model as it is. */
export function videoInput(input: VideoCreate, { quirks }: Asked, usual: UsualNames): JobInput {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  for (const { url, param } of input.images) {
    if (url.startsWith('asset:')) throw cannotTake(param, 'asset:// identifiers');
  }
  const own = input.shape === 'prompt' ? new Set(Object.keys(input.extra)) : OWN_VIDEO_WORDS;
  const extra = sortExtra(input, new Set([...own].filter((name) => !usual.never.has(name))));
  const pixels = pixelsOf(input.size);
  const resolution = input.resolution ?? (pixels === undefined ? input.size : undefined);
  const model = input.images.length > 0 ? textOf(quirks, 'image_model') : undefined;
  return {
    ...(model !== undefined && { model }),
    body: {
      ...withoutNever(extra.passed, usual),
      ...defined({
        prompt: input.prompt,
        negative_prompt: input.negativePrompt,
        duration: durationAs(quirks['duration_format'], input.duration),
        resolution: tierOf(resolution) === undefined ? resolution : resolution?.toLowerCase(),
        aspect_ratio: input.ratio ?? (pixels === undefined ? undefined : ratioNear(pixels.width / pixels.height)),
        seed: input.seed,
        generate_audio: input.audio,
      }),
      ...framesOf(input, quirks, usual),
    },
    dropped: [...namesOfGiven(input, ['watermark']), ...extra.dropped],
  };
}

const OWN_VIDEO_WORDS: ReadonlySet<string> = new Set(['cfg_scale', 'loop', 'enhance_prompt', 'camera_fixed']);

function framesOf(input: VideoCreate, quirks: JsonObject, usual: UsualNames): JsonObject {
  const first = input.images.find(({ role }) => role === 'first_frame');
  const last = input.images.find(({ role }) => role === 'last_frame');
  const references = input.images.filter(({ role }) => role === 'reference');
  const referenceField = textOf(quirks, 'reference_field');
  const [reference] = references;
  if (reference !== undefined && referenceField === undefined) throw cannotTake(reference.param, 'reference images');
  return {
    ...(first !== undefined && { [textOf(quirks, 'first_frame_field') ?? usual.firstFrame]: first.url }),
    ...(last !== undefined && { [textOf(quirks, 'last_frame_field') ?? usual.lastFrame]: last.url }),
    ...pictures(references, referenceField ?? ''),
  };
}

function pictures(images: readonly VideoInput<string>[], field: string): JsonObject {
  return listed(
    field,
    images.map(({ url }) => url),
    images[1]?.param,
  );
}

/** Pictures under a name that takes one or, with [], a list. */
function listed(field: string, urls: readonly string[], second: string | undefined): JsonObject {
  const [first] = urls;
  if (first === undefined) return {};
  if (field.endsWith('[]')) return { [field.slice(0, -2)]: [...urls] };
  if (second !== undefined) throw cannotTake(second, 'second picture');
  return { [field]: first };
}

/** An image body. */
export function imageInput(
  input: ImageCreate,
  urls: readonly string[],
  { quirks }: Asked,
  usual: UsualNames,
): JobInput {
  const own = sortImageExtra(input, { known: OWN_IMAGE_WORDS, ownShapes: ['prompt', 'edit'] });
  const count = countFieldOf({ quirks }, usual);
  // The price is of as many as `n` says, one without it.
  const never = count === undefined ? usual.never : new Set([...usual.never, count]);
  const kept = withoutNever(own.passed, { never });
  const model = urls.length > 0 ? textOf(quirks, 'image_model') : undefined;
  const format = SIZE_FORMATS.find((one) => one === quirks['size_format']) ?? usual.sizeFormat;
  return {
    ...(model !== undefined && { model }),
    body: {
      ...kept,
      ...defined({
        prompt: input.prompt,
        negative_prompt: input.negativePrompt,
        seed: input.seed,
        output_format: input.outputFormat,
      }),
      ...(count !== undefined && input.count !== undefined && { [count]: input.count }),
      ...sizeAs(format, input.size),
      ...listed(textOf(quirks, 'image_field') ?? usual.image, urls, input.images[1]?.param),
    },
    dropped: [
      ...imageFieldsGiven(input, [
        ...(['watermark', 'promptExtend', 'quality', 'background'] as const),
        ...(['outputCompression', 'partialImages', 'user'] as const),
        ...(format === 'none' ? (['size'] as const) : []),
      ]),
      ...own.dropped,
      ...Object.keys(own.passed).filter((name) => never.has(name)),
    ],
  };
}

const OWN_IMAGE_WORDS: ReadonlySet<string> = new Set([
  'guidance_scale',
  'num_inference_steps',
  'safety_tolerance',
  'raw',
]);

function withoutNever(body: JsonObject, { never }: Pick<UsualNames, 'never'>): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !never.has(name)));
}

function durationAs(format: Json | undefined, seconds: number | undefined): Json | undefined {
  if (seconds === undefined) return undefined;
  if (format === 'text') return String(seconds);
  return format === 'seconds' ? `${seconds}s` : seconds;
}

function sizeAs(format: SizeFormat, asked: string | undefined): JsonObject {
  const size = imageSizeOf(asked);
  if (size === undefined || size.kind === 'auto' || format === 'none') return {};
  if (format === 'ratio') {
    if (size.kind === 'word') return { aspect_ratio: size.word };
    return { aspect_ratio: size.kind === 'class' ? '1:1' : ratioNear(size.width / size.height) };
  }
  if (size.kind === 'word') return { image_size: size.word };
  const { width, height } = size.kind === 'class' ? { width: size.side, height: size.side } : size;
  return { image_size: { width, height } };
}

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21', '5:4', '4:5'] as const;

/** The ratio that a picture of this proportion comes closest to. */
export function ratioNear(proportion: number, among: readonly string[] = RATIOS): string {
  const distance = (ratio: string): number => Math.abs(Math.log((proportionOf(ratio) ?? Infinity) / proportion));
  return among.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best), among[0] ?? '1:1');
}

function textOf(quirks: JsonObject, name: string): string | undefined {
  const value = quirks[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
