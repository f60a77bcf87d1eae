/**
 * Asks the ledger for the leases of one payer: how much at a time, for many requests or for one alone, and not again right after a
 * refusal.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { LeaseGrant, LeaseRequest, LedgerStore, Need, Payer } from '../ports.ts';
import { LEASE_MS, type Draw, type Lease, type LeaseBook, type MoneyRequest } from './lease-book.ts';
import { isMoneyRefusal } from './spend-scopes.ts';
import type { Turns } from './turns.ts';

const FIRST_REQUESTS = 20;
const MOST_REQUESTS = 20_000;
const QUICK_MS = 10_000;
/** Of what is there one process takes a quarter at a time; the others find the rest. */
const SHARE = 0.25;
const REFUSED_FRESH_MS = 250;
/** After a refusal nothing is fetched ahead for a while. */
const CAREFUL_MS = 1_000;
/** A refusal is asked again once: what others are just giving back may be enough. */
const SECOND_LOOK_MS = 60;

/** When a request is not trusted to memory: it has a lease of its own, which the database knows before the vendor is asked. */
export interface Durability {
  /** Worst cases from here on, quota units. */
  readonly above: number;
  /** Payers who have less than this many worst cases left. */
  readonly worstCases: number;
}

export interface LeaseFetcherOptions {
  readonly payer: Payer;
  readonly ledger: Pick<LedgerStore, 'lease' | 'recallLeases'>;
  /** Takes what is granted. */
  readonly book: LeaseBook;
  readonly now: () => number;
  readonly process: string;
  readonly durability: Durability;
  /** How far one owner's requests together may cost more than there is, counted over all processes. */
  readonly overdraft: number;
  /** Shared by the wallets of one owner. */
  readonly turns: Turns;
  /** Gives back what others hold here of the same money and do not use. */
  readonly recallOthers: () => void;
  /** Controlled time for tests. */
  readonly pause: (ms: number) => Promise<void>;
}

type Size = Pick<MoneyRequest, 'most' | 'least' | 'usual'>;

/** Of one payer in one process. */
export class LeaseFetcher {
  /** How many of the payer's requests wait for a lease. */
  waiting = 0;
  /** Resolves when the lease for many requests that is being asked for is there, or cannot be had; undefined while none is. */
  opening: Promise<void> | undefined;
  private readonly options: LeaseFetcherOptions;
  /** How many requests the next lease is asked for. */
  private requests = FIRST_REQUESTS;
  private openedAt = -Infinity;
  private refused: { readonly error: GatewayError; readonly least: number; readonly at: number } | undefined;
  /** The largest request that the payer's money was last known to be plenty for. */
  private plentyFor = Infinity;

  constructor(options: LeaseFetcherOptions) {
    this.options = options;
  }

  /** The request has a lease to itself: it is a large one, or the payer has not plenty for it. */
  isAlone({ most }: Need): boolean {
    return most > this.plentyFor || most >= this.options.durability.above;
  }

  throwIfRefused({ least }: Need): void {
    const { refused } = this;
    if (refused !== undefined && refused.least <= least && this.options.now() - refused.at < REFUSED_FRESH_MS)
      throw refused.error;
  }

  /** There may be money again. */
  forgetRefusal(): void {
    this.refused = undefined;
  }

  /** Draws from a lease of its own; undefined when others stand in the way. */
  async drawAlone(asked: MoneyRequest): Promise<Draw | undefined> {
    return this.drawFrom(await this.openInsisting(asked), asked);
  }

  /** Draws first from a lease for many. One such lease at a time: who comes meanwhile looks at what was brought first. */
  async drawFirst(asked: MoneyRequest): Promise<Draw | undefined> {
    let drawn: Draw | undefined;
    this.opening = this.openInsisting(asked)
      .then((lease) => {
        drawn = this.drawFrom(lease, asked);
      })
      .finally(() => {
        this.opening = undefined;
      });
    await this.opening;
    return drawn;
  }

  /** Asks for the next lease while requests go on; what cannot be had now is asked for again when it is needed. */
  openAhead(units: number, time: number): void {
    if (this.refused !== undefined && time - this.refused.at < CAREFUL_MS) return;
    this.opening = this.open({ most: units, least: units, usual: 0 }, true)
      .then((lease) => {
        if (lease?.forOne === true) this.options.book.giveBackSoon(lease);
      })
      .catch((error: unknown) => this.noteRefusal(error, units))
      .finally(() => {
        this.opening = undefined;
      });
  }

  private drawFrom(lease: Lease | undefined, asked: MoneyRequest): Draw | undefined {
    const { book, now } = this.options;
    return lease === undefined ? undefined : book.draw(lease, asked, now());
  }

  private async openInsisting(need: MoneyRequest): Promise<Lease | undefined> {
    try {
      return await this.open(need);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.recall();
      try {
        return await this.open(need);
      } catch (second) {
        this.noteRefusal(second, need.least);
        throw second;
      }
    }
  }

  /** Asks all others for what they do not use, and gives them a moment. */
  private async recall(): Promise<void> {
    const { ledger, payer, process, recallOthers, pause } = this.options;
    await ledger.recallLeases(payer, process);
    recallOthers();
    await pause(SECOND_LOOK_MS);
  }

  private noteRefusal(error: unknown, least: number): void {
    if (isRefusal(error)) this.refused = { error, least, at: this.options.now() };
  }

  /** A lease that more than the asking request may use, as far as the payer has plenty; undefined when others stand in the way. */
  private async open(size: Size, ahead = false): Promise<Lease | undefined> {
    const { payer, ledger, book, now, turns } = this.options;
    const time = now();
    this.countRequests(time);
    const ask = this.askFor(size, ahead);
    const period = book.periodAt(time);
    const granted = await turns.inLine(() => ledger.lease(payer, ask, now()));
    if (granted === undefined) return undefined;
    return this.keep(granted, size.most, { period, expiresAt: time + LEASE_MS });
  }

  /** A lease that was used up quickly is followed by one for four times as many requests, and a slow one by one for half as many. */
  private countRequests(time: number): void {
    this.requests =
      time - this.openedAt < QUICK_MS
        ? Math.min(MOST_REQUESTS, this.requests * 4)
        : Math.max(FIRST_REQUESTS, Math.floor(this.requests / 2));
    this.openedAt = time;
  }

  private askFor({ most, least, usual }: Size, ahead: boolean): LeaseRequest {
    const { durability, overdraft, process } = this.options;
    const isLarge = most >= durability.above;
    return {
      want: Math.min(Number.MAX_SAFE_INTEGER, most * Math.max(this.requests, this.waiting)),
      enough: most,
      share: SHARE,
      sharedFrom: isLarge ? Infinity : most * durability.worstCases,
      atLeast: least,
      overdraft,
      usual,
      ahead,
      process,
      ttlMs: LEASE_MS,
    };
  }

  private keep(granted: LeaseGrant, most: number, when: Pick<Lease, 'period' | 'expiresAt'>): Lease {
    const { book, durability } = this.options;
    const { id, amount, overdraft, available, shared, careful } = granted;
    this.plentyFor = Math.floor(available / durability.worstCases);
    const largest = shared ? Math.min(this.plentyFor, durability.above - 1) : -1;
    this.refused = undefined;
    const lease = { id, amount, overdraft, largest, forOne: !shared, isTab: false, careful, ...when };
    return book.keep(lease, Math.min(most, amount + overdraft));
  }
}

function isRefusal(error: unknown): error is GatewayError {
  return error instanceof GatewayError && isMoneyRefusal(error.code);
}
