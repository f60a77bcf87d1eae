import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import { fieldReader, isMultipart, readForm, type Form, type FormFile } from '../core/multipart.ts';
import type { Reader } from '../core/reader.ts';
import { seedOf, type Size } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { IMAGE_FORMATS, type ImageFormat } from '../media/spec.ts';
import { measured } from '../openai/images.ts';
import { complainAsStability, refuseAsStability } from './errors.ts';

const BASE = '/v2beta/stable-image';
const NUMBERS = new Set(['seed', 'strength', 'cfg_scale', 'grow_mask']);
const RATIOS = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];
const STYLES =
  '3d-model analog-film anime cinematic comic-book digital-art enhance fantasy-art isometric line-art low-poly modeling-compound neon-punk origami photographic pixel-art tile-texture';
const SD3_MODELS = ['sd3.5-large', 'sd3.5-large-turbo', 'sd3.5-medium', 'sd3.5-flash'];
const LARGEST = 10 * 1024 * 1024;
const MOST_SEED = 4_294_967_294;
const MEGAPIXEL = 1024 * 1024;

interface Order {
  readonly model: string;
  readonly size: Size;
}

const COMMON = ['prompt', 'negative_prompt', 'seed', 'output_format', 'style_preset'];
const ULTRA = new Set([...COMMON, 'aspect_ratio', 'strength']);
const CORE = new Set([...COMMON, 'aspect_ratio']);
const SD3 = new Set([...COMMON, 'aspect_ratio', 'strength', 'mode', 'model', 'cfg_scale']);
const INPAINT = new Set([...COMMON, 'grow_mask']);

export const routes: readonly Route[] = [
  route('generate/ultra', (form, body) => {
    body.only(ULTRA);
    const image = sourceOf(form, 'image');
    if (image !== undefined && !body.has('strength')) body.fail('strength', 'given with an image', 'missing');
    return { model: 'ultra', size: sizeOf(body, MEGAPIXEL) };
  }),
  route('generate/core', (form, body) => {
    body.only(CORE);
    if (form.files.length > 0) body.fail('image', 'absent', 'unknown');
    return { model: 'core', size: sizeOf(body, 1536 * 1536) };
  }),
  route('generate/sd3', (form, body) => {
    body.only(SD3);
    const model = body.optionalOneOf('model', SD3_MODELS) ?? 'sd3.5-large';
    if (body.value['output_format'] === 'webp') body.fail('output_format', 'one of jpeg, png');
    const image = sourceOf(form, 'image');
    const mode = body.optionalOneOf('mode', ['text-to-image', 'image-to-image'] as const) ?? 'text-to-image';
    if ((mode === 'image-to-image') !== (image !== undefined)) body.fail('image', `given where mode is image-to-image`);
    if (image !== undefined && body.has('aspect_ratio')) body.fail('aspect_ratio', 'absent with an image');
    if (image !== undefined && !body.has('strength')) body.fail('strength', 'given with an image', 'missing');
    return { model, size: image ?? sizeOf(body, MEGAPIXEL) };
  }),
  route('edit/inpaint', (form, body) => {
    body.only(INPAINT);
    body.optionalInteger('grow_mask', 0, 20);
    const image = sourceOf(form, 'image') ?? body.fail('image', 'a file', 'missing');
    const mask = sourceOf(form, 'mask');
    if (mask !== undefined && (mask.width !== image.width || mask.height !== image.height))
      body.fail('mask', 'of the size of the image');
    return { model: 'inpaint', size: image };
  }),
];

function route(path: string, read: (form: Form, body: Reader) => Order): Route {
  return {
    method: 'POST',
    path: `${BASE}/${path}`,
    operation: path.startsWith('edit') ? 'edit' : 'image',
    async handle(exchange) {
      if (!isMultipart(exchange))
        throw refuseAsStability(400, { message: 'content-type: must be multipart/form-data' });
      const accept = exchange.header('accept') ?? 'image/*';
      if (accept !== 'application/json' && accept !== 'image/*' && accept !== '*/*')
        throw refuseAsStability(400, { message: 'accept: must be one of application/json, image/*' });
      const form = await readForm(exchange);
      const body = fieldReader(form, NUMBERS, complainAsStability);
      const order = read(form, body);
      await draw(exchange, { body, order, asJson: accept === 'application/json' });
    },
  };
}

async function draw(
  exchange: Exchange,
  { body, order, asJson }: { readonly body: Reader; readonly order: Order; readonly asJson: boolean },
): Promise<void> {
  const prompt = body.string('prompt', 10_000);
  body.optionalString('negative_prompt', 10_000);
  body.optionalOneOf('style_preset', STYLES.split(' '));
  body.optionalNumber('strength', 0, 1);
  body.optionalNumber('cfg_scale', 1, 10);
  const given = body.optionalInteger('seed', 0, MOST_SEED) ?? 0;
  const format: ImageFormat = body.optionalOneOf('output_format', IMAGE_FORMATS) ?? 'png';
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) throw refuseAsStability(403);
  const text = withoutMarkers(prompt);
  const seed = given === 0 ? seedOf(text) % MOST_SEED : given;
  const filtered = exchange.fate(markers) === 'moderation';
  const file = await exchange.stage.media.file({
    kind: 'image',
    ...order.size,
    format,
    text: filtered ? '' : text,
    seed,
  });
  exchange.record({
    kind: 'image',
    model: order.model,
    stream: false,
    aborted: false,
    billed: { images: filtered ? 0 : 1 },
  });
  const reason = filtered ? 'CONTENT_FILTERED' : 'SUCCESS';
  if (asJson) exchange.reply(200, { image: file.toString('base64'), finish_reason: reason, seed });
  else exchange.reply(200, file, { 'content-type': `image/${format}`, 'finish-reason': reason, seed: String(seed) });
}

function sizeOf(body: Reader, pixels: number): Size {
  const [width = 1, height = 1] = (body.optionalOneOf('aspect_ratio', RATIOS) ?? '1:1').split(':').map(Number);
  const step = (side: number): number => Math.round(side / 64) * 64;
  return {
    width: step(Math.sqrt((pixels * width) / height)),
    height: step(Math.sqrt((pixels * height) / width)),
  };
}

/** The size of a file of the form; undefined without it. */
function sourceOf({ files }: Form, name: string): Size | undefined {
  const file = files.find((each) => each.name === name);
  return file === undefined ? undefined : pictureIn(file);
}

function pictureIn({ name, bytes }: FormFile): Size {
  if (bytes.length > LARGEST) throw refuseAsStability(413);
  const { type, width, height } = measured(bytes) ?? { type: '', width: 0, height: 0 };
  if (!(IMAGE_FORMATS as readonly string[]).includes(type))
    throw refuseAsStability(400, { message: `${name}: must be an image in jpeg, png or webp format` });
  if (Math.min(width, height) < 64)
    throw refuseAsStability(400, { message: `${name}: each side must be at least 64 pixels` });
  return { width, height };
}
