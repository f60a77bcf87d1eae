/** A sliding minute in one-second buckets: never more than the limit in any 60 seconds, at most 1/61 under it. */

const BUCKET_MS = 1_000;
/** Whole buckets that may lie within the last minute: 60, and the one that is half in it. */
export const BUCKETS = 61;
const SLOTS = 64;

export interface Window {
  /** What the last minute holds. */
  total(now: number): number;
  /** Counts `amount` now and answers the bucket it lies in. */
  add(now: number, amount: number): number;
  /** Takes back some of what was counted in a bucket, as long as it is remembered. */
  takeBack(now: number, bucket: number, amount: number): void;
  /** Milliseconds until the minute holds no more than `most`. */
  waitFor(now: number, most: number): number;
}

/** Makes an empty window. */
export function createWindow(): Window {
  const counts = new Float64Array(SLOTS);
  let newest = 0;
  let sum = 0;

  const advance = (now: number): number => {
    const bucket = Math.floor(now / BUCKET_MS);
    if (bucket - newest >= SLOTS) {
      counts.fill(0);
      sum = 0;
      newest = bucket;
    }
    // A clock that was set back counts into the newest bucket.
    while (newest < bucket) {
      newest++;
      const leaving = (newest - BUCKETS) & (SLOTS - 1);
      sum -= counts[leaving] ?? 0;
      counts[leaving] = 0;
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
      sum += amount;
      return bucket;
    },
    takeBack(now, bucket, amount) {
      if (advance(now) - bucket >= BUCKETS) return;
      const slot = bucket & (SLOTS - 1);
      const taken = Math.min(amount, counts[slot] ?? 0);
      counts[slot] = (counts[slot] ?? 0) - taken;
      sum -= taken;
    },
    waitFor(now, most) {
      const last = advance(now);
      let left = sum;
      for (let bucket = last - BUCKETS + 1; bucket <= last && left > most; bucket++) {
        left -= counts[bucket & (SLOTS - 1)] ?? 0;
        if (left <= most) return (bucket + BUCKETS) * BUCKET_MS - now;
      }
      return 0;
    },
  };
}
