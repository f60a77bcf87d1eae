/**
 * From intent to ticket (design.md §5.1–5.3). The row is written before the vendor is asked and the ticket before the caller is answered;
 * a vendor that may have taken the job is never asked a second time.
 */
import { GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import type { ProviderAdapter, Upstream } from '@model-gateway/provider-kit';
import type { GatewayAccount, Offer } from '../catalogue.ts';
import type { Caller } from '../parts.ts';
import type { IdempotencyAnswer, TaskRecord } from '../ports.ts';
import type { Slot } from '../routing.ts';
import type { TaskParts } from './types.ts';

/** Offers asked for one task at most. */
const MOST_OFFERS = 4;
const GRACE_MS = 60_000;
/** A job is paid for: its ticket is worth more than one try. */
const TICKET_ATTEMPTS = 3;
const RECONCILE_AFTER_MS = [500, 2_000, 5_000] as const;
/** Codes that an adapter can only mean of the input: nothing was sent. */
const OF_THE_INPUT: readonly ErrorCode[] = ['invalid_request', 'content_refused', 'not_implemented', 'model_not_found'];

export interface Started {
  readonly ticket: JsonObject;
  readonly dropped: readonly string[];
}

export interface Submission {
  readonly task: TaskRecord;
  readonly caller: Caller;
  /** In the order to try them; none is empty. */
  readonly offers: readonly Offer[];
  readonly start: (adapter: ProviderAdapter, upstream: Upstream) => Promise<Started>;
  /** Finds the job of an unanswered `start`; undefined when there is none, or the vendor cannot say. */
  readonly reconcile: (
    adapter: ProviderAdapter,
    upstream: Upstream,
    submittedAt: number,
  ) => Promise<JsonObject | undefined>;
  /** When to look after the job first, milliseconds from its ticket. */
  readonly firstCheckMs: (offer: Offer) => number;
  /** The stored answer for an Idempotency-Key, made when the ticket is known. */
  readonly answer: (started: Started) => IdempotencyAnswer | undefined;
}

export interface Submitted {
  readonly task: TaskRecord;
  readonly dropped: readonly string[];
  readonly attempts: number;
}

/** How long a row may be without its ticket before it counts as left behind by a dead process. */
export function submitGraceMs(parts: Pick<TaskParts, 'settings'>, account: GatewayAccount): number {
  const { submitGraceSeconds, reconcileAfterMs = RECONCILE_AFTER_MS } = parts.settings;
  if (submitGraceSeconds !== undefined) return submitGraceSeconds * 1000;
  const { connect, firstByte, idle } = account.deadlines;
  // Twice: an adapter may fetch an image or a token first.
  return (connect + firstByte + idle) * 2000 + reconcileAfterMs.reduce((sum, ms) => sum + ms, 0) + GRACE_MS;
}

/** Whether the vendor certainly has no job after this error. In doubt it may have one. */
export function certainlyNotTaken(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  if (error.details.taken !== undefined) return error.details.taken === 'no';
  return OF_THE_INPUT.includes(error.code);
}

/** Asks offers in turn until one has taken the job. Throws after ending the task in FAILURE with its money released. */
export async function submit(parts: TaskParts, submission: Submission): Promise<Submitted> {
  const { task, offers } = submission;
  parts.step?.('submit.intent');
  let attempts = 0;
  let last: GatewayError | undefined;
  const tried = offers.slice(0, MOST_OFFERS);
  for (const [index, offer] of tried.entries()) {
    // Nothing is asked for a caller who has already gone.
    if (submission.caller.signal.aborted) break;
    let slot: Slot;
    try {
      slot = await parts.router.acquire(offer, submission.caller.signal, () => tried.slice(index + 1));
    } catch (error) {
      last = asGatewayError(error);
      continue;
    }
    attempts++;
    try {
      const started = await ask(parts, submission, offer, slot);
      const submitted = await commit(parts, submission, offer, started);
      return { task: submitted, dropped: started.dropped, attempts };
    } catch (error) {
      if (!certainlyNotTaken(error)) throw await endUnknown(parts, task, error);
      await parts.store.tasks.unmarkSubmitted(task.id);
      // An adapter that cannot put this input into its vendor's words asked nobody: another vendor may have the words.
      const wordless = error.details.taken === undefined;
      if (!wordless || last === undefined) last = error;
      if (!wordless && (!error.retryElsewhere || slot.trial)) break;
    }
  }
  const error = last ?? new GatewayError('unavailable', 'no vendor account can take the task at the moment');
  await end(parts, task, error.code, error.message);
  throw withRetryAfter(error, parts.router.retryAfterSeconds(offers));
}

/** Who is told to come back later is also told when. */
function withRetryAfter(error: GatewayError, seconds: number | undefined): GatewayError {
  if (!error.retryElsewhere || error.details.retryAfterSeconds !== undefined || seconds === undefined) return error;
  return new GatewayError(error.code, error.message, { ...error.details, retryAfterSeconds: seconds });
}

/** One question to one vendor. Throws what `certainlyNotTaken` can judge; an unanswered question is looked up by the dedupe key first. */
async function ask(parts: TaskParts, submission: Submission, offer: Offer, slot: Slot): Promise<Started> {
  const { task, start } = submission;
  const { account } = offer;
  try {
    await parts.store.tasks.markSubmitted(
      task.id,
      {
        accountId: account.id,
        accountName: account.name,
        vendor: account.vendor,
        upstreamModel: offer.model,
        nextCheckAt: parts.now() + submitGraceMs(parts, account),
      },
      parts.now(),
    );
  } catch (error) {
    slot.release();
    throw notAsked(error);
  }
  // No caller's signal from here on: a caller who hangs up must not turn a taken job into an unknown one.
  const { adapter, upstream } = parts.openOffer(offer);
  const submittedAt = parts.now();
  parts.step?.('submit.marked');
  try {
    const asked = start(adapter, upstream);
    parts.step?.('submit.asking');
    const started = await asked;
    parts.step?.('submit.asked');
    slot.succeed();
    return started;
  } catch (error) {
    releaseSlot(slot, error);
    if (certainlyNotTaken(error)) throw error;
    const found = await lookUp(parts, submission, { adapter, upstream, submittedAt });
    if (found === undefined) throw error;
    parts.log.warn({ task: task.id, account: account.id }, 'an unanswered submission was found by its dedupe key');
    return { ticket: found, dropped: [] };
  }
}

function notAsked(error: unknown): GatewayError {
  if (error instanceof GatewayError)
    return new GatewayError(error.code, error.message, { ...error.details, taken: 'no' });
  return new GatewayError('internal', 'the task could not be stored', { taken: 'no', cause: error });
}

function releaseSlot(slot: Slot, error: unknown): void {
  if (error instanceof GatewayError && error.retryElsewhere) slot.fail(error);
  else slot.release();
}

/** Whether an unanswered job is there after all. Never says "no": a vendor still at work on the request may only just not show it. */
async function lookUp(
  parts: TaskParts,
  { task, reconcile }: Submission,
  asked: { readonly adapter: ProviderAdapter; readonly upstream: Upstream; readonly submittedAt: number },
): Promise<JsonObject | undefined> {
  const { adapter, upstream, submittedAt } = asked;
  const capability = task.kind === 'video' ? adapter.videos : adapter.subjects;
  if (capability?.reconcile === undefined) return undefined;
  for (const ms of parts.settings.reconcileAfterMs ?? RECONCILE_AFTER_MS) {
    try {
      await upstream.pause(ms);
      const ticket = await reconcile(adapter, upstream, submittedAt);
      if (ticket !== undefined) return ticket;
    } catch (error) {
      parts.log.warn({ task: task.id, reason: messageOf(error) }, 'looking for an unanswered submission failed');
    }
  }
  return undefined;
}

async function commit(parts: TaskParts, submission: Submission, offer: Offer, started: Started): Promise<TaskRecord> {
  const { task } = submission;
  const answer = submission.answer(started);
  for (let attempt = 1; ; attempt++) {
    try {
      const now = parts.now();
      const nextCheckAt = now + submission.firstCheckMs(offer);
      if (await parts.store.tasks.saveTicket(task.id, started.ticket, nextCheckAt, answer, now)) break;
      // Somebody took the row for a leftover: it has ended, and the caller must not be told otherwise.
      await abandonJob(parts, offer, started.ticket);
      throw new GatewayError('submission_unknown', UNKNOWN, { taken: 'unknown' });
    } catch (error) {
      if (error instanceof GatewayError || attempt === TICKET_ATTEMPTS) throw error;
      parts.log.error({ task: task.id, attempt, error }, 'the ticket could not be stored');
    }
  }
  parts.step?.('submit.ticket');
  const current = await parts.store.tasks.get(task.id);
  if (current === undefined) throw new GatewayError('internal', 'the task disappeared');
  return current;
}

/** Best effort: a job nobody waits for should not cost the house money. */
async function abandonJob(parts: TaskParts, offer: Offer, ticket: JsonObject): Promise<void> {
  try {
    const { adapter, upstream } = parts.openOffer(offer);
    await adapter.videos?.cancel?.(ticket, upstream);
  } catch (error) {
    parts.log.warn({ account: offer.account.id, reason: messageOf(error) }, 'an abandoned job could not be cancelled');
  }
}

const UNKNOWN =
  'the vendor was asked and gave no answer that says whether it took the job; it was not asked again, and nothing is charged';

/** Ends a task whose submission is unknown: it is not asked again, the money goes back. */
async function endUnknown(parts: TaskParts, task: TaskRecord, error: unknown): Promise<GatewayError> {
  parts.meter.count('gateway_task_submission_unknown_total', { vendor: task.vendor });
  parts.log.warn({ task: task.id, reason: messageOf(error) }, 'submission unknown');
  await end(parts, task, 'submission_unknown', submissionUnknownReason(messageOf(error)));
  return new GatewayError('submission_unknown', UNKNOWN, { taken: 'unknown', cause: error });
}

/** `fail_reason` of a submission whose outcome nobody knows. */
export function submissionUnknownReason(cause: string): string {
  return `submission unknown: ${cause}; the job was not sent again`;
}

async function end(parts: TaskParts, task: TaskRecord, code: ErrorCode, reason: string): Promise<void> {
  const now = parts.now();
  await parts.store.tasks.advance(
    task.id,
    ['NOT_START'],
    { state: 'FAILURE', progress: 100, failCode: code, failReason: reason.slice(0, 1000), finishTime: now },
    { type: 'release', detail: { reason: code } },
    now,
  );
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no', cause: error });
}

/** An error in words that are fit for a log and a record; foreign errors may carry anything and are not quoted. */
export function messageOf(error: unknown): string {
  return error instanceof GatewayError ? error.message : 'an internal fault';
}
