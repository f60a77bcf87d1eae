/**
 * Family D (body shape `omni`): prompt, frames, references and subjects, in either spelling
 * (docs/service.md#post-v1videogenerations-for-video_family_d_omni_model-text-to-video;
 * docs/wire/tencent-vod.md#what-is-passed-on).
 */
import type { VideoCreate } from '@model-gateway/provider-kit';
import { readAddress } from './address.ts';
import { given, objectFields, readFields, shown, wrong, type Fields } from './fields.ts';
import type { ShapeReader } from './shape.ts';

type Media = { images: VideoCreate['images'][number][]; videos: VideoCreate['videos'][number][] };

/** All embedded files together: the vendor takes requests of 10 MB (docs/wire/tencent-vod.md#create). */
const MOST_EMBEDDED_BYTES = 7 * 1024 * 1024;
const CATEGORIES = ['Image', 'Video', 'Audio'] as const;
const USAGES = { FirstFrame: 'first_frame', LastFrame: 'last_frame', Reference: 'reference' } as const;
const MIME = { Image: 'image/png', Video: 'video/mp4', Audio: 'audio/mpeg' } as const;

/** Reads the body of family D; every field may be written snake_case, camelCase or PascalCase. */
export const readOmniBody: ShapeReader = (body) => {
  const fields = readFields(body, { anyCase: true });
  fields.take('model');
  const media: Media = { images: [], videos: [] };
  const audios: VideoCreate['audios'][number][] = [];
  let embedded = 0;
  for (const { value, path } of fields.list('file_infos') ?? []) {
    const item = objectFields(value, path, true);
    const category = oneOf(item, 'Category', CATEGORIES) ?? 'Image';
    const { url, bytes, param } = fileOf(item, category, path);
    embedded += bytes;
    if (embedded > MOST_EMBEDDED_BYTES) {
      throw wrong(
        param,
        `brings the embedded files to ${embedded} bytes; all together may have ${MOST_EMBEDDED_BYTES}`,
      );
    }
    if (url !== undefined) place(media, audios, { item, category, url, param });
  }
  addLastFrame(fields, media);
  const audio = fields.flag('audio_generation');
  const video = media.videos[0];
  if (audio === true && video !== undefined) {
    throw wrong(fields.path('audio_generation'), 'cannot be true together with a reference video');
  }
  return {
    shape: 'omni',
    body,
    prompt: fields.requiredText('prompt', 'the text that drives the video'),
    ...media,
    audios,
    subjects: readSubjects(fields),
    ...given({
      negativePrompt: fields.text('negative_prompt'),
      duration: fields.integer('duration', { min: 1 }),
      resolution: readSize(fields),
      ratio: fields.text('aspect_ratio'),
      seed: fields.integer('seed'),
      audio,
    }),
    extra: fields.rest(),
  };
};

/** `size` is this family's word for it; both would reach the vendor as one. */
function readSize(fields: Fields): string | undefined {
  const size = fields.text('size');
  const resolution = fields.text('resolution');
  if (size !== undefined && resolution !== undefined && size.toLowerCase() !== resolution.toLowerCase())
    throw wrong(
      fields.path('resolution'),
      `must be as ${fields.path('size')}, or be left out; it is ${shown(resolution)}`,
    );
  return size ?? resolution;
}

function oneOf<Word extends string>(item: Fields, name: string, words: readonly Word[]): Word | undefined {
  const value = item.text(name);
  if (value === undefined) return undefined;
  const word = words.find((candidate) => candidate.toLowerCase() === value.toLowerCase());
  if (word === undefined) throw wrong(item.path(name), `must be one of ${words.join(', ')}; it is ${shown(value)}`);
  return word;
}

/** `File` names a medium of the vendor's own library: it has no address and travels in the body. */
function fileOf(
  item: Fields,
  category: (typeof CATEGORIES)[number],
  path: string,
): { readonly url: string | undefined; readonly bytes: number; readonly param: string } {
  const type = oneOf(item, 'Type', ['Url', 'Base64', 'File']) ?? (item.has('Base64') ? 'Base64' : 'Url');
  if (type === 'File') {
    item.requiredText('FileId', "the vendor's id of the file");
    return { url: undefined, bytes: 0, param: path };
  }
  if (type === 'Url') {
    const param = item.path('Url');
    return { url: readAddress(item.take('Url'), param, {}).url, bytes: 0, param };
  }
  const param = item.path('Base64');
  const address = readAddress(item.take('Base64'), param, { dataUrl: true, bareBase64: true });
  if (address.form !== 'base64') throw wrong(param, 'must be base64; it is an address, which goes into Url');
  const url = address.start > 0 ? address.url : `data:${MIME[category]};base64,${address.url}`;
  return { url, bytes: decodedLength(address), param };
}

function decodedLength({ url, start }: { readonly url: string; readonly start: number }): number {
  const padding = url.endsWith('==') ? 2 : url.endsWith('=') ? 1 : 0;
  return Math.floor(((url.length - start) * 3) / 4) - padding;
}

function place(
  media: Media,
  audios: VideoCreate['audios'][number][],
  file: { item: Fields; category: (typeof CATEGORIES)[number]; url: string; param: string },
): void {
  const { item, category, url, param } = file;
  switch (category) {
    case 'Image': {
      const usage = oneOf(item, 'Usage', ['FirstFrame', 'LastFrame', 'Reference'] as const) ?? 'FirstFrame';
      media.images.push({ role: USAGES[usage], url, param });
      return;
    }
    case 'Video': {
      const kind = oneOf(item, 'ReferenceType', ['feature', 'base'] as const) ?? 'feature';
      media.videos.push({ role: kind === 'base' ? 'base' : 'reference', url, param });
      return;
    }
    case 'Audio':
      audios.push({ role: 'reference', url, param });
  }
}

function addLastFrame(fields: Fields, media: Media): void {
  if (fields.has('last_frame_url')) {
    const param = fields.path('last_frame_url');
    media.images.push({ role: 'last_frame', url: readAddress(fields.take('last_frame_url'), param, {}).url, param });
  }
  const last = media.images.find(({ role }) => role === 'last_frame');
  if (last !== undefined && !media.images.some(({ role }) => role === 'first_frame')) {
    throw wrong(last.param, 'is a last frame, which needs a first frame in file_infos');
  }
}

function readSubjects(fields: Fields): string[] {
  return (fields.list('subject_infos') ?? []).flatMap(({ value, path }) => {
    const item = objectFields(value, path, true);
    const id = item.take('Id');
    if (typeof id === 'string' && id !== '') return [id];
    if (id === undefined && item.has('Name')) return [];
    throw wrong(
      item.path('Id'),
      `must be the ElementId of a subject, as text (it has more digits than a number can hold); it is ${id === undefined ? 'missing' : shown(id)}`,
    );
  });
}
