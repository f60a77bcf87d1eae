import { findJob, startJob, videoLink } from '../core/work.ts';
import { unixSeconds, sizeFor, seedOf } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Job, JobState } from '../core/jobs.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { VIDEO_FPS } from '../media/spec.ts';
import { arkRefusal, badArkRequest, complainAsArk, refuseUnknownArkModel } from './errors.ts';
import { bracketed, type Reader } from '../core/reader.ts';

const TASKS = '/api/v3/contents/generations/tasks';
const ONE_TASK = new RegExp(`^${TASKS}/(?<id>[^/]+)$`);

/** Seedance: tasks that are created, asked after, listed and cancelled. */
export const arkVideoRoutes: readonly Route[] = [
  { method: 'POST', path: TASKS, operation: 'create', handle: create },
  { method: 'GET', path: TASKS, operation: 'list', handle: list },
  {
    method: 'GET',
    path: ONE_TASK,
    operation: 'poll',
    handle: (exchange) => exchange.reply(200, taskOf(exchange, find(exchange))),
  },
  { method: 'DELETE', path: ONE_TASK, operation: 'cancel', handle: remove },
];

async function create(exchange: Exchange): Promise<void> {
  const video = readArkVideo(exchange.json(complainAsArk));
  const markers = await exchange.obey(video.prompt);
  if (markers.words.has('refuse')) {
    throw badArkRequest(
      'InputTextSensitiveContentDetected',
      'The request failed because the input text may contain sensitive information.',
    );
  }
  const { stage } = exchange;
  const ratio = video.ratio === 'adaptive' ? '16:9' : video.ratio;
  const { width, height } = sizeFor(video.resolution, ratio);
  const seed = video.seed === -1 ? seedOf(video.prompt) % 100_000 : video.seed;
  // Input seconds are not measured: a reference video counts as long as the output.
  const tokens = Math.floor((width * height * VIDEO_FPS * video.duration * (1 + video.inputVideos)) / 1024);
  const job = startJob(exchange, markers, {
    id: stage.newId('cgt-20261121-'),
    kind: 'video',
    model: video.model,
    prompt: video.prompt,
    usage: { outputTokens: tokens, seconds: video.duration, videos: 1 },
    details: {
      ...video,
      ratio,
      seed,
      tokens,
      video_url: videoLink(stage, {
        width,
        height,
        seconds: video.duration,
        audio: video.audio,
        prompt: video.prompt,
        seed,
      }),
      last_frame_url: stage.media.link({
        kind: 'image',
        width,
        height,
        format: 'png',
        text: withoutMarkers(video.prompt),
        seed,
      }),
    },
  });
  exchange.reply(200, { id: job.id });
}

function find(exchange: Exchange): Job {
  const job = findJob(exchange, exchange.params['id'] ?? '');
  if (job !== undefined) return job;
  const message = `The specified task ${exchange.params['id'] ?? ''} is not found.`;
  throw arkRefusal(404, { code: 'ResourceNotFound', message, param: 'id', type: 'NotFound' });
}

function taskOf(exchange: Exchange, job: Job): Record<string, unknown> {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const { model, details } = job;
  const task: Record<string, unknown> = {
    id: job.id,
    model,
    status: exchange.word(state),
    created_at: unixSeconds(job.createdAt),
    updated_at: unixSeconds(jobs.updatedAt(job)),
    service_tier: details['serviceTier'],
    execution_expires_after: details['expiresAfter'],
  };
  return { ...task, ...endOf(job, state) };
}

function endOf({ fate, details }: Job, state: JobState): Record<string, unknown> {
  if (state === 'failed') {
    return {
      error:
        fate === 'moderation'
          ? {
              code: 'OutputVideoSensitiveContentDetected',
              message: 'The output video may contain sensitive information.',
            }
          : { code: 'InternalServiceError', message: 'The service encountered an unexpected internal error.' },
    };
  }
  if (state !== 'succeeded') return {};
  return {
    content: {
      video_url: details['video_url'],
      ...(details['lastFrame'] === true && { last_frame_url: details['last_frame_url'] }),
    },
    usage: { completion_tokens: details['tokens'], total_tokens: details['tokens'] },
    seed: details['seed'],
    resolution: details['resolution'],
    ratio: details['ratio'],
    duration: details['duration'],
    framespersecond: VIDEO_FPS,
    generate_audio: details['audio'],
    draft: details['draft'],
  };
}

function list(exchange: Exchange): void {
  const { query, stage } = exchange;
  const number = numberOf(query.get('page_num'), 1);
  const size = numberOf(query.get('page_size'), 20);
  const ids = query.getAll('filter.task_ids');
  const status = query.get('filter.status');
  const model = query.get('filter.model');
  const found = stage.jobs
    .all('ark')
    .filter((job) => job.kind === 'video' && job.deleted !== true)
    .filter((job) => ids.length === 0 || ids.includes(job.id))
    .filter((job) => status === null || stage.jobs.stateOf(job) === status)
    .filter((job) => model === null || job.model === model)
    .reverse();
  const page = found.slice((number - 1) * size, number * size);
  exchange.reply(200, { total: found.length, items: page.map((job) => taskOf(exchange, job)) });
}

function numberOf(text: string | null, usual: number): number {
  const value = Number(text ?? usual);
  if (Number.isInteger(value) && value >= 1 && value <= 500) return value;
  throw badArkRequest('InvalidParameter', 'page_num and page_size are between 1 and 500.', 'page_num');
}

/** Queued tasks are cancelled, ended ones forgotten; a running one can be neither. */
function remove(exchange: Exchange): void {
  const job = find(exchange);
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  if (state === 'running' || state === 'cancelled') {
    throw badArkRequest('InvalidAction.RunningTaskDeletion', `A ${state} task cannot be deleted.`, 'id');
  }
  if (state === 'queued') jobs.cancel(job);
  else jobs.remove(job);
  exchange.reply(200, {});
}

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
