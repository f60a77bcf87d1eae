/** The gateway's log: one JSON line per event on standard output. */
import { pino, type Logger } from 'pino';
import type { RequestLine } from '../http/pipeline/begin.ts';

/** Lines wait for company this long: a write each would cost a tenth of a request. */
const LONGEST_WAIT_MS = 200;
const BATCH_BYTES = 8 * 1024;
const STDOUT = 1;
const INFO = pino.levels.values['info'] ?? 30;

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

/**
 * Writes the line of a request, which is known to be plain, where the log's other lines go and in their form: the logger's own way of looking
 * at each member costs five times as much.
 */
export function requestWriter(log: Logger, now: () => number): (line: RequestLine) => void {
  const members = log as unknown as Readonly<Record<symbol, unknown>>;
  const lines = members[pino.symbols.streamSym] as { write(text: string): void };
  /** `,"pid":1,"hostname":"h"` */
  const bindings = members[pino.symbols.chindingsSym] as string;
  return (line) => {
    if (!log.isLevelEnabled('info')) return;
    const text = JSON.stringify(line);
    lines.write(`{"level":${INFO},"time":${now()}${bindings},${text.slice(1, -1)},"msg":"request"}\n`);
  };
}
