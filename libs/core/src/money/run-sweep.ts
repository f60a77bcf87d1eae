import type { LedgerStore } from '../ports.ts';
import { sweepInSteps } from '../sweep-in-steps.ts';

/** What is kept of a run goes when nobody has used it for so long: longer than any window but the total. */
const KEPT_MS = 40 * 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEPT_AT_ONCE = 5_000;
const MOST_STEPS = 200;

export interface RunSweepOptions {
  readonly ledger: Pick<LedgerStore, 'sweepRuns'>;
  readonly now: () => number;
  readonly warn: (error: unknown, message: string) => void;
}

/** Removes what is kept of runs that have ended, once an hour. */
export class RunSweep {
  private readonly options: RunSweepOptions;
  private dueAt: number;
  private sweeping: Promise<void> | undefined;
  private isStopped = false;

  constructor(options: RunSweepOptions) {
    this.options = options;
    this.dueAt = options.now() + SWEEP_EVERY_MS;
  }

  /** Resolves when the sweep that is due or runs has ended. Never rejects. */
  async sweepIfDue(): Promise<void> {
    const { now } = this.options;
    if (now() >= this.dueAt && this.sweeping === undefined && !this.isStopped) {
      this.dueAt = now() + SWEEP_EVERY_MS;
      this.sweeping = this.sweep().finally(() => (this.sweeping = undefined));
    }
    await this.sweeping;
  }

  /** Begins no further step. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    const { ledger, now, warn } = this.options;
    const remove = async (limit: number): Promise<number> =>
      this.isStopped ? 0 : ledger.sweepRuns(now() - KEPT_MS, limit);
    try {
      await sweepInSteps({ remove, limit: SWEPT_AT_ONCE, mostSteps: MOST_STEPS });
    } catch (error) {
      warn(error, 'runs that are out of date could not be removed');
    }
  }
}
