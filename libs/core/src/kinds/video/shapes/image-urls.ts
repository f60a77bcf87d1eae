/**
 * Family C (body shape `image-urls`): a prompt and up to three images
 * (docs/service.md#post-v1videogenerations-for-video_family_c_model; docs/wire/veo.md#through-kieai, #what-is-passed-on).
 */
import type { VideoCreate } from '@model-gateway/provider-kit';
import { readAddress } from './address.ts';
import { given, readFields, shown, wrong, type Fields } from './fields.ts';
import type { ShapeReader } from './shape.ts';

const MOST_IMAGES = 3;
const GENERATION_TYPES = ['TEXT_2_VIDEO', 'FIRST_AND_LAST_FRAMES_2_VIDEO', 'REFERENCE_2_VIDEO'] as const;

/** Reads the body of family C: one image is the first frame, two are the first and the last, three are references. */
export const readImageUrlsBody: ShapeReader = (body) => {
  const fields = readFields(body, { anyCase: true });
  fields.take('model');
  const prompt = fields.requiredText('prompt', 'what should be seen and heard');
  const images = readImages(fields);
  return {
    shape: 'image-urls',
    body,
    prompt,
    images,
    videos: [],
    audios: [],
    subjects: [],
    ...given({
      negativePrompt: fields.text('negative_prompt'),
      ratio: fields.text('aspect_ratio'),
      resolution: fields.text('resolution'),
      duration: fields.integer('duration', { min: 1 }),
      seed: fields.integer('seed', { min: 0, max: 4_294_967_295 }),
      audio: fields.flag('generate_audio'),
    }),
    extra: fields.rest(),
  };
};

function readImages(fields: Fields): VideoCreate['images'] {
  const items = fields.list('imageUrls') ?? [];
  const over = items[MOST_IMAGES];
  if (over !== undefined) {
    throw wrong(over.path, `is one too many: at most ${MOST_IMAGES} images are taken; there are ${items.length}`);
  }
  const asReference = readGenerationType(fields, items.length) || items.length > 2;
  return items.map(({ value, path }, index) => ({
    role: asReference ? 'reference' : index === 0 ? 'first_frame' : 'last_frame',
    url: readAddress(value, path, { dataUrl: true }).url,
    param: path,
  }));
}

/** True when the caller says that the images are references. */
function readGenerationType(fields: Fields, images: number): boolean {
  const type = fields.text('generationType');
  if (type === undefined) return false;
  if (!(GENERATION_TYPES as readonly string[]).includes(type)) {
    throw wrong(fields.path('generationType'), `must be one of ${GENERATION_TYPES.join(', ')}; it is ${shown(type)}`);
  }
  if (type === 'TEXT_2_VIDEO' && images > 0) {
    throw wrong(fields.path('generationType'), `is TEXT_2_VIDEO, which takes no images; there are ${images}`);
  }
  if (type !== 'TEXT_2_VIDEO' && images === 0) {
    throw wrong(fields.path('imageUrls'), `is required when generationType is ${type}`);
  }
  return type === 'REFERENCE_2_VIDEO';
}
