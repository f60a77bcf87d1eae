/** Asking one vendor after another for the same request, until one answers or nobody else may be asked. */
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError, type DialectName, type ErrorCode } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '../catalogue.ts';
import type { Caller, Parts } from '../parts.ts';
import type { Slot } from '../routing.ts';
import { countAttempt, countFailure } from './attempt-metrics.ts';
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
  /** The row that it is of, where the candidates of a request are of several. */
  readonly row?: ModelRow;
  /** How the request came to it, where the model has routes. */
  readonly route?: string;
}

/** Who is asked instead of all others when a vendor refuses a request for itself. */
export type Instead<C extends Candidate> = Readonly<Record<'on_context_too_long' | 'on_content_refusal', readonly C[]>>;

/** What the attempts of one request share. */
export interface Attempts<C extends Candidate> {
  readonly caller: Pick<Caller, 'signal'>;
  readonly trace: Trace;
  /** In the order to ask them. */
  readonly candidates: readonly C[];
  readonly repeat: RepeatPolicy;
  /** Absent: what one vendor refuses for itself is refused. */
  readonly instead?: Instead<C>;
  /** Whether it was asked already, beside another one. */
  readonly isAsked?: (candidate: C) => boolean;
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
  { caller, trace, candidates: first, repeat, instead, isAsked }: Attempts<C>,
  work: Work<C, T>,
): Promise<T> {
  let refusal: Refusal | undefined;
  let candidates = first;
  /** The next attempt goes to whom a refusal named, and is no repetition. */
  let isInstead = false;
  const turns = instead === undefined ? undefined : createTurns(instead, repeat);
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
    if (isAsked?.(candidate) === true) continue;
    if (trace.attempts > 0 && !isInstead && repeat.mayRepeat?.() === false) break;
    isInstead = false;
    const left = (): readonly Offer[] => candidates.slice(index + 1).map(({ offer }) => offer);
    const acquiring = acquire(parts, candidate.offer, caller.signal, left);
    const acquired = acquiring instanceof Promise ? await acquiring : acquiring;
    if ('error' in acquired) {
      refusal = worthTelling(refusal, acquired);
      continue;
    }
    beginAttempt(parts, trace, candidate, refusal);
    try {
      return await work.ask(candidate, acquired);
    } catch (error) {
      if (work.isSettled?.() === true) throw error;
      const isGone = hasLeft(caller);
      trace.span?.ended({ error, isGone });
      settleFailed(parts, candidate.offer, acquired, { error, isGone });
      noteFailure(parts, trace, candidate, error);
      const others = isGone ? undefined : turns?.after(error, candidate);
      if (others !== undefined) {
        refusal = { rank: Rank.refused, error };
        candidates = others;
        index = -1;
        isInstead = true;
        continue;
      }
      if (isGone || !mayAskElsewhere(error, repeat)) {
        refusal = { rank: Rank.refused, error };
        break;
      }
      refusal = worthTelling(refusal, { rank: cannotBePut(error) ? Rank.cannotBePut : Rank.refused, error });
      // All that are left cool: one of them is asked for one request.
      if (acquired.trial) break;
      // The twin fails as often as it was asked to, counted by the caller's requests.
      const { twin } = candidate.offer.account;
      if (!twin && candidates.length === 1 && trace.attempts === 1 && mayAskAgain(error, repeat)) {
        await (parts.pause ?? wait)(repeat.sameOfferAfterMs ?? 0);
        index = -1;
      }
    }
  }
  const error = withRetryAfter(parts, candidates, refusal?.error ?? nobodyToAsk());
  work.failed?.(error);
  throw error;
}

/** Who is asked instead of the rest after an error, once for each cause, and nobody who was asked before. */
function createTurns<C extends Candidate>(instead: Instead<C>, { forbiddenWhen }: RepeatPolicy) {
  const left = new Map(Object.entries(CAUSES).map(([code, cause]) => [code, instead[cause]]));
  const asked = new Set<Offer>();
  return {
    after(error: unknown, { offer }: C): readonly C[] | undefined {
      asked.add(offer);
      // What was answered is billed: asking again would cost twice.
      if (!(error instanceof GatewayError) || error.details.answered !== undefined) return undefined;
      if (forbiddenWhen === 'maybe-taken' && !certainlyNotTaken(error)) return undefined;
      const others = left.get(error.code)?.filter((each) => !asked.has(each.offer)) ?? [];
      left.delete(error.code);
      return others.length === 0 ? undefined : others;
    },
  };
}

const CAUSES = {
  context_length_exceeded: 'on_context_too_long',
  content_refused: 'on_content_refusal',
} as const satisfies Partial<Record<ErrorCode, keyof Instead<Candidate>>>;

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
  return TELLS_WHEN.has(codeOf(known.error)) ? known : next;
}

const TELLS_WHEN: ReadonlySet<ErrorCode | undefined> = new Set(['upstream_rate_limited', 'rate_limited']);

function codeOf(error: unknown): ErrorCode | undefined {
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

/** Notes a question to a vendor: what is told of the request is about this one from now on. */
export function beginAttempt(
  parts: AttemptParts,
  trace: Trace,
  { offer, upstreamDialect, row, route }: Candidate,
  refusal?: Refusal,
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
    after: refusal === undefined ? undefined : codeOf(refusal.error),
  });
}

/** For who looks into the request later. */
function noteFailure({ now }: AttemptParts, trace: Trace, { offer, row }: Candidate, error: unknown): void {
  const { askedAt } = trace;
  const model = row?.code ?? trace.row?.code ?? '';
  (trace.failures ??= []).push({ offer, model, askedAt, endedAt: now?.() ?? 0, error });
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
