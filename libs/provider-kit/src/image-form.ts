/**
 * Between the image bodies: what a field is called in the caller's shape, how sizes are written, and pictures as bytes
 * (docs/wire/images.md#between-the-image-bodies).
 */
import { GatewayError, isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Fault, MediaFile, MediaLimits, MediaRequest, Upstream } from './adapter.ts';
import type { ImageCreate, ImageInput, ImageReply } from './image-adapter.ts';
import type { StreamedFiles } from './streamed-json.ts';
import { refusalOf } from './refusal.ts';
import { addUsage } from './usage-counts.ts';
import { malformedReply } from './vendor-task.ts';
import { cannotTake, pixelsOf } from './video-form.ts';

/** Image vendors answer only when the picture is done; large groups take minutes. */
export const IMAGE_SECONDS = 300;

/** The words of the neutral form that a vendor may be unable to take. */
export type ImageWord =
  | 'negativePrompt'
  | 'size'
  | 'count'
  | 'seed'
  | 'watermark'
  | 'promptExtend'
  | 'quality'
  | 'background'
  | 'outputFormat'
  | 'outputCompression'
  | 'partialImages'
  | 'user';

const NAMES: Record<ImageWord, string> = {
  negativePrompt: 'negative_prompt',
  size: 'size',
  count: 'n',
  seed: 'seed',
  watermark: 'watermark',
  promptExtend: 'prompt_extend',
  quality: 'quality',
  background: 'background',
  outputFormat: 'output_format',
  outputCompression: 'output_compression',
  partialImages: 'partial_images',
  user: 'user',
};

/** The same in Google's form. */
const NAMES_OF_PREDICT: Partial<Record<ImageWord, string>> = {
  negativePrompt: 'parameters.negativePrompt',
  size: 'parameters.aspectRatio',
  count: 'parameters.sampleCount',
  seed: 'parameters.seed',
  watermark: 'parameters.addWatermark',
  promptExtend: 'parameters.enhancePrompt',
  outputFormat: 'parameters.outputOptions.mimeType',
  outputCompression: 'parameters.outputOptions.compressionQuality',
};

/** What the caller's shape calls a word of the neutral form. */
export function imageField(input: Pick<ImageCreate, 'shape'>, word: ImageWord): string {
  if (input.shape === 'predict') return NAMES_OF_PREDICT[word] ?? NAMES[word];
  const inParameters = input.shape === 'messages' && word !== 'user' && word !== 'partialImages';
  return inParameters ? `parameters.${NAMES[word]}` : NAMES[word];
}

/** The caller's names of those words that were given. */
export function imageFieldsGiven(input: ImageCreate, words: readonly ImageWord[]): string[] {
  return words.filter((word) => input[word] !== undefined).map((word) => imageField(input, word));
}

/** Throws 400 when the caller gave a mask, or a picture that another vendor keeps: leaving it out would change the whole picture instead of a part. */
export function refuseMask(input: ImageCreate): void {
  const [kept] = input.keptFiles ?? [];
  if (kept !== undefined) throw cannotTake(kept, 'files that OpenAI keeps; send the address of the picture');
  if (input.mask !== undefined) throw cannotTake(input.mask.param, 'mask; describe the place in the prompt');
}

// ---- sizes -------------------------------------------------------------------------------------------------------

export type ImageSize =
  | { readonly kind: 'auto' }
  /** `2k`: a class by the side of its square, in pixels. */
  | { readonly kind: 'class'; readonly side: number }
  | { readonly kind: 'pixels'; readonly width: number; readonly height: number }
  /** A vendor's own word. */
  | { readonly kind: 'word'; readonly word: string };

/** `2k`, `512`, `1024x768`, `1024*768`, `auto`; undefined when the caller gave none. */
export function imageSizeOf(size: string | undefined): ImageSize | undefined {
  const text = size?.trim();
  if (text === undefined || text === '') return undefined;
  if (text.toLowerCase() === 'auto') return { kind: 'auto' };
  const pixels = pixelsOf(text);
  if (pixels !== undefined) return { kind: 'pixels', ...pixels };
  const thousands = /^(\d(?:\.\d)?)k$/i.exec(text)?.[1];
  if (thousands !== undefined) return { kind: 'class', side: Math.round(Number(thousands) * 1024) };
  if (text === '512' || text === '1024' || text === '2048') return { kind: 'class', side: Number(text) };
  return { kind: 'word', word: text };
}

/** `<width>x<height>` of a reply as numbers. */
export function dimensionsOf(size: string | undefined): { readonly width?: number; readonly height?: number } {
  return pixelsOf(size) ?? {};
}

/** Nearer than this, a ratio is the one that was asked for. */
const NEAR_RATIO = 0.03;

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
    .map((each) => [each, Math.abs(Math.log(width / height / sidesOf(each)))] as const)
    .reduce((best, each) => (each[1] < best[1] ? each : best));
  // Google's form asks for a ratio and a class of pixels, not for pixels.
  const isMade = makes(ratio) === `${width}x${height}` || (input.shape === 'predict' && away < NEAR_RATIO);
  return { ratio, dropped: isMade ? [] : [place] };
}

/** Also of sizes: `2048:1024`. */
function sidesOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}

// ---- pictures ----------------------------------------------------------------------------------------------------

/** What making a picture's base64 needs. */
export interface Embedding {
  readonly upstream: Pick<Upstream, 'fetchMedia'>;
  readonly limits: Pick<MediaLimits, 'maxBytes' | 'types'>;
  /** Where files of the caller's wait until the body is sent. */
  readonly files: StreamedFiles;
}

/** A caller's picture as base64: data URLs as they are, addresses fetched through the untrusted fetcher, files as the place where they will be read. */
export async function embeddedImage(image: ImageInput, { upstream, limits, files }: Embedding): Promise<EmbeddedMedia> {
  if ('url' in image) {
    const embedded = readDataUrl(image.url, image.param);
    if (embedded !== undefined) return embedded;
    const { bytes, mime } = await upstream.fetchMedia(image.url, { ...limits, param: image.param });
    return { mime, base64: base64Of(bytes) };
  }
  refuseLarge(image, limits);
  return { mime: image.mime, base64: files.add(image) };
}

/** Throws 400 naming its place when a file is larger than the vendor takes. */
export function refuseLarge(
  { size, param }: Extract<ImageInput, { readonly size: number }>,
  { maxBytes }: Pick<MediaLimits, 'maxBytes'>,
): void {
  if (size > maxBytes)
    throw new GatewayError(
      'invalid_request',
      `${param}: the file has ${size} bytes; this model takes at most ${maxBytes}`,
      { param },
    );
}

/** What `embeddedImage` will fetch of these pictures. */
export function picturesToFetch(images: readonly ImageInput[], limits: Embedding['limits']): readonly MediaRequest[] {
  return images.flatMap((image) =>
    'url' in image && readDataUrl(image.url, image.param) === undefined
      ? [{ ...limits, url: image.url, param: image.param }]
      : [],
  );
}

/** The picture as an address a vendor takes: links and data URLs as they came, files as data URLs. */
export async function imageAddress(image: ImageInput, how: Embedding): Promise<string> {
  if ('url' in image) return image.url;
  const { mime, base64 } = await embeddedImage(image, how);
  return `data:${mime};base64,${base64}`;
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

const SIGNATURES: readonly (readonly [prefix: string, mime: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

/** A vendor's picture from base64, its type told by its bytes. `upstream_malformed` when it is no picture. */
export function pictureFrom(base64: string): Extract<MediaFile, { readonly bytes: Uint8Array }> {
  const bytes = Buffer.from(base64, 'base64');
  const mime = pictureType(bytes);
  if (mime === undefined) throw malformedReply('what it calls a picture is none');
  return { bytes, mime };
}

/** The type of a picture by its first bytes; undefined when it is none. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 64));
  const hex = head.toString('hex', 0, 16);
  const known = SIGNATURES.find(([prefix]) => hex.startsWith(prefix))?.[1];
  if (known !== undefined) return known;
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return /^\s*<(?:svg|\?xml)/.test(head.toString('latin1')) ? 'image/svg+xml' : undefined;
}

/** The type of a picture behind an address, by its name; `otherwise` when the name does not say. */
export function mimeByName(url: string, otherwise: string): string {
  const extension = /\.(png|jpe?g|webp|gif)(?:$|[?#])/i.exec(url)?.[1]?.toLowerCase();
  return extension === undefined ? otherwise : `image/${extension.replace('jpg', 'jpeg')}`;
}

// ---- the rest ----------------------------------------------------------------------------------------------------

/** Ours alone, or already in the neutral form. */
const NEVER_PASSED = new Set(['model', 'stream', 'stream_options', 'response_format', 'callback_url', 'webhook_url']);

/**
 * What the form has no word for, sorted: names this vendor knows pass, and all names of a shape that is the vendor's own; the others are
 * named in `dropped`, so that nothing is lost in silence.
 */
export function sortImageExtra(
  input: Pick<ImageCreate, 'extra' | 'shape'>,
  vendor: { readonly known: ReadonlySet<string>; readonly ownShapes: readonly ImageCreate['shape'][] },
): { readonly passed: JsonObject; readonly dropped: readonly string[] } {
  const passed: [string, Json][] = [];
  const dropped: string[] = [];
  const own = vendor.ownShapes.includes(input.shape);
  for (const [field, name, value] of flatImageExtra(input.extra)) {
    if (NEVER_PASSED.has(name)) continue;
    if (own || vendor.known.has(name)) passed.push([name, value]);
    else dropped.push(field);
  }
  return { passed: Object.fromEntries(passed), dropped };
}

/** An answer with `data` as `ImageReply.answer` tells it: without the pictures, which are told apart. */
export function answerBesidePictures(json: Json | undefined): NonNullable<ImageReply['answer']> {
  const { data, ...body } = isJsonObject(json) ? json : {};
  const items = (Array.isArray(data) ? data : []).map((item) => (isJsonObject(item) ? besidePicture(item) : {}));
  return { body, items };
}

/** What an item or event says beside its picture. */
export function besidePicture(item: JsonObject): JsonObject {
  const { url: _url, b64_json: _base64, ...about } = item;
  return about;
}

/** `parameters.x` and `{ parameters: { x } }` are both the field x. */
function* flatImageExtra(extra: JsonObject): Generator<readonly [field: string, name: string, value: Json]> {
  for (const [field, value] of Object.entries(extra)) {
    if ((field === 'parameters' || field === 'input') && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) yield [`${field}.${name}`, name, inner];
    } else yield [field, field.replace(/^(?:parameters|input)\./, ''), value];
  }
}

/**
 * One request per picture, for vendors that make one at a time. The pictures that came are kept; a failed one is an item with its fault;
 * when none came, the first error is thrown.
 */
export async function repeatedly<T>(
  count: number,
  make: (index: number) => Promise<T>,
): Promise<readonly (T | { readonly fault: Fault })[]> {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => make(index)));
  const errors = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
  if (errors.length === outcomes.length) throw errors[0];
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value;
    const reason: unknown = outcome.reason;
    if (!(reason instanceof GatewayError)) throw reason;
    return { fault: { code: reason.code, message: reason.message } };
  });
}

/** The input of one of several pictures that are made each by itself: the same seed twice is the same picture twice, so each has the next. */
export function inputOfPicture(input: ImageCreate, index: number): ImageCreate {
  // Below zero vendors choose one.
  return input.seed === undefined || input.seed < 0 ? input : { ...input, seed: input.seed + index };
}

/** The answers of `repeatedly` as one: a picture that failed keeps its place. */
export function joinedReplies(
  replies: readonly ((Pick<ImageReply, 'files'> & { readonly usage: Usage }) | { readonly fault: Fault })[],
): Pick<ImageReply, 'files'> & { readonly usage: Usage } {
  return {
    files: replies.flatMap((reply) => ('files' in reply ? reply.files : [{ fault: reply.fault }])),
    usage: addUsage(replies.flatMap((reply) => ('files' in reply ? [reply.usage] : []))),
  };
}

/** How many pictures: 1 unless given; 400 outside 1..`most`. */
export function imageCount(input: ImageCreate, most: number): number {
  const count = input.count ?? 1;
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  const param = imageField(input, 'count');
  throw new GatewayError('invalid_request', `${param} must be a whole number from 1 to ${most}`, { param });
}

/** A fault found in the middle of a reply, as the error the gateway prints. */
export function midReplyError(fault: Fault, upstream: Pick<Upstream, 'scrub'>): GatewayError {
  return refusalOf(fault, (text) => upstream.scrub(text), 200);
}

const HEAD = /^data:(?<mime>[\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]{0,100})*;base64,/i;

export interface EmbeddedMedia {
  readonly mime: string;
  /** As it stands in the address: standard base64. */
  readonly base64: string;
}

/** The content of a `data:` URL; undefined for any other address. 400 naming `param` when it is a data URL without base64. */
export function readDataUrl(url: string, param: string): EmbeddedMedia | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const head = HEAD.exec(url.slice(0, 400));
  if (head === null) {
    throw new GatewayError('invalid_request', `${param}: a data: URL must be base64, as in data:image/png;base64,…`, {
      param,
    });
  }
  return {
    mime: (head.groups?.['mime'] ?? 'application/octet-stream').toLowerCase(),
    base64: url.slice(head[0].length),
  };
}
