/** Generations, as Luma's SDK types them (docs/wire/luma.md). */
import type { JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { linksIn, startMediaJob, type MediaWish } from '../core/job-media.ts';
import type { Job } from '../core/jobs.ts';
import type { Problem, Reader } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import { sizeFor } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { findJob, wordOf } from '../core/work.ts';

const BASE = '/dream-machine/v1';
const ONE = /^\/dream-machine\/v1\/generations\/(?<id>[^/]+)$/;

export const generationRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: `${BASE}/generations/video`,
    operation: 'create',
    handle: async (exchange) => create(exchange, readFilm),
  },
  {
    method: 'POST',
    path: `${BASE}/generations/image`,
    operation: 'image',
    handle: async (exchange) => create(exchange, readPicture),
  },
  {
    method: 'GET',
    path: `${BASE}/credits`,
    operation: 'other',
    handle: (exchange) => exchange.reply(200, { credit_balance: 10_000 }),
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
  400: 'Bad request',
  401: 'Not authenticated',
  402: 'Insufficient credits',
  403: 'Not authenticated',
  404: 'Generation not found',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Service unavailable',
};

/** `{ detail }` (docs/wire/luma.md#errors). */
export function refuseAsLuma(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { detail: hints.message ?? wordsOf(WORDS, status) });
}

function complain({ path, want, kind }: Problem): Refusal {
  const msg = kind === 'missing' ? 'Field required' : `Input should be ${want}`;
  return new Refusal(422, { detail: [{ loc: ['body', ...path], msg, type: kind === 'missing' ? 'missing' : 'enum' }] });
}

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '21:9', '9:21'] as const;
const FILM_FIELDS = new Set([
  ...['model', 'prompt', 'aspect_ratio', 'duration', 'resolution', 'loop', 'keyframes', 'concepts', 'callback_url'],
  'generation_type',
]);
const PICTURE_FIELDS = new Set([
  ...['model', 'prompt', 'aspect_ratio', 'format', 'image_ref', 'style_ref', 'character_ref', 'modify_image_ref'],
  ...['sync', 'sync_timeout', 'callback_url', 'generation_type'],
]);

type ReadBody = (body: Reader) => Omit<MediaWish, 'prompt'>;

const readFilm: ReadBody = (body) => {
  body.only(FILM_FIELDS);
  const model = body.oneOf('model', ['ray-2', 'ray-flash-2']);
  const keyframes = body.optionalObject('keyframes');
  for (const name of ['frame0', 'frame1']) {
    const frame = keyframes?.optionalObject(name);
    if (frame?.oneOf('type', ['image', 'generation']) === 'image') requireUrl(frame);
  }
  body.optionalBoolean('loop');
  const seconds = Number.parseInt(body.optionalOneOf('duration', ['5s', '9s'] as const) ?? '5s', 10);
  const resolution = body.optionalOneOf('resolution', ['540p', '720p', '1080p', '4k'] as const) ?? '720p';
  return {
    ...{ kind: 'video', model, seconds },
    size: sizeFor(resolution === '4k' ? '2160p' : resolution, body.optionalOneOf('aspect_ratio', RATIOS) ?? '16:9'),
  };
};

const readPicture: ReadBody = (body) => {
  body.only(PICTURE_FIELDS);
  const model = body.oneOf('model', ['photon-1', 'photon-flash-1']);
  for (const reference of body.objects('image_ref')) requireUrl(reference);
  const changed = body.optionalObject('modify_image_ref');
  if (changed !== undefined) requireUrl(changed);
  const format = body.optionalOneOf('format', ['jpg', 'png'] as const) ?? 'jpg';
  return {
    ...{ kind: 'image', model, format: format === 'jpg' ? 'jpeg' : 'png' },
    size: sizeFor('1080p', body.optionalOneOf('aspect_ratio', RATIOS) ?? '16:9'),
  };
};

function requireUrl(body: Reader): void {
  if (!/^https?:\/\//.test(body.string('url'))) body.fail('url', 'a valid URL');
}

async function create(exchange: Exchange, read: ReadBody): Promise<void> {
  const body = exchange.json(complain);
  const wish = read(body);
  const prompt = body.string('prompt', 5000);
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse'))
    throw refuseAsLuma(400, { message: 'Prompt moderation failed: the prompt was flagged' });
  const id = exchange.stage.newId('4f1b2c3d-');
  const job = startMediaJob(exchange, markers, { wish: { ...wish, prompt }, id, details: { request: body.value } });
  const url = body.optionalString('callback_url');
  const told = (): JsonObject => shown(exchange, job);
  if (url !== undefined) exchange.stage.webhooks.add(job, { url, at: ['begun', 'ended'], body: told });
  exchange.reply(201, shown(exchange, job));
}

const STATES = {
  queued: 'queued',
  running: 'dreaming',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

function shown(exchange: Exchange, job: Job): JsonObject {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const isDone = state !== 'queued' && state !== 'running';
  const [link = null] = linksIn(job);
  const reason = job.fate === 'moderation' ? 'The output was flagged by moderation' : 'The generation failed';
  return {
    id: job.id,
    generation_type: job.kind === 'video' ? 'video' : 'image',
    state: wordOf(exchange, job, STATES),
    failure_reason: isDone && state !== 'succeeded' ? reason : null,
    created_at: new Date(job.createdAt).toISOString(),
    assets:
      state !== 'succeeded'
        ? null
        : job.kind === 'video'
          ? { video: link, image: `${String(link)}.jpg` }
          : { image: link },
    model: job.model,
    request: job.details['request'] ?? null,
  };
}

function find(exchange: Exchange): Job {
  const job = findJob(exchange, exchange.params['id'] ?? '');
  if (job === undefined) throw refuseAsLuma(404);
  return job;
}

function remove(exchange: Exchange): void {
  exchange.stage.jobs.remove(find(exchange));
  exchange.reply(204, '');
}
