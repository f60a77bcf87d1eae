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
  return new StoredRequestLog(options);
}

class StoredRequestLog implements RequestLog {
  readonly promptSecret: string;
  private readonly options: RequestLogOptions;
  private readonly most: number;
  private readonly doctor: CacheDoctor;
  private readonly totals = createTotals();
  private readonly dropped = new DroppedCounts();
  private waiting: RequestRow[] = [];
  private readonly late: (LateCharge & { readonly tries: number })[] = [];
  private readonly reading = new Set<Promise<void>>();
  private sinceTotals = 0;
  private counted = 0;
  private writing: Promise<void> | undefined;
  private sweeping: Promise<void> | undefined;
  private isFailing = false;
  private readonly writer: NodeJS.Timeout;
  private readonly sweeper: NodeJS.Timeout;

  constructor(options: RequestLogOptions) {
    this.options = options;
    this.promptSecret = options.promptSecret;
    this.most = options.most ?? MOST_WAITING;
    this.doctor = new CacheDoctor(options.store);
    this.writer = setInterval(() => this.writeInTime(), WRITE_EVERY_MS).unref();
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
  }

  readonly add = (row: RequestRow, prompt?: PromptReading): void => {
    if (prompt === undefined || this.reading.size >= MOST_READING) {
      this.keep(row);
      return;
    }
    const read = inSlices(prompt)
      .then((found) => this.keep({ ...row, prompt: found }))
      .catch((error: unknown) => {
        this.options.log.warn({ err: error }, 'a prompt could not be read');
        this.keep(row);
      })
      .finally(() => this.reading.delete(read));
    this.reading.add(read);
  };

  readonly charge = (of: LateCharge): void => {
    this.totals.charge(of, this.options.now(), of.units);
    if (this.late.length < MOST_LATE) this.late.push({ ...of, tries: 1 });
  };

  async flush(): Promise<void> {
    await Promise.all(this.reading);
    while (this.writing !== undefined) await this.writing;
    await this.begin(() => this.write({ withTotals: true }));
  }

  async sweep(): Promise<void> {
    const { log } = this.options;
    this.sweeping ??= this.sweepOnce()
      .catch((error: unknown) => log.warn({ err: error }, 'old rows of the log of requests could not be removed'))
      .finally(() => (this.sweeping = undefined));
    await this.sweeping;
  }

  async close(): Promise<void> {
    clearInterval(this.writer);
    clearInterval(this.sweeper);
    await this.sweeping;
    await this.flush();
  }

  private keep(row: RequestRow): void {
    const { waiting } = this;
    if (waiting.length < this.most)
      waiting.push(
        row.prompt === undefined || waiting.length < MOST_PROMPTS_WAITING ? row : { ...row, prompt: undefined },
      );
    else this.options.meter.count(DROPPED_REQUEST_ROWS, {});
    // While the database does not take them, the timer tries.
    if (waiting.length < ROWS_AT_ONCE || this.writing !== undefined || this.isFailing) return;
    void this.begin(async () => {
      await nextTurn();
      await this.write({ full: true });
    });
  }

  private writeInTime(): void {
    this.sinceTotals++;
    if (this.writing !== undefined) return;
    const withTotals = this.sinceTotals >= (this.counted < MANY_COUNTED ? TOTALS_EVERY_WRITES : LONGEST_TOTALS_WRITES);
    void this.begin(() => this.write({ withTotals }));
  }

  /** One write at a time. */
  private begin(what: () => Promise<void>): Promise<void> {
    return (this.writing = what().finally(() => {
      this.writing = undefined;
    }));
  }

  private async write({ full = false, withTotals = false }): Promise<void> {
    try {
      await this.writeRows(full);
      if (this.late.length > 0) await this.writeLate();
      if (withTotals) await this.writeTotals();
      this.isFailing = false;
    } catch (error) {
      // Told once; what waits is written when the database is back, as far as there was room.
      if (!this.isFailing) this.options.log.warn({ err: error }, 'the log of requests cannot be written');
      this.isFailing = true;
    }
  }

  /** Those that wait now and no more: what comes meanwhile makes the next write a full one. */
  private async writeRows(full: boolean): Promise<void> {
    let left = this.waiting.length;
    if (full) left -= left % ROWS_AT_ONCE;
    while (left > 0) {
      const rows = this.waiting.slice(0, Math.min(left, ROWS_AT_ONCE));
      await this.options.store.add(rows);
      this.waiting = this.waiting.slice(rows.length);
      await this.examinePrompts(rows);
      for (const row of rows) {
        this.totals.count(row);
        this.dropped.count(row);
      }
      this.counted += rows.length;
      left -= rows.length;
      if (left > 0) await nextTurn();
    }
  }

  /** An explanation that cannot be written is lost; rows and sums are not. */
  private async examinePrompts(rows: readonly RequestRow[]): Promise<void> {
    const { store, log } = this.options;
    try {
      const examined = await this.doctor.examine(rows);
      if (examined !== undefined) await store.addCacheTurns(examined.turns, examined.days);
    } catch (error) {
      log.warn({ err: error }, 'what prompt caches did could not be written');
    }
  }

  /** Those that wait now; one whose request is not written yet goes to the end, and one that fails stays where it is. */
  private async writeLate(): Promise<void> {
    const { late } = this;
    const { store, timeOf } = this.options;
    for (let left = late.length; left > 0; left--) {
      const [next] = late;
      if (next === undefined) return;
      const at = timeOf(next.requestId);
      const isOver = at === undefined || (await store.charge({ at, id: next.requestId }, next.units));
      late.shift();
      if (!isOver && next.tries < MOST_TRIES_OF_CHARGE) late.push({ ...next, tries: next.tries + 1 });
    }
  }

  private async writeTotals(): Promise<void> {
    const { store } = this.options;
    this.sinceTotals = 0;
    this.counted = 0;
    const taken = this.totals.take();
    const lost = this.dropped.take();
    try {
      if (taken.length > 0) await store.addTotals(taken);
    } catch (error) {
      this.totals.putBack(taken);
      this.dropped.putBack(lost);
      throw error;
    }
    try {
      if (lost.length > 0) await store.addDropped(lost);
    } catch (error) {
      this.dropped.putBack(lost);
      throw error;
    }
  }

  private async sweepOnce(): Promise<void> {
    const { store, now, keepMs } = this.options;
    const steps = { limit: SWEPT_AT_ONCE, mostSteps: SWEEPS_AT_ONCE };
    await sweepInSteps({ ...steps, remove: (limit) => store.sweep(now() - keepMs, limit) });
    await sweepInSteps({ ...steps, remove: (limit) => store.sweepCacheTurns(now() - keepMs, limit) });
    await store.sweepTotals('minute', now() - MINUTES_KEPT_MS);
    await store.sweepTotals('hour', now() - HOURS_KEPT_MS);
    await store.sweepDays(Math.floor((now() - HOURS_KEPT_MS) / DAY_MS));
  }
}
