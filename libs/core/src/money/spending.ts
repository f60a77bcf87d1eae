/**
 * Paying for chat without waiting for the database (docs/architecture.md#money): each process leases slices of a balance and spends from them in
 * memory; finished requests are journalled in batches. A payer with no cap at all needs no lease.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import type { Caller, CallerLabels, Log } from '../parts.ts';
import type {
  Charge,
  ChargeRecord,
  InterruptedRequest,
  LedgerStore,
  Need,
  OwnerStore,
  Payer,
  Reservation,
} from '../ports.ts';
import { Journal } from './journal.ts';
import { payableFrom, type Draw, type MoneyRequest } from './lease-book.ts';
import type { Durability } from './lease-fetcher.ts';
import { LeaseTending } from './lease-tending.ts';
import { RunSweep } from './run-sweep.ts';
import { PayerStates, type PayerState } from './payer-states.ts';
import { shareScope } from './spend-scopes.ts';
import { createTurns, type Turns } from './turns.ts';
import { UsualCosts } from './usual-costs.ts';
import { Wallet } from './wallet.ts';

const OWNER_FRESH_MS = 2_000;
const TEND_MS = 1_000;
/** Charges that the database does not take: beyond this many nothing new is begun. */
const MOST_UNWRITTEN = 50_000;
const CLOSE_LOOK_MS = 20;
/** Five dollars; and with fewer than sixteen worst cases left requests are few enough to be written down one by one. */
const USUAL_DURABILITY: Durability = { above: 5 * UNITS_PER_DOLLAR, worstCases: 16 };

export interface SpendingOptions {
  readonly ledger: LedgerStore;
  readonly owners: OwnerStore;
  readonly now: () => number;
  readonly log: Log;
  /** Unguessable name of this process, for its leases. */
  readonly process: string;
  /** No other process can have the database (SQLite): leases found at the start are of the dead. */
  readonly soleProcess?: boolean;
  /** Which requests are written down before their vendor is asked; from 5 dollars, and with less than 16 worst cases left, when absent. */
  readonly durability?: Partial<Durability>;
  /** How far one owner's requests together may cost more than there is, quota units, counted over all processes; 0 when absent. */
  readonly overdraft?: number;
  /** Told of each request that was in flight in a process that died, when it has been charged. */
  readonly interrupted?: (request: InterruptedRequest) => void;
  /** How long `close` waits for requests that still run. */
  readonly graceMs?: number;
  /** Tests: time of their own; with it nothing tends leases but `tend`. */
  readonly pause?: (ms: number) => Promise<void>;
}

export interface Spending {
  /**
   * Sets money aside for the caller, or throws `insufficient_quota`: the most the request may cost; when less is there all of it, as
   * long as it is the least the request costs. Synchronous while there is a lease with room: the hot path.
   */
  reserve(caller: Caller, units: number | Need): Reservation | Promise<Reservation>;
  /** Writes what is journalled so far; rejects when the database does not take it now. */
  flush(): Promise<void>;
  /** Renews, gives back and reaps leases, and removes runs that are out of date; runs by itself every second. */
  tend(): Promise<void>;
  /** Waits for running requests, writes the journal, gives leases back. */
  close(): Promise<void>;
}

/** The request id of the ledger's entry for a request that its process did not live to charge: the charge itself may come late. */
export function interruptedId(requestId: string): string {
  return `interrupted:${requestId}`;
}

/** What is kept with a charge or a hold, and what usage is split by: tags, and whom the request was made for. */
export function taggedDetail(detail: JsonObject, { tags, identity }: CallerLabels): JsonObject {
  if (tags === undefined && identity === undefined) return detail;
  return {
    ...detail,
    ...(tags !== undefined && { tags }),
    ...(identity !== undefined && { identity: { ...identity } }),
  };
}

/** Makes sure that an owner and its test payer exist before a key of theirs spends. */
export async function ensureOwner(
  owners: OwnerStore,
  owner: { readonly id: number; readonly group: string },
  now: number,
): Promise<void> {
  await owners.ensure({ id: owner.id, name: ownerName(owner.id), group: owner.group }, now);
  await owners.ensure({ id: -owner.id, name: ownerName(-owner.id), group: owner.group }, now);
}

/** Makes the spending of one process. */
export function createSpending(options: SpendingOptions): Spending {
  return new LeasedSpending(options);
}

class LeasedSpending implements Spending {
  private readonly options: SpendingOptions;
  private readonly durability: Durability;
  private readonly journal: Journal;
  private readonly states: PayerStates;
  private readonly tending: LeaseTending;
  private readonly runs: RunSweep;
  private readonly reservations: Reservations;
  /** By key. */
  private readonly usualOf = new Map<number, UsualCosts>();
  /** By owner. */
  private readonly turnsOf = new Map<number, Turns>();
  private readonly timer: NodeJS.Timeout | undefined;
  private firstTend: Promise<void> | undefined;
  private readonly warn = (error: unknown, message: string): void => this.options.log.warn({ err: error }, message);

  constructor(options: SpendingOptions) {
    const { ledger, now, log, process, interrupted, soleProcess: isSole = false } = options;
    this.options = options;
    this.durability = { ...USUAL_DURABILITY, ...options.durability };
    this.journal = new Journal({ ledger, log });
    this.reservations = { journal: this.journal, now, log, open: 0 };
    this.states = new PayerStates({
      now,
      walletOf: (payer) => this.walletOf(payer),
      retire: (wallet) => this.tending.retire(wallet),
    });
    const { states, warn } = this;
    this.tending = new LeaseTending({ ledger, states, now, process, isSole, interrupted, warn });
    this.runs = new RunSweep({ ledger, now, warn });
    this.timer = options.pause === undefined ? setInterval(() => void this.tend(), TEND_MS).unref() : undefined;
  }

  reserve(caller: Caller, units: number | Need): Reservation | Promise<Reservation> {
    if (this.journal.size() > MOST_UNWRITTEN)
      throw new GatewayError('unavailable', 'charges cannot be written at the moment, so no new request is started', {
        retryAfterSeconds: 5,
      });
    const state = this.states.of(caller);
    const asked = askedOf(state, caller, units);
    const { most } = asked;
    if (state.uncapped !== undefined) {
      if (this.options.now() - state.checkedAt > OWNER_FRESH_MS)
        this.readOwner(state).catch((error: unknown) => this.warn(error, 'an owner could not be read'));
      if (most === 0) return new RequestReservation(this.reservations, state, caller, undefined);
      if (state.uncapped && most < this.durability.above)
        return new RequestReservation(this.reservations, state, caller, state.wallet.record(asked));
      const draw = state.wallet.take(asked);
      if (draw !== undefined) return new RequestReservation(this.reservations, state, caller, draw);
    }
    return this.reserveSlowly(state, caller, asked);
  }

  flush(): Promise<void> {
    return this.journal.flush();
  }

  async tend(): Promise<void> {
    // Leases do not wait for what removes runs.
    await Promise.all([this.tending.tend(), this.runs.sweepIfDue()]);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.waitForRequests();
    await Promise.all([this.tending.ended(), this.runs.stop()]);
    await this.journal.close();
    await this.tending.giveAllBack();
    this.states.clear();
  }

  private async reserveSlowly(state: PayerState, caller: Caller, asked: MoneyRequest): Promise<Reservation> {
    // Whose requests are to begin with care is known when what a dead process left is settled.
    if (this.options.soleProcess === true) await (this.firstTend ??= this.tending.tend());
    if (state.uncapped === undefined) await this.readOwner(state);
    if (asked.most === 0) return new RequestReservation(this.reservations, state, caller, undefined);
    const draw =
      state.uncapped === true && asked.most < this.durability.above
        ? state.wallet.record(asked)
        : await state.wallet.fetch(asked, caller.signal);
    return new RequestReservation(this.reservations, state, caller, draw);
  }

  /** Finds out whether the payer has a balance or a cap to pass. */
  private async readOwner(state: PayerState): Promise<void> {
    const { owners, now } = this.options;
    const { limits, scopes, ownerId } = state.wallet.payer;
    const hasCaps = Object.keys(limits).length > 0 || scopes !== undefined;
    // What has caps needs leases whatever the credit of its owner is.
    state.checkedAt = hasCaps ? Infinity : now();
    const owner = await owners.ensure({ id: ownerId, name: ownerName(ownerId), group: 'default' }, now());
    state.uncapped = !hasCaps && owner.creditLimit === undefined;
  }

  private walletOf(payer: Payer): Wallet {
    const { ledger, now, process, overdraft = 0, pause = sleep } = this.options;
    const { journal, durability, warn } = this;
    return new Wallet({
      ...{ payer, ledger, journal, now, process, durability, overdraft, warn, pause },
      turns: made(this.turnsOf, payer.ownerId, createTurns),
      usualCosts: made(this.usualOf, payer.keyId, () => new UsualCosts()),
      recallOthers: () => this.recallOthers(payer),
    });
  }

  /** Wallets of the same owner, or under a cap of this payer's. */
  private recallOthers(payer: Payer): void {
    for (const { wallet } of this.states.all())
      if (wallet.payer !== payer && (wallet.payer.ownerId === payer.ownerId || shareScope(wallet.payer, payer)))
        wallet.recall();
  }

  private async waitForRequests(): Promise<void> {
    const { log, graceMs = 5_000 } = this.options;
    const until = performance.now() + graceMs;
    while (this.reservations.open > 0 && performance.now() < until) await sleep(CLOSE_LOOK_MS);
    const requests = this.reservations.open;
    if (requests > 0)
      log.warn(
        { requests },
        'requests still run at the end: what they cost so far is charged when their leases have run out',
      );
  }
}

/** What the reservations of one process share. */
interface Reservations {
  readonly journal: Journal;
  readonly now: () => number;
  readonly log: Log;
  /** How many have neither been charged nor cancelled. */
  open: number;
}

class RequestReservation implements Reservation {
  private readonly all: Reservations;
  private readonly wallet: Wallet;
  private readonly caller: Caller;
  /** Undefined for a request that costs nothing. */
  private readonly draw: Draw | undefined;
  private isOpen = true;

  constructor(all: Reservations, { wallet }: PayerState, caller: Caller, draw: Draw | undefined) {
    this.all = all;
    this.wallet = wallet;
    this.caller = caller;
    this.draw = draw;
    all.open++;
  }

  charge({ units: bill, ...charge }: Charge): { readonly charged: number } {
    if (!this.end()) return { charged: 0 };
    const { all, wallet, caller, draw } = this;
    // A bill that is no sum of money (a vendor reports what it likes) is all that was set aside for it.
    const makesSense = Number.isSafeInteger(bill) && bill >= 0;
    const units = makesSense ? bill : (draw?.units ?? 0);
    if (!makesSense) all.log.warn({ bill, units, requestId: caller.requestId }, 'a bill made no sense');
    const paid = draw === undefined ? units : payableFrom(draw, units);
    // Journalled before the lease is let go: it may be closed by that.
    all.journal.add(
      {
        ...charge,
        detail: taggedDetail(makesSense ? charge.detail : { reserved: units }, caller),
        payer: wallet.payer,
        requestId: caller.requestId,
        charged: units,
        shortfall: 0,
        at: all.now(),
        ...(draw !== undefined && sourceOf(draw.lease)),
        ...(paid < units && { beyondLease: units - paid }),
      },
      draw?.lease.exposure,
    );
    if (draw !== undefined) wallet.book.settle(draw, paid);
    if (draw?.asked.model !== undefined) wallet.usualCosts.learn(draw.asked.model, units);
    return { charged: units };
  }

  checkpoint(soFar: () => number | undefined): void {
    if (this.isOpen && this.draw !== undefined) this.wallet.book.checkpoint(this.draw, soFar);
  }

  cancel(): void {
    if (this.end() && this.draw !== undefined) this.wallet.book.settle(this.draw, 0);
  }

  /** False when it has ended before. */
  private end(): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.all.open--;
    return true;
  }
}

function askedOf({ wallet }: PayerState, { requestId }: Caller, need: number | Need): MoneyRequest {
  if (typeof need === 'number') return { most: need, least: need, requestId, usual: 0 };
  return { ...need, requestId, usual: need.model === undefined ? 0 : wallet.usualCosts.of(need.model) };
}

/** A lease pays; a tab only remembers. */
function sourceOf({ id, isTab }: Draw['lease']): Pick<ChargeRecord, 'leaseId' | 'tabId'> {
  if (!isTab) return { leaseId: id };
  return id === 0 ? {} : { tabId: id };
}

function made<Key, Value>(all: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = all.get(key);
  if (value === undefined) all.set(key, (value = make()));
  return value;
}

function ownerName(id: number): string {
  return id < 0 ? `test payer of owner ${-id}` : `owner ${id}`;
}
