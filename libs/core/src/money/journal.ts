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

export interface Journal {
  readonly add: (charge: ChargeRecord, exposure?: Exposure) => void;
  /** The exposure has changed: it is written soon when it has grown or may have (`isGrowing`), and with the next batch otherwise. */
  readonly note: (exposure: Exposure, isGrowing?: boolean) => void;
  /** Resolves when the ledger has this exposure, or a larger one. */
  readonly noted: (exposure: Exposure) => Promise<void>;
  /** Resolves when every charge so far is in the ledger; rejects when the database does not take them now: they are kept. */
  readonly flush: () => Promise<void>;
  /** Charges not yet written. */
  readonly size: () => number;
  /** Writes the rest; what cannot be written is told in the log. */
  readonly close: () => Promise<void>;
}

/** Makes the journal of one process. */
export function createJournal({
  ledger,
  log,
}: {
  readonly ledger: Pick<LedgerStore, 'record'>;
  readonly log: Log;
}): Journal {
  const waiting: ChargeRecord[] = [];
  const exposures: (Exposure | undefined)[] = [];
  let noted = new Set<Exposure>();
  /** How many ever came, and how many of them are done with. */
  let added = 0;
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let writtenAt = -Infinity;
  let writing: Promise<void> | undefined;
  let closed = false;

  const schedule = (ms: number): void => {
    if (closed) return;
    const at = performance.now() + ms;
    if (timer !== undefined && dueAt <= at + 1) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      timer = undefined;
      dueAt = Infinity;
      flush().catch((error: unknown) => {
        log.error(
          { err: error, charges: waiting.length },
          'the ledger could not be written; charges are kept and tried again',
        );
        schedule(RETRY_MS);
      });
    }, ms);
    // `close` writes what is left; the timer alone keeps no process.
    timer.unref();
  };

  const done = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const exposure = exposures[index];
      if (exposure !== undefined) exposure.units -= fromLease(waiting[index]);
    }
    waiting.splice(0, count);
    exposures.splice(0, count);
    written += count;
  };
  /** By lease, what is at risk beside the first `count` charges. */
  const risksBeside = (count: number): Map<Exposure, number> => {
    const risks = new Map<Exposure, number>();
    const changed = noted;
    noted = new Set();
    for (const exposure of changed) {
      exposure.reckon?.();
      if (exposure.id !== 0) risks.set(exposure, exposure.units);
    }
    for (let index = 0; index < count; index++) {
      const exposure = exposures[index];
      if (exposure === undefined || exposure.id === 0) continue;
      risks.set(exposure, (risks.get(exposure) ?? exposure.units) - fromLease(waiting[index]));
    }
    return risks;
  };
  const record = async (batch: readonly ChargeRecord[], risks: ReadonlyMap<Exposure, number>): Promise<void> => {
    try {
      await ledger.record(batch, new Map([...risks].map(riskOf)));
      for (const [exposure, units] of risks) exposure.written = units;
    } catch (error) {
      for (const exposure of risks.keys()) noted.add(exposure);
      throw error;
    }
  };
  /** What is there now and no more: charges that come meanwhile make the next batch a full one. */
  const writeWaiting = async (): Promise<void> => {
    let left = waiting.length;
    do {
      const count = Math.min(left, LARGEST_BATCH);
      const batch = waiting.slice(0, count);
      const risks = risksBeside(count);
      if (count === 0 && risks.size === 0) break;
      try {
        await record(batch, risks);
        done(count);
      } catch (error) {
        if (!isOfTheCharge(error)) throw error;
        await writeOneByOne(batch);
      }
      left -= count;
      // SQLite writes in this thread: let sockets have their turn.
      if (left > 0) await new Promise((resolve) => setImmediate(resolve));
    } while (left > 0);
    writtenAt = performance.now();
    for (const exposure of noted) note(exposure);
  };
  /** One that can never be booked must not hold up the others; the log has all it takes to book it by hand. */
  const writeOneByOne = async (batch: readonly ChargeRecord[]): Promise<void> => {
    for (const charge of batch) {
      try {
        await record([charge], risksBeside(1));
      } catch (error) {
        if (!isOfTheCharge(error)) throw error;
        log.error({ err: error, charge }, 'a charge cannot be booked');
      }
      done(1);
    }
  };
  const write = (): Promise<void> =>
    (writing ??= writeWaiting().finally(() => {
      writing = undefined;
    }));
  const flush = async (): Promise<void> => {
    const target = added;
    do await write();
    while (written < target);
  };
  const note = (exposure: Exposure, isGrowing = false): void => {
    if (exposure.id === 0) return;
    noted.add(exposure);
    if (isGrowing || exposure.units > exposure.written) schedule(Math.max(0, writtenAt + RISK_MS - performance.now()));
    else if (timer === undefined) schedule(FLUSH_MS);
  };

  return {
    add(charge, exposure) {
      added++;
      waiting.push(charge);
      exposures.push(exposure);
      // A full batch gains nothing by waiting, and what waits long is moved by the garbage collector again and again.
      if (waiting.length === LARGEST_BATCH) schedule(0);
      else if (timer === undefined) schedule(FLUSH_MS);
    },
    note,
    async noted(exposure) {
      const target = exposure.units;
      noted.add(exposure);
      // The write under way may have begun without it.
      await writing?.catch(() => undefined);
      while (exposure.written < Math.min(target, exposure.units)) await write();
    },
    flush,
    size: () => waiting.length,
    async close() {
      closed = true;
      clearTimeout(timer);
      await flush().catch((error: unknown) => {
        log.error({ err: error, charges: waiting }, 'the last charges could not be written');
      });
    },
  };
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
