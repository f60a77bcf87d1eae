/** The gateway's log: one JSON line per event on standard output. `serve`, `startServer` and the bench have no other. */
import { fstatSync } from 'node:fs';
import { hostname } from 'node:os';
import { ERRORS } from '@model-gateway/contracts';
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { RequestLine } from '../http/steps/begin.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Lines wait for company this long, or until there is enough for a write. */
const LONGEST_WAIT_MS = 200;
const BATCH_BYTES = 8 * 1024;
/** What may wait for a reader who is slow. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const STDOUT = 1;
const EVERY_LINE = { pid: process.pid, hostname: hostname() };
const LEVELS = { info: pino.levels.values['info'] ?? 30, warn: pino.levels.values['warn'] ?? 40 } as const;
/** What a pipe takes in one piece, whoever else writes to it (PIPE_BUF): batches of several processes are not torn apart. */
const PIPE_BYTES = 4096;

export interface LogExtras {
  /** Other processes write to the destination, too. */
  readonly besideOthers?: boolean;
  readonly telemetry?: Telemetry | undefined;
}

/** Where the lines of a log go, for lines that are made elsewhere. */
const writers = new WeakMap<Logger, (line: string) => void>();
/** Lines that were dropped, by log. */
const drops = new WeakMap<Logger, number>();

/**
 * Makes the log. `destination` is a file descriptor; `besideOthers`: other processes write to it, too.
 *
 * It writes in the background: with a destination that writes at once, whoever starts the gateway with a pipe and stops reading stops every
 * request, because the event loop waits in `write`. In the background the lines wait in memory, bounded: beyond that they are dropped, and how many is
 * the first thing said when the reader is back. That costs 0.9 µs of CPU a line more than writing at once (4.1 instead of 3.2, Node 24, batches of 8 kB);
 * a write for each line costs several times that. Nothing is lost at the end: pino writes what waits when the process exits, and `flushed` waits
 * for what is being written, which is why `serve` calls it before it exits. Only SIGKILL loses the last 200 ms.
 */
export function createLog(
  level: string,
  destination = STDOUT,
  { besideOthers = false, telemetry }: LogExtras = {},
): Logger {
  const lines = pino.destination({
    dest: destination,
    sync: isFile(destination),
    minLength: besideOthers ? PIPE_BYTES * 0.75 : BATCH_BYTES,
    ...(besideOthers && { maxWrite: PIPE_BYTES }),
    maxLength: MOST_WAITING_BYTES,
    periodicFlush: LONGEST_WAIT_MS,
  });
  const log = pino({ level, base: EVERY_LINE, ...exported(telemetry) }, lines);
  const logLine = telemetry?.logLine;
  writers.set(log, (line) => {
    logLine?.(line);
    lines.write(line);
  });
  let dropped = 0;
  lines.on('drop', () => {
    dropped++;
    drops.set(log, droppedLines(log) + 1);
  });
  lines.on('drain', () => {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    log.warn({ dropped: count }, 'log lines were dropped: nobody read them in time');
  });
  return log;
}

/** How many lines nobody read in time, since the start. */
export function droppedLines(log: Logger): number {
  return drops.get(log) ?? 0;
}

/** Lines of what is traced say so, and all of them are exported where logs are. */
export function exported(telemetry: Telemetry | undefined): Pick<LoggerOptions, 'mixin' | 'hooks'> {
  const { tracing, logLine } = telemetry ?? {};
  return {
    ...(tracing !== undefined && { mixin: () => tracing.ids() ?? {} }),
    ...(logLine !== undefined && {
      hooks: {
        streamWrite(line) {
          logLine(line);
          return line;
        },
      },
    }),
  };
}

/** Nobody has to read a file for a write to it to end. */
function isFile(destination: number): boolean {
  try {
    return fstatSync(destination).isFile();
  } catch {
    return false;
  }
}

/** Resolves when everything that was logged so far has been written. */
export function flushed(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    log.flush(() => resolve());
  });
}

/** What went wrong on this side of the caller is a warning: vendors, accounts, the gateway itself. What callers do wrong, or are not allowed, is their own. */
function levelOf({ error, status }: RequestLine): keyof typeof LEVELS {
  if (error === undefined) return status < 500 ? 'info' : 'warn';
  // By the table, not by the answer: a vendor's limit is a 429 to OpenAI's SDK, and a stream that broke began with a 200.
  return ERRORS[error].status >= 500 && error !== 'not_implemented' ? 'warn' : 'info';
}

/**
 * Writes the line of a request where the log's other lines go and in their form. Its members are known to be plain: pino's own way of looking at each
 * takes three times the memory, for every request.
 */
export function requestWriter(log: Logger, now: () => number): (line: RequestLine) => void {
  const write = writers.get(log);
  if (write === undefined) return (line) => log[levelOf(line)](line, 'request');
  // `"pid":1,"hostname":"h"`
  const always = JSON.stringify(EVERY_LINE).slice(1, -1);
  return (line) => {
    const level = levelOf(line);
    if (!log.isLevelEnabled(level)) return;
    const members = JSON.stringify(line).slice(1, -1);
    write(`{"level":${LEVELS[level]},"time":${now()},${always},${members},"msg":"request"}\n`);
  };
}
