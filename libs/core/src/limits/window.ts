/** A sliding minute in one-second buckets: never more than the limit in any 60 seconds, and free again 60 seconds later at the latest. */

/** What lies further back than this is forgotten. */
export const WINDOW_MS = 60_000;
const BUCKET_MS = 1_000;
/** Buckets that may hold something remembered: 60, and the ones at both ends that are half in the minute. */
export const BUCKETS = 62;
const SLOTS = 64;

export interface Window {
  /** What the last minute holds. */
  total(now: number): number;
  /** Counts `amount` now and answers the bucket it lies in. */
  add(now: number, amount: number): number;
  /** Takes back some of what was counted in a bucket, as long as it is remembered. */
  takeBack(now: number, bucket: number, amount: number): void;
  /** Milliseconds until the minute holds no more than `most`: never more than the minute. */
  waitFor(now: number, most: number): number;
}

/** Makes an empty window. */
export function createWindow(): Window {
  const counts = new Float64Array(SLOTS);
  /** When the last of a bucket was counted: a bucket is forgotten as a whole, a minute after that. */
  const countedAt = new Float64Array(SLOTS);
  let oldest = 0;
  let newest = 0;
  let sum = 0;

  const advance = (now: number): number => {
    // A clock that was set back counts into the newest bucket.
    newest = Math.max(newest, Math.floor(now / BUCKET_MS));
    if (sum === 0) oldest = newest;
    while (oldest < newest) {
      const slot = oldest & (SLOTS - 1);
      const held = counts[slot] ?? 0;
      const isOver = held === 0 || newest - oldest >= BUCKETS || (countedAt[slot] ?? 0) + WINDOW_MS <= now;
      if (!isOver) break;
      oldest++;
      sum -= held;
      counts[slot] = 0;
    }
    return newest;
  };

  return {
    total(now) {
      advance(now);
      return sum;
    },
    add(now, amount) {
      const bucket = advance(now);
      const slot = bucket & (SLOTS - 1);
      counts[slot] = (counts[slot] ?? 0) + amount;
      countedAt[slot] = Math.max(countedAt[slot] ?? 0, now);
      sum += amount;
      return bucket;
    },
    takeBack(now, bucket, amount) {
      advance(now);
      if (bucket < oldest) return;
      const slot = bucket & (SLOTS - 1);
      const taken = Math.min(amount, counts[slot] ?? 0);
      counts[slot] = (counts[slot] ?? 0) - taken;
      sum -= taken;
    },
    waitFor(now, most) {
      const last = advance(now);
      let left = sum;
      for (let bucket = oldest; bucket <= last && left > most; bucket++) {
        const slot = bucket & (SLOTS - 1);
        left -= counts[slot] ?? 0;
        if (left <= most) return Math.min(WINDOW_MS, (countedAt[slot] ?? 0) + WINDOW_MS - now);
      }
      return 0;
    },
  };
}
