import type { Exchange } from '../core/exchange.ts';
import type { Job } from '../core/jobs.ts';
import { findJob, wordOf, type StateWords } from '../core/work.ts';
import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';

const WORDS: StateWords = {
  queued: 'submitted',
  running: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

/** Creating under an id of one's own works once. */
export function requireNewExternalId(exchange: Exchange, id: string | undefined): void {
  if (id === undefined || id === '') return;
  if (exchange.stage.jobs.findByDedupeKey('kling', id) === undefined) return;
  throw klingRefusal(400, 1201, `external_task_id ${id} already exists.`);
}

/** A task of an endpoint by its own or its external id. */
export function findTask(exchange: Exchange, endpoint: string): Job {
  const id = exchange.params['id'] ?? '';
  const job = findJob(exchange, id) ?? exchange.stage.jobs.findByDedupeKey('kling', id);
  if (job !== undefined && job.details['endpoint'] === endpoint) return job;
  throw klingRefusal(404, 1203, `Task ${id} does not exist.`);
}

export function sendTask(exchange: Exchange, job: Job): void {
  reply(exchange, taskOf(exchange, job, false));
}

/** Creating answers without a result. */
export function sendCreated(exchange: Exchange, job: Job): void {
  reply(exchange, taskOf(exchange, job, true));
}

export function sendList(exchange: Exchange, endpoint: string): void {
  const { query, stage } = exchange;
  const page = Math.max(1, Number(query.get('pageNum') ?? 1));
  const size = Math.min(500, Math.max(1, Number(query.get('pageSize') ?? 30)));
  const jobs = stage.jobs.all('kling').filter((job) => job.details['endpoint'] === endpoint && job.deleted !== true);
  const found = jobs.reverse().slice((page - 1) * size, page * size);
  reply(
    exchange,
    found.map((job) => taskOf(exchange, job, false)),
  );
}

function reply(exchange: Exchange, data: unknown): void {
  const body = { code: 0, message: 'SUCCEED', request_id: exchange.stage.newId(''), data };
  // Element ids are numbers on this wire, longer than any of ours: the quotes come off at the very end.
  exchange.reply(200, JSON.stringify(body).replace(/"element_id":"(\d{18})"/g, '"element_id":$1'));
}

function taskOf(exchange: Exchange, job: Job, created: boolean): Record<string, unknown> {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const failed = state === 'failed' || state === 'expired' || state === 'cancelled';
  const reason = job.fate === 'moderation' ? 'Failure to pass the risk control system' : 'Server internal error';
  return {
    task_id: job.id,
    task_status: created ? 'submitted' : wordOf(exchange, job, WORDS),
    task_status_msg: failed && !created ? reason : '',
    task_info: { external_task_id: job.dedupeKey ?? '' },
    created_at: Math.floor(job.createdAt),
    updated_at: Math.floor(jobs.updatedAt(job)),
    ...(!created && state === 'succeeded' && { final_unit_deduction: '10', task_result: job.details['result'] }),
  };
}

const REFUSALS: StatusWords<readonly [code: number, message: string]> = {
  400: [1201, 'Request parameters are invalid.'],
  401: [1002, 'Authorization signature is invalid.'],
  403: [1103, 'No access to this resource.'],
  404: [1203, 'The requested resource does not exist.'],
  429: [1302, 'Request too frequent.'],
  500: [5000, 'Server internal error.'],
  503: [5001, 'Server temporarily unavailable.'],
  504: [5002, 'Server internal timeout.'],
};

/** Kling's error body: https://app.klingai.com/global/dev/document-api */
export function refuseAsKling(status: number, hints: RefusalHints = {}): Refusal {
  const [code, message] = wordsOf(REFUSALS, status);
  return klingRefusal(status, code, hints.message ?? message);
}

export function klingRefusal(status: number, code: number, message: string): Refusal {
  return new Refusal(status, { code, message, request_id: 'twin-request' });
}

export function complainAsKling({ path, want }: Problem): Refusal {
  return klingRefusal(400, 1201, `${bracketed(path)} is invalid: expected ${want}.`);
}
