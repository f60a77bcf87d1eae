/** Percentiles of times that are kept in bins only: right within 10 %. */
import type { TimeBins } from '../ports.ts';

/** Bins of one doubling: each is 19 % wide. */
const PER_DOUBLING = 4;

/** The bin of a time in milliseconds; below one it is 0. */
export function binOf(ms: number): number {
  return ms <= 1 ? 0 : Math.floor(Math.log2(ms) * PER_DOUBLING + 1e-9);
}

/** The time, in whole milliseconds, that this share (0 to 1) of all stays within; undefined of none. */
export function percentileOf(bins: TimeBins, share: number): number | undefined {
  const inOrder = [...bins].sort(([a], [b]) => a - b);
  const all = inOrder.reduce((sum, [, count]) => sum + count, 0);
  let rest = Math.max(1, Math.ceil(all * share));
  for (const [bin, count] of inOrder) {
    rest -= count;
    if (rest <= 0) return Math.round(2 ** ((bin + 0.5) / PER_DOUBLING));
  }
  return undefined;
}
