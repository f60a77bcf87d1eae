/** Predictions: make, get, list, cancel (docs/wire/replicate.md#predictions). */
import type { JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { linksIn, startMediaJob } from '../core/job-media.ts';
import type { Job } from '../core/jobs.ts';
import { Reader, dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import { textOf } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import type { WebhookOrder } from '../core/webhooks.ts';
import { findJob, wordOf } from '../core/work.ts';
import { modelOfVersion, readerOf } from './models.ts';
import { secret, SECRET_PATH, signAsReplicate } from './webhook-secret.ts';

const ONE = /^\/v1\/predictions\/(?<id>[^/]+)$/;
const EVENTS = ['start', 'output', 'logs', 'completed'] as const;

export const predictionRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/predictions', operation: operationOf, handle: createByVersion },
  {
    method: 'POST',
    path: /^\/v1\/models\/(?<model>[\w.-]+\/[\w.-]+)\/predictions$/,
    operation: operationOf,
    handle: async (exchange) => create(exchange, exchange.params['model'] ?? '', 'hidden', bodyOf(exchange)),
  },
  { method: 'GET', path: '/v1/predictions', operation: 'list', handle: list },
  { method: 'GET', path: SECRET_PATH, operation: 'other', handle: secret },
  {
    method: 'GET',
    path: ONE,
    operation: 'poll',
    handle: (exchange) => exchange.reply(200, shown(exchange, find(exchange))),
  },
  { method: 'POST', path: /^\/v1\/predictions\/(?<id>[^/]+)\/cancel$/, operation: 'cancel', handle: cancel },
];

function operationOf({ params, body }: Exchange): 'create' | 'image' {
  return /video|kling|seedance/.test(params['model'] ?? body.toString()) ? 'create' : 'image';
}

function bodyOf(exchange: Exchange): Reader {
  return exchange.json(({ path, want }) => refuseAsReplicate(422, { message: `- ${dotted(path)}: ${want}` }));
}

async function createByVersion(exchange: Exchange): Promise<void> {
  const body = bodyOf(exchange);
  const version = body.string('version').split(':').at(-1) ?? '';
  const model = modelOfVersion(version);
  if (model === undefined) {
    throw refuseAsReplicate(422, {
      message: 'The specified version does not exist (or perhaps you don’t have permission to use it?)',
    });
  }
  await create(exchange, model, version, body);
}

async function create(exchange: Exchange, model: string, version: string, body: Reader): Promise<void> {
  const read = readerOf(model);
  if (read === undefined) throw refuseAsReplicate(404);
  const input = new Reader(body.object('input').value, ['input'], complain);
  const prompt = input.string('prompt');
  const wish = { ...read(input), model, prompt, seed: input.optionalInteger('seed') };
  const webhook = webhookIn(body);
  const markers = await exchange.obey(prompt);
  const isRefused = markers.words.has('refuse');
  const details = { input: input.value, version, isRefused, ...(webhook !== undefined && { webhook: webhook.url }) };
  const job = startMediaJob(exchange, markers, { wish, id: exchange.stage.newId('gm3qorzdhg'), details });
  tellOf(exchange, job, webhook);
  exchange.reply(201, shown(exchange, job));
}

interface AskedWebhook {
  readonly url: string;
  readonly at: NonNullable<WebhookOrder['at']>;
}

/** It calls addresses of https alone; the twin calls those of its own machine, too. */
function webhookIn(body: Reader): AskedWebhook | undefined {
  const url = body.optionalString('webhook');
  const events = body.optionalArray('webhook_events_filter') ?? EVENTS;
  if (events.some((event) => !EVENTS.some((known) => known === event)))
    body.fail('webhook_events_filter', EVENTS.join(', '));
  if (url === undefined) return undefined;
  if (!/^https:|^http:\/\/(?:127\.|localhost|\[::1\])/.test(url)) body.fail('webhook', 'an HTTPS address');
  const at = { start: 'begun', completed: 'ended' } as const;
  return { url, at: (['start', 'completed'] as const).filter((each) => events.includes(each)).map((each) => at[each]) };
}

function tellOf(exchange: Exchange, job: Job, webhook: AskedWebhook | undefined): void {
  if (webhook === undefined) return;
  exchange.stage.webhooks.add(job, {
    ...webhook,
    body: () => shown(exchange, job),
    sign: (body, now) => signAsReplicate(exchange.stage, { body, now, id: job.id }),
  });
}

function complain({ path, want, kind }: Problem): Refusal {
  const field = dotted(path);
  const description = kind === 'missing' ? `${String(path.at(-1))} is required` : `Must be ${want}`;
  return new Refusal(422, {
    title: 'Input validation failed',
    detail: `- ${field}: ${description}\n`,
    status: 422,
    invalid_fields: [{ type: kind === 'missing' ? 'required' : 'invalid', field, description }],
  });
}

const WORDS = {
  queued: 'starting',
  running: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'canceled',
  expired: 'aborted',
};
const FLAGGED = 'The input or output was flagged as sensitive. Please try again with different inputs. (E005)';

function shown(exchange: Exchange, job: Job): JsonObject {
  const { jobs, url } = exchange.stage;
  const { input = {}, version = 'hidden', isRefused, webhook } = job.details;
  const isFlagged = isRefused === true || job.fate === 'moderation';
  const state = jobs.stateOf(job);
  const isDone = state !== 'queued' && state !== 'running';
  const hasFailed = isDone && state !== 'cancelled' && (isFlagged || state !== 'succeeded');
  const word = hasFailed ? 'failed' : wordOf(exchange, job, WORDS);
  const links = linksIn(job);
  const when = (ms: number): string => new Date(ms).toISOString();
  return {
    id: job.id,
    model: job.model,
    version,
    input,
    logs: '',
    output: word !== 'succeeded' ? null : job.kind === 'video' ? (links[0] ?? null) : links,
    data_removed: false,
    error: hasFailed ? (isFlagged ? FLAGGED : 'Prediction failed: an unexpected error occurred. (E1000)') : null,
    source: 'api',
    ...(webhook !== undefined && { webhook }),
    status: word,
    created_at: when(job.createdAt),
    ...(state !== 'queued' && { started_at: when(jobs.startedAt(job)) }),
    ...(isDone && { completed_at: when(jobs.endedAt(job)) }),
    ...(word === 'succeeded' && {
      metrics: { predict_time: job.runMs / 1000, total_time: (job.queuedMs + job.runMs) / 1000 },
    }),
    urls: {
      get: `${url}/replicate/v1/predictions/${job.id}`,
      cancel: `${url}/replicate/v1/predictions/${job.id}/cancel`,
    },
  };
}

function find(exchange: Exchange): Job {
  const job = findJob(exchange, exchange.params['id'] ?? '');
  if (job === undefined) throw refuseAsReplicate(404);
  return job;
}

function list(exchange: Exchange): void {
  const results = exchange.stage.jobs.all('replicate').toReversed().slice(0, 100);
  exchange.reply(200, { previous: null, next: null, results: results.map((job) => shown(exchange, job)) });
}

/** A prediction that has ended stays as it is. */
function cancel(exchange: Exchange): void {
  const job = find(exchange);
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  if (state === 'queued' || state === 'running') jobs.cancel(job);
  exchange.reply(200, { ...shown(exchange, job), ...(textOf(job.details['version']) === '' && { version: 'hidden' }) });
}

const REFUSALS: StatusWords<readonly [title: string, detail: string]> = {
  400: ['Bad request', 'The request is malformed.'],
  401: ['Unauthenticated', 'You did not pass a valid authentication token'],
  402: [
    'Insufficient credit',
    'You have insufficient credit to run this model. Go to https://replicate.com/account/billing#billing to purchase credit.',
  ],
  403: ['Forbidden', 'You do not have permission to perform this action.'],
  404: ['Not found', 'The requested resource could not be found.'],
  422: ['Input validation failed', '- input: invalid'],
  429: ['Too many requests', 'Request was throttled. Your rate limit resets in ~30s.'],
  500: ['Internal server error', 'An unexpected error occurred.'],
  503: ['Service unavailable', 'The service is temporarily unavailable.'],
};

/** `{ title, detail, status }` (docs/wire/replicate.md#errors). */
export function refuseAsReplicate(status: number, hints: RefusalHints = {}): Refusal {
  const [title, detail] = wordsOf(REFUSALS, status);
  return new Refusal(status, { title, detail: hints.message ?? detail, status });
}
