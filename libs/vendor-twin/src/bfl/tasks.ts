/** Submit and get_result (docs/wire/bfl.md#tasks). */
import type { Exchange } from '../core/exchange.ts';
import { linksIn, startMediaJob, type MediaWish } from '../core/job-media.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import type { Problem, Reader } from '../core/reader.ts';
import { sizeFor, textOf, type Size } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { findJob, wordOf } from '../core/work.ts';

export const taskRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/get_result', operation: 'poll', handle: result },
  {
    method: 'POST',
    path: /^\/v1\/(?<model>flux[\w.-]*)$/,
    operation: ({ params }) => (isFilm(params['model'] ?? '') ? 'create' : 'image'),
    handle: submit,
  },
];

function isFilm(model: string): boolean {
  return model.includes('video');
}

const WORDS: StatusWords<string> = {
  400: 'Bad request',
  402: 'Insufficient credits. Please add credits to your account.',
  403: 'Not authenticated',
  404: 'Not Found',
  422: 'Unprocessable Entity',
  429: 'Rate limit exceeded. You have more than 24 active tasks.',
  500: 'Internal server error',
  503: 'Service unavailable',
};

/** `{ detail }` (docs/wire/bfl.md#errors). */
export function refuseAsBfl(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { detail: hints.message ?? wordsOf(WORDS, status) });
}

function complain({ path, want, kind }: Problem): Refusal {
  const msg = kind === 'missing' ? 'Field required' : `Input should be ${want}`;
  return new Refusal(422, {
    detail: [{ loc: ['body', ...path], msg, type: kind === 'missing' ? 'missing' : 'value_error' }],
  });
}

type ReadModel = (body: Reader) => Omit<MediaWish, 'model' | 'prompt' | 'seed'>;

const FORMATS = ['jpeg', 'png'] as const;

function plain(body: Reader, size: Size): ReturnType<ReadModel> {
  body.optionalInteger('safety_tolerance', 0, 6);
  body.optionalBoolean('prompt_upsampling');
  return { kind: 'image', size, format: body.optionalOneOf('output_format', FORMATS) ?? 'jpeg' };
}

/** Multiples of 16 or 32, by width and height. */
function byPixels(step: number, most: number): ReadModel {
  return (body) => {
    const side = (name: string, usual: number): number => {
      const pixels = body.optionalInteger(name, 64, most) ?? usual;
      return pixels % step === 0 ? pixels : body.fail(name, `a multiple of ${step}`);
    };
    for (const name of ['input_image', 'input_image_2', 'image_prompt']) refuseDataUrl(body, name);
    return plain(body, { width: side('width', 1024), height: side('height', 768) });
  };
}

const byRatio: ReadModel = (body) => {
  const ratio = body.optionalString('aspect_ratio') ?? '1:1';
  if (!/^\d{1,2}:\d{1,2}$/.test(ratio)) body.fail('aspect_ratio', 'a ratio between 21:9 and 9:21');
  for (const name of ['input_image', 'input_image_2']) refuseDataUrl(body, name);
  return plain(body, sizeFor('1024p', ratio));
};

/** Bare base64 or an address. */
function refuseDataUrl(body: Reader, name: string): void {
  if (body.optionalString(name)?.startsWith('data:') === true) body.fail(name, 'base64 or a URL');
}

const RATIOS = ['21:9', '2:1', '16:9', '4:3', '1:1', '3:4', '9:16', 'auto'] as const;
const VIDEO_FIELDS = new Set([
  ...['mode', 'prompt', 'duration', 'resolution', 'aspect_ratio', 'generate_audio', 'keyframes', 'start_video'],
  ...['safety_tolerance', 'draft', 'draft_cache', 'version', 'webhook_url', 'webhook_secret'],
]);
const film: ReadModel = (body) => {
  body.only(VIDEO_FIELDS);
  const mode = body.oneOf('mode', ['t2v', 'i2v', 'v2v', 'draft_enhance'] as const);
  const keyframes = body.strings('keyframes');
  if ((mode === 'i2v') !== keyframes.length > 0) body.fail('keyframes', 'one to ten images, in the mode i2v');
  if (keyframes.some((frame) => frame.startsWith('data:'))) body.fail('keyframes', 'base64 or URLs');
  const ratio = body.optionalOneOf('aspect_ratio', RATIOS) ?? 'auto';
  const resolution = body.optionalOneOf('resolution', ['hd', 'fhd'] as const) ?? 'hd';
  return {
    ...{ kind: 'video', audio: body.optionalBoolean('generate_audio') ?? true },
    size: sizeFor(resolution === 'hd' ? '720p' : '1080p', ratio === 'auto' ? '16:9' : ratio),
    seconds: body.optionalInteger('duration', 5, 20) ?? 5,
  };
};

const MODELS: Readonly<Record<string, readonly [read: ReadModel, credits: number]>> = {
  'flux-kontext-pro': [byRatio, 4],
  'flux-kontext-max': [byRatio, 8],
  'flux-pro-1.1-ultra': [byRatio, 6],
  'flux-pro-1.1': [byPixels(32, 1440), 4],
  'flux-2-pro': [byPixels(16, 2048), 3],
  'flux-3-video': [film, 17],
};

async function submit(exchange: Exchange): Promise<void> {
  const model = exchange.params['model'] ?? '';
  const [read, credits] = MODELS[model] ?? [];
  if (read === undefined || credits === undefined) throw refuseAsBfl(404);
  const body = exchange.json(complain);
  const prompt = body.string('prompt');
  const wish = { ...read(body), model, prompt, seed: body.optionalInteger('seed') };
  const markers = await exchange.obey(prompt);
  const cost = wish.kind === 'video' ? credits * (wish.seconds ?? 5) : credits;
  const id = exchange.stage.newId('1c2d3e4f-');
  startMediaJob(exchange, markers, { wish, id, details: { cost, isRefused: markers.words.has('refuse') } });
  const pollingUrl = `${exchange.stage.url}/bfl/v1/get_result?id=${id}`;
  exchange.reply(200, { id, polling_url: pollingUrl, cost, input_mp: 0, output_mp: 1 });
}

const STATES = {
  queued: 'Pending',
  running: 'Pending',
  succeeded: 'Ready',
  failed: 'Error',
  cancelled: 'Error',
  expired: 'Error',
};

function result(exchange: Exchange): void {
  const id = exchange.query.get('id') ?? '';
  const job = findJob(exchange, id);
  const none = { id, result: null, progress: null, details: null, preview: null };
  if (job === undefined) {
    exchange.reply(404, { ...none, status: 'Task not found' });
    return;
  }
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const isDone = state !== 'queued' && state !== 'running';
  if (job.details['isRefused'] === true || (isDone && job.fate === 'moderation')) {
    const status = job.details['isRefused'] === true ? 'Request Moderated' : 'Content Moderated';
    exchange.reply(200, { ...none, status, details: { 'Moderation Reasons': ['Safety Filter'] } });
    return;
  }
  const status = wordOf(exchange, job, STATES);
  const sample = { sample: linksIn(job)[0], prompt: textOf(job.prompt), seed: 1, duration: job.runMs / 1000 };
  exchange.reply(200, {
    ...none,
    status,
    ...(state === 'succeeded' && status === 'Ready' && { result: sample, progress: 1, cost: job.details['cost'] }),
    ...(isDone && state !== 'succeeded' && { details: { error: 'Generation failed' } }),
  });
}
