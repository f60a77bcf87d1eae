/**
 * How one payer's requests come by money in one process: from a lease that many draw from, from one of their own that the ledger knows
 * before the vendor is asked, or one after the other when money is short.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { LedgerStore, Payer } from '../ports.ts';
import type { Journal } from './journal.ts';
import { LEASE_MS, LeaseBook, type Draw, type Lease, type MoneyRequest } from './lease-book.ts';
import { LeaseFetcher, type LeaseFetcherOptions } from './lease-fetcher.ts';
import { periodOf } from './spend-scopes.ts';
import type { UsualCosts } from './usual-costs.ts';

/** Below this share of a lease the next one is fetched while requests go on. */
const LOW_SHARE = 0.4;
/** How often a request that waits for others looks whether another replica has let go, and how often at most. */
const LOOK_MS = 250;
const MOST_LOOKS = 40;
const MOST_WAIT_MS = LOOK_MS * MOST_LOOKS;
const MOST_ROUNDS = 1_000;

export interface WalletOptions extends Omit<LeaseFetcherOptions, 'ledger' | 'book'> {
  readonly ledger: Pick<LedgerStore, 'lease' | 'recallLeases' | 'extendLease' | 'closeLease'>;
  readonly journal: Pick<Journal, 'note' | 'noted' | 'flush'>;
  /** Shared by the wallets of one key. */
  readonly usualCosts: UsualCosts;
  readonly warn: (error: unknown, message: string) => void;
}

/** The wallet of one payer. */
export class Wallet {
  readonly payer: Payer;
  /** Its leases: what was drawn is settled there. */
  readonly book: LeaseBook;
  /** What requests have usually cost, by model. */
  readonly usualCosts: UsualCosts;
  private readonly options: WalletOptions;
  private readonly fetcher: LeaseFetcher;
  /** The lease without money of a payer without any cap; nobody waits for it. */
  private tab: Lease | undefined;

  constructor(options: WalletOptions) {
    const { payer, ledger, journal, now, turns, usualCosts, warn } = options;
    this.options = options;
    this.payer = payer;
    this.usualCosts = usualCosts;
    const closed = (): void => this.fetcher.forgetRefusal();
    this.book = new LeaseBook({ periodMs: periodOf(payer), ledger, journal, now, turns, closed, warn });
    this.fetcher = new LeaseFetcher({ ...options, book: this.book });
  }

  /** Draws what is asked for from a lease that has it; undefined when the ledger must be asked. */
  take(asked: MoneyRequest): Draw | undefined {
    const { book, fetcher } = this;
    const time = this.options.now();
    const lease = book.find(asked.most, time);
    if (lease === undefined || lease.careful) return undefined;
    const drawn = book.draw(lease, asked, time);
    if (lease.left < lease.amount * LOW_SHARE && fetcher.opening === undefined && this.isRunningLow(time))
      fetcher.openAhead(asked.most, time);
    return drawn;
  }

  /** Asks the ledger; waits while other requests of the payer stand in the way; throws `insufficient_quota`. */
  async fetch(asked: MoneyRequest, signal: AbortSignal): Promise<Draw> {
    this.fetcher.waiting++;
    try {
      return await this.look(asked, signal);
    } finally {
      this.fetcher.waiting--;
    }
  }

  /** For a payer without any cap: writes down what is in flight, takes no money, waits for nothing. */
  record(asked: MoneyRequest): Draw {
    const { book } = this;
    const time = this.options.now();
    if (this.tab === undefined || !book.isUsable(this.tab, time)) this.tab = this.openTab(time);
    return book.draw(this.tab, asked, time);
  }

  /** Gives back what others ask for, as soon as nothing draws from it. */
  recall(leaseIds?: ReadonlySet<number>): void {
    for (const lease of this.book.leases()) if (leaseIds?.has(lease.id) ?? true) this.book.giveBackSoon(lease);
  }

  /** Takes no more and gives everything back, each lease when nothing draws from it any more. */
  async retire(): Promise<void> {
    await Promise.all(this.book.leases().map((lease) => this.book.giveBack(lease)));
  }

  /** No lease is left. */
  isEmpty(): boolean {
    return this.book.leases().length === 0;
  }

  private isRunningLow(time: number): boolean {
    let left = 0;
    let largest = 0;
    for (const lease of this.book.leases()) {
      if (!this.book.isUsable(lease, time)) continue;
      left += lease.left;
      largest = Math.max(largest, lease.amount);
    }
    return left < largest * LOW_SHARE;
  }

  private async look(asked: MoneyRequest, signal: AbortSignal): Promise<Draw> {
    const { payer, turns, now } = this.options;
    const { fetcher } = this;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const taken = await this.takeCarefully(asked);
      if (taken !== undefined) return taken;
      fetcher.throwIfRefused(asked);
      const isAlone = fetcher.isAlone(asked);
      if (fetcher.opening !== undefined && !isAlone) {
        await fetcher.opening.catch(() => undefined);
        continue;
      }
      if (!turns.isWanted(payer.keyId)) {
        const drawn = isAlone ? await fetcher.drawAlone(asked) : await fetcher.drawFirst(asked);
        if (drawn !== undefined) return drawn;
      }
      const since = now();
      return turns.run(payer.keyId, () => this.waitForRoom(asked, signal, since));
    }
    throw new GatewayError('unavailable', 'too many requests want this balance at once; try again', {
      retryAfterSeconds: 1,
    });
  }

  /** From a lease that nothing may draw from before the ledger knows. */
  private async takeCarefully(asked: MoneyRequest): Promise<Draw | undefined> {
    const { journal, now } = this.options;
    const time = now();
    const lease = this.book.find(asked.most, time);
    if (lease === undefined) return undefined;
    const drawn = this.book.draw(lease, asked, time);
    if (lease.careful) {
      try {
        await journal.noted(lease.exposure);
      } catch (error) {
        this.book.settle(drawn, 0);
        throw error;
      }
    }
    return drawn;
  }

  /** What is left is less than this and the payer's other requests may cost: they run one after the other. */
  private async waitForRoom(asked: MoneyRequest, signal: AbortSignal, since: number): Promise<Draw> {
    const { payer, ledger, process, turns, now, recallOthers, pause } = this.options;
    for (let looks = 0; looks < MOST_LOOKS && now() - since < MOST_WAIT_MS; looks++) {
      this.fetcher.throwIfRefused(asked);
      await this.giveIdleBack();
      recallOthers();
      const drawn = await this.fetcher.drawAlone(asked);
      if (drawn !== undefined) return drawn;
      if (looks === 0) await ledger.recallLeases(payer, process);
      await turns.woken(pause(LOOK_MS));
      if (signal.aborted) throw new GatewayError('unavailable', 'the caller has hung up');
    }
    throw new GatewayError(
      'insufficient_quota',
      'Other running requests hold the rest of the balance, or of a spend limit; wait for them to end, or raise it.',
    );
  }

  /** Puts back what small leases still hold: it may be all there is. */
  private async giveIdleBack(): Promise<void> {
    const { book } = this;
    const idle = book.leases().filter(({ inFlight }) => inFlight.size === 0);
    await Promise.all(idle.map((lease) => book.giveBack(lease)));
    for (const lease of book.leases()) lease.retired = true;
  }

  private openTab(time: number): Lease {
    const { payer, ledger, journal, process, warn } = this.options;
    const { book } = this;
    const when = { period: book.periodAt(time), expiresAt: time + LEASE_MS };
    const of = { overdraft: 0, largest: -1, forOne: false, isTab: true, careful: false } as const;
    const opened = book.keep({ id: 0, amount: Infinity, ...of, ...when }, 0);
    ledger.lease(payer, { want: 0, atLeast: 0, process, ttlMs: LEASE_MS }, time).then(
      (granted) => {
        opened.id = opened.exposure.id = granted?.id ?? 0;
        journal.note(opened.exposure);
      },
      (error: unknown) => {
        opened.retired = true;
        warn(error, 'what is in flight cannot be written down');
      },
    );
    return opened;
  }
}
