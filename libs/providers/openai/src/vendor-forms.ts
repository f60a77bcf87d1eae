/** What the forms of image vendors share that do not know OpenAI's masks: one source picture, and a mask in black and white. */
import {
  cannotTake,
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
