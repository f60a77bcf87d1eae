/**
 * Asking a second vendor when the first takes unusually long, and taking the answer that begins first (docs/decisions/0025-budgets-affinity-hedging.md).
 * The other attempt is given up, and its cost is billed with the answer.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { Slot } from '../routing.ts';
import {
  beginAttempt,
  freeSlot,
  settleFailed,
  type AttemptParts,
  type Attempts,
  type Candidate,
} from './attempt-loop.ts';
import type { ExtraUsage, Outcome, Payment, PriceTerms } from './payment.ts';
import type { Trace } from './trace.ts';

/** Of a request whose model hedges. */
export interface Hedging<C extends Candidate, T> {
  /** After how long, milliseconds. */
  readonly afterMs: number;
  /** Whom to ask in parallel with a candidate, the first that has room; not those that were asked before. */
  readonly others: (candidate: C) => readonly C[];
  /** Whether this one may be asked in parallel; it is counted. */
  readonly mayAsk: (candidate: C) => boolean;
  /** What an attempt that is given up is billed for; undefined for nothing. */
  readonly lost: (candidate: C, most: Usage) => Usage | undefined;
  /** This one answers. */
  readonly won: (candidate: C) => void;
  /** An answer that came after the first is not wanted. */
  readonly discard: (answer: T) => void;
}

/** What hedging needs of the run of a paid request. */
export interface HedgedRun<C extends Candidate, T> {
  readonly parts: AttemptParts;
  readonly request: Attempts<C> & { attempt(candidate: C, payment: Payment): Promise<T> };
  termsOf(candidate: C): PriceTerms;
  paymentOf(candidate: C, slot: Slot): Payment;
  answeredAt(terms: PriceTerms): void;
  addExtra(extra: readonly ExtraUsage[]): void;
}

/** Asks a candidate, and a second one in parallel when it takes long. Rejects with the first candidate's error when nobody answers. */
export async function askWithHedge<C extends Candidate, T>(
  run: HedgedRun<C, T>,
  hedging: Hedging<C, T>,
  candidate: C,
  slot: Slot,
): Promise<T> {
  const { trace } = run.request;
  const first = new ParallelAttempt(run, hedging, { candidate, slot, traced: tracedAttempt(trace) });
  if (!(await takesLong(run, hedging, first.answer))) return alone(first);
  const second = startSecond(run, hedging, first);
  return second === undefined ? alone(first) : race(hedging, first, second);
}

/** Whether an answer has not settled after the usual time. */
async function takesLong<T>(
  { parts: { pause } }: { readonly parts: { readonly pause?: (ms: number) => Promise<unknown> } },
  { afterMs }: { readonly afterMs: number },
  answer: Promise<T>,
): Promise<boolean> {
  const settled = answer.then(
    () => false,
    () => false,
  );
  const over = new AbortController();
  const late = (pause === undefined ? wait(afterMs, undefined, { signal: over.signal }) : pause(afterMs)).then(
    () => true,
    () => true,
  );
  const isLate = await Promise.race([settled, late]);
  over.abort();
  return isLate;
}

async function alone<C extends Candidate, T>(first: ParallelAttempt<C, T>): Promise<T> {
  try {
    const answer = await first.answer;
    first.win();
    return answer;
  } catch (error) {
    first.ended();
    throw error;
  }
}

function startSecond<C extends Candidate, T>(
  run: HedgedRun<C, T>,
  hedging: Hedging<C, T>,
  first: ParallelAttempt<C, T>,
): ParallelAttempt<C, T> | undefined {
  const { parts, request } = run;
  for (const candidate of hedging.others(first.candidate)) {
    const slot = freeSlot(parts, candidate.offer);
    if (slot === undefined) continue;
    if (!hedging.mayAsk(candidate)) {
      slot.release();
      return undefined;
    }
    first.traced.dropped = request.trace.dropped;
    beginAttempt(parts, request.trace, candidate);
    return new ParallelAttempt(run, hedging, { candidate, slot, traced: tracedAttempt(request.trace) });
  }
  return undefined;
}

/** The part of a trace that is about the attempt under way. */
type TracedAttempt = Pick<Trace, 'row' | 'route' | 'offer' | 'accountId' | 'vendor' | 'upstreamDialect' | 'span'> &
  Partial<Pick<Trace, 'dropped'>>;

function tracedAttempt({ row, route, offer, accountId, vendor, upstreamDialect, span }: Trace): TracedAttempt {
  return { row, route, offer, accountId, vendor, upstreamDialect, span };
}

interface Started<C extends Candidate> {
  readonly candidate: C;
  readonly slot: Slot;
  readonly traced: TracedAttempt;
}

/** One of two attempts under way; only the one that wins settles the payment. */
class ParallelAttempt<C extends Candidate, T> {
  readonly candidate: C;
  readonly answer: Promise<T>;
  readonly traced: TracedAttempt;
  private readonly run: HedgedRun<C, T>;
  private readonly hedging: Hedging<C, T>;
  private readonly slot: Slot;
  private readonly terms: PriceTerms;
  private readonly payment: Payment;
  private readonly over = new AbortController();
  private state: 'open' | 'won' | 'out' = 'open';
  /** How the answer ended before it was known whether it is the first. */
  private early: Outcome | undefined;

  constructor(run: HedgedRun<C, T>, hedging: Hedging<C, T>, { candidate, slot, traced }: Started<C>) {
    this.run = run;
    this.hedging = hedging;
    this.candidate = candidate;
    this.slot = slot;
    this.traced = traced;
    this.terms = run.termsOf(candidate);
    const payment = run.paymentOf(candidate, slot);
    this.payment = payment;
    this.answer = run.request.attempt(candidate, {
      most: payment.most,
      checkpoint: (soFar) => payment.checkpoint(soFar),
      over: this.over.signal,
      // A whole answer is settled before its promise is.
      settle: (outcome) => {
        if (this.state === 'won') payment.settle(outcome);
        else if (this.state === 'open') this.early ??= outcome;
      },
    });
  }

  /** It is this one whose end settles the payment. */
  win(): void {
    this.hedging.won(this.candidate);
    this.state = 'won';
    this.run.answeredAt(this.terms);
    Object.assign(this.run.request.trace, this.traced);
    if (this.early !== undefined) this.payment.settle(this.early);
  }

  /** Nobody waits for it any more; its cost is billed with the answer. */
  giveUp(): void {
    this.leave(this.early?.usage ?? this.hedging.lost(this.candidate, this.terms.quote.most));
    this.over.abort();
    this.slot.release();
    this.traced.span?.ended({ isGone: true });
  }

  /** It failed, and the other one goes on or is the one whose error the caller is told. */
  failed(error: unknown): void {
    const { parts, request } = this.run;
    this.leave(this.early?.usage ?? (error instanceof GatewayError ? error.details.answered?.usage : undefined));
    this.traced.span?.ended({ error, isGone: false });
    settleFailed(parts, this.candidate.offer, this.slot, { error, isGone: request.caller.signal.aborted });
  }

  /** Nobody answers: what it has settled by itself holds. */
  ended(): void {
    this.run.answeredAt(this.terms);
    if (this.early !== undefined) this.payment.settle(this.early);
  }

  private leave(usage: Usage | undefined): void {
    this.state = 'out';
    if (usage === undefined) return;
    this.run.addExtra([{ why: 'hedge', offer: this.candidate.offer, terms: this.terms, usage }]);
  }
}

/** Of two attempts under way. */
function race<C extends Candidate, T>(
  hedging: Hedging<C, T>,
  first: ParallelAttempt<C, T>,
  second: ParallelAttempt<C, T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let winner: ParallelAttempt<C, T> | undefined;
    const failures = new Map<ParallelAttempt<C, T>, Error>();
    const watch = (attempt: ParallelAttempt<C, T>, other: ParallelAttempt<C, T>): void => {
      attempt.answer.then(
        (answer) => {
          if (winner !== undefined) {
            hedging.discard(answer);
            return;
          }
          winner = attempt;
          if (failures.has(other)) other.failed(failures.get(other));
          else other.giveUp();
          attempt.win();
          resolve(answer);
        },
        (thrown: unknown) => {
          const error = thrown instanceof Error ? thrown : new Error('an attempt failed', { cause: thrown });
          if (winner !== undefined) return;
          failures.set(attempt, error);
          if (failures.size < 2) return;
          second.failed(failures.get(second));
          // Whoever asked settles the first.
          first.ended();
          reject(failures.get(first) ?? error);
        },
      );
    };
    watch(first, second);
    watch(second, first);
  });
}
