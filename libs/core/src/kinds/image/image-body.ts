/** The JSON bodies of POST /v1/images/generations as the neutral form. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { imageSizeOf, type ImageCreate, type ImageInput } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';

const MOST_IMAGES = 10;
const SIZE = /^(auto|\d+(\.\d+)?k|\d{2,5}[x*]\d{2,5})$/i;
const REFERENCE = /^(https?:\/\/|data:image\/)/i;

/** Reads either shape; throws `invalid_request` naming the field. */
export function decodeImageBody(body: JsonObject, row: ModelRow): ImageCreate {
  return isJsonObject(body['input']) ? fromMessages(body, row) : fromPrompt(body, row);
}

function fromPrompt(body: JsonObject, row: ModelRow): ImageCreate {
  const {
    prompt,
    image,
    n,
    size,
    response_format,
    watermark,
    seed,
    quality,
    background,
    output_format,
    output_compression,
    user,
    partial_images,

    ...extra
  } = body;
  return {
    shape: 'prompt',
    body,
    prompt: promptOf(prompt, 'prompt'),
    images: imagesOf(image ?? null, row),
    ...knownFields({ n: n ?? null, size: size ?? null, seed: seed ?? null, watermark: watermark ?? null }, row, ''),
    ...textField('quality', quality),
    ...textField('background', background),
    ...(typeof output_format === 'string' && { outputFormat: output_format }),
    ...(typeof output_compression === 'number' && { outputCompression: output_compression }),
    ...textField('user', user),
    ...responseFormatOf(response_format ?? null),
    ...(typeof partial_images === 'number' && { partialImages: whole(partial_images, 'partial_images', 0, 3) }),
    extra: without(extra, 'model', 'stream'),
  };
}

function without(body: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

function fromMessages(body: JsonObject, row: ModelRow): ImageCreate {
  const input = body['input'] as JsonObject;
  const messages = Array.isArray(input['messages']) ? input['messages'] : [];
  const parameters = isJsonObject(body['parameters']) ? body['parameters'] : {};
  const texts: string[] = [];
  const images: ImageInput[] = [];
  messages.forEach((message, index) => {
    const content = isJsonObject(message) && Array.isArray(message['content']) ? message['content'] : [];
    content.forEach((part, place) => {
      if (!isJsonObject(part)) return;
      const param = `input.messages[${index}].content[${place}]`;
      if (typeof part['text'] === 'string') texts.push(part['text']);
      else if (typeof part['image'] === 'string') images.push(reference(part['image'], `${param}.image`));
      else throw new GatewayError('invalid_request', `${param} needs text or image`, { param });
    });
  });
  checkCount(images.length, row, 'input.messages');
  const { n, size, seed, watermark, negative_prompt, prompt_extend, ...extra } = parameters;
  return {
    shape: 'messages',
    prompt: promptOf(texts.join('\n'), 'input.messages'),
    images,
    ...knownFields(
      { n: n ?? null, size: size ?? null, seed: seed ?? null, watermark: watermark ?? null },
      row,
      'parameters.',
    ),
    ...(typeof negative_prompt === 'string' && { negativePrompt: negative_prompt }),
    ...(typeof prompt_extend === 'boolean' && { promptExtend: prompt_extend }),
    ...responseFormatOf(body['response_format'] ?? null),
    extra,
  };
}

interface KnownFields {
  readonly n: Json;
  readonly size: Json;
  readonly seed: Json;
  readonly watermark: Json;
}

function knownFields({ n, size, seed, watermark }: KnownFields, row: ModelRow, prefix: string) {
  return {
    ...(n !== null && { count: whole(n, `${prefix}n`, 1, MOST_IMAGES) }),
    ...(size !== null && { size: sizeOf(size, row, `${prefix}size`) }),
    ...(typeof seed === 'number' && { seed }),
    ...(typeof watermark === 'boolean' && { watermark }),
  };
}

/** A text; whether it may be empty the vendor knows. */
export function promptOf(prompt: Json | undefined, param: string): string {
  if (typeof prompt === 'string') return prompt;
  throw new GatewayError('invalid_request', `${param} must be text that describes the image`, { param });
}

/** A size the model's row allows: a class such as `2K`, `1024x1024`, or `auto`. */
export function sizeOf(size: Json, row: ModelRow, param: string): string {
  const { sizes } = row.limits;
  const listed = Array.isArray(sizes) ? sizes.filter((each) => typeof each === 'string') : [];
  const allowed = listed.length === 0 ? '' : `; this model takes ${listed.join(', ')}`;
  // A vendor's own word (`square_hd`) is for the vendor, where the row lists none.
  if (typeof size === 'string' && listed.length === 0 && !SIZE.test(size)) return withinPixels(size, row, param);
  if (typeof size !== 'string' || !SIZE.test(size)) {
    throw new GatewayError(
      'invalid_request',
      `${param} must be a size class such as 2K, <width>x<height>, or auto${allowed}`,
      { param },
    );
  }
  if (listed.some((each) => each.toLowerCase() === size.toLowerCase())) return size;
  if (listed.length > 0 && imageSizeOf(size)?.kind !== 'pixels')
    throw new GatewayError('invalid_request', `${param} is ${size}${allowed}`, { param });
  return withinPixels(size, row, param);
}

/** Prices of pictures hold for as many pixels as the row says, however a size is written. */
function withinPixels(size: string, { limits }: ModelRow, param: string): string {
  const { min_pixels: fewest, max_pixels: most } = limits;
  const pixels = pixelsIn(size);
  if (pixels === undefined) return size;
  if (typeof fewest === 'number' && pixels < fewest)
    throw new GatewayError('invalid_request', `${param} has ${pixels} pixels; this model makes at least ${fewest}`, {
      param,
    });
  if (typeof most === 'number' && pixels > most)
    throw new GatewayError('invalid_request', `${param} has ${pixels} pixels; this model makes at most ${most}`, {
      param,
    });
  return size;
}

/** A class as its square; undefined for `auto` and a vendor's own word. */
function pixelsIn(text: string): number | undefined {
  const size = imageSizeOf(text);
  if (size?.kind === 'class') return size.side ** 2;
  return size?.kind === 'pixels' ? size.width * size.height : undefined;
}

/** A whole number within bounds, also when it came as text. */
export function whole(value: Json, param: string, from: number, to: number): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= from && number <= to) return number;
  throw new GatewayError('invalid_request', `${param} must be a whole number from ${from} to ${to}`, { param });
}

/** `url` or `b64_json`. */
export function responseFormatOf(value: Json): { responseFormat?: 'url' | 'b64_json' } {
  if (value === null) return {};
  if (value === 'url' || value === 'b64_json') return { responseFormat: value };
  throw new GatewayError('invalid_request', 'response_format must be url or b64_json', { param: 'response_format' });
}

function textField<Name extends string>(name: Name, value: Json | undefined): { [key in Name]?: string } {
  return typeof value === 'string' ? ({ [name]: value } as { [key in Name]: string }) : {};
}

function imagesOf(image: Json, row: ModelRow): ImageInput[] {
  if (image === null) return [];
  const list = Array.isArray(image) ? image : [image];
  checkCount(list.length, row, 'image');
  return list.map((each, index) => reference(each, Array.isArray(image) ? `image[${index}]` : 'image'));
}

/** A picture by its address or as a data URL. Throws `invalid_request` naming the field. */
export function reference(url: Json, param: string): ImageInput {
  if (typeof url === 'string' && REFERENCE.test(url)) return { url, param };
  throw new GatewayError('invalid_request', `${param} must be an http(s) address or a data:image/…;base64 url`, {
    param,
  });
}

/** Throws when there are more pictures than the model takes. */
export function checkCount(count: number, row: ModelRow, param: string): void {
  const most = row.limits['max_images'];
  if (typeof most === 'number' && count > most)
    throw new GatewayError('invalid_request', `${param} has ${count} pictures; this model takes at most ${most}`, {
      param,
    });
}
