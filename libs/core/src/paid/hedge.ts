/**
 * Asking a second vendor when the first takes unusually long, and taking the answer that begins first (docs/decisions/0025-budgets-affinity-hedging.md).
 * The other one is given up, and what it has cost is told.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Usage } from '@model-gateway/contracts';
import type { Slot } from '../routing.ts';
import type { Candidate } from './attempts.ts';

/** Of a request whose model hedges. */
export interface Hedging<C extends Candidate, T> {
  /** After how long, milliseconds. */
  readonly afterMs: number;
  /** Whom to ask beside a candidate, the first that has room; not those that were asked before. */
  readonly others: (candidate: C) => readonly C[];
  /** Whether this one may be asked beside; it is counted. */
  readonly mayAsk: (candidate: C) => boolean;
  /** What an attempt that is given up is billed for; undefined for nothing. */
  readonly lost: (candidate: C, most: Usage) => Usage | undefined;
  /** This one answers. */
  readonly won: (candidate: C) => void;
  /** An answer that came after the first is not wanted. */
  readonly discard: (answer: T) => void;
}

/** One attempt beside others. */
export interface Runner<C extends Candidate, T> {
  readonly candidate: C;
  readonly answer: Promise<T>;
  /** It is this one whose end settles the payment. */
  win(): void;
  /** Nobody waits for it any more; what it costs is billed beside the answer. */
  giveUp(): void;
  /** It failed, and the other one goes on or is the one that is told. */
  failed(error: unknown): void;
  /** Nobody answers: what it has settled by itself holds. */
  ended(): void;
}

interface Race<C extends Candidate, T> {
  readonly hedging: Hedging<C, T>;
  /** Starts an attempt with a slot. */
  readonly start: (candidate: C, slot: Slot) => Runner<C, T>;
  /** A slot of a candidate's account, at once; undefined where there is none. */
  readonly slotOf: (candidate: C) => Slot | undefined;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Resolves with the first answer. Rejects with the first candidate's error when nobody answers; the others' have been settled by then. */
export async function firstAnswer<C extends Candidate, T>(
  { hedging, start, slotOf, pause }: Race<C, T>,
  candidate: C,
  slot: Slot,
): Promise<T> {
  const first = start(candidate, slot);
  const settled = first.answer.then(
    () => true,
    () => true,
  );
  const over = new AbortController();
  const late = (
    pause === undefined ? wait(hedging.afterMs, undefined, { signal: over.signal }) : pause(hedging.afterMs)
  ).then(
    () => false,
    () => false,
  );
  const isSettled = await Promise.race([settled, late]);
  over.abort();
  const second = isSettled ? undefined : besideOf(hedging, candidate, { start, slotOf });
  if (second === undefined) {
    try {
      const answer = await first.answer;
      take(hedging, first);
      return answer;
    } catch (error) {
      first.ended();
      throw error;
    }
  }
  return race(hedging, first, second);
}

function besideOf<C extends Candidate, T>(
  hedging: Hedging<C, T>,
  candidate: C,
  { start, slotOf }: Pick<Race<C, T>, 'start' | 'slotOf'>,
): Runner<C, T> | undefined {
  for (const other of hedging.others(candidate)) {
    const slot = slotOf(other);
    if (slot === undefined) continue;
    if (hedging.mayAsk(other)) return start(other, slot);
    slot.release();
    return undefined;
  }
  return undefined;
}

function take<C extends Candidate, T>(hedging: Hedging<C, T>, runner: Runner<C, T>): void {
  hedging.won(runner.candidate);
  runner.win();
}

/** Of two attempts under way. */
function race<C extends Candidate, T>(hedging: Hedging<C, T>, first: Runner<C, T>, second: Runner<C, T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let winner: Runner<C, T> | undefined;
    const failures = new Map<Runner<C, T>, Error>();
    const watch = (runner: Runner<C, T>, other: Runner<C, T>): void => {
      runner.answer.then(
        (answer) => {
          if (winner !== undefined) {
            hedging.discard(answer);
            return;
          }
          winner = runner;
          if (failures.has(other)) other.failed(failures.get(other));
          else other.giveUp();
          take(hedging, runner);
          resolve(answer);
        },
        (thrown: unknown) => {
          const error = thrown instanceof Error ? thrown : new Error('an attempt failed', { cause: thrown });
          if (winner !== undefined) return;
          failures.set(runner, error);
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
