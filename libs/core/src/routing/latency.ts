/** How long the vendor models of accounts take: moving averages of what was measured here, for routes that go by it. */

/** What is learnt of one answer. */
export interface Measured {
  /** Milliseconds to the first token; absent where the answer came whole. */
  readonly firstMs?: number;
  /** Milliseconds to its end. */
  readonly totalMs: number;
  /** Tokens of the answer, as far as they are known. */
  readonly tokens: number;
}

/** Of a new measurement at least: about the last ten count. */
const LEAST_WEIGHT = 0.2;
/** What is older says nothing any more. */
const FRESH_MS = 60_000;
/** The answer for which times are compared. */
const COMPARED_TOKENS = 250;

export interface Latency {
  measure(measured: Measured, at: number): void;
  /** Milliseconds that an answer of usual length takes; undefined while nothing is known. */
  expected(at: number): { readonly ms: number; readonly isFresh: boolean } | undefined;
}

/** Makes the averages of one vendor model of one account. */
export function createLatency(): Latency {
  let firstMs: number | undefined;
  let tokenMs: number | undefined;
  let measuredAt = 0;
  return {
    measure({ firstMs: first, totalMs, tokens }, at) {
      const weight = Math.max(LEAST_WEIGHT, Math.min(1, (at - measuredAt) / FRESH_MS));
      measuredAt = at;
      if (first !== undefined) firstMs = moved(firstMs, first, weight);
      const head = first ?? Math.min(firstMs ?? 0, totalMs);
      tokenMs = moved(tokenMs, (totalMs - head) / Math.max(1, tokens), weight);
    },
    expected(at) {
      if (tokenMs === undefined) return undefined;
      return { ms: (firstMs ?? 0) + tokenMs * COMPARED_TOKENS, isFresh: at - measuredAt < FRESH_MS };
    },
  };
}

function moved(known: number | undefined, value: number, weight: number): number {
  return known === undefined ? value : known + weight * (value - known);
}

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
