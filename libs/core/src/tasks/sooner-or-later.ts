import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../parts.ts';

const PAUSE_MS = 500;
/** For less than a minute: then it is a leftover, and somebody else may have taken it over. */
const ATTEMPTS = 100;

/**
 * Does what must be written down although nobody can wait for it: now, or, should the database be away, as soon as it is back. Resolves after
 * the first attempt; `work` must be harmless to repeat.
 */
export async function soonerOrLater(log: Log, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ err: error }, `${what} could not be written down; it is tried again`);
    void later(log, what, work);
  }
}

async function later(log: Log, what: string, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await sleep(PAUSE_MS, undefined, { ref: false });
    try {
      await work();
      return;
    } catch (error) {
      if (attempt < ATTEMPTS) continue;
      log.error({ err: error }, `${what} could not be written down`);
      return;
    }
  }
}
