/** Videos, the pictures they are made of, and the balance (docs/wire/pixverse.md). What is refused is mostly a 200. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { linksIn, startMediaJob } from '../core/job-media.ts';
import type { Job } from '../core/jobs.ts';
import { readForm } from '../core/multipart.ts';
import { dotted, type Problem, type Reader } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import { perStage, Recent } from '../core/stage.ts';
import { sizeFor } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { findJob, wordOf } from '../core/work.ts';

const BASE = '/openapi/v2';

export const videoRoutes: readonly Route[] = [
  ...(['text', 'img', 'transition'] as const).map((way): Route => ({
    method: 'POST',
    path: `${BASE}/video/${way}/generate`,
    operation: 'create',
    handle: async (exchange) => create(exchange, way),
  })),
  { method: 'POST', path: `${BASE}/image/upload`, operation: 'other', handle: upload },
  {
    method: 'GET',
    path: /^\/openapi\/v2\/video\/result\/(?<id>[^/]+)$/,
    operation: 'poll',
    handle: (exchange) => answer(exchange, shown(exchange, find(exchange))),
  },
  {
    method: 'GET',
    path: `${BASE}/account/balance`,
    operation: 'other',
    handle: (exchange) => answer(exchange, { account_id: 1, credit_monthly: 0, credit_package: 10_000 }),
  },
];

const WORDS: StatusWords<readonly [code: number, message: string]> = {
  400: [400013, 'Invalid binding request: incorrect parameter type or value'],
  401: [400012, 'Invalid account'],
  402: [500090, 'Insufficient balance. Unable to generate video.'],
  403: [500020, 'This user has no permission for this operation'],
  404: [500008, 'The requested data does not exist.'],
  429: [500044, 'Reached the limit for concurrent generations.'],
  500: [99999, 'Unknown error'],
  503: [99999, 'Unknown error'],
};

/** `{ErrCode, ErrMsg}` (docs/wire/pixverse.md#errors); what a test scripts comes with its status. */
export function refuseAsPixverse(status: number, hints: RefusalHints = {}): Refusal {
  const [code, message] = wordsOf(WORDS, status);
  return new Refusal(status, { ErrCode: code, ErrMsg: hints.message ?? message, Resp: null });
}

function refuseIn200(code: number, message: string): Refusal {
  return new Refusal(200, { ErrCode: code, ErrMsg: message, Resp: null });
}

function complain({ path, want, kind }: Problem): Refusal {
  const field = dotted(path);
  return kind === 'missing'
    ? refuseIn200(400011, `Empty parameter: ${field}`)
    : refuseIn200(400017, `Invalid parameter: ${field} must be ${want}`);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const tracesOf = perStage(() => new Recent<true>());

/** Each request has another trace. */
export function requireTrace(exchange: Exchange): void {
  const trace = exchange.header('ai-trace-id') ?? '';
  const traces = tracesOf(exchange.stage);
  if (!UUID.test(trace) || traces.get(trace) === true) {
    throw refuseIn200(400013, 'Invalid binding request: Ai-trace-id must be a UUID of this request alone');
  }
  traces.set(trace, true);
}

const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9'] as const;
const QUALITIES = ['360p', '540p', '720p', '1080p'] as const;
const MODELS = ['v5', 'v5.5', 'v5.6', 'v6', 'c1'] as const;
const COMMON = ['model', 'prompt', 'duration', 'quality', 'seed', 'generate_audio_switch', 'thinking_type'];
const FIELDS = {
  text: new Set([...COMMON, 'aspect_ratio', 'generate_multi_clip_switch']),
  img: new Set([...COMMON, 'img_id', 'generate_multi_clip_switch']),
  transition: new Set([...COMMON, 'first_frame_img', 'last_frame_img']),
};
const CREDITS: Readonly<Record<(typeof QUALITIES)[number], readonly [silent: number, sound: number]>> = {
  '360p': [5, 7],
  '540p': [7, 9],
  '720p': [9, 12],
  '1080p': [18, 23],
};

const picturesOf = perStage(() => new Recent<true>());
const numbersOf = perStage(() => ({ next: 386_000_000_000_000 + Math.floor(Math.random() * 1e9) * 1000 }));

function newNumber({ stage }: Exchange): number {
  const numbers = numbersOf(stage);
  numbers.next += 1;
  return numbers.next;
}

/** How long a video may be, by its model and quality. */
function readSeconds(body: Reader, model: (typeof MODELS)[number], quality: (typeof QUALITIES)[number]): number {
  if (model === 'v6' || model === 'c1') return body.integer('duration', 1, 15);
  const seconds = body.integer('duration');
  const allowed = model === 'v5' ? [5, 8] : quality === '1080p' ? [5, 8] : [5, 8, 10];
  if (!allowed.includes(seconds)) body.fail('duration', allowed.join(' or '));
  return seconds;
}

function requirePicture(exchange: Exchange, body: Reader, name: string): void {
  if (picturesOf(exchange.stage).get(String(body.integer(name))) !== true) {
    throw refuseIn200(400032, 'Invalid image ID');
  }
}

async function create(exchange: Exchange, way: keyof typeof FIELDS): Promise<void> {
  const body = exchange.json(complain);
  body.only(FIELDS[way]);
  const model = body.oneOf('model', MODELS);
  const quality = body.oneOf('quality', QUALITIES);
  const seconds = readSeconds(body, model, quality);
  const ratio = way === 'text' ? body.oneOf('aspect_ratio', RATIOS) : '16:9';
  if (way === 'img') requirePicture(exchange, body, 'img_id');
  if (way === 'transition')
    for (const name of ['first_frame_img', 'last_frame_img']) requirePicture(exchange, body, name);
  const audio = body.optionalBoolean('generate_audio_switch') ?? false;
  const seed = body.optionalInteger('seed', 0, 2_147_483_647);
  const prompt = body.string('prompt', model === 'v6' || model === 'c1' ? 5000 : 2048);
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) {
    throw refuseIn200(500063, 'The input text is not compliant, please re-enter');
  }
  const credit = CREDITS[quality][audio ? 1 : 0] * seconds;
  const job = startMediaJob(exchange, markers, {
    wish: { kind: 'video', model, prompt, size: sizeFor(quality, ratio), seconds, audio, seed },
    id: String(newNumber(exchange)),
    details: { seed: seed ?? 1 },
  });
  answer(exchange, { video_id: Number(job.id), credit });
}

async function upload(exchange: Exchange): Promise<void> {
  const { fields, files } = await readForm(exchange);
  const [url] = fields.get('image_url') ?? [];
  const [file] = files;
  if (url === undefined && file === undefined) throw refuseIn200(400011, 'Empty parameter: image');
  if (url !== undefined && !/^https?:\/\//.test(url)) throw refuseIn200(500042, 'Invalid image path');
  if (file !== undefined && !/^image\/(?:jpe?g|png|webp)$/.test(file.type)) {
    throw refuseIn200(500032, 'Invalid image format');
  }
  const id = newNumber(exchange);
  picturesOf(exchange.stage).set(String(id), true);
  answer(exchange, { img_id: id, img_url: url ?? `https://media.pixverse.ai/openapi/${id}.png` });
}

const STATES = { queued: '5', running: '5', succeeded: '1', failed: '8', cancelled: '6', expired: '8' };

function shown(exchange: Exchange, job: Job): JsonObject {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const isModerated = state === 'failed' && job.fate === 'moderation';
  const word = isModerated ? '7' : wordOf(exchange, job, STATES);
  const [link = ''] = linksIn(job);
  const { width = 0, height = 0, seed = 0 } = job.details;
  return {
    id: Number(job.id),
    prompt: job.prompt,
    negative_prompt: '',
    status: /^\d+$/.test(word) ? Number(word) : word,
    url: state === 'succeeded' ? link : '',
    outputWidth: state === 'succeeded' ? width : 0,
    outputHeight: state === 'succeeded' ? height : 0,
    resolution_ratio: 0,
    seed,
    size: 0,
    style: '',
    create_time: new Date(job.createdAt).toISOString(),
    modify_time: new Date(jobs.updatedAt(job)).toISOString(),
  };
}

function find(exchange: Exchange): Job {
  const job = findJob(exchange, exchange.params['id'] ?? '');
  if (job === undefined) throw refuseIn200(500008, 'The requested data does not exist.');
  return job;
}

function answer(exchange: Exchange, resp: JsonObject): void {
  exchange.reply(200, { ErrCode: 0, ErrMsg: 'Success', Resp: resp });
}
