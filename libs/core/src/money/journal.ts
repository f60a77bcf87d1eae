/**
 * Charges on their way into the ledger: in batches, in order, none forgotten while the process lives. With them goes what each lease has
 * in flight, so that whoever finds a dead process's lease knows what to charge for it.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { Log } from '../parts.ts';
import type { AtRisk, ChargeRecord, LedgerStore, RequestAtRisk } from '../ports.ts';

/** What `kill -9` can keep from the ledger for the moment: it is charged as what was at risk. */
const FLUSH_MS = 150;
/** What was begun is written down this much later at most. */
const RISK_MS = 40;
const RETRY_MS = 500;
/** A batch blocks the event loop for about two milliseconds on SQLite. */
const LARGEST_BATCH = 250;

/** What a lease may owe: its requests in flight, and its charges that are not in the ledger. */
export interface Exposure {
  /** The lease's; 0 while it has none: then nothing is written. */
  id: number;
  units: number;
  /** As the ledger has it. */
  written: number;
  /** Brings `units` up to date, before they are read: running streams are reckoned when it is written and not for each of their chunks. */
  readonly reckon?: () => void;
  /** What is in flight, after `reckon`. */
  readonly requests?: () => readonly RequestAtRisk[];
}

export interface JournalOptions {
  readonly ledger: Pick<LedgerStore, 'record'>;
  readonly log: Log;
}

/** The journal of one process. */
export class Journal {
  private readonly ledger: JournalOptions['ledger'];
  private readonly log: Log;
  private readonly waiting: ChargeRecord[] = [];
  /** Of each that waits, what its lease may owe. */
  private readonly exposures: (Exposure | undefined)[] = [];
  /** Exposures that are to be written with the next batch. */
  private changed = new Set<Exposure>();
  /** How many ever came, and how many of them are done with. */
  private added = 0;
  private written = 0;
  private timer: NodeJS.Timeout | undefined;
  private dueAt = Infinity;
  private writtenAt = -Infinity;
  private writing: Promise<void> | undefined;
  private isClosed = false;

  constructor({ ledger, log }: JournalOptions) {
    this.ledger = ledger;
    this.log = log;
  }

  /** Charges not yet written. */
  size(): number {
    return this.waiting.length;
  }

  add(charge: ChargeRecord, exposure?: Exposure): void {
    this.added++;
    this.waiting.push(charge);
    this.exposures.push(exposure);
    // A full batch gains nothing by waiting, and what waits long is moved by the garbage collector again and again.
    if (this.waiting.length === LARGEST_BATCH) this.schedule(0);
    else if (this.timer === undefined) this.schedule(FLUSH_MS);
  }

  /** The exposure has changed: it is written soon when it has grown or may have (`isGrowing`), and with the next batch otherwise. */
  note(exposure: Exposure, isGrowing = false): void {
    if (exposure.id === 0) return;
    this.changed.add(exposure);
    if (isGrowing || exposure.units > exposure.written)
      this.schedule(Math.max(0, this.writtenAt + RISK_MS - performance.now()));
    else if (this.timer === undefined) this.schedule(FLUSH_MS);
  }

  /** Resolves when the ledger has this exposure, or a larger one. */
  async noted(exposure: Exposure): Promise<void> {
    const target = exposure.units;
    this.changed.add(exposure);
    // The write under way may have begun without it.
    await this.writing?.catch(() => undefined);
    while (exposure.written < Math.min(target, exposure.units)) await this.write();
  }

  /** Resolves when every charge so far is in the ledger; rejects when the database does not take them now: they are kept. */
  async flush(): Promise<void> {
    const target = this.added;
    do await this.write();
    while (this.written < target);
  }

  /** Writes the rest; what cannot be written is told in the log. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.flush().catch((error: unknown) => {
      this.log.error({ err: error, charges: this.waiting }, 'the last charges could not be written');
    });
  }

  private schedule(ms: number): void {
    if (this.isClosed) return;
    const at = performance.now() + ms;
    if (this.timer !== undefined && this.dueAt <= at + 1) return;
    clearTimeout(this.timer);
    this.dueAt = at;
    this.timer = setTimeout(() => this.flushOrRetry(), ms);
    // `close` writes what is left; the timer alone keeps no process.
    this.timer.unref();
  }

  private flushOrRetry(): void {
    this.timer = undefined;
    this.dueAt = Infinity;
    this.flush().catch((error: unknown) => {
      this.log.error(
        { err: error, charges: this.waiting.length },
        'the ledger could not be written; charges are kept and tried again',
      );
      this.schedule(RETRY_MS);
    });
  }

  /** One write at a time: who comes meanwhile waits for the same. */
  private write(): Promise<void> {
    return (this.writing ??= this.writeWaiting().finally(() => {
      this.writing = undefined;
    }));
  }

  /** What is there now and no more: charges that come meanwhile make the next batch a full one. */
  private async writeWaiting(): Promise<void> {
    let left = this.waiting.length;
    do {
      const count = Math.min(left, LARGEST_BATCH);
      const batch = this.waiting.slice(0, count);
      const risks = this.risksBeside(count);
      if (count === 0 && risks.size === 0) break;
      try {
        await this.record(batch, risks);
        this.removeFirst(count);
      } catch (error) {
        if (!isOfTheCharge(error)) throw error;
        await this.writeOneByOne(batch);
      }
      left -= count;
      // SQLite writes in this thread: let sockets have their turn.
      if (left > 0) await new Promise((resolve) => setImmediate(resolve));
    } while (left > 0);
    this.writtenAt = performance.now();
    for (const exposure of this.changed) this.note(exposure);
  }

  /** One that can never be booked must not hold up the others; the log has all it takes to book it by hand. */
  private async writeOneByOne(batch: readonly ChargeRecord[]): Promise<void> {
    for (const charge of batch) {
      try {
        await this.record([charge], this.risksBeside(1));
      } catch (error) {
        if (!isOfTheCharge(error)) throw error;
        this.log.error({ err: error, charge }, 'a charge cannot be booked');
      }
      this.removeFirst(1);
    }
  }

  /** By lease, what is at risk beside the first `count` charges. */
  private risksBeside(count: number): Map<Exposure, number> {
    const risks = new Map<Exposure, number>();
    const { changed } = this;
    this.changed = new Set();
    for (const exposure of changed) {
      exposure.reckon?.();
      if (exposure.id !== 0) risks.set(exposure, exposure.units);
    }
    for (let index = 0; index < count; index++) {
      const exposure = this.exposures[index];
      if (exposure === undefined || exposure.id === 0) continue;
      risks.set(exposure, (risks.get(exposure) ?? exposure.units) - fromLease(this.waiting[index]));
    }
    return risks;
  }

  private async record(batch: readonly ChargeRecord[], risks: ReadonlyMap<Exposure, number>): Promise<void> {
    try {
      await this.ledger.record(batch, new Map([...risks].map(riskOf)));
      for (const [exposure, units] of risks) exposure.written = units;
    } catch (error) {
      for (const exposure of risks.keys()) this.changed.add(exposure);
      throw error;
    }
  }

  /** They are done with: what they took out of their leases is at risk no more. */
  private removeFirst(count: number): void {
    for (let index = 0; index < count; index++) {
      const exposure = this.exposures[index];
      if (exposure !== undefined) exposure.units -= fromLease(this.waiting[index]);
    }
    this.waiting.splice(0, count);
    this.exposures.splice(0, count);
    this.written += count;
  }
}

function riskOf([{ id, requests }, units]: [Exposure, number]): [number, AtRisk] {
  return [id, { units: Math.max(0, units), requests: requests?.() ?? [] }];
}

/** What the charge takes out of its lease, or puts on its tab. */
function fromLease(charge: ChargeRecord | undefined): number {
  return charge === undefined ? 0 : charge.charged - (charge.beyondLease ?? 0);
}

/** The charge itself is refused, whenever it is tried; anything else may be better in a moment. */
function isOfTheCharge(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'not_found' || error.code === 'invalid_request');
}
