/** The leases of one process are renewed and given back, and those that a dead process has left are closed. */
import type { InterruptedRequest, LedgerStore } from '../ports.ts';
import type { PayerStates } from './payer-states.ts';
import type { Wallet } from './wallet.ts';

const REAP_MS = 5_000;

export interface LeaseTendingOptions {
  readonly ledger: Pick<LedgerStore, 'recalledLeases' | 'closeExpiredLeases'>;
  readonly states: Pick<PayerStates, 'all' | 'forgetIdle'>;
  readonly now: () => number;
  readonly process: string;
  /** No other process can have the database: none asks for leases back, and those found at the start are of the dead. */
  readonly isSole: boolean;
  /** Told of each request that was in flight in a process that died, when it has been charged. */
  readonly interrupted: ((request: InterruptedRequest) => void) | undefined;
  readonly warn: (error: unknown, message: string) => void;
}

/** Tends the wallets of one process. */
export class LeaseTending {
  private readonly options: LeaseTendingOptions;
  /** Of payers whose caps changed: their leases go back when nothing draws from them any more. */
  private leaving: Wallet[] = [];
  private reapAt = 0;
  private running: Promise<void> | undefined;

  constructor(options: LeaseTendingOptions) {
    this.options = options;
  }

  /** Takes over a wallet from which nothing is drawn any more. */
  retire(wallet: Wallet): void {
    this.leaving.push(wallet);
    void this.giveBack(wallet);
  }

  /** One round at a time: who asks meanwhile waits for the same. Never rejects. */
  tend(): Promise<void> {
    return (this.running ??= this.tendAll().finally(() => {
      this.running = undefined;
    }));
  }

  /** Resolves when the round that is under way has ended. */
  async ended(): Promise<void> {
    await this.running;
  }

  /** Gives back what every wallet has, as far as nothing draws from it. Never rejects. */
  async giveAllBack(): Promise<void> {
    for (const wallet of this.wallets()) await this.giveBack(wallet);
  }

  private async tendAll(): Promise<void> {
    const wallets = this.wallets().filter((wallet) => !wallet.isEmpty());
    try {
      await this.giveRecalledBack(wallets);
      for (const wallet of wallets) await wallet.book.tend();
      this.leaving = this.leaving.filter((wallet) => !wallet.isEmpty());
      this.options.states.forgetIdle();
      await this.reapIfDue();
    } catch (error) {
      this.options.warn(error, 'leases could not be tended');
    }
  }

  /** What other processes have asked for. */
  private async giveRecalledBack(wallets: readonly Wallet[]): Promise<void> {
    const { ledger, process, isSole } = this.options;
    if (wallets.length === 0 || isSole) return;
    const recalled = new Set(await ledger.recalledLeases(process));
    if (recalled.size > 0) for (const wallet of wallets) wallet.recall(recalled);
  }

  /** Whoever is alive settles what the dead have left. */
  private async reapIfDue(): Promise<void> {
    const { ledger, now, process, isSole, interrupted: tell } = this.options;
    if (now() < this.reapAt) return;
    const onlySurvivor = this.reapAt === 0 && isSole ? { process } : undefined;
    this.reapAt = now() + REAP_MS;
    const { interrupted } = await ledger.closeExpiredLeases(now(), onlySurvivor);
    for (const request of interrupted) tell?.(request);
  }

  private async giveBack(wallet: Wallet): Promise<void> {
    try {
      await wallet.retire();
    } catch (error) {
      this.options.warn(error, 'a lease could not be given back');
    }
  }

  private wallets(): Wallet[] {
    return [...this.leaving, ...[...this.options.states.all()].map(({ wallet }) => wallet)];
  }
}
