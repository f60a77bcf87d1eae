/** How long a process that died waits for its successor. */

const FIRST_MS = 100;
const LONGEST_MS = 30_000;
/** Who lived for so long died for a reason of its own. */
const STEADY_MS = 10_000;

export interface BackOff {
  /** The pause before the next start of a process that lived so long, milliseconds. */
  after(livedMs: number): number;
}

/** Makes the pauses of one place: none was needed yet. */
export function createBackOff(): BackOff {
  let next = FIRST_MS;
  return {
    after(livedMs) {
      if (livedMs >= STEADY_MS) next = FIRST_MS;
      const pause = next;
      next = Math.min(LONGEST_MS, next * 2);
      return pause;
    },
  };
}
