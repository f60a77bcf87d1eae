/** The gateway's log: one JSON line per event on standard output. */
import { pino, type Logger } from 'pino';

/** Lines wait for company this long: a write each would cost a tenth of a request. */
const LONGEST_WAIT_MS = 200;
const BATCH_BYTES = 8 * 1024;
const STDOUT = 1;

/** Makes the log; what waits is written when the process ends, unless it is killed. `destination` is a file descriptor. */
export function createLog(level: string, destination = STDOUT): Logger {
  // Written by this thread: handing a few kilobytes to another one costs more than writing them.
  const lines = pino.destination({
    dest: destination,
    sync: true,
    minLength: BATCH_BYTES,
    periodicFlush: LONGEST_WAIT_MS,
  });
  process.once('exit', () => lines.flushSync());
  return pino({ level }, lines);
}
