import { pixelSize, type Size } from '../core/geometry.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import { seedOf } from '../core/seed.ts';
import type { ImageFormat } from '../media/spec.ts';
import { badArkRequest, refuseUnknownArkModel } from './errors.ts';

export interface ArkImages {
  readonly model: string;
  readonly prompt: string;
  readonly size: Size;
  readonly format: ImageFormat;
  readonly asBase64: boolean;
  /** More than one only for a related group. */
  readonly most: number;
  readonly stream: boolean;
  readonly search: boolean;
  readonly inputs: number;
}

interface Generation {
  readonly classes: readonly string[];
  readonly pixels: readonly [number, number];
  readonly choosesFormat: boolean;
  readonly streams: boolean;
}

function generationOf(model: string): Generation {
  const pro = model.includes('pro');
  if (/seedream-5/.test(model)) {
    return { classes: ['1K', '2K', '3K', '4K'], pixels: [921_600, 16_777_216], choosesFormat: true, streams: !pro };
  }
  if (/seedream-4-5/.test(model)) {
    return { classes: ['2K', '4K'], pixels: [3_686_400, 16_777_216], choosesFormat: false, streams: true };
  }
  return { classes: ['1K', '2K', '4K'], pixels: [921_600, 16_777_216], choosesFormat: false, streams: true };
}

const SIDES: Readonly<Record<string, number>> = { '1K': 1024, '2K': 2048, '3K': 3072, '4K': 4096 };
/** A class alone leaves the shape to the model. */
const SHAPES: readonly (readonly [number, number])[] = [
  [1, 1],
  [4, 3],
  [3, 4],
  [16, 9],
];
const MOST = 15;

/** Reads `POST /images/generations` of Seedream (docs/wire/images.md#seedream-request). */
export function readArkImages(body: Reader): ArkImages {
  const model = body.string('model');
  refuseUnknownArkModel(model);
  const able = generationOf(model);
  const prompt = body.string('prompt');
  const inputs = readInputs(body);
  const stream = body.optionalBoolean('stream') ?? false;
  if (stream && !able.streams)
    throw badArkRequest('InvalidParameter', 'stream is not supported by this model.', 'stream');
  if (body.has('output_format') && !able.choosesFormat) {
    throw badArkRequest('InvalidParameter', 'output_format is not supported by this model.', 'output_format');
  }
  for (const name of ['n', 'mask'] as const) {
    if (body.has(name)) throw badArkRequest('InvalidParameter', `The parameter \`${name}\` is not supported.`, name);
  }
  body.optionalBoolean('watermark');
  body.optionalObject('optimize_prompt_options')?.optionalOneOf('mode', ['standard', 'fast'] as const);
  return {
    model,
    prompt,
    size: readSize(body, able, prompt),
    format: able.choosesFormat ? (body.optionalOneOf('output_format', ['png', 'jpeg'] as const) ?? 'jpeg') : 'jpeg',
    asBase64: body.optionalOneOf('response_format', ['url', 'b64_json'] as const) === 'b64_json',
    most: readMost(body, inputs),
    stream,
    search: body.objects('tools').map((tool) => tool.oneOf('type', ['web_search'] as const)).length > 0,
    inputs,
  };
}

function readInputs(body: Reader): number {
  const { image } = body.value;
  if (image === undefined || image === null) return 0;
  const images = typeof image === 'string' ? [image] : body.strings('image');
  if (images.length > 14)
    throw badArkRequest('InvalidParameter', 'At most 14 reference images are supported.', 'image');
  for (const url of images) {
    if (!/^(https?:\/\/|data:image\/[a-z]+;base64,)/.test(url)) {
      throw badArkRequest('InvalidParameter', 'The image is neither a URL nor a data URL in base64.', 'image');
    }
  }
  return images.length;
}

/** Classes are written in upper case. */
function readSize(body: Reader, able: Generation, prompt: string): Size {
  const text = body.optionalString('size') ?? '2K';
  const side = able.classes.includes(text) ? SIDES[text] : undefined;
  if (side !== undefined) {
    const [across, down] = SHAPES[seedOf(withoutMarkers(prompt)) % SHAPES.length] ?? [1, 1];
    const scale = Math.sqrt(across / down);
    return { width: Math.round((side * scale) / 16) * 16, height: Math.round(side / scale / 16) * 16 };
  }
  const size = pixelSize(text);
  const [least, most] = able.pixels;
  const pixels = size === undefined ? 0 : size.width * size.height;
  const ratio = size === undefined ? 0 : size.width / size.height;
  if (size === undefined || pixels < least || pixels > most || ratio < 1 / 16 || ratio > 16) {
    const message = `The parameter \`size\` ${text} is not valid: expected ${able.classes.join(', ')} or <width>x<height> of ${least} to ${most} pixels.`;
    throw badArkRequest('InvalidParameter', message, 'size');
  }
  return size;
}

function readMost(body: Reader, inputs: number): number {
  const mode = body.optionalOneOf('sequential_image_generation', ['auto', 'disabled'] as const) ?? 'disabled';
  const wanted = body.optionalObject('sequential_image_generation_options')?.optionalInteger('max_images', 1, MOST);
  return mode === 'auto' ? Math.min(wanted ?? MOST, MOST - inputs) : 1;
}
