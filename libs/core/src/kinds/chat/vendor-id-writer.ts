/** Writes the ids of what vendors keep, one insert at a time: an answer waits for no other. */
import type { Parts } from '../../parts.ts';
import type { VendorIdRecord } from '../../ports.ts';

/** Rows of one insert, and rows after which old ones are removed. */
const SWEEP_EVERY = 500;
const SWEPT_AT_ONCE = 5_000;
/** Ids that the database does not take now are kept for its next batch. */
const MOST_UNWRITTEN = 10_000;

export class VendorIdWriter {
  private readonly parts: Pick<Parts, 'store' | 'now' | 'log'>;
  private readonly waiting: VendorIdRecord[] = [];
  private writing: Promise<void> | undefined;
  private written = 0;

  constructor(parts: Pick<Parts, 'store' | 'now' | 'log'>) {
    this.parts = parts;
  }

  add(record: VendorIdRecord): void {
    this.waiting.push(record);
  }

  /** What comes meanwhile goes with the next insert. There is something to write. Never rejects. */
  write(): Promise<void> {
    return (this.writing ??= this.writeAll());
  }

  private async writeAll(): Promise<void> {
    const { waiting } = this;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, SWEEP_EVERY);
      if (await this.writeBatch(batch)) continue;
      waiting.unshift(...batch);
      waiting.length = Math.min(waiting.length, MOST_UNWRITTEN);
      break;
    }
    this.writing = undefined;
  }

  private async writeBatch(batch: readonly VendorIdRecord[]): Promise<boolean> {
    const { store, now, log } = this.parts;
    try {
      await store.vendorIds.remember(batch);
      this.written += batch.length;
      if (this.written >= SWEEP_EVERY) {
        this.written = 0;
        await store.vendorIds.sweep(now(), SWEPT_AT_ONCE);
      }
      return true;
    } catch (error) {
      log.warn(
        { err: error },
        'ids of what vendors keep could not be written: until they are, requests that refer to it are refused',
      );
      return false;
    }
  }
}
