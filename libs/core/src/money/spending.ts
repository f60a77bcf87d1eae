/**
 * Paying for chat without waiting for the database (docs/architecture.md#money): each process leases slices of a balance and spends from them in
 * memory; finished requests are journalled in batches. A payer with no cap at all needs no lease.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import type { Caller, CallerLabels, Log } from '../parts.ts';
import type { ChargeRecord, InterruptedRequest, LedgerStore, Need, OwnerStore, Reservation } from '../ports.ts';
import { Journal } from './journal.ts';
import { payableFrom, type Draw, type MoneyRequest } from './lease-book.ts';
import type { Durability } from './lease-fetcher.ts';
import { RunSweep } from './run-sweep.ts';
import { PayerStates, type PayerState } from './payer-states.ts';
import { shareScope } from './spend-scopes.ts';
import { createTurns, type Turns } from './turns.ts';
import { UsualCosts } from './usual-costs.ts';
import { Wallet } from './wallet.ts';

const OWNER_FRESH_MS = 2_000;
const TEND_MS = 1_000;
const REAP_MS = 5_000;
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
  const { ledger, owners, now, log, process, overdraft = 0, graceMs = 5_000, pause = sleep } = options;
  const durability: Durability = { ...USUAL_DURABILITY, ...options.durability };
  const usualOf = new Map<number, UsualCosts>();
  const turnsOf = new Map<number, Turns>();
  /** Of keys whose caps changed: their leases go back when nothing draws from them any more. */
  let leaving: Wallet[] = [];
  const journal = new Journal({ ledger, log });
  let open = 0;
  let reapAt = 0;
  let firstTend: Promise<void> | undefined;
  let tending: Promise<void> | undefined;
  const warn = (error: unknown, message: string): void => log.warn({ err: error }, message);
  const runs = new RunSweep({ ledger, now, warn });

  const states = new PayerStates({
    now,
    walletOf: (payer) =>
      new Wallet({
        ...{ payer, ledger, journal, now, process, durability, overdraft, warn, pause },
        turns: made(turnsOf, payer.ownerId, createTurns),
        usualCosts: made(usualOf, payer.keyId, () => new UsualCosts()),
        recallOthers: () => {
          for (const { wallet } of states.all())
            if (wallet.payer !== payer && (wallet.payer.ownerId === payer.ownerId || shareScope(wallet.payer, payer)))
              wallet.recall();
        },
      }),
    retire: (wallet) => {
      leaving.push(wallet);
      wallet.retire().catch((error: unknown) => warn(error, 'a lease could not be given back'));
    },
  });

  const check = async (state: PayerState): Promise<void> => {
    const { payer } = state.wallet;
    const { limits, scopes, ownerId } = payer;
    const hasCaps = Object.keys(limits).length > 0 || scopes !== undefined;
    // What has caps needs leases whatever the credit of its owner is.
    state.checkedAt = hasCaps ? Infinity : now();
    const owner = await owners.ensure({ id: ownerId, name: ownerName(ownerId), group: 'default' }, now());
    state.uncapped = !hasCaps && owner.creditLimit === undefined;
  };

  const reservation = (state: PayerState, caller: Caller, draw: Draw | undefined): Reservation => {
    const { wallet } = state;
    let isOpen = true;
    open++;
    const shut = (): boolean => {
      if (!isOpen) return false;
      isOpen = false;
      open--;
      return true;
    };
    return {
      charge({ units: bill, ...charge }) {
        if (!shut()) return { charged: 0 };
        // A bill that is no sum of money (a vendor reports what it likes) is all that was set aside for it.
        const makesSense = Number.isSafeInteger(bill) && bill >= 0;
        const units = makesSense ? bill : (draw?.units ?? 0);
        if (!makesSense) log.warn({ bill, units, requestId: caller.requestId }, 'a bill made no sense');
        const paid = draw === undefined ? units : payableFrom(draw, units);
        // Journalled before the lease is let go: it may be closed by that.
        journal.add(
          {
            ...charge,
            detail: taggedDetail(makesSense ? charge.detail : { reserved: units }, caller),
            payer: wallet.payer,
            requestId: caller.requestId,
            charged: units,
            shortfall: 0,
            at: now(),
            ...(draw !== undefined && sourceOf(draw.lease)),
            ...(paid < units && { beyondLease: units - paid }),
          },
          draw?.lease.exposure,
        );
        if (draw !== undefined) wallet.book.settle(draw, paid);
        if (draw?.asked.model !== undefined) wallet.usualCosts.learn(draw.asked.model, units);
        return { charged: units };
      },
      checkpoint(soFar) {
        if (isOpen && draw !== undefined) wallet.book.checkpoint(draw, soFar);
      },
      cancel() {
        if (shut() && draw !== undefined) wallet.book.settle(draw, 0);
      },
    };
  };

  const reserveSlowly = async (state: PayerState, caller: Caller, asked: MoneyRequest): Promise<Reservation> => {
    // Whose requests are to begin with care is known when what a dead process left is settled.
    if (options.soleProcess === true) await (firstTend ??= tendOnce());
    if (state.uncapped === undefined) await check(state);
    if (asked.most === 0) return reservation(state, caller, undefined);
    const draw =
      state.uncapped === true && asked.most < durability.above
        ? state.wallet.record(asked)
        : await state.wallet.fetch(asked, caller.signal);
    return reservation(state, caller, draw);
  };

  const tend = async (): Promise<void> => {
    const wallets = [...leaving, ...[...states.all()].map(({ wallet }) => wallet)].filter(
      (wallet) => !wallet.isEmpty(),
    );
    try {
      if (wallets.length > 0 && options.soleProcess !== true) {
        const recalled = new Set(await ledger.recalledLeases(process));
        if (recalled.size > 0) for (const wallet of wallets) wallet.recall(recalled);
      }
      for (const wallet of wallets) await wallet.book.tend();
      leaving = leaving.filter((wallet) => !wallet.isEmpty());
      states.forgetIdle();
      if (now() < reapAt) return;
      const onlySurvivor = reapAt === 0 && options.soleProcess === true ? { process } : undefined;
      reapAt = now() + REAP_MS;
      const { interrupted } = await ledger.closeExpiredLeases(now(), onlySurvivor);
      for (const request of interrupted) options.interrupted?.(request);
    } catch (error) {
      warn(error, 'leases could not be tended');
    }
  };
  const tendOnce = (): Promise<void> =>
    (tending ??= tend().finally(() => {
      tending = undefined;
    }));
  const tendAll = async (): Promise<void> => {
    // Leases do not wait for what removes runs.
    await Promise.all([tendOnce(), runs.sweepIfDue()]);
  };
  const timer = options.pause === undefined ? setInterval(() => void tendAll(), TEND_MS) : undefined;
  timer?.unref();

  return {
    reserve(caller, units) {
      if (journal.size() > MOST_UNWRITTEN)
        throw new GatewayError('unavailable', 'charges cannot be written at the moment, so no new request is started', {
          retryAfterSeconds: 5,
        });
      const state = states.of(caller);
      const asked = askedOf(state, caller, units);
      const { most } = asked;
      if (state.uncapped !== undefined) {
        if (now() - state.checkedAt > OWNER_FRESH_MS)
          check(state).catch((error: unknown) => warn(error, 'an owner could not be read'));
        if (most === 0) return reservation(state, caller, undefined);
        if (state.uncapped && most < durability.above) return reservation(state, caller, state.wallet.record(asked));
        const draw = state.wallet.take(asked);
        if (draw !== undefined) return reservation(state, caller, draw);
      }
      return reserveSlowly(state, caller, asked);
    },
    flush: () => journal.flush(),
    tend: tendAll,
    async close() {
      clearInterval(timer);
      const until = performance.now() + graceMs;
      while (open > 0 && performance.now() < until) await sleep(CLOSE_LOOK_MS);
      if (open > 0)
        log.warn(
          { requests: open },
          'requests still run at the end: what they cost so far is charged when their leases have run out',
        );
      await Promise.all([tending, runs.stop()]);
      await journal.close();
      const wallets = [...leaving, ...[...states.all()].map(({ wallet }) => wallet)];
      for (const wallet of wallets)
        await wallet.retire().catch((error: unknown) => warn(error, 'a lease could not be given back'));
      states.clear();
    },
  };
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
