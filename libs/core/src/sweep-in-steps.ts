import { setImmediate as nextTurn } from 'node:timers/promises';

export interface SweepSteps {
  /** Removes at most so many rows, and tells how many they were. */
  readonly remove: (limit: number) => Promise<number>;
  readonly limit: number;
  /** Then the rest is left to the next sweep; no bound when absent. */
  readonly mostSteps?: number;
}

/** Removes what is out of date until nothing of it is left, a step at a time: requests go on in between. */
export async function sweepInSteps({ remove, limit, mostSteps = Infinity }: SweepSteps): Promise<void> {
  for (let step = 0; step < mostSteps; step++) {
    if ((await remove(limit)) < limit) return;
    await nextTurn();
  }
}
