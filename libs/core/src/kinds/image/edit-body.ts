/** The two bodies of POST /v1/images/edits, OpenAI's form and its JSON variant, as the neutral form. */
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { ImageCreate, ImageInput } from '@model-gateway/provider-kit';
import { imageSize } from 'image-size';
import type { ModelRow } from '../../catalogue.ts';
import { checkCount, decodeImageBody, promptOf, reference, responseFormatOf, sizeOf, whole } from './image-body.ts';

/** Pictures of one edit at most. */
export const MOST_EDIT_IMAGES = 16;
const MASK_TYPE = 'image/png';
const PICTURES = ['image/png', 'image/jpeg', 'image/webp'];
const KNOWN_FIELDS = [
  'model',
  'prompt',
  'n',
  'size',
  'response_format',
  'quality',
  'background',
  'output_format',
  'output_compression',
  'stream',
  'partial_images',
  'user',
];

/** A form that was read: its texts, and files whose first bytes are at hand. */
export interface EditForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly EditFile[];
}
export interface EditFile {
  readonly name: string;
  readonly filename: string;
  /** By its bytes; '' when unknown. */
  readonly mime: string;
  readonly size: number;
  /** Enough of it to find its dimensions. */
  readonly head: Uint8Array;
  open(): AsyncIterable<Uint8Array>;
}

/** Reads the JSON variant: `images: [{image_url}]`, `mask: {image_url}`, or `{file_id}` in place of either. Throws `invalid_request` naming the field. */
export function readEditBody(body: JsonObject, row: ModelRow): ImageCreate {
  const { images, mask, ...rest } = body;
  const given = Array.isArray(images) ? images : [];
  if (given.length === 0)
    throw new GatewayError('invalid_request', 'images is missing; send at least one image to edit', {
      param: 'images',
    });
  checkCount(given.length, row, 'images');
  const hasMask = mask !== undefined && mask !== null;
  const keptFiles = [
    ...given.flatMap((each, index) => (isKept(each) ? `images[${index}].file_id` : [])),
    ...(isKept(mask) ? ['mask.file_id'] : []),
  ];
  return {
    ...decodeImageBody(rest, row),
    shape: 'edit',
    body,
    images: given.flatMap((each, index) => (isKept(each) ? [] : urlOf(each, `images[${index}].image_url`))),
    ...(hasMask && !isKept(mask) && { mask: urlOf(mask, 'mask.image_url') }),
    ...(keptFiles.length > 0 && { keptFiles }),
  };
}

function isKept(value: unknown): boolean {
  return isJsonObject(value) && typeof value['file_id'] === 'string' && (value['image_url'] ?? undefined) === undefined;
}

function urlOf(value: unknown, param: string): ImageInput {
  const url = isJsonObject(value) ? value['image_url'] : undefined;
  return reference(url ?? null, param);
}

/** What a model is told that is to vary a picture: no vendor has a call for it any more (docs/wire/images.md#openai-images). */
export const VARIATION =
  'Make a variation of this picture: another picture with the same subject, style, colours and composition, different in its details.';
/** What is said in words, or covered, is an edit. */
const OF_EDITS = ['prompt', 'mask', 'stream'];

/** Reads the form of a variation, which is an edit whose instruction is the gateway's. Throws `invalid_request` naming the field. */
export function readVariationForm(form: EditForm, row: ModelRow): ImageCreate {
  const other = OF_EDITS.find((name) => form.fields.has(name) || form.files.some((file) => file.name === name));
  if (other !== undefined)
    throw new GatewayError('invalid_request', `${other}: variations do not take it; use /v1/images/edits`, {
      param: other,
    });
  if (form.files.length > 1)
    throw new GatewayError('invalid_request', 'image: a variation takes exactly one image', { param: 'image' });
  return readEditForm({ ...form, fields: new Map([...form.fields, ['prompt', VARIATION]]) }, row);
}

/** Reads the form. Throws `invalid_request` naming the field. */
export function readEditForm(form: EditForm, row: ModelRow): ImageCreate {
  const field = (name: string): string | undefined => {
    const value = form.fields.get(name);
    return value === '' ? undefined : value;
  };
  const pictures = form.files.filter(
    ({ name }) => name === 'image' || name === 'image[]' || /^image\[\d+\]$/.test(name),
  );
  const masks = form.files.filter(({ name }) => name === 'mask');
  const stranger = form.files.find((file) => !pictures.includes(file) && !masks.includes(file));
  if (stranger !== undefined)
    throw new GatewayError(
      'invalid_request',
      `${stranger.name} is not a file field of an edit; send images as image and a mask as mask`,
      { param: stranger.name },
    );
  if (pictures.length === 0)
    throw new GatewayError('invalid_request', 'image is missing, or was sent as text; send it as a file', {
      param: 'image',
    });
  checkCount(pictures.length, row, 'image');
  const images = pictures.map((file, index) =>
    inputOf(file, pictures.length === 1 ? 'image' : `image[${index}]`, PICTURES),
  );
  const mask = masks[0] === undefined ? undefined : inputOf(masks[0], 'mask', [MASK_TYPE]);
  if (masks[0] !== undefined && pictures[0] !== undefined) sameSize(masks[0], pictures[0]);
  const size = field('size');
  const count = field('n');
  const compression = field('output_compression');
  const partial = field('partial_images');
  const extra: JsonObject = Object.fromEntries([...form.fields].filter(([name]) => !KNOWN_FIELDS.includes(name)));
  return {
    shape: 'edit',
    prompt: promptOf(form.fields.get('prompt'), 'prompt'),
    images,
    ...(mask !== undefined && { mask }),
    ...(size !== undefined && { size: sizeOf(size, row, 'size') }),
    ...(count !== undefined && { count: whole(count, 'n', 1, 10) }),
    ...responseFormatOf(field('response_format') ?? null),
    ...(compression !== undefined && { outputCompression: whole(compression, 'output_compression', 0, 100) }),
    ...(partial !== undefined && { partialImages: whole(partial, 'partial_images', 0, 3) }),
    ...given('quality', field('quality')),
    ...given('background', field('background')),
    ...given('outputFormat', field('output_format')),
    ...given('user', field('user')),
    extra,
  };
}

function given<Name extends string>(name: Name, value: string | undefined): { [key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]: string });
}

function inputOf(file: EditFile, param: string, types: readonly string[]): ImageInput {
  if (!types.includes(file.mime)) {
    throw new GatewayError(
      'invalid_request',
      `${param} is ${file.mime === '' ? 'not an image' : file.mime} by its bytes; it must be ${types.join(', ')}`,
      { param },
    );
  }
  return {
    filename: file.filename === '' ? 'picture' : file.filename,
    mime: file.mime,
    size: file.size,
    open: () => file.open(),
    param,
  };
}

function sameSize(mask: EditFile, picture: EditFile): void {
  const [of, mine] = [dimensionsOf(picture, 'image'), dimensionsOf(mask, 'mask')];
  if (of.width !== mine.width || of.height !== mine.height) {
    throw new GatewayError(
      'invalid_request',
      `mask is ${mine.width}x${mine.height} and the picture ${of.width}x${of.height}; both must have the same size`,
      { param: 'mask' },
    );
  }
}

function dimensionsOf(file: EditFile, param: string): { readonly width: number; readonly height: number } {
  try {
    return imageSize(file.head);
  } catch {
    throw new GatewayError('invalid_request', `${param} has no readable dimensions; the image may be incomplete`, {
      param,
    });
  }
}
