/** Runway's endpoints and tasks, as its SDK types them (docs/wire/runway.md). */
import type { JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { linksIn, startMediaJob, type MediaWish } from '../core/job-media.ts';
import type { Job } from '../core/jobs.ts';
import type { Problem, Reader } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import type { Size } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { findJob, wordOf } from '../core/work.ts';

export const VERSION = '2024-11-06';
const ONE = /^\/v1\/tasks\/(?<id>[^/]+)$/;

export const taskRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/text_to_image',
    operation: 'image',
    handle: async (exchange) => create(exchange, readPicture),
  },
  {
    method: 'POST',
    path: '/v1/text_to_video',
    operation: 'create',
    handle: async (exchange) => create(exchange, readTextFilm),
  },
  {
    method: 'POST',
    path: '/v1/image_to_video',
    operation: 'create',
    handle: async (exchange) => create(exchange, readImageFilm),
  },
  {
    method: 'GET',
    path: ONE,
    operation: 'poll',
    handle: (exchange) => exchange.reply(200, shown(exchange, find(exchange))),
  },
  { method: 'DELETE', path: ONE, operation: 'cancel', handle: remove },
];

const WORDS: StatusWords<string> = {
  400: 'Validation of body failed',
  401: 'You have not provided an API key, or the key is not valid.',
  402: 'You do not have enough credits to run this task.',
  403: 'You do not have access to this resource.',
  404: 'Not found',
  429: 'Too many requests. You have exceeded your daily task limit.',
  500: 'Internal server error',
  503: 'Service unavailable',
};

/** `{ error }` (docs/wire/runway.md#errors). */
export function refuseAsRunway(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { error: hints.message ?? wordsOf(WORDS, status) });
}

function complain({ path, want, kind }: Problem): Refusal {
  const message = kind === 'missing' ? 'Required' : `Invalid input: expected ${want}`;
  const issue = { code: kind === 'missing' ? 'invalid_type' : 'custom', path: [...path], message };
  return new Refusal(400, {
    error: 'Validation of body failed',
    docUrl: 'https://docs.dev.runwayml.com/api',
    issues: [issue],
  });
}

type ReadBody = (body: Reader) => Omit<MediaWish, 'prompt' | 'seed'>;

const FILM_RATIOS = ['1280:720', '720:1280', '1104:832', '832:1104', '960:960', '1584:672'] as const;
const PICTURE_RATIOS = [
  ...(['1024:1024', '1080:1080', '1168:880', '1360:768', '1440:1080', '1080:1440', '1808:768', '1920:1080'] as const),
  ...(['1080:1920', '2112:912', '1280:720', '720:1280', '720:720', '960:720', '720:960', '1680:720'] as const),
];
const FILM_FIELDS = new Set([
  'model',
  'promptText',
  'promptImage',
  'ratio',
  'duration',
  'seed',
  'contentModeration',
  'outputFormat',
]);
const PICTURE_FIELDS = new Set(['model', 'promptText', 'ratio', 'seed', 'contentModeration', 'referenceImages']);
/** Credits of a second, or of a picture. */
const CREDITS: Readonly<Record<string, number>> = { 'gen4.5': 12, gen4_turbo: 5, gen4_image: 8 };

function pixelsOf(ratio: string): Size {
  const [width = 1280, height = 720] = ratio.split(':').map(Number);
  return { width, height };
}

function filmOf(body: Reader, model: string, ratios: readonly string[]): ReturnType<ReadBody> {
  body.only(FILM_FIELDS);
  return {
    ...{ kind: 'video', model },
    size: pixelsOf(body.oneOf('ratio', ratios)),
    seconds: model === 'gen4.5' ? body.integer('duration', 2, 10) : (body.optionalInteger('duration', 2, 10) ?? 10),
  };
}

const readTextFilm: ReadBody = (body) => filmOf(body, body.oneOf('model', ['gen4.5']), FILM_RATIOS.slice(0, 2));

const readImageFilm: ReadBody = (body) => {
  const model = body.oneOf('model', ['gen4.5', 'gen4_turbo']);
  if (typeof body.value['promptImage'] === 'string') requireUri(body, body.value['promptImage']);
  else {
    const images = body.objects('promptImage');
    if (images.length !== 1) body.fail('promptImage', 'one image: this model takes a first frame only');
    for (const image of images) {
      requireUri(image, image.string('uri'));
      image.oneOf('position', ['first']);
    }
  }
  return filmOf(body, model, FILM_RATIOS);
};

const readPicture: ReadBody = (body) => {
  body.only(PICTURE_FIELDS);
  const model = body.oneOf('model', ['gen4_image']);
  const references = body.objects('referenceImages');
  if (references.length > 3) body.fail('referenceImages', 'at most three images');
  for (const reference of references) requireUri(reference, reference.string('uri'));
  return { kind: 'image', model, size: pixelsOf(body.oneOf('ratio', PICTURE_RATIOS)) };
};

function requireUri(body: Reader, uri: string): void {
  if (!/^(https:|runway:|data:image\/)/.test(uri)) body.fail('uri', 'an HTTPS URL, a Runway upload URI or a data URI');
}

async function create(exchange: Exchange, read: ReadBody): Promise<void> {
  const body = exchange.json(complain);
  const wish = read(body);
  const prompt = body.string('promptText', 1000);
  const markers = await exchange.obey(prompt);
  const credits = (CREDITS[wish.model] ?? 5) * (wish.seconds ?? 1);
  const id = exchange.stage.newId('17f20503-6c24-4c16-946b-');
  const details = { credits, isRefused: markers.words.has('refuse') };
  startMediaJob(exchange, markers, {
    wish: { ...wish, prompt, seed: body.optionalInteger('seed', 0, 4_294_967_295) },
    id,
    details,
  });
  exchange.reply(200, { id, estimatedCost: { credits } });
}

const STATES = {
  queued: 'PENDING',
  running: 'RUNNING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  expired: 'FAILED',
};

function shown(exchange: Exchange, job: Job): JsonObject {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const { credits = 0, isRefused } = job.details;
  const isDone = state !== 'queued' && state !== 'running';
  const hasFailed = isDone && (isRefused === true || state !== 'succeeded');
  const isModerated = isRefused === true || job.fate === 'moderation';
  const status = hasFailed ? 'FAILED' : wordOf(exchange, job, STATES);
  const failure = isModerated
    ? {
        failure: 'The content was rejected by moderation.',
        failureCode: isRefused === true ? 'SAFETY.INPUT.TEXT' : 'SAFETY.OUTPUT.VIDEO',
      }
    : { failure: 'An unexpected error occurred.', failureCode: 'INTERNAL.BAD_OUTPUT.CODE01' };
  return {
    id: job.id,
    createdAt: new Date(job.createdAt).toISOString(),
    status,
    ...(isDone ? { cost: { credits: hasFailed ? 0 : credits } } : { estimatedCost: { credits } }),
    ...(state === 'running' && { progress: jobs.percentOf(job) / 100 }),
    ...(hasFailed ? failure : state === 'succeeded' && { output: linksIn(job) }),
  };
}

/** What was cancelled or deleted is never shown again. */
function find(exchange: Exchange): Job {
  const job = findJob(exchange, exchange.params['id'] ?? '');
  if (job === undefined || exchange.stage.jobs.stateOf(job) === 'cancelled') {
    throw refuseAsRunway(404, { message: 'Task not found' });
  }
  return job;
}

function remove(exchange: Exchange): void {
  const job = find(exchange);
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  if (state === 'queued' || state === 'running') jobs.cancel(job);
  else jobs.remove(job);
  exchange.reply(204, '');
}
