import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import { seedOf, type Size } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { IMAGE_FORMATS } from '../media/spec.ts';
import { measured } from '../openai/images.ts';
import { complainAsAws, refuseAsAws, refuseUnknownModel } from './errors.ts';

const RATIOS = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];
const COMMON = ['prompt', 'negative_prompt', 'seed', 'output_format'];
const MOST_SEED = 4_294_967_295;

/** Stability's models: one picture of base64 in an answer. */
export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/model\/(?<model>(?:[a-z-]+\.)?stability\.[^/]+)\/invoke$/,
    operation: 'image',
    handle: draw,
  },
];

async function draw(exchange: Exchange): Promise<void> {
  const { model = '' } = exchange.params;
  refuseUnknownModel(model);
  const body = exchange.json(complainAsAws);
  const size = sizeOf(body, model);
  const prompt = body.string('prompt', 10_000);
  body.optionalString('negative_prompt', 10_000);
  const seed = body.optionalInteger('seed', 0, MOST_SEED) ?? 0;
  const formats = IMAGE_FORMATS.filter((each) => each !== 'webp' || !model.includes('sd3'));
  const format = body.optionalOneOf('output_format', formats) ?? 'png';
  const markers = await exchange.obey(prompt);
  const reason = markers.words.has('refuse')
    ? 'Filter reason: prompt'
    : exchange.fate(markers) === 'moderation'
      ? 'Filter reason: output image'
      : null;
  const text = withoutMarkers(prompt);
  const drawn = seed === 0 ? seedOf(text) : seed;
  const file = await exchange.stage.media.file({ kind: 'image', ...size, format, text, seed: drawn });
  const isMade = reason === null;
  exchange.record({ kind: 'image', model, stream: false, aborted: false, billed: { images: isMade ? 1 : 0 } });
  exchange.reply(200, {
    seeds: [drawn],
    finish_reasons: [reason],
    images: isMade ? [file.toString('base64')] : [],
  });
}

function sizeOf(body: Reader, model: string): Size {
  if (model.includes('inpaint')) {
    body.only(new Set([...COMMON, 'image', 'mask', 'grow_mask', 'style_preset']));
    const image = pictureIn(body, 'image');
    if (body.has('mask') && pictureIn(body, 'mask').width !== image.width)
      body.fail('mask', 'of the size of the image');
    return image;
  }
  const isCore = model.includes('core');
  const isSd3 = model.includes('sd3');
  body.only(new Set([...COMMON, 'aspect_ratio', 'mode', ...(isCore ? [] : ['image', 'strength'])]));
  const mode = body.optionalOneOf('mode', ['text-to-image', 'image-to-image'] as const) ?? 'text-to-image';
  if (isSd3 && (mode === 'image-to-image') !== body.has('image')) body.fail('mode', 'image-to-image with an image');
  if (body.has('image')) body.optionalNumber('strength', 0, 1);
  if (body.has('image') && !body.has('strength')) body.fail('strength', 'a number', 'missing');
  if (isSd3 && body.has('image')) return pictureIn(body, 'image');
  if (body.has('image')) pictureIn(body, 'image');
  const [across = 1, down = 1] = (body.optionalOneOf('aspect_ratio', RATIOS) ?? '1:1').split(':').map(Number);
  const pixels = (isCore ? 1536 : 1024) ** 2;
  const step = (side: number): number => Math.round(side / 64) * 64;
  return { width: step(Math.sqrt((pixels * across) / down)), height: step(Math.sqrt((pixels * down) / across)) };
}

function pictureIn(body: Reader, name: string): Size {
  const { width, height } = measured(Buffer.from(body.string(name), 'base64')) ?? { width: 0, height: 0 };
  if (Math.min(width, height) < 64)
    throw refuseAsAws(400, { message: `${name}: each side must be at least 64 pixels` });
  return { width, height };
}
