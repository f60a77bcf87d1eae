/**
 * The leases of one payer in one process: what is drawn from each, what is at risk on it, and when it is renewed or given back. How leases
 * are come by is the wallet's matter.
 */
import type { LedgerStore, Need, RequestAtRisk } from '../ports.ts';
import type { Exposure, Journal } from './journal.ts';
import type { Turns } from './turns.ts';

export const LEASE_MS = 60_000;
/** A lease with less time than this is not spent from: its last charges must be journalled before it expires. */
const SAFE_MS = 15_000;
/** Idle money goes back to the others. */
const IDLE_MS = 10_000;
/** A stream's checkpoint is this part of its reservation old at most: what came since is covered by as much again. */
const CHECKPOINT_MARGIN = 1 / 32;
/**
 * A request of which nothing has come is charged what such requests usually cost, or where that is unknown what it costs for certain and
 * this part of the rest. Its vendor may bill for more, which is the house's loss, or for nothing.
 */
const UNSEEN_SHARE = 1 / 16;
/** Requests of a lease that the ledger is told one by one; a longer list would be written with every batch. */
const MOST_NAMED = 64;

export interface Lease {
  /** 0 while it is being asked for (a tab only). */
  id: number;
  readonly amount: number;
  /** How much more than `amount` its one request may cost; 0 for what many draw from. */
  readonly overdraft: number;
  /** The period it was taken in, counted from 1970: its money counts in that period's caps. */
  readonly period: number;
  /** Requests that may cost more than this do not draw from it: each has a lease of its own. */
  readonly largest: number;
  /** For one request: closed with it. */
  readonly forOne: boolean;
  /** Without money, of a payer without any cap: it only says what is in flight. */
  readonly isTab: boolean;
  /** Nothing draws from it that the ledger does not know of. */
  careful: boolean;
  left: number;
  /** By this process's clock, from before the lease was asked for: never later than the database's. */
  expiresAt: number;
  readonly inFlight: Set<Draw>;
  retired: boolean;
  closing: Promise<void> | undefined;
  readonly exposure: Exposure;
  /** Draws that were noted since the exposure was last reckoned. */
  readonly noted: Set<Draw>;
}

/** Money set aside for one request. */
export interface Draw {
  readonly lease: Lease;
  readonly asked: MoneyRequest;
  /** As much as the request may cost, or all there was. */
  readonly units: number;
  /** What would be charged if the process died now. */
  risk: number;
  /** `risk` is of what has come of the answer. */
  hasCome: boolean;
  /** What it would be charged if it were cut off now; undefined while that is unknown. */
  soFar?: () => number | undefined;
}

/** The request that money is set aside for. */
export interface MoneyRequest extends Need {
  readonly requestId: string;
  /** What requests for its model have usually cost this payer; 0 while that is unknown. */
  readonly usual: number;
}

export type NewLease = Pick<
  Lease,
  'id' | 'amount' | 'overdraft' | 'largest' | 'forOne' | 'isTab' | 'careful' | 'period' | 'expiresAt'
>;

export interface LeaseBookOptions {
  /** After so long the windows of the payer's caps may be others; Infinity when none of them ends. */
  readonly periodMs: number;
  readonly ledger: Pick<LedgerStore, 'extendLease' | 'closeLease'>;
  readonly journal: Pick<Journal, 'note' | 'flush'>;
  readonly now: () => number;
  /** Shared by the books of one owner. */
  readonly turns: Turns;
  /** A lease has been given back: there may be money again. */
  readonly closed: () => void;
  readonly warn: (error: unknown, message: string) => void;
}

/** How much of `units` the draw's lease can pay: all of the draw, and what nobody has set aside; what the overdraft covers is no part of it. */
export function payableFrom({ lease, units: drawn }: Draw, units: number): number {
  return Math.min(units, drawn + lease.left - lease.overdraft);
}

function reckonDraw(drawn: Draw): void {
  const units = drawn.soFar?.();
  if (units === undefined && drawn.hasCome) return;
  // A model that thinks and says nothing may be billed for all that was set aside.
  const risk =
    units === undefined
      ? drawn.units
      : Math.min(drawn.units, Math.ceil(Math.max(0, units) + drawn.units * CHECKPOINT_MARGIN));
  drawn.lease.exposure.units += risk - drawn.risk;
  drawn.risk = risk;
  drawn.hasCome = units !== undefined;
}

/**
 * What a request is charged of which nothing has come when its process dies. Where there is a balance or a cap it is all that was set
 * aside: what a vendor may bill beyond it would be more than there is, as often as somebody brings a crash about.
 */
function firstRisk(lease: Lease, { least, usual }: MoneyRequest, units: number): number {
  if (!lease.isTab) return units;
  return Math.min(units, usual > 0 ? Math.max(least, usual) : least + Math.ceil((units - least) * UNSEEN_SHARE));
}

function requestsOf(draws: ReadonlySet<Draw>): RequestAtRisk[] {
  const named: RequestAtRisk[] = [];
  for (const { asked, units, risk, hasCome } of draws) {
    if (named.length === MOST_NAMED) break;
    const basis = hasCome ? 'delivered' : risk === units ? 'reserved' : 'estimate';
    const { requestId: id, model, endpoint, defaultPrice } = asked;
    named.push({ id, model, endpoint, defaultPrice, units: risk, reserved: units, basis });
  }
  return named;
}

/** Empty at first. */
export class LeaseBook {
  private readonly options: LeaseBookOptions;
  private all: Lease[] = [];
  private usedAt: number;

  constructor(options: LeaseBookOptions) {
    this.options = options;
    this.usedAt = options.now();
  }

  leases(): readonly Lease[] {
    return this.all;
  }

  /** Writes down a lease that was granted, with what the ledger knows to be at risk on it. */
  keep(lease: NewLease, written: number): Lease {
    const noted = new Set<Draw>();
    const reckon = (): void => {
      for (const drawn of noted) reckonDraw(drawn);
      noted.clear();
    };
    const inFlight = new Set<Draw>();
    const requests = (): RequestAtRisk[] => requestsOf(inFlight);
    const kept: Lease = {
      ...lease,
      left: lease.amount + lease.overdraft,
      inFlight,
      retired: false,
      closing: undefined,
      exposure: { id: lease.id, units: 0, written, reckon, requests },
      noted,
    };
    this.all.push(kept);
    return kept;
  }

  /** The period that a lease asked for now is of. */
  periodAt(time: number): number {
    return Math.floor(time / this.options.periodMs);
  }

  isUsable(lease: Lease, time: number): boolean {
    // What was set aside yesterday must not be spent beside today's cap.
    return !lease.retired && lease.expiresAt - time > SAFE_MS && lease.period === this.periodAt(time);
  }

  /** A usable lease that has so much for a request of this size. */
  find(units: number, time: number): Lease | undefined {
    return this.all.find((each) => each.left >= units && units <= each.largest && this.isUsable(each, time));
  }

  draw(lease: Lease, asked: MoneyRequest, time: number): Draw {
    const units = Math.min(asked.most, lease.left);
    const drawn: Draw = { lease, asked, units, risk: firstRisk(lease, asked, units), hasCome: false };
    lease.left -= units;
    lease.inFlight.add(drawn);
    lease.exposure.units += drawn.risk;
    this.options.journal.note(lease.exposure);
    this.usedAt = time;
    return drawn;
  }

  /** More has come of the request: what it would be charged if it were cut off now is reckoned and written with the ledger's next batch. */
  checkpoint(drawn: Draw, soFar: () => number | undefined): void {
    const { noted, exposure } = drawn.lease;
    drawn.soFar = soFar;
    if (noted.has(drawn)) return;
    noted.add(drawn);
    this.options.journal.note(exposure, true);
  }

  /** Takes `paid` for good and gives the rest of the draw back to its lease. */
  settle(drawn: Draw, paid: number): void {
    const { lease } = drawn;
    lease.noted.delete(drawn);
    lease.left += drawn.units - paid;
    lease.exposure.units += paid - drawn.risk;
    drawn.risk = paid;
    this.options.journal.note(lease.exposure);
    lease.inFlight.delete(drawn);
    if (lease.inFlight.size > 0) return;
    if (lease.retired || lease.forOne || lease.left === 0 || this.all.length > 2) this.giveBackSoon(lease);
  }

  /** Takes no more from it, and closes it when nothing draws from it any more. */
  giveBack(lease: Lease): Promise<void> {
    lease.retired = true;
    if (lease.inFlight.size > 0) return Promise.resolve();
    return (lease.closing ??= this.close(lease).finally(() => {
      lease.closing = undefined;
    }));
  }

  /** The same; what cannot be given back now is tried again when the book is tended. */
  giveBackSoon(lease: Lease): void {
    this.giveBack(lease).catch((error: unknown) => this.options.warn(error, 'a lease could not be given back'));
  }

  /** Renews leases in use, gives idle ones back. Called every second or so; never throws. */
  async tend(): Promise<void> {
    const time = this.options.now();
    const isIdle = time - this.usedAt > IDLE_MS;
    for (const lease of [...this.all]) {
      const isOver = isIdle || lease.retired || lease.period !== this.periodAt(time);
      try {
        if (isOver && lease.inFlight.size === 0) await this.giveBack(lease);
        else if (lease.expiresAt - time < LEASE_MS / 2) await this.renew(lease);
      } catch (error) {
        this.options.warn(error, 'a lease could not be tended');
      }
    }
  }

  private async renew(lease: Lease): Promise<void> {
    const { ledger, now } = this.options;
    const expiresAt = now() + LEASE_MS;
    const extended = await ledger.extendLease(lease.id, LEASE_MS, now());
    // A lease that a reaper closed meanwhile is gone: what is in flight is billed without it.
    if (extended === undefined) this.remove(lease);
    else Object.assign(lease, { expiresAt, careful: extended.careful });
  }

  private async close(lease: Lease): Promise<void> {
    const { ledger, journal, now, turns, closed } = this.options;
    await journal.flush();
    if (lease.id !== 0) await turns.inLine(() => ledger.closeLease(lease.id, now()));
    this.remove(lease);
    closed();
    turns.wake();
  }

  private remove(lease: Lease): void {
    this.all = this.all.filter((other) => other !== lease);
  }
}
