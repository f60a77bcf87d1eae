import { findJob, startJob, videoLink, wordOf, type StateWords } from '../core/work.ts';
import { unixSeconds, pixelSize, textOf } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Job } from '../core/jobs.ts';
import { isMultipart, readForm } from '../core/multipart.ts';
import { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { sendFile } from '../media/serve.ts';
import { specOfLink } from '../media/media.ts';
import { mimeOf, type MediaSpec } from '../media/spec.ts';
import { badRequest, complainAsOpenAi, refuseAsOpenAi, refuseUnknownModel, requireImageUrl } from './errors.ts';

const VIDEOS = '/v1/videos';
const ONE = new RegExp(`^${VIDEOS}/(?<id>video_[^/]+|no-such-[^/]+)$`);
const WORDS: StateWords = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};
const FIELDS = new Set(['model', 'prompt', 'seconds', 'size', 'input_reference']);
const SIZES = ['720x1280', '1280x720', '1024x1792', '1792x1024'] as const;
const SECONDS = ['4', '8', '12'] as const;
const LIFE_SECONDS = 3600;

/** The Videos API as it was: a shape that outlived its vendor. */
export const videoRoutes: readonly Route[] = [
  { method: 'POST', path: VIDEOS, operation: 'create', handle: create },
  { method: 'GET', path: VIDEOS, operation: 'list', handle: list },
  {
    method: 'POST',
    path: `${VIDEOS}/edits`,
    operation: 'create',
    handle: async (exchange) => derive(exchange, 'edits'),
  },
  {
    method: 'POST',
    path: `${VIDEOS}/extensions`,
    operation: 'create',
    handle: async (exchange) => derive(exchange, 'extensions'),
  },
  {
    method: 'GET',
    path: ONE,
    operation: 'poll',
    handle: (exchange) => exchange.reply(200, videoOf(exchange, find(exchange))),
  },
  { method: 'DELETE', path: ONE, operation: 'cancel', handle: remove },
  { method: 'GET', path: new RegExp(`^${VIDEOS}/(?<id>[^/]+)/content$`), operation: 'content', handle: content },
  { method: 'POST', path: new RegExp(`^${VIDEOS}/(?<id>[^/]+)/remix$`), operation: 'create', handle: remix },
];

async function create(exchange: Exchange): Promise<void> {
  const { body, hasFile } = await readBody(exchange);
  body.only(FIELDS);
  const model = body.optionalString('model') ?? 'sora-2';
  refuseUnknownModel(model);
  const prompt = body.string('prompt', 32_000);
  const seconds = body.optionalOneOf('seconds', SECONDS) ?? '4';
  const size = body.optionalOneOf('size', SIZES) ?? '720x1280';
  if (/^(1024x1792|1792x1024)$/.test(size) && !model.includes('pro'))
    body.fail('size', '720x1280 or 1280x720 for this model');
  if (!hasFile && body.has('input_reference')) {
    const reference = body.object('input_reference');
    if (reference.has('image_url')) requireImageUrl(reference.string('image_url'), 'input_reference.image_url');
    else reference.string('file_id');
  }
  await start(exchange, { model, prompt, seconds, size });
}

/** JSON, or a form whose fields are all text. */
async function readBody(exchange: Exchange): Promise<{ body: Reader; hasFile: boolean }> {
  if (!isMultipart(exchange)) return { body: exchange.json(complainAsOpenAi), hasFile: false };
  const form = await readForm(exchange);
  const file = form.files.find((candidate) => candidate.name === 'input_reference');
  if (file !== undefined && !/^(image|video)\//.test(file.type)) {
    throw badRequest(`Unsupported file type '${file.type}' for 'input_reference'.`, 'input_reference');
  }
  const fields = Object.fromEntries(Array.from(form.fields, ([name, values]) => [name, values[0] ?? '']));
  return { body: new Reader(fields, [], complainAsOpenAi), hasFile: file !== undefined };
}

interface Wish {
  readonly model: string;
  readonly prompt: string;
  readonly seconds: string;
  readonly size: string;
  readonly remixOf?: string;
}

async function start(exchange: Exchange, { model, prompt, seconds, size, remixOf }: Wish): Promise<void> {
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) {
    throw badRequest('Your request was blocked by our moderation system.', 'prompt', 'moderation_blocked');
  }
  const { stage } = exchange;
  const pixels = pixelSize(size) ?? { width: 720, height: 1280 };
  const job = startJob(exchange, markers, {
    id: stage.newId('video_'),
    kind: 'video',
    model,
    prompt,
    usage: { seconds: Number(seconds), videos: 1 },
    details: {
      seconds,
      size,
      remixOf: remixOf ?? null,
      url: videoLink(stage, { ...pixels, seconds: Number(seconds), audio: true, prompt }),
    },
  });
  exchange.reply(200, videoOf(exchange, job));
}

function videoOf(exchange: Exchange, job: Job): Record<string, unknown> {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const succeeded = state === 'succeeded';
  const ended = unixSeconds(jobs.endedAt(job));
  const failed = state !== 'queued' && state !== 'running' && !succeeded;
  const error =
    job.fate === 'moderation'
      ? { code: 'moderation_blocked', message: 'The video was blocked by our moderation system.' }
      : { code: 'server_error', message: 'The video could not be generated.' };
  return {
    id: job.id,
    object: 'video',
    model: job.model,
    status: wordOf(exchange, job, WORDS),
    progress: jobs.percentOf(job),
    created_at: unixSeconds(job.createdAt),
    completed_at: succeeded ? ended : null,
    expires_at: succeeded ? ended + LIFE_SECONDS : null,
    prompt: job.prompt,
    seconds: job.details['seconds'],
    size: job.details['size'],
    remixed_from_video_id: job.details['remixOf'],
    error: failed ? error : null,
  };
}

function find(exchange: Exchange): Job {
  const id = exchange.params['id'] ?? '';
  const job = findJob(exchange, id);
  if (job === undefined) throw refuseAsOpenAi(404, { message: `Video with id '${id}' not found.` });
  return job;
}

function list(exchange: Exchange): void {
  const { query, stage } = exchange;
  const limit = Number(query.get('limit') ?? 20);
  if (!(limit >= 1 && limit <= 100)) throw badRequest("Invalid 'limit': expected 1 to 100.", 'limit');
  const jobs = stage.jobs.all('openai').filter((job) => job.deleted !== true);
  if (query.get('order') !== 'asc') jobs.reverse();
  const after = query.get('after');
  const from = after === null ? 0 : jobs.findIndex((job) => job.id === after) + 1;
  const page = jobs.slice(from, from + limit);
  exchange.reply(200, {
    object: 'list',
    data: page.map((job) => videoOf(exchange, job)),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: from + limit < jobs.length,
  });
}

function remove(exchange: Exchange): void {
  const job = find(exchange);
  exchange.stage.jobs.remove(job);
  exchange.reply(200, { id: job.id, object: 'video.deleted', deleted: true });
}

/** The bytes, for the key's owner only; a picture of the first frame as thumbnail. */
async function content(exchange: Exchange): Promise<void> {
  const job = find(exchange);
  const { jobs, media, now } = exchange.stage;
  if (jobs.stateOf(job) !== 'succeeded')
    throw badRequest('Video is not ready yet, use GET /v1/videos/{video_id} to check status.', null);
  if (now() > jobs.endedAt(job) + LIFE_SECONDS * 1000) throw refuseAsOpenAi(404, { message: 'The video has expired.' });
  const url = textOf(job.details['url']);
  const video = specOfLink(url);
  if (video?.kind !== 'video') throw refuseAsOpenAi(500);
  const variant = exchange.query.get('variant') ?? 'video';
  const picture = { width: video.width, height: video.height, text: video.text, seed: video.seed };
  const specs: Readonly<Record<string, MediaSpec>> = {
    video,
    thumbnail: { kind: 'image', format: 'webp', ...picture },
    spritesheet: { kind: 'image', format: 'jpeg', ...picture },
  };
  const spec = specs[variant];
  if (spec === undefined) throw badRequest(`Invalid value for 'variant': '${variant}'.`, 'variant');
  const file = await media.file(spec);
  sendFile(exchange.request, exchange.response, file, { 'content-type': mimeOf(spec) });
}

async function remix(exchange: Exchange): Promise<void> {
  const source = find(exchange);
  const body = exchange.json(complainAsOpenAi);
  body.only(new Set(['prompt']));
  await startFrom(exchange, source, body.string('prompt'));
}

async function derive(exchange: Exchange, kind: 'edits' | 'extensions'): Promise<void> {
  const body = exchange.json(complainAsOpenAi);
  const id = body.object('video').string('id');
  const source = findJob(exchange, id);
  if (source === undefined) throw refuseAsOpenAi(404, { message: `Video with id '${id}' not found.` });
  if (kind === 'extensions') body.optionalString('seconds');
  await startFrom(exchange, source, body.string('prompt'));
}

async function startFrom(exchange: Exchange, source: Job, prompt: string): Promise<void> {
  const { seconds, size } = source.details;
  await start(exchange, {
    model: source.model,
    prompt,
    seconds: textOf(seconds),
    size: textOf(size),
    remixOf: source.id,
  });
}
