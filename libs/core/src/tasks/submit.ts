/**
 * From intent to ticket (docs/architecture.md#tasks). The row is written before the vendor is asked and the ticket before the
 * caller is answered; a vendor that may have taken the job is never asked a second time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import type { MediaRequest, ProviderAdapter, Upstream, VideoCreate } from '@model-gateway/provider-kit';
import type { GatewayAccount, Offer } from '../catalogue.ts';
import { AttemptLoop, type Candidate } from '../paid/attempt-loop.ts';
import { certainlyNotTaken, OF_THE_INPUT, UNTIL_TAKEN } from '../paid/repeat.ts';
import { createRequestMedia, type RequestMedia } from '../paid/request-media.ts';
import { newTrace, type Trace } from '../paid/trace.ts';
import type { RoutedMedia } from '../paid/routed.ts';
import type { Caller } from '../parts.ts';
import type { IdempotencyAnswer, NewTask, TaskRecord } from '../ports.ts';
import type { Slot } from '../routing.ts';
import { soonerOrLater } from './sooner-or-later.ts';
import type { TaskParts } from './types.ts';

const GRACE_MS = 60_000;
/** A job is paid for: its ticket is worth more than one try. */
const TICKET_PAUSES_MS = [0, 100, 500, 1_000, 2_000, 4_000] as const;
const RECONCILE_AFTER_MS = [500, 2_000, 5_000] as const;

export interface Started {
  readonly ticket: JsonObject;
  readonly dropped: readonly string[];
}

export interface Submission {
  readonly task: TaskRecord;
  readonly caller: Caller;
  /** In the order to try them; none is empty. */
  readonly offers: readonly Offer[];
  /** Whom the offers are of and who is asked instead, where the model has routes: for a task that is submitted at once. */
  readonly way?: Pick<RoutedMedia<unknown>, 'candidates' | 'instead' | 'repeat'>;
  readonly start: (adapter: ProviderAdapter, upstream: Upstream) => Promise<Started>;
  /** What `start` will fetch for this offer's adapter: it is fetched before the account's slot is taken. */
  readonly media?: (adapter: ProviderAdapter, account: GatewayAccount) => readonly MediaRequest[];
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
  /** Of a task that has waited in the queue of its account. */
  readonly queued?: {
    /** Which time it left the queue: who put it back since, or has picked it again, has it now. */
    readonly turn: number;
    /** Nobody has the job, and it is not the input's fault. True when the task waits again. */
    readonly putBack: (error: GatewayError) => Promise<boolean>;
  };
}

/** A task that is about to be made, and how. */
export interface TaskIntent {
  readonly task: Pick<NewTask, 'id' | 'kind' | 'model' | 'input' | 'quota' | 'deadlineAt' | 'callbackUrl'>;
  readonly hold: { readonly amount: number; readonly detail: JsonObject } | undefined;
  readonly offers: readonly Offer[];
  /** How the offers were come to, where the model has routes. */
  readonly way?: Submission['way'];
  readonly start: (adapter: ProviderAdapter, upstream: Upstream) => Promise<Started>;
  readonly media?: Submission['media'];
  /** What a task of this kind would wait with; absent for a kind that never waits. */
  readonly waitsWith?: { readonly input: VideoCreate; readonly priority: number };
  readonly reconcile: (
    adapter: ProviderAdapter,
    upstream: Upstream,
    submittedAt: number,
  ) => Promise<JsonObject | undefined>;
}

export interface Submitted {
  readonly task: TaskRecord;
  readonly dropped: readonly string[];
  readonly attempts: number;
  /** How it came to who took it, where the model has routes. */
  readonly route?: string;
}

/** How long a row may be without its ticket before it counts as left behind by a dead process. */
export function submitGraceMs(parts: Pick<TaskParts, 'settings'>, account: GatewayAccount): number {
  const { submitGraceSeconds, reconcileAfterMs = RECONCILE_AFTER_MS } = parts.settings;
  if (submitGraceSeconds !== undefined) return submitGraceSeconds * 1000;
  const { connect, firstByte, idle } = account.deadlines;
  // Twice: an adapter may fetch an image or a token first.
  return (connect + firstByte + idle) * 2000 + reconcileAfterMs.reduce((sum, ms) => sum + ms, 0) + GRACE_MS;
}

/** A vendor has the job. */
interface Taken {
  readonly offer: Offer;
  readonly started: Started;
}

/** The vendor that was asked last. */
interface Asked {
  readonly offer: Offer;
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
  readonly submittedAt: number;
}

/** Asks offers in turn until one has taken the job. Throws after ending the task in FAILURE with its money released. */
export async function submit(parts: TaskParts, submission: Submission): Promise<Submitted> {
  const { task, caller, offers } = submission;
  parts.step?.('submit.intent');
  const trace = newTrace();
  trace.row = parts.catalogue().models.get(task.model);
  const way = submission.way ?? { repeat: UNTIL_TAKEN };
  const known = new Map(submission.way?.candidates.map((candidate) => [candidate.offer, candidate]));
  const candidates: readonly Candidate[] = offers.map((offer) => known.get(offer) ?? { offer });
  const attempts = { caller, trace, ...way, candidates };
  let asked: Asked | undefined;
  let taken: Taken;
  try {
    const media = createRequestMedia(parts, caller);
    taken = await new AttemptLoop(parts, attempts, {
      async prepare(candidate) {
        const { account } = candidate.offer;
        const adapter = parts.adapters.get(account.vendor);
        if (adapter !== undefined) await media.ready(submission.media?.(adapter, account) ?? []);
        return candidate;
      },
      ask: ({ offer }, slot) =>
        ask(parts, submission, { offer, slot, media, trace, onAsked: (last) => (asked = last) }),
    }).run();
  } catch (error) {
    taken = await found(parts, submission, asked, error);
  }
  try {
    const submitted = await commit(parts, submission, taken);
    const { route } = trace;
    return {
      task: submitted,
      dropped: taken.started.dropped,
      attempts: trace.attempts,
      ...(route !== undefined && { route }),
    };
  } catch (error) {
    throw await endUnknown(parts, task, error);
  }
}

interface Asking {
  readonly offer: Offer;
  readonly slot: Slot;
  readonly media: RequestMedia;
  readonly trace: Trace;
  readonly onAsked: (asked: Asked) => void;
}

/** One question to one vendor. Throws what `certainlyNotTaken` can judge; then the row says again that nobody was asked. */
async function ask(
  parts: TaskParts,
  submission: Submission,
  { offer, slot, media, trace, onAsked }: Asking,
): Promise<Taken> {
  const { task, start } = submission;
  try {
    await mark(parts, submission, offer);
    // No caller's signal from here on: a caller who hangs up must not turn a taken job into an unknown one.
    const { adapter, upstream: handle } = parts.openOffer(offer);
    const upstream = media.within(handle);
    onAsked({ offer, adapter, upstream, submittedAt: parts.now() });
    parts.step?.('submit.marked');
    const asking = start(adapter, upstream);
    parts.step?.('submit.asking');
    const started = await asking;
    parts.step?.('submit.asked');
    slot.succeed();
    trace.span?.ended({});
    return { offer, started };
  } catch (error) {
    if (certainlyNotTaken(error)) await parts.store.tasks.unmarkSubmitted(task.id);
    throw error;
  }
}

async function mark(parts: TaskParts, { task, queued }: Submission, { account, model }: Offer): Promise<void> {
  const now = parts.now();
  const submitted = {
    accountId: account.id,
    accountName: account.name,
    vendor: account.vendor,
    upstreamModel: model,
    nextCheckAt: now + submitGraceMs(parts, account),
    ...(account.maxJobs !== undefined && { maxJobs: account.maxJobs }),
    ...(queued !== undefined && { ifTurn: queued.turn }),
  };
  try {
    await parts.store.tasks.markSubmitted(task.id, submitted, now);
  } catch (error) {
    throw notAsked(error);
  }
}

function notAsked(error: unknown): GatewayError {
  if (error instanceof GatewayError)
    return new GatewayError(error.code, error.message, { ...error.details, taken: 'no' });
  return new GatewayError('internal', 'the task could not be stored', { taken: 'no', cause: error });
}

/** The job of an unanswered question, looked up by its dedupe key. Throws, after ending the task, when there is none to be found. */
async function found(
  parts: TaskParts,
  submission: Submission,
  asked: Asked | undefined,
  error: unknown,
): Promise<Taken> {
  const { task, queued } = submission;
  if (certainlyNotTaken(error)) {
    if (queued !== undefined && !OF_THE_INPUT.includes(error.code) && (await queued.putBack(error))) throw error;
    await end(parts, task, error.code, error.message);
    throw error;
  }
  const ticket = asked === undefined ? undefined : await lookUp(parts, submission, asked);
  if (asked === undefined || ticket === undefined) throw await endUnknown(parts, task, error);
  parts.log.warn(
    { task: task.id, account: asked.offer.account.id },
    'an unanswered submission was found by its dedupe key',
  );
  return { offer: asked.offer, started: { ticket, dropped: [] } };
}

/** Whether an unanswered job is there after all. Never says "no": a vendor still at work on the request may only just not show it. */
async function lookUp(
  parts: TaskParts,
  { task, reconcile }: Submission,
  { adapter, upstream, submittedAt }: Asked,
): Promise<JsonObject | undefined> {
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

async function commit(parts: TaskParts, submission: Submission, { offer, started }: Taken): Promise<TaskRecord> {
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
      const pause = (parts.settings.ticketPausesMs ?? TICKET_PAUSES_MS)[attempt - 1];
      if (error instanceof GatewayError || pause === undefined) throw error;
      parts.log.error({ task: task.id, attempt, error }, 'the ticket could not be stored');
      await sleep(pause);
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

/** A row that could not be ended is ended as soon as the database is back: whoever repeats the request waits for it. */
async function end(parts: TaskParts, task: TaskRecord, code: ErrorCode, reason: string): Promise<void> {
  const now = parts.now();
  await soonerOrLater(parts.log, 'the end of a task', () =>
    parts.store.tasks.advance(
      task.id,
      ['NOT_START'],
      {
        state: 'FAILURE',
        progress: 100,
        failCode: code,
        failReason: reason.slice(0, 1000),
        finishTime: now,
        ...(task.queueTurn !== undefined && { ifTurn: task.queueTurn }),
      },
      { type: 'release', detail: { reason: code } },
      now,
    ),
  );
}

/** An error in words that are fit for a log and a record; foreign errors may carry anything and are not quoted. */
export function messageOf(error: unknown): string {
  return error instanceof GatewayError ? error.message : 'an internal fault';
}
