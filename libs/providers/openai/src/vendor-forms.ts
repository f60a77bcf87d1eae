/** What the forms of image vendors share that know neither OpenAI's sizes nor its masks: ratios, one source picture, masks in black and white. */
import {
  cannotTake,
  imageField,
  imageSizeOf,
  maskIn,
  picturesToFetch,
  readPicture,
  refuseLarge,
  type Colour,
  type FormPart,
  type ImageCreate,
  type ImageInput,
  type MediaLimits,
  type MediaRequest,
  type Upstream,
} from '@model-gateway/provider-kit';
import { filePart } from './images.ts';

type Limits = Pick<MediaLimits, 'maxBytes' | 'types'>;

/** Nearer than this, a ratio is the one that was asked for. */
const NEAR_RATIO = 0.03;

/** What `sourceParts` will fetch. */
export function sourcesToFetch({ images, mask }: ImageCreate, limits: Limits): readonly MediaRequest[] {
  return picturesToFetch(mask === undefined ? images : [...images, mask], limits);
}

/** How a vendor's form takes what is to be changed. */
export interface SourceForm {
  readonly limits: Limits;
  /** What the place to change is in its masks. */
  readonly changed: Colour;
}

/** The one picture that an edit starts from, as `image`, and its mask. Throws 400 at the second picture, and at files that OpenAI keeps. */
export async function sourceParts(
  { images, mask, keptFiles }: ImageCreate,
  upstream: Pick<Upstream, 'fetchMedia'>,
  { limits, changed }: SourceForm,
): Promise<readonly FormPart[]> {
  const [kept] = keptFiles ?? [];
  if (kept !== undefined) throw cannotTake(kept, 'files that OpenAI keeps; send the address of the picture');
  const [image, second] = images;
  if (second !== undefined) throw cannotTake(second.param, 'second picture');
  if (image === undefined) {
    if (mask !== undefined) throw cannotTake(mask.param, 'mask without a picture');
    return [];
  }
  const parts = [await imagePart(image, upstream, limits)];
  if (mask !== undefined)
    parts.push(filePart('mask', await maskIn(mask, await readPicture(mask, upstream, limits), changed)));
  return parts;
}

/** Files are read while they are sent; only what was fetched is held. */
async function imagePart(image: ImageInput, upstream: Pick<Upstream, 'fetchMedia'>, limits: Limits): Promise<FormPart> {
  if ('url' in image) return filePart('image', await readPicture(image, upstream, limits));
  refuseLarge(image, limits);
  return { name: 'image', filename: image.filename, contentType: image.mime, size: image.size, open: image.open };
}

/** The nearest of a vendor's ratios, `16:9`, to the size that the caller asked for. */
export interface RatioAsked {
  readonly ratio?: string;
  /** The caller's name of a size that the picture will not have. */
  readonly dropped: readonly string[];
}

/** `makes` says the pixels of a ratio, where they are known. */
export function ratioAsked(
  input: ImageCreate,
  ratios: readonly string[],
  makes: (ratio: string) => string | undefined,
): RatioAsked {
  const size = imageSizeOf(input.size);
  if (size === undefined || size.kind === 'auto') return { dropped: [] };
  const place = imageField(input, 'size');
  if (size.kind === 'word') {
    const word = size.word.replace('x', ':');
    return ratios.includes(word) ? { ratio: word, dropped: [] } : { dropped: [place] };
  }
  const [width, height] = size.kind === 'class' ? [size.side, size.side] : [size.width, size.height];
  const [ratio, away] = ratios
    .map((each) => [each, Math.abs(Math.log(width / height / proportionOf(each)))] as const)
    .reduce((best, each) => (each[1] < best[1] ? each : best));
  // Google's form asks for a ratio and a class of pixels, not for pixels.
  const isMade = makes(ratio) === `${width}x${height}` || (input.shape === 'predict' && away < NEAR_RATIO);
  return { ratio, dropped: isMade ? [] : [place] };
}

function proportionOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}
