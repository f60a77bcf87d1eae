/** How long answers of a model usually take to begin: for asking a second vendor when one takes longer. */

/** The last answers count. */
const KEPT = 200;
/** With fewer nothing is usual yet. */
const FEWEST = 20;

export interface FirstTimes {
  /** Milliseconds until an answer began. */
  add(ms: number): void;
  /** What this share of answers, 0 to 1, took no longer than; undefined while nothing is known. */
  quantile(share: number): number | undefined;
}

/** Makes it empty. */
export function createFirstTimes(): FirstTimes {
  const times: number[] = [];
  let next = 0;
  /** Sorted when it is asked for, at most once for so many new ones. */
  let sorted: readonly number[] = [];
  let since = Infinity;
  return {
    add(ms) {
      times[next] = ms;
      next = (next + 1) % KEPT;
      since++;
    },
    quantile(share) {
      if (times.length < FEWEST) return undefined;
      if (since >= FEWEST) {
        sorted = times.toSorted((left, right) => left - right);
        since = 0;
      }
      return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
    },
  };
}
