import { findJob, startJob, videoLink } from '../core/work.ts';
import { unixSeconds } from '../core/clock.ts';
import type { Exchange } from '../core/exchange.ts';
import { sizeFor } from '../core/geometry.ts';
import type { Job, JobState } from '../core/jobs.ts';
import { withoutMarkers } from '../core/markers.ts';
import { seedOf } from '../core/seed.ts';
import type { Route } from '../core/vendor.ts';
import { VIDEO_FPS } from '../media/spec.ts';
import { arkRefusal, badArkRequest, complainAsArk } from './errors.ts';
import { readArkVideo } from './video-request.ts';

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
