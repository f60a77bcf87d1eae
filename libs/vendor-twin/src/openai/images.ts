import { imageSize } from 'image-size';
import { unixSeconds, pixelSize, type Size, seedOf } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { tokensOf } from '../chat/talk.ts';
import { type ImageSpec, IMAGE_FORMATS, type ImageFormat } from '../media/spec.ts';
import {
  badRequest,
  openAiError,
  standardHeaders,
  complainAsOpenAi,
  refuseUnknownModel,
  requireImageUrl,
} from './errors.ts';
import { isMultipart, readForm, type FormFile } from '../core/multipart.ts';
import { Reader } from '../core/reader.ts';
import { Refusal } from '../core/refusal.ts';

type Kind = 'image_generation' | 'image_edit';

/** Generations and edits; GPT image models answer with bytes, never with links. */
export const imageRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    operation: 'image',
    handle: async (exchange) => answer(exchange, readGeneration(exchange), 'image_generation'),
  },
  {
    method: 'POST',
    path: '/v1/images/edits',
    operation: 'edit',
    handle: async (exchange) => answer(exchange, await readEdit(exchange), 'image_edit'),
  },
];

async function answer(exchange: Exchange, order: ImageOrder, kind: Kind): Promise<void> {
  const markers = await exchange.obey(order.prompt);
  if (markers.words.has('refuse') || exchange.fate(markers) === 'moderation') {
    const message = 'Your request was rejected by the safety system. If you believe this is an error, contact us.';
    throw badRequest(message, null, 'moderation_blocked');
  }
  const text = withoutMarkers(order.prompt);
  const specs = Array.from({ length: order.count }, (_, index): ImageSpec => {
    const label = order.count > 1 ? `${text} (${index + 1})` : text;
    return { kind: 'image', ...order.size, format: order.format, text: label, seed: seedOf(label) };
  });
  if (order.stream) await stream(exchange, { order, specs, kind });
  else await whole(exchange, order, specs);
}

/** What one picture of this quality costs, by its pixels. */
const PER_MEGAPIXEL = { low: 259, medium: 1007, high: 3967 } as const;
const PER_INPUT = 323;

function tokens(order: ImageOrder): { readonly text: number; readonly image: number; readonly output: number } {
  const pixels = (order.size.width * order.size.height) / 1_000_000;
  return {
    text: tokensOf(order.prompt),
    image: order.inputs * PER_INPUT,
    output: Math.round(PER_MEGAPIXEL[order.quality] * pixels) * order.count,
  };
}

function usageOf(order: ImageOrder): Record<string, unknown> {
  const { text, image, output } = tokens(order);
  return {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: text + image + output,
  };
}

function echoOf(order: ImageOrder): Record<string, unknown> {
  return {
    background: order.background,
    output_format: order.format,
    quality: order.quality,
    size: `${order.size.width}x${order.size.height}`,
  };
}

function record(exchange: Exchange, order: ImageOrder, aborted: boolean): void {
  const { text, image, output } = tokens(order);
  exchange.record({
    kind: 'image',
    model: order.model,
    stream: order.stream,
    aborted,
    billed: {
      inputTokens: text + image,
      inputImageTokens: image,
      outputTokens: output,
      outputImageTokens: output,
      images: order.count,
    },
  });
}

async function whole(exchange: Exchange, order: ImageOrder, specs: readonly ImageSpec[]): Promise<void> {
  const files = await Promise.all(specs.map(async (spec) => exchange.stage.media.file(spec)));
  record(exchange, order, false);
  const body = {
    created: unixSeconds(exchange.stage.now()),
    ...echoOf(order),
    data: files.map((file) => ({ b64_json: file.toString('base64') })),
    usage: usageOf(order),
  };
  exchange.reply(200, body, standardHeaders(exchange));
}

interface Streamed {
  readonly order: ImageOrder;
  readonly specs: readonly ImageSpec[];
  readonly kind: Kind;
}

/** Drafts first, each with more of the prompt in it; then the picture itself with the bill. */
async function stream(exchange: Exchange, { order, specs, kind }: Streamed): Promise<void> {
  const error = `event: error\ndata: ${JSON.stringify({ type: 'error', error: openAiError(500) })}\n\n`;
  const events = exchange.events(
    { ...standardHeaders(exchange), 'content-type': 'text/event-stream; charset=utf-8' },
    error,
  );
  const created_at = unixSeconds(exchange.stage.now());
  const send = async (type: string, spec: ImageSpec, more: object): Promise<boolean> => {
    const b64_json = (await exchange.stage.media.file(spec)).toString('base64');
    const event = { type, b64_json, created_at, ...echoOf(order), ...more };
    return events.send(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  for (const spec of specs) {
    for (let draft = 0; draft < order.partials; draft += 1) {
      const text = spec.text.slice(0, Math.ceil((spec.text.length * (draft + 1)) / (order.partials + 1)));
      if (!(await send(`${kind}.partial_image`, { ...spec, text }, { partial_image_index: draft }))) {
        record(exchange, order, true);
        return;
      }
    }
  }
  record(exchange, order, !events.open);
  for (const spec of specs) await send(`${kind}.completed`, spec, { usage: usageOf(order) });
  events.end();
}

export interface ImageOrder {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  readonly size: Size;
  readonly quality: 'low' | 'medium' | 'high';
  readonly background: 'transparent' | 'opaque';
  readonly format: ImageFormat;
  readonly stream: boolean;
  readonly partials: number;
  /** Pictures given to an edit. */
  readonly inputs: number;
}

const COMMON =
  'model prompt n size quality background output_format output_compression moderation stream partial_images user safety_identifier complexity';
const GENERATE_FIELDS = new Set(`${COMMON} frame_count frame_duration_ms svg`.split(' '));
const EDIT_FIELDS = new Set(`${COMMON} input_fidelity images mask image markup`.split(' '));
const FIRST_SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const LARGEST_IMAGE = 50 * 1024 * 1024;
const LARGEST_MASK = 4 * 1024 * 1024;

/** Reads `POST /images/generations`. */
export function readGeneration(exchange: Exchange): ImageOrder {
  const body = exchange.json(complainAsOpenAi);
  body.only(GENERATE_FIELDS);
  return readCommon(body, 0);
}

/** Reads `POST /images/edits`: a form with files, or JSON with references. */
export async function readEdit(exchange: Exchange): Promise<ImageOrder> {
  if (!isMultipart(exchange)) return readJsonEdit(exchange);
  const { fields, files } = await readForm(exchange);
  const images = files.filter((file) => file.name === 'image' || file.name === 'image[]');
  if (images.length === 0)
    throw badRequest("Missing required parameter: 'image'.", 'image', 'missing_required_parameter');
  if (images.length > 16)
    throw badRequest("Invalid 'image': too many images, expected at most 16.", 'image', 'too_many_images');
  const sizes = images.map((file) => requirePicture(file, LARGEST_IMAGE, IMAGE_FORMATS));
  const mask = files.find((file) => file.name === 'mask');
  if (mask !== undefined) requireMask(mask, sizes[0]);
  // A form has only text: what is a number or a truth elsewhere is written out here.
  const values = Object.fromEntries(Array.from(fields, ([name, all]) => [name, typed(name, all[0] ?? '')]));
  const body = new Reader(values, [], complainAsOpenAi);
  body.only(EDIT_FIELDS);
  return readCommon(body, images.length);
}

function readJsonEdit(exchange: Exchange): ImageOrder {
  const body = exchange.json(complainAsOpenAi);
  body.only(EDIT_FIELDS);
  const images = body.objects('images');
  if (images.length === 0) body.fail('images', 'an array with at least one image', 'missing');
  if (images.length > 16) body.fail('images', 'at most 16 images');
  for (const [index, image] of images.entries()) requireReference(image, `images[${index}]`);
  const mask = body.optionalObject('mask');
  if (mask !== undefined) requireReference(mask, 'mask');
  return readCommon(body, images.length);
}

function requireReference(image: Reader, at: string): void {
  if (image.has('image_url')) requireImageUrl(image.string('image_url'), `${at}.image_url`);
  else image.string('file_id');
}

const NUMBERS = new Set(['n', 'output_compression', 'partial_images']);

function typed(name: string, value: string): string | number | boolean {
  if (NUMBERS.has(name) && /^\d+$/.test(value)) return Number(value);
  return name === 'stream' ? value === 'true' : value;
}

function readCommon(body: Reader, inputs: number): ImageOrder {
  const model = body.optionalString('model') ?? 'gpt-image-2';
  refuseUnknownModel(model);
  if (!/^(gpt-image|chatgpt-image)/.test(model)) {
    throw new Refusal(404, {
      error: {
        message: `The model '${model}' does not exist or does not make images.`,
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    });
  }
  const format = body.optionalOneOf('output_format', IMAGE_FORMATS) ?? 'png';
  const background = body.optionalOneOf('background', ['transparent', 'opaque', 'auto'] as const);
  if (background === 'transparent' && format === 'jpeg') {
    throw badRequest('Transparent background is not supported for JPEG output format.', 'background', 'invalid_value');
  }
  if (body.has('output_compression') && format === 'png' && body.value['output_compression'] !== 100) {
    throw badRequest(
      'Compression less than 100 is not supported for PNG output format.',
      'output_compression',
      'invalid_png_output_compression',
    );
  }
  body.optionalInteger('output_compression', 0, 100);
  body.optionalOneOf('moderation', ['auto', 'low'] as const);
  const stream = body.optionalBoolean('stream') ?? false;
  const partials = body.optionalInteger('partial_images', 0, 3) ?? 0;
  if (partials > 0 && !stream)
    throw badRequest("'partial_images' is only allowed when 'stream' is enabled.", 'partial_images');
  const quality = body.optionalOneOf('quality', ['low', 'medium', 'high', 'auto', 'xhigh', 'max'] as const) ?? 'auto';
  return {
    model,
    prompt: body.string('prompt', 32_000),
    count: body.optionalInteger('n', 1, 10) ?? 1,
    size: readSize(body, model),
    quality: quality === 'low' || quality === 'medium' ? quality : 'high',
    background: background === 'transparent' ? 'transparent' : 'opaque',
    format,
    stream,
    partials,
    inputs,
  };
}

function readSize(body: Reader, model: string): Size {
  const text = body.optionalString('size') ?? 'auto';
  if (text === 'auto') return { width: 1024, height: 1024 };
  const size = pixelSize(text);
  if (/^gpt-image-1(\b|[.-])/.test(model) ? FIRST_SIZES.includes(text) : size !== undefined && isLegal(size)) {
    return size ?? { width: 1024, height: 1024 };
  }
  const message = `Invalid value: '${text}'. Supported values are: 'auto', ${FIRST_SIZES.map((one) => `'${one}'`).join(', ')}.`;
  throw badRequest(message, 'size', 'invalid_value');
}

function isLegal({ width, height }: Size): boolean {
  const long = Math.max(width, height);
  const short = Math.min(width, height);
  return width % 16 === 0 && height % 16 === 0 && long <= 3840 && short <= 2160 && long <= short * 3;
}

/** A picture is what its bytes say, not its name. */
function requirePicture(file: FormFile, most: number, formats: readonly string[]): Size {
  if (file.bytes.length > most) {
    throw badRequest(
      `Invalid '${file.name}': the file is larger than ${most / 1024 / 1024} MB.`,
      file.name,
      'image_too_large',
    );
  }
  const found = measured(file.bytes);
  if (found !== undefined && formats.includes(found.type)) return found;
  throw badRequest(
    `Invalid file '${file.filename}': unsupported image, expected ${formats.join(', ')}.`,
    file.name,
    'unsupported_file_mimetype',
  );
}

/** A picture's size and kind by its bytes; undefined when it is none. */
export function measured(bytes: Buffer): (Size & { readonly type: string }) | undefined {
  try {
    const { width, height, type } = imageSize(bytes);
    return { width, height, type: type === 'jpg' ? 'jpeg' : (type ?? '') };
  } catch {
    return undefined;
  }
}

function requireMask(mask: FormFile, image: Size | undefined): void {
  const size = requirePicture(mask, LARGEST_MASK, ['png']);
  if (size.width === image?.width && size.height === image.height) return;
  throw badRequest('Invalid mask image format - mask size does not match image size.', 'mask', 'invalid_image_format');
}
