import { findJob, startJob, videoLink, wordOf, type StateWords } from '../core/work.ts';
import { unixSeconds, sizeFor, type Size, textOf } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Job } from '../core/jobs.ts';
import { type Reader, bracketed, type Problem } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { sendFile } from '../media/serve.ts';
import { specOfLink } from '../media/media.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';

export const videoRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/video_generation', operation: 'create', handle: create },
  { method: 'GET', path: '/v1/query/video_generation', operation: 'poll', handle: poll },
  { method: 'GET', path: '/v1/files/retrieve', operation: 'file', handle: retrieve },
  { method: 'GET', path: '/v1/files/retrieve_content', operation: 'content', handle: content },
];

const WORDS: StateWords = {
  queued: 'Queueing',
  running: 'Processing',
  succeeded: 'Success',
  failed: 'Fail',
  cancelled: 'Fail',
  expired: 'Fail',
};

type Mode = 'text' | 'image' | 'frames' | 'subject';
/** What a model can make: `768P 6/10` by mode (docs/wire/minimax.md#create). */
const MATRIX: Readonly<Record<string, Partial<Record<Mode, readonly string[]>>>> = {
  'MiniMax-Hailuo-2.3': { text: ['768P 6', '768P 10', '1080P 6'], image: ['768P 6', '768P 10', '1080P 6'] },
  'MiniMax-Hailuo-2.3-Fast': { image: ['768P 6', '768P 10', '1080P 6'] },
  'MiniMax-Hailuo-02': {
    text: ['768P 6', '768P 10', '1080P 6'],
    image: ['512P 6', '512P 10', '768P 6', '768P 10', '1080P 6'],
    frames: ['768P 6', '768P 10', '1080P 6'],
  },
  'T2V-01': { text: ['720P 6'] },
  'T2V-01-Director': { text: ['720P 6'] },
  'I2V-01': { image: ['720P 6'] },
  'I2V-01-Director': { image: ['720P 6'] },
  'I2V-01-live': { image: ['720P 6'] },
  'S2V-01': { subject: ['720P 6'] },
};

async function create(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsMiniMax);
  const model = body.string('model');
  const able = MATRIX[model];
  if (able === undefined) throw miniMaxRefusal(2013, `invalid params, unknown model ${model}`);
  const mode = modeOf(body);
  const made = able[mode];
  if (made === undefined) throw miniMaxRefusal(2013, `invalid params, ${model} does not support this input`);
  const prompt = body.optionalString('prompt', 2000) ?? '';
  if (mode === 'text' && prompt === '') throw miniMaxRefusal(2013, 'invalid params, prompt is required');
  const resolution = body.optionalString('resolution') ?? made[0]?.split(' ')[0] ?? '768P';
  const duration = body.optionalInteger('duration') ?? 6;
  if (!made.includes(`${resolution} ${duration}`)) {
    throw miniMaxRefusal(2013, `invalid params, ${model} does not support ${resolution} for ${duration} seconds`);
  }
  for (const name of ['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark'] as const) body.optionalBoolean(name);
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) throw miniMaxRefusal(1026, 'input new_sensitive');
  const { stage } = exchange;
  const size = pixels(resolution);
  const job = startJob(exchange, markers, {
    id: numericId(stage.newId('')),
    kind: 'video',
    model,
    prompt,
    usage: { videos: 1, seconds: duration },
    details: { ...size, video_url: videoLink(stage, { ...size, seconds: duration, audio: false, prompt }) },
  });
  exchange.reply(200, { task_id: job.id, base_resp: OK });
}

function modeOf(body: Reader): Mode {
  const first = body.optionalString('first_frame_image');
  const last = body.optionalString('last_frame_image');
  for (const [name, url] of [
    ['first_frame_image', first],
    ['last_frame_image', last],
  ] as const) {
    if (url !== undefined && !/^(https?:\/\/|data:image\/)/.test(url)) body.fail(name, 'a URL or a data URL');
  }
  for (const subject of body.objects('subject_reference')) {
    subject.oneOf('type', ['character'] as const);
    if (subject.strings('image').length !== 1) subject.fail('image', 'exactly one image');
  }
  if (body.has('subject_reference')) return 'subject';
  if (last !== undefined) return 'frames';
  return first === undefined ? 'text' : 'image';
}

/** Hailuo's 768P is 1366 wide. */
function pixels(resolution: string): Size {
  return resolution === '768P' ? { width: 1366, height: 768 } : sizeFor(resolution, '16:9');
}

/** Ids are numbers of fifteen digits, written as text. */
function numericId(seed: string): string {
  return `3${String(BigInt(`0x${seed.slice(0, 12)}`) + BigInt(Number.parseInt(seed.slice(12), 36)))
    .padStart(15, '0')
    .slice(-15)}`;
}

/** Nineteen digits, the last of them odd: no number of JavaScript holds it, whatever the id of the job is. */
function fileIdOf(job: Job): string {
  return `40${job.id}7`;
}

function poll(exchange: Exchange): void {
  const id = exchange.query.get('task_id') ?? '';
  const job = findJob(exchange, id);
  if (job === undefined) throw miniMaxRefusal(2013, `invalid params, task_id ${id} does not exist`);
  const state = exchange.stage.jobs.stateOf(job);
  const status = wordOf(exchange, job, WORDS);
  const shown = { task_id: job.id, status };
  if (state === 'failed' || state === 'expired') {
    const [status_code, status_msg] =
      job.fate === 'moderation' ? [1027, 'output new_sensitive'] : [1000, 'generation failed'];
    exchange.reply(200, { ...shown, base_resp: { status_code, status_msg } });
    return;
  }
  const done = { file_id: fileIdOf(job), video_width: job.details['width'], video_height: job.details['height'] };
  exchange.reply(200, { ...shown, ...(state === 'succeeded' && done), base_resp: OK });
}

function findFile(exchange: Exchange): Job {
  const id = exchange.query.get('file_id') ?? '';
  const job = findJob(exchange, id.slice(2, -1));
  if (job !== undefined && exchange.stage.jobs.stateOf(job) === 'succeeded') return job;
  throw miniMaxRefusal(2013, `invalid params, file_id ${id} does not exist`);
}

/** The id that was text in the query is a number here. */
function retrieve(exchange: Exchange): void {
  const job = findFile(exchange);
  const file = {
    file_id: '#',
    bytes: 4_100_200,
    created_at: unixSeconds(exchange.stage.jobs.endedAt(job)),
    filename: 'output.mp4',
    purpose: 'video_generation',
    download_url: job.details['video_url'],
  };
  exchange.reply(200, JSON.stringify({ file, base_resp: OK }).replace('"#"', fileIdOf(job)));
}

async function content(exchange: Exchange): Promise<void> {
  const url = textOf(findFile(exchange).details['video_url']);
  const spec = specOfLink(url);
  if (spec === undefined) throw exchange.refusal(500);
  sendFile(exchange.request, exchange.response, await exchange.stage.media.file(spec), { 'content-type': 'video/mp4' });
}

/** What MiniMax says instead of an HTTP status: every reply is a 200 (https://platform.minimax.io/docs/api-reference/errorcode). */
const REFUSALS: StatusWords<readonly [code: number, message: string]> = {
  400: [2013, 'invalid params'],
  401: [1004, 'login fail: Please carry the API secret key in the Authorization field of the request header'],
  402: [1008, 'insufficient balance'],
  403: [2061, 'your current token plan does not support this model'],
  404: [2013, 'invalid params, no such resource'],
  429: [1002, 'rate limit exceeded'],
  500: [1000, 'unknown error'],
  503: [1013, 'internal service error'],
  504: [1001, 'request timed out'],
};

export function refuseAsMiniMax(status: number, hints: RefusalHints = {}): Refusal {
  const [code, message] = wordsOf(REFUSALS, status);
  return miniMaxRefusal(code, hints.message ?? message);
}

export function miniMaxRefusal(code: number, message: string): Refusal {
  return new Refusal(200, { base_resp: { status_code: code, status_msg: message } }, { 'trace-id': 'twin-trace' });
}

export function complainAsMiniMax({ path, want }: Problem): Refusal {
  return miniMaxRefusal(2013, `invalid params, ${bracketed(path)}: expected ${want}`);
}

export const OK = { status_code: 0, status_msg: 'success' };
