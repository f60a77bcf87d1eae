import { bracketed, type Reader } from '../core/reader.ts';
import { badArkRequest, refuseUnknownArkModel } from './errors.ts';

const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'] as const;
const RESOLUTIONS = ['480p', '720p', '1080p', '4k'] as const;

export interface ArkVideo {
  readonly model: string;
  readonly prompt: string;
  readonly resolution: string;
  readonly ratio: string;
  readonly duration: number;
  readonly seed: number;
  readonly audio: boolean;
  readonly draft: boolean;
  readonly lastFrame: boolean;
  readonly serviceTier: string;
  readonly expiresAfter: number;
  /** A reference video counts towards the bill. */
  readonly inputVideos: number;
}

/** Reads `POST /contents/generations/tasks` (https://www.volcengine.com/docs/82379/1520757). */
export function readArkVideo(body: Reader): ArkVideo {
  const model = body.string('model');
  refuseUnknownArkModel(model);
  const generation = /1-5-pro/.test(model) ? '1.5' : /1-0-/.test(model) ? '1.0' : '2.0';
  const { prompt, inputVideos } = readContent(body);
  const resolution = body.optionalOneOf('resolution', RESOLUTIONS) ?? '720p';
  if (/fast|mini/.test(model) && (resolution === '1080p' || resolution === '4k')) {
    throw badArkRequest(
      'InvalidParameter',
      `The parameter \`resolution\` ${resolution} is not supported by this model.`,
      'resolution',
    );
  }
  const duration = readDuration(body, generation);
  for (const name of ['frames', 'camera_fixed'] as const) {
    if (generation === '2.0' && body.has(name)) {
      throw badArkRequest('InvalidParameter', `The parameter \`${name}\` is not supported by this model.`, name);
    }
  }
  const draft = body.optionalBoolean('draft') ?? false;
  if (draft && generation !== '1.5')
    throw badArkRequest('InvalidParameter', 'draft is not supported by this model.', 'draft');
  const serviceTier = body.optionalOneOf('service_tier', ['default', 'flex'] as const) ?? 'default';
  if (serviceTier === 'flex' && generation === '2.0') {
    throw badArkRequest('InvalidParameter', 'service_tier flex is not supported by this model.', 'service_tier');
  }
  body.optionalBoolean('watermark');
  body.optionalString('callback_url');
  body.optionalString('safety_identifier');
  return {
    model,
    prompt,
    resolution: draft ? '480p' : resolution,
    ratio: body.optionalOneOf('ratio', RATIOS) ?? (generation === '1.0' ? '16:9' : 'adaptive'),
    duration,
    seed: body.optionalInteger('seed', -1, 2 ** 32 - 1) ?? -1,
    audio: body.optionalBoolean('generate_audio') ?? generation !== '1.0',
    draft,
    lastFrame: body.optionalBoolean('return_last_frame') ?? false,
    serviceTier,
    expiresAfter: body.optionalInteger('execution_expires_after', 3600, 259_200) ?? 172_800,
    inputVideos,
  };
}

function readDuration(body: Reader, generation: string): number {
  const duration = body.optionalInteger('duration');
  if (duration === undefined || duration === -1) return 5;
  const [least, most] = generation === '2.0' ? [4, 15] : generation === '1.5' ? [4, 12] : [2, 12];
  if (duration < least || duration > most) body.fail('duration', `between ${least} and ${most} seconds`);
  return duration;
}

function readContent(body: Reader): { prompt: string; inputVideos: number } {
  const items = body.objects('content');
  if (items.length === 0) body.fail('content', 'an array with at least one item', 'missing');
  const text: string[] = [];
  const roles = {
    first_frame: 0,
    last_frame: 0,
    reference_image: 0,
    reference_video: 0,
    reference_audio: 0,
    unnamed: 0,
  };
  let drafts = 0;
  for (const item of items) {
    const type = item.oneOf('type', ['text', 'image_url', 'video_url', 'audio_url', 'draft_task'] as const);
    switch (type) {
      case 'text':
        text.push(item.string('text'));
        break;
      case 'image_url': {
        requireLink(item, type, /^(https?:\/\/|asset:\/\/|data:image\/[\w+.-]+;base64,)/);
        const role = item.optionalOneOf('role', ['first_frame', 'last_frame', 'reference_image'] as const);
        roles[role ?? 'unnamed'] += 1;
        break;
      }
      case 'video_url':
        requireLink(item, type, /^(https?|asset):\/\//);
        roles[item.oneOf('role', ['reference_video'] as const)] += 1;
        break;
      case 'audio_url':
        requireLink(item, type, /^(https?:\/\/|asset:\/\/|data:audio\/[\w+.-]+;base64,)/);
        roles[item.oneOf('role', ['reference_audio'] as const)] += 1;
        break;
      case 'draft_task':
        item.object('draft_task').string('id');
        drafts += 1;
        break;
    }
  }
  checkRoles(roles);
  const visual =
    roles.first_frame + roles.last_frame + roles.reference_image + roles.reference_video + roles.unnamed + drafts;
  if (text.length === 0 && visual === 0) body.fail('content', 'a text item', 'missing');
  return { prompt: text.join('\n'), inputVideos: roles.reference_video };
}

function requireLink(item: Reader, field: string, form: RegExp): void {
  const url = item.object(field).string('url');
  if (form.test(url)) return;
  throw badArkRequest(
    'InvalidParameter',
    `The url of \`${bracketed(item.path)}\` cannot be read.`,
    `${bracketed(item.path)}.${field}.url`,
  );
}

/** First frame, first and last frame, and references exclude each other. */
function checkRoles(roles: Readonly<Record<string, number>>): void {
  const { first_frame: first = 0, last_frame: last = 0, unnamed = 0 } = roles;
  const { reference_image: images = 0, reference_video: videos = 0, reference_audio: audios = 0 } = roles;
  const refuse = (message: string): never => {
    throw badArkRequest('InvalidParameter.TaskTypeConstraint', message, 'content');
  };
  const frames = first + last + unnamed;
  if (frames > 0 && images + videos + audios > 0)
    refuse('first/last frame content cannot be mixed with reference media content');
  if (first + unnamed > 1 && last === 0) refuse('role must be specified when more than one image is given');
  if (first + unnamed > 1 || last > 1) refuse('at most one first frame and one last frame');
  if (last > 0 && first + unnamed === 0) refuse('a last frame needs a first frame');
  if (images > 9 || videos > 3 || audios > 3)
    refuse('at most 9 reference images, 3 reference videos and 3 reference audios');
  if (audios > 0 && images + videos === 0) refuse('reference audio needs at least one image or video');
}
