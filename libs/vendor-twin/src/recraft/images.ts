import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import { fieldReader, isMultipart, readForm, type Form } from '../core/multipart.ts';
import type { Reader } from '../core/reader.ts';
import { pixelSize, seedOf, unixSeconds, type Size } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { IMAGE_FORMATS } from '../media/spec.ts';
import { measured } from '../openai/images.ts';
import { complainAsRecraft, refuseAsRecraft } from './errors.ts';

const NUMBERS = new Set(['n', 'strength', 'random_seed']);
const LARGEST = 10 * 1024 * 1024;
const MODELS = ['recraftv4_1', 'recraftv4_1_pro', 'recraftv4', 'recraftv4_pro', 'recraftv3', 'recraftv2'];
const COMMON =
  'prompt model n style substyle style_id negative_prompt response_format controls text_layout random_seed';
const GENERATE = new Set(`${COMMON} size`.split(' '));
const FROM_PICTURE = new Set(`${COMMON} strength`.split(' '));
const INPAINT = new Set(COMMON.split(' '));
/** Sizes at one megapixel; Pro has twice each side. */
const SIZES: readonly (readonly [ratio: string, size: string])[] = [
  ['1:1', '1024x1024'],
  ['2:1', '1536x768'],
  ['1:2', '768x1536'],
  ['3:2', '1280x832'],
  ['2:3', '832x1280'],
  ['4:3', '1216x896'],
  ['3:4', '896x1216'],
  ['5:4', '1152x896'],
  ['4:5', '896x1152'],
  ['6:10', '832x1344'],
  ['14:10', '1280x896'],
  ['10:14', '896x1280'],
  ['16:9', '1344x768'],
  ['9:16', '768x1344'],
];

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    operation: 'image',
    async handle(exchange) {
      const body = exchange.json(complainAsRecraft);
      body.only(GENERATE);
      const model = modelOf(body);
      await draw(exchange, { body, model, size: sizeOf(body, model) });
    },
  },
  edit('/v1/images/imageToImage', (form, body) => {
    body.only(FROM_PICTURE);
    if (body.optionalNumber('strength', 0, 1) === undefined) body.fail('strength', 'a number', 'missing');
    return pictureIn(form, body, 'image');
  }),
  edit('/v1/images/inpaint', (form, body) => {
    body.only(INPAINT);
    if (!modelOf(body).startsWith('recraftv3')) body.fail('model', 'one of recraftv3, recraftv3_vector');
    const image = pictureIn(form, body, 'image');
    const mask = pictureIn(form, body, 'mask');
    if (image.width !== mask.width || image.height !== mask.height) body.fail('mask', 'the size of the image');
    return image;
  }),
];

function edit(path: string, read: (form: Form, body: Reader) => Size): Route {
  return {
    method: 'POST',
    path,
    operation: 'edit',
    async handle(exchange) {
      if (!isMultipart(exchange)) throw refuseAsRecraft(400, { message: 'expected multipart/form-data' });
      const form = await readForm(exchange);
      const body = fieldReader(form, NUMBERS, complainAsRecraft);
      await draw(exchange, { body, model: modelOf(body), size: read(form, body) });
    },
  };
}

interface Order {
  readonly body: Reader;
  readonly model: string;
  readonly size: Size;
}

async function draw(exchange: Exchange, { body, model, size }: Order): Promise<void> {
  const prompt = body.string('prompt', model.startsWith('recraftv4') ? 10_000 : 1000);
  const count = body.optionalInteger('n', 1, 6) ?? 1;
  const asBase64 = body.optionalOneOf('response_format', ['url', 'b64_json'] as const) === 'b64_json';
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse') || exchange.fate(markers) === 'moderation')
    throw refuseAsRecraft(400, { code: 'content_moderation', message: 'the prompt was flagged by moderation' });
  const text = withoutMarkers(prompt);
  const seed = body.optionalInteger('random_seed') ?? seedOf(text);
  const { stage } = exchange;
  const data = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const spec = { kind: 'image', ...size, format: 'webp', text, seed: seed + index } as const;
      const image_id = stage.newId('');
      return asBase64
        ? { image_id, b64_json: (await stage.media.file(spec)).toString('base64') }
        : { image_id, url: stage.media.link(spec) };
    }),
  );
  exchange.record({ kind: 'image', model, stream: false, aborted: false, billed: { images: count } });
  exchange.reply(200, { created: unixSeconds(stage.now()), credits: 40 * count, data });
}

function modelOf(body: Reader): string {
  return body.optionalOneOf('model', MODELS) ?? 'recraftv4_1';
}

function sizeOf(body: Reader, model: string): Size {
  const text = body.optionalString('size') ?? '1:1';
  const times = model.endsWith('_pro') ? 2 : 1;
  const known = SIZES.map(([ratio, size]) => [ratio, pixelSize(size) ?? { width: 0, height: 0 }] as const)
    .map(([ratio, { width, height }]) => [ratio, { width: width * times, height: height * times }] as const)
    .find(([ratio, { width, height }]) => text === ratio || text === `${width}x${height}`);
  return known?.[1] ?? body.fail('size', `a size of ${model}`);
}

function pictureIn({ files }: Form, body: Reader, name: string): Size {
  const file = files.find((each) => each.name === name) ?? body.fail(name, 'a file', 'missing');
  const { type, width, height } = measured(file.bytes) ?? { type: '', width: 0, height: 0 };
  if (!(IMAGE_FORMATS as readonly string[]).includes(type)) body.fail(name, 'a PNG, JPG or WEBP file');
  if (file.bytes.length > LARGEST) body.fail(name, 'a file of at most 10 MB');
  if (Math.min(width, height) < 256 || Math.max(width, height) > 4096) body.fail(name, 'sides of 256 to 4096 pixels');
  return { width, height };
}
