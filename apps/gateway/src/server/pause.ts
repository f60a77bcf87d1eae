import { setTimeout as pauseFor } from 'node:timers/promises';

/** Resolves after so many milliseconds, or at once when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return pauseFor(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
