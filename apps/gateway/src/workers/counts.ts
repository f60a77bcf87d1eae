/** Limits of keys counted for all workers of a machine: in the primary's memory, asked in batches, one message a turn of the event loop. */
import { createMemoryCounts, type Demand, type SharedCounts, type Verdict } from '@model-gateway/core';
import type { CountStep } from './messages.ts';

/** What the primary has of one worker, so that a worker that dies holds no place. */
export interface HostedCounts {
  /** The verdicts of a worker's demands, in their order. */
  take(worker: number, steps: readonly CountStep[]): readonly Verdict[];
  /** The worker is gone: what it ran runs no more. */
  forget(worker: number): void;
}

/** Makes the counts of the primary. */
export function hostCounts(now: () => number): HostedCounts {
  const counts = createMemoryCounts(now);
  /** By worker, then by key: the requests that run there. */
  const running = new Map<number, Map<number, number>>();

  const run = (worker: number, keyId: number, change: number): void => {
    let keys = running.get(worker);
    if (keys === undefined) running.set(worker, (keys = new Map<number, number>()));
    const count = (keys.get(keyId) ?? 0) + change;
    if (count === 0) keys.delete(keyId);
    else keys.set(keyId, count);
  };

  return {
    take(worker, steps) {
      const verdicts: Verdict[] = [];
      for (const step of steps) {
        if ('demand' in step) {
          const verdict = counts.acquire(step.demand);
          if (verdict.refused === undefined) run(worker, step.demand.keyId, 1);
          verdicts.push(verdict);
        } else {
          if (step.end.hasLeft !== true) run(worker, step.end.keyId, -1);
          counts.release(step.end, step.verdict, step.usedTokens);
        }
      }
      return verdicts;
    },
    forget(worker) {
      for (const [keyId, count] of running.get(worker) ?? []) {
        // What it had of the minute's tokens stays: nobody knows what was used of them.
        const end: Demand = { keyId, limits: {}, tokens: 0 };
        for (let place = 0; place < count; place++) counts.release(end, { bucket: 0 }, 0);
      }
      running.delete(worker);
    },
  };
}

export interface AskedCounts extends SharedCounts {
  /** The primary's answer to the demands that were sent first. */
  answered(verdicts: readonly Verdict[]): void;
}

/** Makes the counts of a worker; `send` brings steps to the primary. */
export function askCounts(send: (steps: readonly CountStep[]) => void): AskedCounts {
  let steps: CountStep[] = [];
  /** In the order of their demands. */
  let waiting: ((verdict: Verdict) => void)[] = [];
  const later = (step: CountStep): void => {
    if (steps.length === 0) setImmediate(flush);
    steps.push(step);
  };
  const flush = (): void => {
    const sent = steps;
    steps = [];
    send(sent);
  };
  return {
    acquire: (demand) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        later({ demand });
      }),
    release: (end, { bucket }, usedTokens) => later({ end, verdict: { bucket }, usedTokens }),
    answered(verdicts) {
      const answered = waiting.slice(0, verdicts.length);
      waiting = waiting.slice(verdicts.length);
      for (const [index, resolve] of answered.entries()) resolve(verdicts[index] as Verdict);
    },
    close: async () => undefined,
  };
}
