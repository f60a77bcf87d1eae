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
): Promise<{ readonly json: Json } | { readonly missing: Json }> {
  try {
    const { json } = await upstream.send({ maxReplyBytes: MAX_POLL_BYTES, ...request });
    if (json === undefined) throw malformedReply('its answer to a status query is no JSON');
    return { json };
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

/** A cancellation that came too late. */
export function tooLate(state: string): GatewayError {
  return new GatewayError('conflict', `the task can no longer be cancelled: ${state}`);
}
