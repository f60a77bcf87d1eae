/** The log of requests of one process: rows wait in memory and are written many at a time, so that no request waits for the database. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log, Meter } from '../parts.ts';
import { inSlices } from '@model-gateway/provider-kit';
import type { LateCharge, PromptReading, RequestLogStore, RequestRow } from '../ports.ts';
import { sweepInSteps } from '../sweep-in-steps.ts';
import { CacheDoctor } from '../prompt-cache/cache-doctor.ts';
import { DroppedCounts } from './dropped-parameters.ts';
import { createTotals } from './totals.ts';

const WRITE_EVERY_MS = 1_000;
/** Sums are written less often: a write of them is many rows for each owner, however few of its requests they sum up. */
const TOTALS_EVERY_WRITES = 5;
/** From so many requests on they wait for more, which cost no more rows, but for so long only. */
const MANY_COUNTED = 1_000;
const LONGEST_TOTALS_WRITES = 10;
/** Rows that wait for a database which is slow or away. */
const MOST_WAITING = 20_000;
/** Behind so many, rows wait without the blocks of their prompts, which are up to 2,000 objects each. */
const MOST_PROMPTS_WAITING = 500;
/** Large prompts that are read at the same time, each with its body; rows beyond go without. */
const MOST_READING = 16;
/**
 * Rows of one write, which on SQLite holds the event loop up for a millisecond or two. So many are written at once: more gain nothing by
 * waiting, and what waits long is moved by the garbage collector again and again.
 */
const ROWS_AT_ONCE = 250;
/** A task may end before the row of its request is written, by another process. */
const MOST_TRIES_OF_CHARGE = 30;
const MOST_LATE = 10_000;
const SWEEP_EVERY_MS = 60_000;
const SWEPT_AT_ONCE = 500;
const SWEEPS_AT_ONCE = 200;
const DAY_MS = 86_400_000;
const MINUTES_KEPT_MS = 2 * DAY_MS;
const HOURS_KEPT_MS = 400 * DAY_MS;

export interface RequestLog {
  /** By which the blocks of prompts are hashed. */
  readonly promptSecret: string;
  /** Takes a row, and what is left to read of its prompt, and returns at once. When too many wait, the row is dropped and counted. */
  readonly add: (row: RequestRow, prompt?: PromptReading) => void;
  /** Takes what a request is charged after it was added, and returns at once. */
  readonly charge: (charge: LateCharge) => void;
  /** Writes what waits. */
  flush(): Promise<void>;
  /** Removes what is out of date, in steps. */
  sweep(): Promise<void>;
  /** Writes what waits and stops. */
  close(): Promise<void>;
}

export interface RequestLogOptions {
  readonly store: RequestLogStore;
  readonly now: () => number;
  readonly log: Log;
  readonly meter: Meter;
  readonly keepMs: number;
  /** By which the blocks of prompts are hashed; processes that share it find each other's conversations. */
  readonly promptSecret: string;
  /** The moment that a request's id was made at. */
  readonly timeOf: (requestId: string) => number | undefined;
  /** Rows that may wait; 20,000 when absent. */
  readonly most?: number;
}

export const DROPPED_REQUEST_ROWS = 'gateway_request_log_dropped_total';

/** Makes the log; it writes every second, and as soon as many wait, and sweeps every minute by itself. */
export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { store, now, log, meter, keepMs, promptSecret, timeOf, most = MOST_WAITING } = options;
  let waiting: RequestRow[] = [];
  const late: (LateCharge & { readonly tries: number })[] = [];
  const totals = createTotals();
  const dropped = new DroppedCounts();
  const doctor = new CacheDoctor(store);
  let sinceTotals = 0;
  let counted = 0;
  let writing: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  let isFailing = false;
  const reading = new Set<Promise<void>>();

  const add = (row: RequestRow, prompt?: PromptReading): void => {
    if (prompt === undefined || reading.size >= MOST_READING) {
      keep(row);
      return;
    }
    const read = inSlices(prompt)
      .then((found) => keep({ ...row, prompt: found }))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'a prompt could not be read');
        keep(row);
      })
      .finally(() => reading.delete(read));
    reading.add(read);
  };
  const keep = (row: RequestRow): void => {
    if (waiting.length < most)
      waiting.push(
        row.prompt === undefined || waiting.length < MOST_PROMPTS_WAITING ? row : { ...row, prompt: undefined },
      );
    else meter.count(DROPPED_REQUEST_ROWS, {});
    // While the database does not take them, the timer tries.
    if (waiting.length < ROWS_AT_ONCE || writing !== undefined || isFailing) return;
    void begin(async () => {
      await nextTurn();
      await write({ full: true });
    });
  };

  /** An explanation that cannot be written is lost; rows and sums are not. */
  const examinePrompts = async (rows: readonly RequestRow[]): Promise<void> => {
    try {
      const examined = await doctor.examine(rows);
      if (examined !== undefined) await store.addCacheTurns(examined.turns, examined.days);
    } catch (error) {
      log.warn({ err: error }, 'what prompt caches did could not be written');
    }
  };

  /** Those that wait now and no more: what comes meanwhile makes the next write a full one. */
  const writeRows = async (full: boolean): Promise<void> => {
    let left = waiting.length;
    if (full) left -= left % ROWS_AT_ONCE;
    while (left > 0) {
      const rows = waiting.slice(0, Math.min(left, ROWS_AT_ONCE));
      await store.add(rows);
      waiting = waiting.slice(rows.length);
      await examinePrompts(rows);
      for (const row of rows) {
        totals.count(row);
        dropped.count(row);
      }
      counted += rows.length;
      left -= rows.length;
      if (left > 0) await nextTurn();
    }
  };
  /** Those that wait now; one whose request is not written yet goes to the end, and one that fails stays where it is. */
  const writeLate = async (): Promise<void> => {
    for (let left = late.length; left > 0; left--) {
      const [next] = late;
      if (next === undefined) return;
      const at = timeOf(next.requestId);
      const isOver = at === undefined || (await store.charge({ at, id: next.requestId }, next.units));
      late.shift();
      if (!isOver && next.tries < MOST_TRIES_OF_CHARGE) late.push({ ...next, tries: next.tries + 1 });
    }
  };
  const writeTotals = async (): Promise<void> => {
    sinceTotals = 0;
    counted = 0;
    const taken = totals.take();
    const lost = dropped.take();
    try {
      if (taken.length > 0) await store.addTotals(taken);
    } catch (error) {
      totals.putBack(taken);
      dropped.putBack(lost);
      throw error;
    }
    try {
      if (lost.length > 0) await store.addDropped(lost);
    } catch (error) {
      dropped.putBack(lost);
      throw error;
    }
  };
  const write = async ({ full = false, withTotals = false }): Promise<void> => {
    try {
      await writeRows(full);
      if (late.length > 0) await writeLate();
      if (withTotals) await writeTotals();
      isFailing = false;
    } catch (error) {
      // Told once; what waits is written when the database is back, as far as there was room.
      if (!isFailing) log.warn({ err: error }, 'the log of requests cannot be written');
      isFailing = true;
    }
  };
  const begin = (what: () => Promise<void>): Promise<void> =>
    (writing = what().finally(() => {
      writing = undefined;
    }));
  const flush = async (): Promise<void> => {
    await Promise.all(reading);
    while (writing !== undefined) await writing;
    await begin(() => write({ withTotals: true }));
  };

  const timer = setInterval(() => {
    sinceTotals++;
    if (writing !== undefined) return;
    const withTotals = sinceTotals >= (counted < MANY_COUNTED ? TOTALS_EVERY_WRITES : LONGEST_TOTALS_WRITES);
    void begin(() => write({ withTotals }));
  }, WRITE_EVERY_MS);
  const sweepOnce = async (): Promise<void> => {
    const steps = { limit: SWEPT_AT_ONCE, mostSteps: SWEEPS_AT_ONCE };
    await sweepInSteps({ ...steps, remove: (limit) => store.sweep(now() - keepMs, limit) });
    await sweepInSteps({ ...steps, remove: (limit) => store.sweepCacheTurns(now() - keepMs, limit) });
    await store.sweepTotals('minute', now() - MINUTES_KEPT_MS);
    await store.sweepTotals('hour', now() - HOURS_KEPT_MS);
    await store.sweepDays(Math.floor((now() - HOURS_KEPT_MS) / DAY_MS));
  };
  const sweep = async (): Promise<void> => {
    sweeping ??= sweepOnce()
      .catch((error: unknown) => log.warn({ err: error }, 'old rows of the log of requests could not be removed'))
      .finally(() => (sweeping = undefined));
    await sweeping;
  };
  const sweeper = setInterval(() => void sweep(), SWEEP_EVERY_MS);
  timer.unref();
  sweeper.unref();

  const charge = (of: LateCharge): void => {
    totals.charge(of, now(), of.units);
    if (late.length < MOST_LATE) late.push({ ...of, tries: 1 });
  };

  return {
    promptSecret,
    add,
    charge,
    flush,
    sweep,
    async close() {
      clearInterval(timer);
      clearInterval(sweeper);
      await sweeping;
      await flush();
    },
  };
}
