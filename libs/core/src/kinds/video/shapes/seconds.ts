/**
 * Family F (body shape `seconds`): OpenAI's video body; through /v1/videos every video model takes it
 * (docs/service.md#post-v1videos-video_family_f_model; docs/wire/openai-videos.md#endpoints).
 */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { readAddress } from './address.ts';
import { given, objectFields, readFields, shown, wrong, type Fields } from './fields.ts';
import type { ShapeReader } from './shape.ts';

const SIZE = /^\d{2,5}x\d{2,5}$/;

/** Reads OpenAI's body. `seconds` is text; a number is taken as its text. */
export const readSecondsBody: ShapeReader = (body) => {
  const fields = readFields(body);
  fields.take('model');
  const prompt = fields.requiredText('prompt', 'what should be seen');
  const duration = readSeconds(fields);
  const images = readReference(fields);
  return {
    shape: 'seconds',
    body: duration === undefined ? body : { ...body, seconds: String(duration) },
    prompt,
    images,
    videos: [],
    audios: [],
    subjects: [],
    ...given({ duration, size: readSize(fields), ...readLook(fields, body) }),
    extra: fields.rest(),
  };
};

function readSeconds(fields: Fields): number | undefined {
  const value = fields.take('seconds');
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,4}(\.\d{1,3})?$/.test(value) ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0) return seconds;
  throw wrong('seconds', `must be a duration in seconds as text, such as "8"; it is ${shown(value)}`);
}

function readSize(fields: Fields): string | undefined {
  const size = fields.text('size');
  if (size === undefined || SIZE.test(size)) return size;
  throw wrong('size', `must be width and height, such as 1280x720; it is ${shown(size)}`);
}

/** What most vendors have a word for, and bill by; of another type than theirs it is left to the vendor. */
function readLook(fields: Fields, { resolution, generate_audio: audio }: JsonObject) {
  return {
    resolution: typeof resolution === 'string' ? fields.text('resolution') : undefined,
    // Forms have texts alone.
    audio: [true, false, 'true', 'false'].some((one) => one === audio)
      ? isOn(fields.take('generate_audio'))
      : undefined,
  };
}

function isOn(audio: Json | undefined): boolean {
  return audio === true || audio === 'true';
}

/** The first frame: an address, OpenAI's `{ image_url }`, or the vendor's `{ file_id }`, which travels in the body alone. */
function readReference(fields: Fields): VideoCreate['images'] {
  const value = fields.take('input_reference');
  if (value === undefined) return [];
  if (typeof value === 'string') return [firstFrame(value, 'input_reference')];
  if (!isJsonObject(value)) throw wrong('input_reference', `must be an address or an object; it is ${shown(value)}`);
  const holder = objectFields(value, 'input_reference');
  if (holder.has('image_url')) return [firstFrame(holder.take('image_url'), holder.path('image_url'))];
  holder.requiredText('file_id', "give image_url, or the vendor's file_id");
  return [];
}

function firstFrame(value: Json | undefined, param: string): VideoCreate['images'][number] {
  return { role: 'first_frame', url: readAddress(value, param, { dataUrl: true }).url, param };
}
