/**
 * Threads of V8 that compile and collect beside the one that serves get less of a processor that all of them share. They are equals to the
 * system otherwise: on one core each of them takes the processor for some milliseconds at a time, in which nobody is answered
 * (docs/decisions/0033-helper-threads.md).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** As Node 24 names them. */
const HELPER = 'V8Worker';
/** A third of its share, where both want the same processor. With 10, a tenth of it, code stayed uncompiled and garbage lay about on one core. */
const LOWER_BY = 4;
const TASKS = '/proc/self/task';

/** Lowers the priority of V8's own threads; gives their number. On Linux alone, where a thread has a priority of its own: elsewhere none. */
export function lowerHelperThreads(): number {
  if (process.platform !== 'linux') return 0;
  let lowered = 0;
  try {
    const priority = Math.min(getPriority() + LOWER_BY, constants.priority.PRIORITY_LOW);
    for (const thread of readdirSync(TASKS)) {
      if (readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim() !== HELPER) continue;
      setPriority(Number(thread), priority);
      lowered++;
    }
  } catch {
    // Without /proc, or where the system does not let a process do it, all stays as it is.
  }
  return lowered;
}
