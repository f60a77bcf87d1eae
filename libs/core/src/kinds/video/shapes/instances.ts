/**
 * Google's body (`predictLongRunning`), which every video model takes: `instances` with one video, `parameters` with how it should be
 * (docs/wire/veo.md#gemini-api).
 */
import { isJsonObject, type Json } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { readAddress } from './address.ts';
import { given, objectFields, readFields, shown, wrong, type Fields } from './fields.ts';
import type { ShapeReader } from './shape.ts';

const PLACE = 'instances[0]';
type Image = VideoCreate['images'][number];

/** Reads Google's body. What it has no word for stays in `extra` where it stood. */
export const readInstancesBody: ShapeReader = (body) => {
  const fields = readFields(body, { anyCase: true });
  fields.take('model');
  const instance = readInstance(fields);
  const parameters = fields.object('parameters') ?? readFields({}, { path: 'parameters' });
  const images = [
    ...frame(instance, 'image', 'first_frame'),
    ...frame(instance, 'lastFrame', 'last_frame'),
    ...references(instance),
  ];
  const videos = source(instance);
  if (instance.has('mask')) throw wrong(instance.path('mask'), 'is not taken: no model here paints within a mask');
  const prompt = instance.text('prompt');
  if ((prompt ?? '').trim() === '' && images.length === 0 && videos.length === 0)
    throw wrong(instance.path('prompt'), 'is required: what should be seen and heard');
  const read = given({
    negativePrompt: parameters.text('negativePrompt'),
    ratio: parameters.text('aspectRatio'),
    resolution: parameters.text('resolution'),
    duration: seconds(parameters),
    seed: parameters.integer('seed', { min: 0, max: 4_294_967_295 }),
    audio: parameters.flag('generateAudio'),
  });
  const rest = parameters.rest();
  return {
    shape: 'instances',
    body,
    ...given({ prompt }),
    images,
    videos,
    audios: [],
    subjects: [],
    ...read,
    extra: {
      ...fields.rest(),
      ...Object.fromEntries(Object.entries(instance.rest()).map(([name, value]) => [`${PLACE}.${name}`, value])),
      ...(Object.keys(rest).length > 0 && { parameters: rest }),
    },
  };
};

function readInstance(fields: Fields): Fields {
  const [first, second] = fields.list('instances') ?? [];
  if (first === undefined) throw wrong('instances', "is required: [{ prompt: 'what should be seen' }]");
  if (second !== undefined) throw wrong(second.path, 'is one too many: a request makes the video of one instance');
  return objectFields(first.value, first.path, true);
}

/** SDKs send a number, Google's own examples a text, too. */
function seconds(parameters: Fields): number | undefined {
  const value = parameters.take('durationSeconds');
  if (value === undefined) return undefined;
  const asNumber = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value;
  if (typeof asNumber === 'number' && Number.isInteger(asNumber) && asNumber > 0) return asNumber;
  throw wrong(parameters.path('durationSeconds'), `must be whole seconds, such as 8; it is ${shown(value)}`);
}

function frame(instance: Fields, name: string, role: Image['role']): Image[] {
  const medium = instance.object(name);
  return medium === undefined ? [] : [{ role, ...addressOf(medium, instance.path(name), 'image/png') }];
}

function references(instance: Fields): Image[] {
  return (instance.list('referenceImages') ?? []).map(({ value, path }) => {
    const holder = objectFields(value, path, true);
    const type = holder.text('referenceType');
    if (type !== undefined && type.toLowerCase() !== 'asset')
      throw wrong(holder.path('referenceType'), `must be asset; it is ${shown(type)}`);
    const image = holder.object('image');
    if (image === undefined) throw wrong(holder.path('image'), 'is required: the picture');
    return { role: 'reference', ...addressOf(image, holder.path('image'), 'image/png') };
  });
}

/** A video to go on from. */
function source(instance: Fields): VideoCreate['videos'] {
  const medium = instance.object('video');
  return medium === undefined
    ? []
    : [{ role: 'first_clip', ...addressOf(medium, instance.path('video'), 'video/mp4') }];
}

/** Where the medium is: its bytes as a data: URL, or a web address. */
function addressOf(medium: Fields, path: string, usualType: string): { readonly url: string; readonly param: string } {
  const inline = medium.take('inlineData');
  const holder = isJsonObject(inline) ? objectFields(inline, `${path}.inlineData`, true) : medium;
  const type = holder.text('mimeType') ?? holder.text('encoding') ?? usualType;
  for (const name of BYTES) {
    const data: Json | undefined = holder.take(name);
    if (data === undefined) continue;
    const param = holder.path(name);
    if (typeof data !== 'string' || data === '' || !/^[\w+.-]+\/[\w+.-]+$/.test(type))
      throw wrong(param, `must be base64 beside its mimeType; it is ${shown(data)}`);
    return { url: `data:${type};base64,${data}`, param };
  }
  for (const name of ADDRESSES) {
    if (!medium.has(name)) continue;
    const param = medium.path(name);
    return { url: readAddress(medium.take(name), param, { dataUrl: true }).url, param };
  }
  throw wrong(path, 'must have bytesBase64Encoded and mimeType, or a web address in uri');
}

const BYTES = ['bytesBase64Encoded', 'encodedVideo', 'imageBytes', 'videoBytes', 'data'] as const;
const ADDRESSES = ['uri', 'fileUri', 'gcsUri'] as const;
