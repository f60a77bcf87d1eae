import { GatewayError } from '@model-gateway/contracts';
import {
  createJob,
  isMissing,
  malformedReply,
  midReplyError,
  objectAt,
  textAt,
  type Upstream,
  type UpstreamReply,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { faultIn } from './fault-in.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;
const PATIENCE_MS = 10 * 60_000;
const MISSES = 3;

/**
 * Starts a task and waits until it has succeeded. The task is paid for, so a fault of a poll is borne and asked again; a failed task is thrown
 * as its own refusal, ten minutes without an end as `upstream_timeout`.
 */
export async function finishedImageTask(upstream: Upstream, create: UpstreamRequest): Promise<UpstreamReply> {
  const headers = { ...create.headers, 'x-dashscope-async': 'enable' };
  const created = await createJob(upstream, { ...create, headers });
  const taskId = textAt(created.json, 'output', 'task_id');
  if (taskId === undefined) throw malformedReply('it names no task');
  const until = upstream.now() + PATIENCE_MS;
  let waitMs = FIRST_WAIT_MS;
  let misses = 0;
  while (upstream.now() < until) {
    await upstream.pause(waitMs);
    const outcome = await ask(upstream, `/tasks/${encodeURIComponent(taskId)}`);
    if (outcome.state === 'done') return outcome.reply;
    if (outcome.state === 'failed') throw outcome.error;
    misses = outcome.state === 'missing' ? misses + 1 : 0;
    if (misses >= MISSES) throw lost('the vendor has lost the picture’s task');
    waitMs = Math.max(Math.min(waitMs * 1.5, LONGEST_WAIT_MS), outcome.state === 'running' ? outcome.waitMs : 0);
  }
  throw new GatewayError('upstream_timeout', 'the vendor did not finish the picture in ten minutes', {
    taken: 'unknown',
  });
}

type Outcome =
  | { readonly state: 'done'; readonly reply: UpstreamReply }
  | { readonly state: 'failed'; readonly error: GatewayError }
  | { readonly state: 'missing' }
  | { readonly state: 'running'; readonly waitMs: number };

async function ask(upstream: Upstream, path: string): Promise<Outcome> {
  try {
    const reply = await upstream.send({ method: 'GET', path, notFound: 'task' });
    const word = textAt(reply.json, 'output', 'task_status');
    if (word === 'SUCCEEDED') return { state: 'done', reply };
    if (word === 'FAILED' || word === 'CANCELED') return { state: 'failed', error: endOf(reply, word, upstream) };
    // UNKNOWN is DashScope's word for an id it does not have.
    return word === 'UNKNOWN' ? { state: 'missing' } : { state: 'running', waitMs: 0 };
  } catch (error) {
    if (isMissing(error)) return { state: 'missing' };
    if (!(error instanceof GatewayError)) throw error;
    if (!error.retryElsewhere) throw begun(error);
    return { state: 'running', waitMs: (error.details.retryAfterSeconds ?? 0) * 1000 };
  }
}

function endOf(reply: UpstreamReply, word: string, upstream: Upstream): GatewayError {
  const fault = faultIn(objectAt(reply.json, 'output'), upstream);
  if (fault === undefined) return lost(`the vendor ended the picture’s task as ${word}`);
  return begun(midReplyError(fault, upstream));
}

/** The vendor has the task: whoever asks another one pays twice. */
function begun({ code, message, details }: GatewayError): GatewayError {
  return new GatewayError(code, message, { ...details, taken: 'unknown' });
}

function lost(what: string): GatewayError {
  return new GatewayError('upstream_unavailable', what, { taken: 'unknown' });
}
