import { unixSeconds, pixelSize, type Size, seedOf } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers, type Markers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import type { ImageSpec, ImageFormat } from '../media/spec.ts';
import { badArkRequest, complainAsArk, refuseUnknownArkModel } from './errors.ts';
import type { Reader } from '../core/reader.ts';

export const arkImageRoute: Route = {
  method: 'POST',
  path: '/api/v3/images/generations',
  operation: 'image',
  handle: generate,
};

/** How large a group gets when the model may choose. */
const USUAL_GROUP = 3;

type Item = { readonly spec: ImageSpec } | { readonly error: { readonly code: string; readonly message: string } };

async function generate(exchange: Exchange): Promise<void> {
  const order = readArkImages(exchange.json(complainAsArk));
  const markers = await exchange.obey(order.prompt);
  if (markers.words.has('refuse') || exchange.fate(markers) === 'moderation') {
    const [code, what] = markers.words.has('refuse')
      ? ['InputTextSensitiveContentDetected', 'input text']
      : ['OutputImageSensitiveContentDetected', 'output image'];
    throw badArkRequest(code, `The request failed because the ${what} may contain sensitive information.`);
  }
  const items = itemsOf(order, markers);
  if (order.stream) await sendStream(exchange, order, items);
  else await sendWhole(exchange, order, items);
}

function itemsOf(order: ArkImages, markers: Markers): Item[] {
  const asked = Number(markers.words.get('images'));
  const count = Math.max(1, Math.min(order.most, asked > 0 ? asked : USUAL_GROUP));
  const text = withoutMarkers(order.prompt);
  return Array.from({ length: count }, (_, index): Item => {
    if (markers.words.has('partial') && index === count - 1 && count > 1) {
      return {
        error: {
          code: 'OutputImageSensitiveContentDetected',
          message: 'The output image may contain sensitive information.',
        },
      };
    }
    const label = count > 1 ? `${text} (${index + 1})` : text;
    return { spec: { kind: 'image', ...order.size, format: order.format, text: label, seed: seedOf(label) } };
  });
}

async function fileOf(exchange: Exchange, order: ArkImages, spec: ImageSpec): Promise<Record<string, unknown>> {
  const size = `${spec.width}x${spec.height}`;
  const format = order.model.includes('seedream-5') ? { output_format: spec.format } : {};
  if (!order.asBase64) return { url: exchange.stage.media.link(spec), size, ...format };
  return { b64_json: (await exchange.stage.media.file(spec)).toString('base64'), size, ...format };
}

function usageOf(order: ArkImages, made: number): Record<string, unknown> {
  const tokens = Math.floor((order.size.width * order.size.height) / 256) * made;
  return {
    generated_images: made,
    output_tokens: tokens,
    total_tokens: tokens,
    ...(order.inputs > 0 && { input_images: order.inputs }),
    ...(order.search && { tool_usage: { web_search: 1 } }),
  };
}

function record(exchange: Exchange, order: ArkImages, made: number, aborted: boolean): void {
  const usage = usageOf(order, made);
  exchange.record({
    kind: 'image',
    model: order.model,
    stream: order.stream,
    aborted,
    billed: { images: made, outputTokens: Number(usage['output_tokens']), ...(order.search && { webSearches: 1 }) },
  });
}

async function sendWhole(exchange: Exchange, order: ArkImages, items: readonly Item[]): Promise<void> {
  const data = await Promise.all(
    items.map(async (item) => ('spec' in item ? fileOf(exchange, order, item.spec) : item)),
  );
  const made = items.filter((item) => 'spec' in item).length;
  record(exchange, order, made, false);
  exchange.reply(200, {
    model: order.model,
    created: unixSeconds(exchange.stage.now()),
    data,
    usage: usageOf(order, made),
  });
}

async function sendStream(exchange: Exchange, order: ArkImages, items: readonly Item[]): Promise<void> {
  const created = unixSeconds(exchange.stage.now());
  const failure = {
    error: { code: 'InternalServiceError', message: 'The service encountered an unexpected internal error.' },
  };
  const events = exchange.events(
    { 'content-type': 'text/event-stream; charset=utf-8' },
    `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
  );
  let made = 0;
  for (const [image_index, item] of items.entries()) {
    const base = { model: order.model, created, image_index };
    const event =
      'spec' in item
        ? { type: 'image_generation.partial_succeeded', ...base, ...(await fileOf(exchange, order, item.spec)) }
        : { type: 'image_generation.partial_failed', ...base, error: item.error };
    if (!(await events.send(frame(event)))) {
      record(exchange, order, made, true);
      return;
    }
    if ('spec' in item) made += 1;
  }
  record(exchange, order, made, !events.open);
  await events.send(
    frame({ type: 'image_generation.completed', model: order.model, created, usage: usageOf(order, made) }),
  );
  await events.send('data: [DONE]\n\n');
  events.end();
}

function frame(event: Readonly<Record<string, unknown>> & { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

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
