/** Asking a vendor for a job and after a job. `readFault` says "no such thing" with the code `task_not_exist`. */
import { GatewayError, type Json } from '@model-gateway/contracts';
import type { Upstream, UpstreamReply, UpstreamRequest } from './adapter.ts';

/**
 * Creates a job. A "no such thing" here means the model or the address, never a task: it becomes `upstream_unavailable`, so that another
 * offer may serve the caller.
 */
export async function createJob(upstream: Upstream, request: UpstreamRequest): Promise<UpstreamReply> {
  try {
    return await upstream.send(request);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new GatewayError('upstream_unavailable', 'the vendor does not offer this model to the gateway', {
      ...error.details,
      taken: 'no',
    });
  }
}

/** A status is small; whoever answers a query with more is not answering it. */
export const MAX_POLL_BYTES = 4 * 1024 * 1024;

/** Asks after a job; `missing` when the vendor knows no such task. Every other refusal is thrown: a fault of the poll, not of the task. */
export async function pollJob(
  upstream: Upstream,
  request: UpstreamRequest,
): Promise<{ readonly json: Json; readonly reply: UpstreamReply } | { readonly missing: Json }> {
  try {
    const reply = await upstream.send({ maxReplyBytes: MAX_POLL_BYTES, ...request });
    const { json } = reply;
    if (json === undefined) throw malformedReply('its answer to a status query is no JSON');
    return { json, reply };
  } catch (error) {
    if (isMissing(error))
      return { missing: { error: { code: error.details.vendorCode ?? '', message: error.message } } };
    throw error;
  }
}

/** Whether a refusal says that the vendor knows no such task. */
export function isMissing(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === 'task_not_exist';
}

/** Deletes what may be gone. */
export async function removeIfThere(
  upstream: Upstream,
  request: Pick<UpstreamRequest, 'path' | 'headers'>,
): Promise<void> {
  try {
    await upstream.send({ ...request, method: 'DELETE', notFound: 'task' });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** A reply that cannot be what the vendor meant; after a create the job may well exist. */
export function malformedReply(what: string): GatewayError {
  return new GatewayError('upstream_malformed', `the vendor’s reply is inconsistent: ${what}`, {
    taken: 'unknown',
    answered: {},
  });
}

/** What a question after a job brought that somebody waits for. */
export type JobOutcome<T> =
  | { readonly state: 'done'; readonly result: T }
  | { readonly state: 'failed'; readonly error: GatewayError }
  | { readonly state: 'missing' }
  | { readonly state: 'running' };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;
const PATIENCE_MS = 10 * 60_000;
const MISSES = 3;

/**
 * Waits until a job that a vendor has taken is done. It is paid for, so a fault of a question is borne and asked again; a failed job is
 * thrown as its own refusal, ten minutes without an end, unless said otherwise, as `upstream_timeout`. Whatever is thrown says that the vendor has it.
 */
export async function finishedJob<T>(
  upstream: Pick<Upstream, 'now' | 'pause'>,
  what: string,
  ask: () => Promise<JobOutcome<T>>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const until = upstream.now() + patienceMs;
  let waitMs = FIRST_WAIT_MS;
  let misses = 0;
  while (upstream.now() < until) {
    await upstream.pause(waitMs);
    const { outcome, askAfterMs } = await askedAfter(ask);
    if (outcome.state === 'done') return outcome.result;
    if (outcome.state === 'failed') throw begun(outcome.error);
    misses = outcome.state === 'missing' ? misses + 1 : 0;
    if (misses >= MISSES) throw lostJob(`the vendor has lost the ${what}’s task`);
    waitMs = Math.max(Math.min(waitMs * 1.5, LONGEST_WAIT_MS), askAfterMs);
  }
  throw new GatewayError(
    'upstream_timeout',
    `the vendor did not finish the ${what} in ${patienceMs / 60_000} minutes`,
    {
      taken: 'unknown',
    },
  );
}

async function askedAfter<T>(
  ask: () => Promise<JobOutcome<T>>,
): Promise<{ readonly outcome: JobOutcome<T>; readonly askAfterMs: number }> {
  try {
    return { outcome: await ask(), askAfterMs: 0 };
  } catch (error) {
    if (isMissing(error)) return { outcome: { state: 'missing' }, askAfterMs: 0 };
    if (!(error instanceof GatewayError)) throw error;
    if (!error.retryElsewhere) throw begun(error);
    return { outcome: { state: 'running' }, askAfterMs: (error.details.retryAfterSeconds ?? 0) * 1000 };
  }
}

/** The vendor has the job: whoever asks another one pays twice. */
function begun({ code, message, details }: GatewayError): GatewayError {
  return new GatewayError(code, message, { ...details, taken: 'unknown' });
}

/** A job that ended without a word of why. */
export function lostJob(what: string): GatewayError {
  return new GatewayError('upstream_unavailable', what, { taken: 'unknown' });
}

/** A cancellation that came too late. */
export function tooLate(state: string): GatewayError {
  return new GatewayError('conflict', `the task can no longer be cancelled: ${state}`);
}
