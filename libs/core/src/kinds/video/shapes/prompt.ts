/**
 * Family E (body shape `prompt`): a prompt and optionally frames
 * (docs/service.md#post-v1videogenerations-for-video_family_e_model; docs/wire/minimax.md#create).
 */
import type { JsonObject } from '@model-gateway/contracts';
import { classIn, type VideoCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../../catalogue.ts';
import { textsOf } from '../video-class.ts';
import { readAddress } from './address.ts';
import { given, readFields, wrong, type Fields } from './fields.ts';
import type { ShapeReader } from './shape.ts';

/** Reads the body of family E. */
export const readPromptBody: ShapeReader = (body, row) => {
  const fields = readFields(body);
  fields.take('model');
  const prompt = fields.requiredText('prompt', 'what should be seen');
  const images = [
    ...frame(fields, 'first_frame_image', 'first_frame'),
    ...frame(fields, 'last_frame_image', 'last_frame'),
  ];
  return {
    shape: 'prompt',
    body,
    prompt,
    images,
    videos: [],
    audios: [],
    subjects: [],
    ...given({
      duration: fields.integer('duration', { min: 1 }),
      resolution: fields.text('resolution') ?? readQuality(fields, body, row),
      size: fields.text('size'),
      watermark: fields.flag('aigc_watermark'),
      audio: fields.flag('generate_audio'),
    }),
    extra: { ...checkedExtra(fields), ...fields.rest() },
  };
};

/** What some vendors of this shape call a resolution; of other models it is left to the vendor. */
function readQuality(fields: Fields, { quality }: JsonObject, { limits }: Pick<ModelRow, 'limits'>) {
  if (typeof quality !== 'string' || fields.has('size')) return undefined;
  return classIn(textsOf(limits['resolutions']), quality) === undefined ? undefined : fields.text('quality');
}

function frame(fields: Fields, name: string, role: 'first_frame' | 'last_frame'): VideoCreate['images'] {
  const value = fields.take(name);
  if (value === undefined) return [];
  return [{ role, url: readAddress(value, name, { dataUrl: true }).url, param: name }];
}

/** Fields the neutral form has no word for, but whose types are known. */
function checkedExtra(fields: Fields): VideoCreate['extra'] {
  const subjects = fields.list('subject_reference');
  for (const { value, path } of subjects ?? []) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrong(path, "must be an object, as in { type: 'character', image: ['https://…'] }");
    }
  }
  return {
    ...given({
      subject_reference: subjects?.map(({ value }) => value),
      prompt_optimizer: fields.flag('prompt_optimizer'),
      fast_pretreatment: fields.flag('fast_pretreatment'),
    }),
  };
}
