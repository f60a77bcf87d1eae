/** Charges on their way into the ledger: in batches, in order, none forgotten while the process lives. */
import { GatewayError } from '@model-gateway/contracts';
import type { Log } from '../parts.ts';
import type { ChargeRecord, LedgerStore } from '../ports.ts';

/** What `kill -9` can lose (design.md §6). */
const FLUSH_MS = 150;
const RETRY_MS = 500;
/** A batch blocks the event loop for about two milliseconds on SQLite. */
const LARGEST_BATCH = 250;

export interface Journal {
  readonly add: (charge: ChargeRecord) => void;
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
  /** How many ever came, and how many of them are done with. */
  let added = 0;
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;

  const schedule = (ms: number): void => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch((error: unknown) => {
        log.error(
          { err: error, charges: waiting.length },
          'the ledger could not be written; charges are kept and tried again',
        );
        schedule(RETRY_MS);
      });
    }, ms);
  };

  const done = (count: number): void => {
    waiting.splice(0, count);
    written += count;
  };
  /** What is there now and no more: charges that come meanwhile make the next batch a full one. */
  const writeWaiting = async (): Promise<void> => {
    let left = waiting.length;
    while (left > 0) {
      const batch = waiting.slice(0, Math.min(left, LARGEST_BATCH));
      try {
        await ledger.record(batch);
        done(batch.length);
      } catch (error) {
        if (!isOfTheCharge(error)) throw error;
        await writeOneByOne(batch);
      }
      left -= batch.length;
      // SQLite writes in this thread: let sockets have their turn.
      if (left > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** One that can never be booked must not hold up the others; the log has all it takes to book it by hand. */
  const writeOneByOne = async (batch: readonly ChargeRecord[]): Promise<void> => {
    for (const charge of batch) {
      try {
        await ledger.record([charge]);
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
    while (written < target) await write();
  };

  return {
    add(charge) {
      added++;
      waiting.push(charge);
      // A full batch gains nothing by waiting, and what waits long is moved by the garbage collector again and again.
      if (waiting.length === LARGEST_BATCH) {
        clearTimeout(timer);
        timer = undefined;
        schedule(0);
      } else schedule(FLUSH_MS);
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

/** The charge itself is refused, whenever it is tried; anything else may be better in a moment. */
function isOfTheCharge(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'not_found' || error.code === 'invalid_request');
}
