import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import { fieldReader, isMultipart, readForm, type Form } from '../core/multipart.ts';
import type { Reader } from '../core/reader.ts';
import { pixelSize, seedOf, type Size } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { IMAGE_FORMATS } from '../media/spec.ts';
import { measured } from '../openai/images.ts';
import { complainAsIdeogram, refuseAsIdeogram } from './errors.ts';

const NUMBERS = new Set(['num_images', 'seed', 'image_weight']);
const LARGEST = 25 * 1024 * 1024;
const MOST_SEED = 2_147_483_647;
const RATIOS = '1x3 3x1 1x2 2x1 9x16 16x9 10x16 16x10 2x3 3x2 3x4 4x3 4x5 5x4 1x1'.split(' ');
const SPEEDS = ['FLASH', 'TURBO', 'DEFAULT', 'QUALITY'];
const STYLES = ['AUTO', 'GENERAL', 'REALISTIC', 'DESIGN', 'FICTION'];
const COMMON =
  'prompt negative_prompt num_images seed rendering_speed magic_prompt style_type style_preset color_palette style_codes';
const GENERATE = new Set(`${COMMON} resolution aspect_ratio`.split(' '));
const REMIX = new Set(`${COMMON} resolution aspect_ratio image_weight`.split(' '));
const INPAINT = new Set(COMMON.split(' '));
const V4 = new Set(['text_prompt', 'json_prompt', 'resolution', 'rendering_speed', 'enable_copyright_detection']);

export const routes: readonly Route[] = [
  route('/v1/ideogram-v3/generate', 'image', (form, body) => {
    body.only(GENERATE);
    if (form.files.length > 0) body.fail('image', 'absent', 'unknown');
    return sizeOf(body);
  }),
  route('/v1/ideogram-v3/remix', 'edit', (form, body) => {
    body.only(REMIX);
    body.optionalInteger('image_weight', 1, 100);
    pictureIn(form, body, 'image');
    return sizeOf(body);
  }),
  route('/v1/ideogram-v3/inpaint', 'edit', (form, body) => {
    body.only(INPAINT);
    const image = pictureIn(form, body, 'image');
    const mask = pictureIn(form, body, 'mask');
    if (image.width !== mask.width || image.height !== mask.height) body.fail('mask', 'the size of the image');
    return image;
  }),
  route('/v1/ideogram-v4/generate', 'image', (_form, body) => {
    body.only(V4);
    if (body.value['rendering_speed'] === 'FLASH') body.fail('rendering_speed', 'one of TURBO, DEFAULT, QUALITY');
    const size = pixelSize(body.optionalString('resolution') ?? '2048x2048');
    // The model chooses among sizes of about four megapixels.
    if (size === undefined || size.width * size.height < 3_300_000 || size.width * size.height > 4_300_000)
      return body.fail('resolution', 'a resolution of Ideogram 4.0');
    return size;
  }),
];

function route(path: string, operation: 'image' | 'edit', read: (form: Form, body: Reader) => Size): Route {
  return {
    method: 'POST',
    path,
    operation,
    async handle(exchange) {
      if (!isMultipart(exchange)) throw refuseAsIdeogram(400, { message: 'Expected multipart/form-data.' });
      const form = await readForm(exchange);
      const body = fieldReader(form, NUMBERS, complainAsIdeogram);
      const version = path.includes('v4') ? 4 : 3;
      await draw(exchange, { body, size: read(form, body), version });
    },
  };
}

async function draw(
  exchange: Exchange,
  { body, size, version }: { readonly body: Reader; readonly size: Size; readonly version: number },
): Promise<void> {
  const prompt = body.string(version === 4 ? 'text_prompt' : 'prompt');
  const speed = body.optionalOneOf('rendering_speed', SPEEDS) ?? 'DEFAULT';
  body.optionalOneOf('magic_prompt', ['AUTO', 'ON', 'OFF']);
  const style = body.optionalOneOf('style_type', STYLES) ?? 'GENERAL';
  const count = body.optionalInteger('num_images', 1, 8) ?? 1;
  const given = body.optionalInteger('seed', 0, MOST_SEED);
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) throw refuseAsIdeogram(422);
  const text = withoutMarkers(prompt);
  const first = given ?? seedOf(text) % MOST_SEED;
  const isSafe = exchange.fate(markers) !== 'moderation';
  const { stage } = exchange;
  const data = Array.from({ length: count }, (_, index) => {
    const seed = first + index;
    const link = stage.media.link({ kind: 'image', ...size, format: 'png', text, seed });
    // The first of several is withheld alone.
    const withheld = !isSafe || (markers.words.has('withhold') && index === 0);
    return {
      prompt: text,
      resolution: `${size.width}x${size.height}`,
      is_image_safe: !withheld,
      seed,
      url: withheld ? null : link,
      ...(version === 3 && { style_type: style }),
    };
  });
  exchange.record({
    kind: 'image',
    model: `ideogram-v${version}-${speed.toLowerCase()}`,
    stream: false,
    aborted: false,
    billed: { images: count },
  });
  exchange.reply(200, { created: new Date(stage.now()).toISOString(), data });
}

function sizeOf(body: Reader): Size {
  if (body.has('resolution') && body.has('aspect_ratio')) body.fail('aspect_ratio', 'absent beside a resolution');
  const resolution = body.optionalString('resolution');
  if (resolution !== undefined) {
    const size = pixelSize(resolution);
    if (
      size === undefined ||
      size.width % 32 !== 0 ||
      size.height % 32 !== 0 ||
      Math.max(size.width, size.height) > 1536
    )
      return body.fail('resolution', 'a resolution of Ideogram 3.0');
    return size;
  }
  const [width = 1, height = 1] = (body.optionalOneOf('aspect_ratio', RATIOS) ?? '1x1').split('x').map(Number);
  const step = (side: number): number => Math.round(side / 64) * 64;
  return { width: step(1024 * Math.sqrt(width / height)), height: step(1024 * Math.sqrt(height / width)) };
}

function pictureIn({ files }: Form, body: Reader, name: string): Size {
  const file = files.find((each) => each.name === name) ?? body.fail(name, 'a file', 'missing');
  const { type, width, height } = measured(file.bytes) ?? { type: '', width: 0, height: 0 };
  if (!(IMAGE_FORMATS as readonly string[]).includes(type)) body.fail(name, 'a JPEG, WebP or PNG file');
  if (file.bytes.length > LARGEST) body.fail(name, 'a file of at most 25 MB');
  return { width, height };
}
