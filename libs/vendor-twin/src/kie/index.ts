import { bearer, same } from '../core/auth.ts';
import type { Exchange } from '../core/exchange.ts';
import { findJob, startJob, videoLink } from '../core/work.ts';
import { sizeFor, seedOf, textOf } from '../core/values.ts';
import type { Job } from '../core/jobs.ts';
import { withoutMarkers } from '../core/markers.ts';
import { bracketed, type Problem, type Reader } from '../core/reader.ts';
import { Refusal, type RefusalHints } from '../core/refusal.ts';
import { type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';

const BASE = '/api/v1/veo';
const CLIP_SECONDS = 8;
/** An upgrade is ready this long after the clip itself, as a share of the clip's own time. */
const UPGRADE_SHARE = 0.5;

const WORDS: Readonly<Record<number, string>> = {
  400: 'Your prompt was flagged by Website as violating content policies.',
  401: 'You do not have access permissions',
  402: 'The current credits are insufficient',
  404: 'Not found',
  422: 'Validation Error',
  429: 'Rate Limited - Request limit has been exceeded for this resource',
  455: 'Service Unavailable - System is currently undergoing maintenance',
  500: 'Server Error - An unexpected error occurred while processing the request',
};

/** Its own numbers in the body, on HTTP 200 (https://docs.kie.ai/veo3-api/generate-veo-3-video). */
function refuseAsKie(status: number, hints: RefusalHints = {}): Refusal {
  const code = WORDS[status] === undefined ? (status < 500 ? 422 : 500) : status;
  return new Refusal(200, { code, msg: hints.message ?? WORDS[code], data: null });
}

function complainAsKie({ path, want }: Problem): Refusal {
  return refuseAsKie(422, { message: `${bracketed(path)}: expected ${want}` });
}

/** kie.ai: Veo through an aggregator, in the field names of family C. */
export const kie: Vendor<'kie'> = {
  name: 'kie',
  standsFor: [{ vendor: 'veo', wire: 'kie' }],
  credentials: apiKey('kie'),
  basePath: '',
  routes: [
    { method: 'POST', path: `${BASE}/generate`, operation: 'create', handle: create },
    { method: 'POST', path: `${BASE}/extend`, operation: 'create', handle: extend },
    { method: 'GET', path: `${BASE}/record-info`, operation: 'poll', handle: poll },
    { method: 'GET', path: `${BASE}/get-1080p-video`, operation: 'file', handle: upgrade1080 },
    { method: 'POST', path: `${BASE}/get-4k-video`, operation: 'file', handle: upgrade4k },
  ],
  refuse: refuseAsKie,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('kie'))) throw refuseAsKie(401);
  },
};

async function create(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsKie);
  const prompt = body.string('prompt');
  const model = body.optionalOneOf('model', ['veo3', 'veo3_fast', 'veo3_lite'] as const) ?? 'veo3_fast';
  checkImages(body, model);
  const ratio = body.optionalOneOf('aspect_ratio', ['16:9', '9:16', 'Auto'] as const) ?? '16:9';
  const seed = body.optionalInteger('seeds', 10_000, 99_999);
  body.optionalString('watermark');
  body.optionalBoolean('enableTranslation');
  await start(exchange, { model, prompt, ratio: ratio === 'Auto' ? '16:9' : ratio, seed });
}

function checkImages(body: Reader, model: string): void {
  const images = body.strings('imageUrls');
  for (const url of images) if (!/^https?:\/\//.test(url)) body.fail('imageUrls', 'http(s) URLs');
  const type = body.optionalOneOf('generationType', [
    'TEXT_2_VIDEO',
    'FIRST_AND_LAST_FRAMES_2_VIDEO',
    'REFERENCE_2_VIDEO',
  ] as const);
  if (type === 'TEXT_2_VIDEO' && images.length > 0) body.fail('imageUrls', 'no images for TEXT_2_VIDEO');
  if (type === 'FIRST_AND_LAST_FRAMES_2_VIDEO' && (images.length < 1 || images.length > 2))
    body.fail('imageUrls', 'one or two images');
  if (type === 'REFERENCE_2_VIDEO') {
    if (images.length < 1 || images.length > 3) body.fail('imageUrls', 'one to three images');
    if (model === 'veo3') body.fail('generationType', 'REFERENCE_2_VIDEO only with veo3_fast and veo3_lite');
  }
  if (images.length > 3) body.fail('imageUrls', 'at most three images');
}

async function extend(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsKie);
  const source = findJob(exchange, body.string('taskId'));
  if (source === undefined) throw refuseAsKie(404);
  const { ratio, seed } = source.details;
  await start(exchange, {
    model: source.model,
    prompt: body.string('prompt'),
    ratio: textOf(ratio),
    seed: Number(seed),
  });
}

interface Wish {
  readonly model: string;
  readonly prompt: string;
  readonly ratio: string;
  readonly seed: number | undefined;
}

async function start(exchange: Exchange, { model, prompt, ratio, seed: asked }: Wish): Promise<void> {
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) throw refuseAsKie(400);
  const { stage } = exchange;
  const seed = asked ?? 10_000 + (seedOf(withoutMarkers(prompt)) % 90_000);
  const link = (resolution: string): string =>
    videoLink(stage, { ...sizeFor(resolution, ratio), seconds: CLIP_SECONDS, audio: true, prompt, seed });
  const job = startJob(exchange, markers, {
    id: stage.newId('veo_task_'),
    kind: 'video',
    model,
    prompt,
    usage: { seconds: CLIP_SECONDS, videos: 1 },
    details: { ratio, seed, url: link('720p'), '1080p': link('1080p'), '4k': link('2160p') },
  });
  exchange.reply(200, { code: 200, msg: 'success', data: { taskId: job.id } });
}

function poll(exchange: Exchange): void {
  const job = find(exchange, exchange.query.get('taskId') ?? '');
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const ended = state !== 'queued' && state !== 'running';
  const succeeded = state === 'succeeded';
  const refused = job.fate === 'moderation';
  // Flags instead of words: an undocumented one is a number nobody knows.
  const flag = exchange.word('') === '' ? (ended ? (succeeded ? 1 : 3) : 0) : 9;
  exchange.reply(200, {
    code: 200,
    msg: 'success',
    data: {
      taskId: job.id,
      paramJson: JSON.stringify({ prompt: job.prompt, model: job.model }),
      createTime: Math.floor(job.createdAt),
      completeTime: ended ? Math.floor(jobs.endedAt(job)) : null,
      response: succeeded
        ? {
            taskId: job.id,
            resultUrls: [job.details['url']],
            originUrls: null,
            resolution: '720p',
            hasAudioList: [true],
            seeds: [job.details['seed']],
          }
        : null,
      successFlag: flag,
      errorCode: ended && !succeeded ? (refused ? 400 : 501) : null,
      errorMessage:
        ended && !succeeded ? (refused ? WORDS[400] : 'Generation Failed - Video generation task failed') : '',
      fallbackFlag: false,
    },
  });
}

function find(exchange: Exchange, id: string): Job {
  const job = findJob(exchange, id);
  if (job === undefined) throw refuseAsKie(422, { message: 'recordInfo is null' });
  return job;
}

function upgrade1080(exchange: Exchange): void {
  const job = requireFinished(exchange, exchange.query.get('taskId') ?? '', 400);
  exchange.reply(200, { code: 200, msg: 'success', data: { resultUrl: job.details['1080p'] } });
}

function upgrade4k(exchange: Exchange): void {
  const body = exchange.json(complainAsKie);
  body.integer('index', 0, 0);
  const job = requireFinished(exchange, body.string('taskId'), 422);
  exchange.reply(200, {
    code: 200,
    msg: 'success',
    data: { taskId: job.id, resultUrls: [job.details['4k']], imageUrls: [] },
  });
}

/** The better class is made after the clip; until then the vendor says that it is being processed, each in its own number. */
function requireFinished(exchange: Exchange, id: string, notReady: 400 | 422): Job {
  const job = find(exchange, id);
  const { jobs } = exchange.stage;
  const ready = jobs.endedAt(job) + (job.queuedMs + job.runMs) * UPGRADE_SHARE;
  if (jobs.stateOf(job) === 'succeeded' && exchange.stage.now() >= ready) return job;
  throw refuseAsKie(notReady, {
    message: 'The video is being processed. It should be ready in 1-2 minutes. Please check back shortly.',
  });
}
