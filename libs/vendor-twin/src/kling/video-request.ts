import { isElementId } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Reader } from '../core/reader.ts';
import { complainAsKling, klingRefusal } from './tasks.ts';

export type Endpoint = 'omni-video' | 'text2video' | 'image2video' | 'multi-image2video' | 'motion-control';

export interface KlingVideo {
  readonly model: string;
  readonly prompt: string;
  readonly mode: 'std' | 'pro' | '4k';
  readonly ratio: string;
  readonly seconds: number;
  readonly sound: boolean;
  readonly externalId: string | undefined;
}

/** Reads a create of the v1 endpoints (docs/wire/kling.md#endpoints). */
export function readKlingVideo(exchange: Exchange, endpoint: Endpoint): KlingVideo {
  const body = exchange.json(complainAsKling);
  const model = body.optionalString('model_name') ?? (endpoint === 'omni-video' ? 'kling-video-o1' : 'kling-v1');
  if (/^(no-such|unknown|missing)-/.test(model)) throw klingRefusal(404, 1203, `model_name ${model} is not supported.`);
  if ((endpoint === 'omni-video') !== /omni|video-o\d/.test(model)) {
    throw klingRefusal(400, 1201, `model_name ${model} is not supported by ${endpoint}.`);
  }
  const frame = endpoint === 'omni-video' ? checkOmni(exchange, body) : checkPlain(body, endpoint);
  const prompt = body.optionalString('prompt', 2500);
  const multiShot = body.optionalBoolean('multi_shot') === true;
  if (prompt === undefined && !multiShot && endpoint !== 'image2video') body.fail('prompt', 'a string', 'missing');
  const ratio = body.optionalOneOf('aspect_ratio', ['16:9', '9:16', '1:1'] as const);
  if (ratio === undefined && !frame && endpoint === 'omni-video') {
    body.fail('aspect_ratio', 'a ratio, since no first frame and no video to edit decides it', 'missing');
  }
  body.optionalObject('watermark_info')?.optionalBoolean('enabled');
  return {
    model,
    prompt: prompt ?? '',
    mode: body.optionalOneOf('mode', ['std', 'pro', '4k'] as const) ?? 'std',
    ratio: ratio ?? '16:9',
    seconds: readSeconds(body),
    sound: body.optionalOneOf('sound', ['on', 'off'] as const) === 'on',
    externalId: body.optionalString('external_task_id'),
  };
}

/** A text of digits, not a number. */
function readSeconds(body: Reader): number {
  const text = body.optionalString('duration') ?? '5';
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 3 || seconds > 15) body.fail('duration', 'a text from "3" to "15"');
  return seconds;
}

/** True when a first frame or a video to edit decides the shape. */
function checkOmni(exchange: Exchange, body: Reader): boolean {
  let first = false;
  const images = body.objects('image_list');
  for (const image of images) {
    checkImage(image, 'image_url');
    const type = image.optionalOneOf('type', ['first_frame', 'end_frame'] as const);
    first ||= type === 'first_frame';
  }
  if (images.some((image) => image.value['type'] === 'end_frame') && !first) {
    body.fail('image_list', 'a first_frame beside an end_frame');
  }
  const videos = body.objects('video_list');
  if (videos.length > 1) body.fail('video_list', 'at most one video');
  for (const video of videos) {
    if (!/^https?:\/\//.test(video.string('video_url'))) video.fail('video_url', 'an http(s) URL');
    video.optionalOneOf('refer_type', ['base', 'feature'] as const);
    video.optionalOneOf('keep_original_sound', ['yes', 'no'] as const);
    if (body.value['sound'] === 'on') body.fail('sound', 'off, since there is a video');
  }
  const elements = body.objects('element_list');
  const ids = rawElementIds(exchange);
  if (elements.length > ids.length) body.fail('element_list', 'numeric element_ids');
  for (const id of ids) if (!isElementId(id)) throw klingRefusal(400, 1201, `element_id ${id} does not exist.`);
  if (images.length + elements.length > (videos.length > 0 ? 4 : 7))
    body.fail('image_list', 'fewer images and elements');
  return first || videos.some((video) => video.value['refer_type'] === 'base');
}

/** Ids have eighteen digits: they are read from the text, because a double would round them. */
export function rawElementIds(exchange: Exchange): string[] {
  return Array.from(exchange.body.toString('utf8').matchAll(/"element_id"\s*:\s*(\d+)/g), (found) => found[1] ?? '');
}

function checkPlain(body: Reader, endpoint: Endpoint): boolean {
  if (endpoint === 'text2video') {
    for (const name of ['image', 'image_tail', 'image_list'] as const) {
      if (body.has(name)) body.fail(name, 'no image: this endpoint takes text');
    }
    return false;
  }
  if (endpoint === 'image2video') {
    if (!body.has('image') && !body.has('image_tail')) body.fail('image', 'an image', 'missing');
    for (const name of ['image', 'image_tail'] as const) if (body.has(name)) checkImage(body, name);
    return true;
  }
  if (endpoint === 'multi-image2video') {
    const images = body.objects('image_list');
    if (images.length < 1 || images.length > 4) body.fail('image_list', 'one to four images');
    for (const image of images) checkImage(image, 'image');
    return false;
  }
  checkImage(body, 'image_url');
  body.string('video_url');
  return true;
}

/** A URL, or base64 as it is: no `data:` in front. */
function checkImage(from: Reader, name: string): void {
  const image = from.string(name);
  if (image.startsWith('data:')) from.fail(name, 'a URL or base64 without a data: prefix');
  if (!/^(https?:\/\/|[A-Za-z0-9+/]{4,})/.test(image)) from.fail(name, 'a URL or base64');
}
