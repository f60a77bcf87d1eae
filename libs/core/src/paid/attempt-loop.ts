/** Sends a request to one vendor after another, until one answers or no other may be tried. */
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError, type DialectName, type ErrorCode } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '../catalogue.ts';
import type { Caller, Parts } from '../parts.ts';
import type { Slot } from '../routing.ts';
import type { RouteCandidate } from '../routing/plan-route.ts';
import { askable, HandedOver } from './delivery.ts';
import { countAttempt, countFailure } from './paid-metrics.ts';
import { cannotBePut, certainlyNotTaken, mayAskAgain, mayAskElsewhere, type RepeatPolicy } from './repeat.ts';
import type { Trace } from './trace.ts';

export type AttemptParts = Pick<Parts, 'router' | 'meter' | 'tracing'> & {
  /** Tests: time of their own. */
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly now?: Parts['now'];
};

/** An offer and what is sent to it. */
export interface Candidate {
  readonly offer: Offer;
  /** The chat dialect it is asked in. */
  readonly upstreamDialect?: { readonly name: DialectName };
  /** The model entry of this candidate, if the candidates belong to several. */
  readonly row?: ModelRow;
  /** How the request came to it, if the model has routes. */
  readonly route?: string;
  readonly by?: RouteCandidate['by'];
}

/** The candidates to use instead of all others when a vendor refuses the request itself. */
export type FallbacksByCause<C extends Candidate> = Readonly<
  Record<'on_context_too_long' | 'on_content_refusal', readonly C[]>
>;

const CAUSES = {
  context_length_exceeded: 'on_context_too_long',
  content_refused: 'on_content_refusal',
} as const satisfies Partial<Record<ErrorCode, keyof FallbacksByCause<Candidate>>>;

/** What the attempts of one request share. */
export interface Attempts<C extends Candidate> {
  readonly caller: Pick<Caller, 'key' | 'mode' | 'signal' | 'delivery'>;
  readonly trace: Trace;
  /** In the order to ask them. */
  readonly candidates: readonly C[];
  readonly repeat: RepeatPolicy;
  /** Absent: a refusal by one vendor for its own reasons is final. */
  readonly instead?: FallbacksByCause<C>;
  /** Whether it was already asked as a hedge. */
  readonly isAsked?: (candidate: C) => boolean;
}

/** What a request does with an offer that it may ask. */
export interface Work<C extends Candidate, T> {
  /** Prepares a candidate before it takes a slot: slow work that does not involve the account. A refusal here counts as the offer's. */
  prepare?(candidate: C): C | Promise<C>;
  /** Asks once. When it resolves, the slot is its own to settle; when it throws, the loop settles the slot. */
  ask(candidate: C, slot: Slot): Promise<T>;
  /** Whether the request was already charged. An error after that is not a refusal, and no other vendor is tried. */
  isSettled?(): boolean;
  /** The request ends without an answer; `error` is what the caller will be told. */
  failed?(error: unknown): void;
}

/** For a request that already has its answer: no vendor is asked. */
const NO_SLOT: Slot = {
  trial: false,
  succeed: () => undefined,
  fail: () => undefined,
  release: () => undefined,
};

/** How much a refusal tells the caller: a vendor's own says more than the router's; an offer that cannot express the request says least. */
const Informative = { cannotBePut: 0, notAsked: 1, refused: 2 } as const;

interface Refusal {
  readonly rank: (typeof Informative)[keyof typeof Informative];
  readonly error: unknown;
}

/** The attempts of one request. */
export class AttemptLoop<C extends Candidate, T> {
  private readonly parts: AttemptParts;
  private readonly attempts: Attempts<C>;
  private readonly work: Work<C, T>;
  private candidates: readonly C[];
  private index = 0;
  private refusal: Refusal | undefined;
  /** The next attempt goes to a fallback, and is no repetition. */
  private isFallback = false;
  private readonly fallbacks: Map<string, readonly C[]> | undefined;
  private readonly asked: Set<Offer> | undefined;

  constructor(parts: AttemptParts, attempts: Attempts<C>, work: Work<C, T>) {
    this.parts = parts;
    this.attempts = attempts;
    this.work = work;
    this.candidates = askable(attempts.caller.delivery, attempts.candidates);
    const { instead } = attempts;
    if (instead === undefined) return;
    this.fallbacks = new Map(Object.entries(CAUSES).map(([code, cause]) => [code, instead[cause]]));
    this.asked = new Set();
  }

  /** Asks until somebody answers. Throws the most informative refusal, with the time to come back where waiting helps. */
  async run(): Promise<T> {
    const { caller, trace, repeat } = this.attempts;
    for (; this.index < this.candidates.length && trace.attempts < repeat.mostAttempts; this.index++) {
      if (caller.signal.aborted) {
        this.note({ rank: Informative.notAsked, error: cancelled() });
        break;
      }
      this.passByFull();
      let candidate: C | 'next' | 'stop' = this.candidates[this.index] as C;
      if (this.work.prepare !== undefined) {
        const preparing = this.prepare(candidate);
        candidate = preparing instanceof Promise ? await preparing : preparing;
        if (candidate === 'next') continue;
        if (candidate === 'stop') break;
      }
      if (this.attempts.isAsked?.(candidate) === true) continue;
      if (trace.attempts > 0 && !this.isFallback && repeat.mayRepeat?.() === false) break;
      this.isFallback = false;
      const acquiring = this.acquire(candidate);
      const slot = acquiring instanceof Promise ? await acquiring : acquiring;
      if (slot === undefined) continue;
      beginAttempt(this.parts, trace, candidate, this.refusal?.error);
      try {
        return await this.work.ask(candidate, slot);
      } catch (error) {
        if (error instanceof HandedOver) slot.release();
        if (error instanceof HandedOver || this.work.isSettled?.() === true) throw error;
        if ((await this.afterFailure(candidate, slot, error)) === 'stop') break;
      }
    }
    const error = withRetryAfter(this.parts, this.candidates, this.refusal?.error ?? nobodyToAsk());
    this.work.failed?.(error);
    throw error;
  }

  private prepare(candidate: C): C | 'next' | 'stop' | Promise<C | 'next' | 'stop'> {
    try {
      const preparing = this.work.prepare?.(candidate) ?? candidate;
      return preparing instanceof Promise ? preparing.catch((error: unknown) => this.unprepared(error)) : preparing;
    } catch (error) {
      return this.unprepared(error);
    }
  }

  private unprepared(error: unknown): 'next' | 'stop' {
    if (this.attempts.caller.signal.aborted || !mayAskElsewhere(error, this.attempts.repeat)) {
      this.refusal = { rank: Informative.refused, error };
      return 'stop';
    }
    this.noteRefused(error);
    return 'next';
  }

  /** Moves the first candidate with room before one whose account is full. Fallbacks to other models are not moved, because they give another answer. */
  private passByFull(): void {
    const { candidates, index } = this;
    const next = candidates[index];
    if (next === undefined || index + 1 >= candidates.length || !this.parts.router.isFull(next.offer)) return;
    const at = candidates.findIndex(
      (each, place) =>
        place > index &&
        each.by === next.by &&
        this.attempts.isAsked?.(each) !== true &&
        this.parts.router.hasRoom(each.offer),
    );
    const roomy = candidates[at];
    if (roomy === undefined) return;
    this.candidates = [
      ...candidates.slice(0, index),
      roomy,
      ...candidates.slice(index).filter((each) => each !== roomy),
    ];
  }

  /** A slot of the candidate's account, synchronous while it has a free one; undefined where the router refuses. */
  private acquire({ offer }: C): Slot | undefined | Promise<Slot | undefined> {
    if (this.attempts.caller.delivery?.answeredBy !== undefined) return NO_SLOT;
    const left = (): readonly Offer[] => this.candidates.slice(this.index + 1).map((each) => each.offer);
    try {
      const acquiring = this.parts.router.acquire(offer, this.attempts.caller, left);
      return acquiring instanceof Promise ? acquiring.catch((error: unknown) => this.noteNotAsked(error)) : acquiring;
    } catch (error) {
      return this.noteNotAsked(error);
    }
  }

  /** Settles a failed attempt and decides who is next: a fallback by cause, the next candidate, the same one again, or nobody. */
  private async afterFailure(candidate: C, slot: Slot, error: unknown): Promise<'next' | 'stop'> {
    const { parts } = this;
    const { caller, trace, repeat } = this.attempts;
    const isGone = caller.signal.aborted;
    trace.span?.ended({ error, isGone });
    settleFailed(parts, candidate.offer, slot, { error, isGone });
    recordFailure(parts, trace, candidate, error);
    const fallbacks = isGone ? undefined : this.fallbacksAfter(error, candidate);
    if (fallbacks !== undefined) {
      this.refusal = { rank: Informative.refused, error };
      this.isFallback = true;
      this.restart(fallbacks);
      return 'next';
    }
    if (isGone || !mayAskElsewhere(error, repeat)) {
      this.refusal = { rank: Informative.refused, error };
      return 'stop';
    }
    this.noteRefused(error);
    // All remaining candidates are cooling down, so one of them is asked for this request.
    if (slot.trial) return 'stop';
    // The twin's faults count the caller's requests, so it is not asked a second time for one of them.
    const { twin } = candidate.offer.account;
    if (!twin && this.candidates.length === 1 && trace.attempts === 1 && mayAskAgain(error, repeat)) {
      await (parts.pause ?? wait)(repeat.sameOfferAfterMs ?? 0);
      this.restart(this.candidates);
    }
    return 'next';
  }

  /** Fallbacks for the cause of an error, once for each cause, without those that were asked before. */
  private fallbacksAfter(error: unknown, { offer }: C): readonly C[] | undefined {
    const { fallbacks, asked } = this;
    if (fallbacks === undefined || asked === undefined) return undefined;
    asked.add(offer);
    // An answered request is billed: asking again would cost twice.
    if (!(error instanceof GatewayError) || error.details.answered !== undefined) return undefined;
    if (this.attempts.repeat.forbiddenWhen === 'maybe-taken' && !certainlyNotTaken(error)) return undefined;
    const others = fallbacks.get(error.code)?.filter((each) => !asked.has(each.offer)) ?? [];
    fallbacks.delete(error.code);
    return others.length === 0 ? undefined : others;
  }

  private restart(candidates: readonly C[]): void {
    this.candidates = askable(this.attempts.caller.delivery, candidates);
    this.index = -1;
  }

  private noteRefused(error: unknown): void {
    this.note({ rank: cannotBePut(error) ? Informative.cannotBePut : Informative.refused, error });
  }

  private noteNotAsked(error: unknown): undefined {
    this.note({ rank: Informative.notAsked, error });
  }

  private note(refusal: Refusal): void {
    this.refusal = moreInformative(this.refusal, refusal);
  }
}

/** Prefers the last refusal of a vendor; among the router's, one with a retry time. */
function moreInformative(known: Refusal | undefined, next: Refusal): Refusal {
  if (known === undefined || next.rank > known.rank) return next;
  if (next.rank < known.rank || next.rank === Informative.cannotBePut) return known;
  if (next.rank === Informative.refused) return next;
  return TELLS_WHEN.has(codeOf(known.error)) ? known : next;
}

const TELLS_WHEN: ReadonlySet<ErrorCode | undefined> = new Set(['upstream_rate_limited', 'rate_limited']);

function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof GatewayError ? error.code : undefined;
}

/** Records a question to a vendor: the trace is about this attempt from now on. `earlier` is why an attempt before it failed. */
export function beginAttempt(
  parts: AttemptParts,
  trace: Trace,
  { offer, upstreamDialect, row, route }: Candidate,
  earlier?: unknown,
): void {
  trace.attempts++;
  trace.askedAt = parts.now?.() ?? 0;
  if (row !== undefined) trace.row = row;
  trace.route = route;
  trace.offer = offer;
  trace.accountId = offer.account.id;
  trace.vendor = offer.account.vendor;
  trace.upstreamDialect = upstreamDialect?.name;
  countAttempt(parts, { row: trace.row, offer }, upstreamDialect?.name ?? '');
  if (parts.tracing === undefined) return;
  trace.span = parts.tracing.attempt({
    offer,
    model: trace.row?.code,
    kind: trace.row?.kind,
    dialect: upstreamDialect?.name,
    number: trace.attempts,
    after: codeOf(earlier),
  });
}

/** Keeps a failed attempt in the trace, for the log of requests. */
function recordFailure({ now }: AttemptParts, trace: Trace, { offer, row }: Candidate, error: unknown): void {
  const { askedAt } = trace;
  const model = row?.code ?? trace.row?.code ?? '';
  (trace.failures ??= []).push({ offer, model, askedAt, endedAt: now?.() ?? 0, error });
}

interface Failure {
  readonly error: unknown;
  /** The caller disconnected. */
  readonly isGone: boolean;
}

/** Releases the slot of a failed attempt. An error that the caller caused, or one in an answer, does not affect the account's health. */
export function settleFailed(parts: AttemptParts, offer: Offer, slot: Slot, { error, isGone }: Failure): void {
  if (isGone) {
    slot.release();
    return;
  }
  if (error instanceof GatewayError && error.retryElsewhere) slot.fail(error);
  else slot.release();
  countFailure(parts, offer, error);
}

/** A slot of an offer's account, where one is free at once and the account is well. */
export function freeSlot({ router }: Pick<AttemptParts, 'router'>, offer: Offer): Slot | undefined {
  if (!router.hasRoom(offer)) return undefined;
  try {
    const slot = router.acquire(offer);
    return slot instanceof Promise ? undefined : slot;
  } catch {
    return undefined;
  }
}

/** Adds when to come back to an error that asks to come back later: where several were asked, when the first of them is due again. */
function withRetryAfter({ router }: AttemptParts, candidates: readonly Candidate[], error: unknown): unknown {
  if (!(error instanceof GatewayError) || !error.retryElsewhere) return error;
  const said = error.details.retryAfterSeconds;
  if (said !== undefined && (candidates.length < 2 || error.code !== 'upstream_rate_limited')) return error;
  const retryAfterSeconds = router.retryAfterSeconds(candidates.map(({ offer }) => offer));
  return retryAfterSeconds === undefined || (said !== undefined && said <= retryAfterSeconds)
    ? error
    : new GatewayError(error.code, error.message, { ...error.details, retryAfterSeconds });
}

function cancelled(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' });
}

function nobodyToAsk(): GatewayError {
  return new GatewayError('unavailable', 'no vendor account can take the request at the moment', { taken: 'no' });
}
