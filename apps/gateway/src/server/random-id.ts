import { randomFillSync } from 'node:crypto';

const BYTES = 24;
const IDS_PER_FILL = 256;

/** Ids of 32 letters and digits, at least 160 random bits; the kernel is asked once for many. */
export function createRandomIds(): () => string {
  const pool = Buffer.allocUnsafe(BYTES * IDS_PER_FILL);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const id = pool.toString('base64url', at, at + BYTES).replace(/[-_]/g, 'x');
    // What was given out is not kept.
    pool.fill(0, at, at + BYTES);
    at += BYTES;
    return id;
  };
}
