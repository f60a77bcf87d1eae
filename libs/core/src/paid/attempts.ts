/** Asking one vendor after another for the same request, until one answers or nobody else may be asked. */
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError, type DialectName } from '@model-gateway/contracts';
import type { Offer } from '../catalogue.ts';
import type { Caller, Parts } from '../parts.ts';
import type { Slot } from '../routing.ts';
import { countAttempt, countFailure } from './attempt-metrics.ts';
import { cannotBePut, mayAskAgain, mayAskElsewhere, type RepeatPolicy } from './repeat.ts';
import type { Trace } from './trace.ts';

export type AttemptParts = Pick<Parts, 'router' | 'meter'> & {
  /** Tests: time of their own. */
  readonly pause?: (ms: number) => Promise<unknown>;
};

/** An offer and what is sent to it. */
export interface Candidate {
  readonly offer: Offer;
  /** The chat dialect it is asked in. */
  readonly upstreamDialect?: { readonly name: DialectName };
}

/** What the attempts of one request share. */
export interface Attempts<C extends Candidate> {
  readonly caller: Pick<Caller, 'signal'>;
  readonly trace: Trace;
  /** In the order to ask them. */
  readonly candidates: readonly C[];
  readonly repeat: RepeatPolicy;
}

/** What a request does with an offer that it may ask. */
export interface Work<C extends Candidate, T> {
  /** Makes a candidate ready before it takes a slot: what may take long and is nothing of the account's. A refusal counts as the offer's own. */
  prepare?(candidate: C): C | Promise<C>;
  /** Asks once. When it resolves the slot is its own to settle; when it throws, the slot is settled here. */
  ask(candidate: C, slot: Slot): Promise<T>;
  /** Whether what was asked has been settled already: an error after that is nobody's refusal, and nothing is asked again. */
  isSettled?(): boolean;
  /** The request is at its end without an answer; `error` is what the caller will be told. */
  failed?(error: unknown): void;
}

/** Runs `work` against one candidate after another. Throws the refusal that says most, with the time to come back where waiting helps. */
export async function attemptOffers<C extends Candidate, T>(
  parts: AttemptParts,
  { caller, trace, candidates, repeat }: Attempts<C>,
  work: Work<C, T>,
): Promise<T> {
  let refusal: Refusal | undefined;
  for (let index = 0; index < candidates.length && trace.attempts < repeat.mostAttempts; index++) {
    let candidate = candidates[index] as C;
    if (hasLeft(caller)) {
      refusal = worthTelling(refusal, { rank: Rank.notAsked, error: cancelled() });
      break;
    }
    if (work.prepare !== undefined) {
      try {
        const preparing = work.prepare(candidate);
        candidate = preparing instanceof Promise ? await preparing : preparing;
      } catch (error) {
        if (hasLeft(caller) || !mayAskElsewhere(error, repeat)) {
          refusal = { rank: Rank.refused, error };
          break;
        }
        refusal = worthTelling(refusal, { rank: cannotBePut(error) ? Rank.cannotBePut : Rank.refused, error });
        continue;
      }
    }
    const left = (): readonly Offer[] => candidates.slice(index + 1).map(({ offer }) => offer);
    const acquiring = acquire(parts, candidate.offer, caller.signal, left);
    const acquired = acquiring instanceof Promise ? await acquiring : acquiring;
    if ('error' in acquired) {
      refusal = worthTelling(refusal, acquired);
      continue;
    }
    begin(parts, trace, candidate);
    try {
      return await work.ask(candidate, acquired);
    } catch (error) {
      if (work.isSettled?.() === true) throw error;
      const isGone = hasLeft(caller);
      settleFailed(parts, candidate.offer, acquired, { error, isGone });
      if (isGone || !mayAskElsewhere(error, repeat)) {
        refusal = { rank: Rank.refused, error };
        break;
      }
      refusal = worthTelling(refusal, { rank: cannotBePut(error) ? Rank.cannotBePut : Rank.refused, error });
      // All that are left cool: one of them is asked for one request.
      if (acquired.trial) break;
      if (candidates.length === 1 && trace.attempts === 1 && mayAskAgain(error, repeat)) {
        await (parts.pause ?? wait)(repeat.sameOfferAfterMs ?? 0);
        index = -1;
      }
    }
  }
  const error = withRetryAfter(parts, candidates, refusal?.error ?? nobodyToAsk());
  work.failed?.(error);
  throw error;
}

/** How much a refusal tells the caller: a vendor's own says more than the router's, and an offer that lacks the words says least. */
const Rank = { cannotBePut: 0, notAsked: 1, refused: 2 } as const;

interface Refusal {
  readonly rank: (typeof Rank)[keyof typeof Rank];
  readonly error: unknown;
}

/** Of vendors' refusals the last; of the router's one that says when to come back. */
function worthTelling(known: Refusal | undefined, next: Refusal): Refusal {
  if (known === undefined || next.rank > known.rank) return next;
  if (next.rank < known.rank || next.rank === Rank.cannotBePut) return known;
  if (next.rank === Rank.refused) return next;
  return codeOf(known.error) === 'upstream_rate_limited' ? known : next;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof GatewayError ? error.code : undefined;
}

/** Asked anew each time: it changes while vendors are waited for. */
function hasLeft({ signal }: Pick<Caller, 'signal'>): boolean {
  return signal.aborted;
}

/** Synchronous while the account has a free slot. */
function acquire(
  { router }: AttemptParts,
  offer: Offer,
  signal: AbortSignal,
  left: () => readonly Offer[],
): Slot | Refusal | Promise<Slot | Refusal> {
  try {
    const acquiring = router.acquire(offer, signal, left);
    return acquiring instanceof Promise ? acquiring.catch(notAsked) : acquiring;
  } catch (error) {
    return notAsked(error);
  }
}

function notAsked(error: unknown): Refusal {
  return { rank: Rank.notAsked, error };
}

function begin(parts: AttemptParts, trace: Trace, { offer, upstreamDialect }: Candidate): void {
  trace.attempts++;
  trace.accountId = offer.account.id;
  trace.vendor = offer.account.vendor;
  trace.upstreamDialect = upstreamDialect?.name;
  countAttempt(parts, offer, upstreamDialect?.name ?? '');
}

interface Failure {
  readonly error: unknown;
  /** The caller hung up. */
  readonly isGone: boolean;
}

/** Gives the slot of a failed attempt back. What the caller ended, asked wrongly or was answered says nothing about the account. */
export function settleFailed(parts: AttemptParts, offer: Offer, slot: Slot, { error, isGone }: Failure): void {
  if (isGone) {
    slot.release();
    return;
  }
  if (error instanceof GatewayError && error.retryElsewhere) slot.fail(error);
  else slot.release();
  countFailure(parts, offer, error);
}

/** Who is told to come back later is also told when. */
function withRetryAfter({ router }: AttemptParts, candidates: readonly Candidate[], error: unknown): unknown {
  if (!(error instanceof GatewayError) || !error.retryElsewhere) return error;
  if (error.details.retryAfterSeconds !== undefined) return error;
  const retryAfterSeconds = router.retryAfterSeconds(candidates.map(({ offer }) => offer));
  return retryAfterSeconds === undefined
    ? error
    : new GatewayError(error.code, error.message, { ...error.details, retryAfterSeconds });
}

function cancelled(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' });
}

function nobodyToAsk(): GatewayError {
  return new GatewayError('unavailable', 'no vendor account can take the request at the moment', { taken: 'no' });
}
