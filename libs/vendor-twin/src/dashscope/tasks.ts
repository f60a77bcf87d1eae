import type { Exchange } from '../core/exchange.ts';
import type { Job } from '../core/jobs.ts';
import type { Route } from '../core/vendor.ts';
import { findJob, wordOf, type StateWords } from '../core/work.ts';
import { dashScopeRefusal } from './errors.ts';

const TASK = '/api/v1/tasks';
const WORDS: StateWords = {
  queued: 'PENDING',
  running: 'RUNNING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELED',
  expired: 'FAILED',
};
const LIFE_MS = 86_400_000;

/** Asynchronous tasks of every kind: poll, cancel, list. */
export const taskRoutes: readonly Route[] = [
  { method: 'GET', path: new RegExp(`^${TASK}/(?<id>[^/]+)$`), operation: 'poll', handle: poll },
  { method: 'POST', path: new RegExp(`^${TASK}/(?<id>[^/]+)/cancel$`), operation: 'cancel', handle: cancel },
  { method: 'GET', path: TASK, operation: 'list', handle: list },
];

/** Creating asks for the asynchronous mode by a header; there is no other. */
export function requireAsync(exchange: Exchange): void {
  if (exchange.header('x-dashscope-async') === 'enable') return;
  throw dashScopeRefusal(403, 'AccessDenied', 'current user api does not support synchronous calls.');
}

function find(exchange: Exchange): Job | undefined {
  const job = findJob(exchange, exchange.params['id'] ?? '');
  return job === undefined || exchange.stage.now() - job.createdAt > LIFE_MS ? undefined : job;
}

/** An expired or foreign id is no error: its state is unknown. */
function poll(exchange: Exchange): void {
  const job = find(exchange);
  const request_id = exchange.stage.newId('');
  if (job === undefined) {
    exchange.reply(200, { request_id, output: { task_id: exchange.params['id'], task_status: 'UNKNOWN' } });
    return;
  }
  exchange.reply(200, { request_id, ...taskOf(exchange, job) });
}

function taskOf(exchange: Exchange, job: Job): Record<string, unknown> {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const output: Record<string, unknown> = {
    task_id: job.id,
    task_status: wordOf(exchange, job, WORDS),
    submit_time: chinaTime(job.createdAt),
    scheduled_time: chinaTime(state === 'queued' ? job.createdAt : jobs.startedAt(job)),
  };
  if (state === 'queued' || state === 'running') return { output };
  output['end_time'] = chinaTime(jobs.endedAt(job));
  if (state === 'failed' || state === 'expired') {
    const refused = job.fate === 'moderation';
    output['code'] = refused ? 'DataInspectionFailed' : 'InternalError.Algo';
    output['message'] = refused
      ? 'Output data may contain inappropriate content.'
      : 'An internal error occured during computation, please try this model later.';
  }
  if (state !== 'succeeded') return { output };
  return { output: { ...output, ...(job.details['output'] as object) }, usage: job.details['usage'] };
}

function cancel(exchange: Exchange): void {
  const job = find(exchange);
  if (job === undefined || exchange.stage.jobs.stateOf(job) !== 'queued') {
    const message = 'Failed to cancel the task, please confirm if the task is in PENDING status.';
    throw dashScopeRefusal(400, 'UnsupportedOperation', message);
  }
  exchange.stage.jobs.cancel(job);
  exchange.reply(200, { request_id: exchange.stage.newId('') });
}

function list(exchange: Exchange): void {
  const { query, stage } = exchange;
  const page = Math.max(1, Number(query.get('page_no') ?? 1));
  const size = Math.min(100, Math.max(1, Number(query.get('page_size') ?? 10)));
  const status = query.get('status');
  const model = query.get('model_name');
  const found = stage.jobs
    .all('dashscope')
    .filter((job) => status === null || WORDS[stage.jobs.stateOf(job)] === status)
    .filter((job) => model === null || job.model === model)
    .reverse();
  const data = found.slice((page - 1) * size, page * size).map((job) => ({
    task_id: job.id,
    model_name: job.model,
    status: WORDS[stage.jobs.stateOf(job)],
    start_time: job.createdAt,
    region: 'cn-beijing',
  }));
  exchange.reply(200, {
    request_id: stage.newId(''),
    data,
    page_no: page,
    page_size: size,
    total: found.length,
    total_page: Math.ceil(found.length / size),
  });
}

/** Times are text in China's local time. */
function chinaTime(ms: number): string {
  return new Date(ms + 8 * 3_600_000).toISOString().slice(0, 23).replace('T', ' ');
}
