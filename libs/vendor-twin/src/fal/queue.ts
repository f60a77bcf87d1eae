/** fal's queue: submit, status, result, cancel (docs/wire/fal.md#queue). What a model thinks of an input shows in the result alone. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { linksIn, startMediaJob } from '../core/job-media.ts';
import type { Job, JobFate } from '../core/jobs.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import { textOf } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import type { WebhookOrder } from '../core/webhooks.ts';
import { findJob, wordOf } from '../core/work.ts';
import { CONTENT_REFUSED, hasModel, kindOf, readInput } from './models.ts';
import { KEYS_PATH, keys, signAsFal } from './webhook-keys.ts';

const REQUEST = String.raw`^/(?<app>[\w.-]+/[\w.-]+)/requests/(?<id>[^/]+)`;

export const queueRoutes: readonly Route[] = [
  { method: 'GET', path: KEYS_PATH, operation: 'other', open: true, handle: keys },
  { method: 'GET', path: new RegExp(`${REQUEST}/status$`), operation: 'poll', handle: status },
  { method: 'GET', path: new RegExp(`${REQUEST}$`), operation: 'content', handle: result },
  { method: 'PUT', path: new RegExp(`${REQUEST}/cancel$`), operation: 'cancel', handle: cancel },
  {
    method: 'POST',
    path: /^\/(?<model>[\w.-]+(?:\/[\w.-]+)+)$/,
    operation: ({ params }) => (kindOf(params['model'] ?? '') === 'video' ? 'create' : 'image'),
    handle: submit,
  },
];

async function submit(exchange: Exchange): Promise<void> {
  const model = exchange.params['model'] ?? '';
  if (!hasModel(model)) throw refuseAsFal(404, { message: `Application '${model.split('/')[1] ?? ''}' not found` });
  const body = exchange.json(() => refuseAsFal(422)).value;
  const id = exchange.stage.newId('764cabcf-b745-4b3e-ae38-');
  const markers = await exchange.obey(textOf(body['prompt']));
  const refused = markers.words.has('refuse') ? CONTENT_REFUSED : refusalOf(model, body);
  const job =
    refused === undefined
      ? startMediaJob(exchange, markers, { wish: readInput(model, body), id })
      : startRefused(exchange, { id, model, prompt: textOf(body['prompt']), refused });
  const address = exchange.query.get('fal_webhook');
  if (address !== null) exchange.stage.webhooks.add(job, webhookOf(exchange, job, address));
  exchange.reply(200, {
    status: 'IN_QUEUE',
    request_id: id,
    ...addressesOf(exchange, appOf(model), id),
    queue_position: 0,
  });
}

function startRefused(
  { stage }: Exchange,
  job: { readonly id: string; readonly model: string; readonly prompt: string; readonly refused: JsonObject },
): Job {
  const { refused, ...rest } = job;
  return stage.jobs.create('fal', {
    ...rest,
    kind: 'image',
    fate: 'fail',
    usage: {},
    seconds: 1,
    details: { refused },
  });
}

function refusalOf(model: string, body: JsonObject): JsonObject | undefined {
  try {
    readInput(model, body);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && isJsonObject(error.body)) return error.body;
    throw error;
  }
}

/** Owner and app: without what follows them. */
function appOf(model: string): string {
  return model.split('/').slice(0, 2).join('/');
}

function addressesOf({ stage }: Exchange, app: string, id: string): JsonObject {
  const base = `${stage.url}/fal/${app}/requests/${id}`;
  return { response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
}

function find(exchange: Exchange): Job {
  const { id = '', app = '' } = exchange.params;
  const job = findJob(exchange, id);
  // What is taken out of the queue is gone.
  const isGone = job !== undefined && exchange.stage.jobs.stateOf(job) === 'cancelled';
  if (job === undefined || isGone || appOf(job.model) !== app) throw refuseAsFal(404, { message: 'Request not found' });
  return job;
}

const WORDS = {
  queued: 'IN_QUEUE',
  running: 'IN_PROGRESS',
  succeeded: 'COMPLETED',
  failed: 'COMPLETED',
  cancelled: 'COMPLETED',
  expired: 'COMPLETED',
};

function status(exchange: Exchange): void {
  const job = find(exchange);
  const word = wordOf(exchange, job, WORDS);
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const isDone = state !== 'queued' && state !== 'running';
  exchange.reply(isDone ? 200 : 202, {
    status: word,
    request_id: job.id,
    ...addressesOf(exchange, appOf(job.model), job.id),
    ...(state === 'queued' && { queue_position: 0 }),
    ...(isDone && { metrics: { inference_time: job.runMs / 1000 } }),
    ...(isDone && job.details['refused'] === undefined && TROUBLES[job.fate]),
  });
}

/** What fails on fal's side is said in the status too. */
const TROUBLES: Readonly<Partial<Record<JobFate, JsonObject>>> = {
  fail: { error: 'Request failed: the runner disconnected', error_type: 'runner_disconnected' },
  expire: { error: 'Request timed out', error_type: 'request_timeout' },
};

function result(exchange: Exchange): void {
  const job = find(exchange);
  const state = exchange.stage.jobs.stateOf(job);
  if (state === 'queued' || state === 'running') throw refuseAsFal(400, { message: 'Request is still in progress' });
  const { refused } = job.details;
  if (isJsonObject(refused ?? null)) throw new Refusal(422, refused);
  if (job.fate === 'moderation') throw new Refusal(422, CONTENT_REFUSED);
  if (state !== 'succeeded') throw refuseAsFal(500);
  const headers = {
    'x-fal-request-id': job.id,
    'x-fal-billable-units': String(job.usage.seconds ?? job.usage.images ?? 1),
  };
  exchange.reply(200, filesOf(job), headers);
}

function filesOf(job: Job): JsonObject {
  const files = linksIn(job).map((url) => ({
    url,
    content_type: job.kind === 'video' ? 'video/mp4' : contentType(url),
    ...(job.kind === 'image' && { width: job.details['width'] ?? null, height: job.details['height'] ?? null }),
  }));
  if (job.kind === 'video') return { video: files[0] ?? null };
  return {
    images: files,
    timings: { inference: job.runMs / 1000 },
    seed: 1,
    has_nsfw_concepts: files.map(() => false),
    prompt: job.prompt,
  };
}

function webhookOf({ stage }: Exchange, job: Job, url: string): WebhookOrder {
  return {
    url,
    body: () => ({
      request_id: job.id,
      gateway_request_id: job.id,
      status: stage.jobs.stateOf(job) === 'succeeded' ? 'OK' : 'ERROR',
      payload: filesOf(job),
    }),
    sign: (body, now) => signAsFal(stage, { body, now, requestId: job.id }),
  };
}

function contentType(url: string): string {
  return /\.jpe?g(\?|$)/.test(url) ? 'image/jpeg' : 'image/png';
}

function cancel(exchange: Exchange): void {
  const job = find(exchange);
  const state = exchange.stage.jobs.stateOf(job);
  if (state === 'queued') {
    exchange.stage.jobs.cancel(job);
    exchange.reply(202, { status: 'CANCELLATION_REQUESTED' });
    return;
  }
  // A runner that has begun is sent a signal, which the model may ignore.
  if (state === 'running') exchange.reply(202, { status: 'CANCELLATION_REQUESTED' });
  else exchange.reply(400, { status: 'ALREADY_COMPLETED' });
}

const REFUSALS: StatusWords<string> = {
  400: 'Bad request',
  401: 'Authentication is required to access this application. If you are trying to access a private application, you must authenticate.',
  402: 'User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing.',
  403: 'Cannot access application. Authentication is required to access this application.',
  404: 'Not found',
  422: 'Unprocessable entity',
  429: 'Too many concurrent requests',
  500: 'Internal Server Error',
  503: 'Service unavailable',
  504: 'Request timed out',
};

/** One sentence as `detail` (docs/wire/fal.md#errors). */
export function refuseAsFal(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { detail: hints.message ?? wordsOf(REFUSALS, status) }, { 'x-fal-request-id': 'twin' });
}
