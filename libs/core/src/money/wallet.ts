/**
 * One payer's money in one process: leases taken from the ledger, spent in memory, topped up before they run out, given back when
 * nothing draws from them any more or when another process asks for them.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { LedgerStore, Payer } from '../ports.ts';

const LEASE_MS = 60_000;
/** A lease with less time than this is not spent from: its last charges must be journalled before it expires. */
const SAFE_MS = 15_000;
/** Idle money goes back to the others. */
const IDLE_MS = 10_000;
const FIRST_REQUESTS = 20;
const MOST_REQUESTS = 20_000;
const QUICK_MS = 10_000;
/** Below this share of a lease the next one is fetched while requests go on. */
const LOW_SHARE = 0.4;
/** Of what is there one process takes a quarter at a time; the others find the rest. */
const SHARE = 0.25;
/** A lease for fewer requests than this means that money is short: what it leaves goes back at once. */
const TIGHT_REQUESTS = 4;
const REFUSED_FRESH_MS = 250;
/** After a refusal nothing is fetched ahead for a while. */
const CAREFUL_MS = 1_000;
/** A refusal is asked again once: what others are just giving back may be enough. */
const SECOND_LOOK_MS = 60;
const DAY_MS = 86_400_000;
const MOST_ROUNDS = 1_000;

export interface Lease {
  readonly id: number;
  readonly amount: number;
  /** The UTC day it was taken on: its money counts in that day's caps. */
  readonly day: number;
  /** Money is short: do not sit on what is left. */
  readonly tight: boolean;
  left: number;
  expiresAt: number;
  inFlight: number;
  retired: boolean;
  closing: Promise<void> | undefined;
}

/** What one request may cost. */
export interface Need {
  /** Its price if it uses all it may. */
  readonly most: number;
  /** It is not begun with less: what it costs for certain. */
  readonly least: number;
}

/** Money set aside for one request. */
export interface Draw {
  readonly lease: Lease;
  /** As much as the request may cost, or all there was. */
  readonly units: number;
}

export interface WalletOptions {
  readonly payer: Payer;
  readonly ledger: Pick<LedgerStore, 'lease' | 'recallLeases' | 'extendLease' | 'closeLease'>;
  readonly now: () => number;
  readonly process: string;
  /** Resolves when every charge so far is in the ledger: only then may a lease be closed. Rejects when it cannot be written now. */
  readonly flush: () => Promise<void>;
  readonly warn: (error: unknown, message: string) => void;
  /** Controlled time for tests. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface Wallet {
  readonly payer: Payer;
  /** Draws `units` from a lease that has them; undefined when the ledger must be asked. */
  take(units: number): Draw | undefined;
  /** Asks the ledger; throws `insufficient_quota`. */
  fetch(need: Need): Promise<Draw>;
  /** How much of `units` the draw's lease can pay: all of the draw, and what nobody has set aside. */
  payable(draw: Draw, units: number): number;
  /** Takes `paid` for good and gives the rest of the draw back to its lease. */
  settle(draw: Draw, paid: number): void;
  /** Renews leases in use, gives idle ones back. Called every second or so; never throws. */
  tend(): Promise<void>;
  /** Gives back what others ask for, as soon as nothing draws from it. */
  recall(leaseIds: ReadonlySet<number>): void;
  /** Takes no more and gives everything back, each lease when nothing draws from it any more. */
  retire(): Promise<void>;
  /** No lease is left. */
  isEmpty(): boolean;
}

/** Makes the wallet of one payer. */
export function createWallet({ payer, ledger, now, process, flush, warn, pause }: WalletOptions): Wallet {
  const capped = payer.limits.spendPerDay !== undefined || payer.limits.spendPerMonth !== undefined;
  let leases: Lease[] = [];
  let opening: Promise<void> | undefined;
  let waiting = 0;
  let requests = FIRST_REQUESTS;
  let openedAt = -Infinity;
  let usedAt = now();
  let refused: { readonly error: GatewayError; readonly least: number; readonly at: number } | undefined;

  const open = async ({ most, least }: Need): Promise<void> => {
    requests =
      now() - openedAt < QUICK_MS
        ? Math.min(MOST_REQUESTS, requests * 4)
        : Math.max(FIRST_REQUESTS, Math.floor(requests / 2));
    openedAt = now();
    const expiresAt = now() + LEASE_MS;
    const day = Math.floor(now() / DAY_MS);
    const want = Math.min(Number.MAX_SAFE_INTEGER, most * Math.max(requests, waiting));
    const { id, amount } = await ledger.lease(
      payer,
      { want, enough: most, share: SHARE, atLeast: least, process, expiresAt },
      now(),
    );
    const tight = amount < most * TIGHT_REQUESTS;
    leases.push({ id, amount, day, tight, left: amount, expiresAt, inFlight: 0, retired: false, closing: undefined });
  };

  const openInsisting = async (need: Need): Promise<void> => {
    try {
      await open(need);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await ledger.recallLeases(payer.ownerId, process);
      await pause(SECOND_LOOK_MS);
      await open(need);
    }
  };
  /** One at a time: who comes meanwhile looks at what was brought first. */
  const begin = (need: Need, way: (need: Need) => Promise<void>): Promise<void> =>
    (opening ??= way(need)
      .catch((error: unknown) => {
        if (isRefusal(error)) refused = { error, least: need.least, at: now() };
        throw error;
      })
      .finally(() => {
        opening = undefined;
      }));

  const close = async (lease: Lease): Promise<void> => {
    await flush();
    await ledger.closeLease(lease.id, now());
    leases = leases.filter((other) => other !== lease);
    refused = undefined;
  };
  const giveBack = (lease: Lease): Promise<void> => {
    lease.retired = true;
    if (lease.inFlight > 0) return Promise.resolve();
    return (lease.closing ??= close(lease).finally(() => {
      lease.closing = undefined;
    }));
  };
  /** What cannot be given back now is tried again when the wallet is tended. */
  const giveBackSoon = (lease: Lease): void => {
    giveBack(lease).catch((error: unknown) => warn(error, 'a lease could not be given back'));
  };

  /** What was set aside yesterday must not be spent beside today's cap. */
  const isOfToday = (lease: Lease, time: number): boolean => !capped || lease.day === Math.floor(time / DAY_MS);
  const isUsable = (lease: Lease, time: number): boolean =>
    !lease.retired && lease.expiresAt - time > SAFE_MS && isOfToday(lease, time);

  const draw = (lease: Lease, units: number, time: number): Draw => {
    lease.left -= units;
    lease.inFlight++;
    usedAt = time;
    return { lease, units };
  };

  /** Asks for the next lease while requests go on; what cannot be had now is asked for again when it is needed. */
  const fetchAhead = (units: number, time: number): void => {
    if (opening !== undefined || (refused !== undefined && time - refused.at < CAREFUL_MS)) return;
    let left = 0;
    let largest = 0;
    for (const lease of leases) {
      if (!isUsable(lease, time)) continue;
      left += lease.left;
      largest = Math.max(largest, lease.amount);
    }
    if (left < largest * LOW_SHARE) begin({ most: units, least: units }, open).catch(() => undefined);
  };

  const take = (units: number): Draw | undefined => {
    const time = now();
    const lease = leases.find((each) => each.left >= units && isUsable(each, time));
    if (lease === undefined) return undefined;
    const drawn = draw(lease, units, time);
    if (!lease.tight && lease.left < lease.amount * LOW_SHARE) fetchAhead(units, time);
    return drawn;
  };

  /** All that one lease has left, when that is enough to begin. */
  const takeRest = ({ most, least }: Need): Draw | undefined => {
    const time = now();
    let best: Lease | undefined;
    for (const lease of leases) {
      if (lease.left >= least && isUsable(lease, time) && lease.left > (best?.left ?? -1)) best = lease;
    }
    return best === undefined ? undefined : draw(best, Math.min(most, best.left), time);
  };

  const look = async (need: Need): Promise<Draw> => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const drawn = take(need.most);
      if (drawn !== undefined) return drawn;
      if (opening !== undefined) {
        await opening.catch(() => undefined);
        continue;
      }
      if (refused !== undefined && refused.least <= need.least && now() - refused.at < REFUSED_FRESH_MS)
        throw refused.error;
      // What small leases still hold may be all there is: put it back before asking for a larger piece.
      const idle = leases.filter((each) => each.inFlight === 0);
      if (idle.length > 0) {
        await Promise.all(idle.map(giveBack));
        continue;
      }
      await begin(need, openInsisting);
      const rest = take(need.most) ?? takeRest(need);
      if (rest !== undefined) return rest;
    }
    throw new GatewayError('unavailable', 'too many requests want this balance at once; try again', {
      retryAfterSeconds: 1,
    });
  };

  return {
    payer,
    take,
    async fetch(need) {
      waiting++;
      try {
        return await look(need);
      } catch (error) {
        // The last units may lie in a lease that others are drawing from.
        const rest = isRefusal(error) ? takeRest(need) : undefined;
        if (rest === undefined) throw error;
        return rest;
      } finally {
        waiting--;
      }
    },
    payable: ({ lease, units: drawn }, units) => Math.min(units, drawn + Math.max(0, lease.left)),
    settle({ lease, units }, paid) {
      lease.left += units - paid;
      lease.inFlight--;
      if (lease.inFlight > 0) return;
      if (lease.retired || lease.tight || lease.left === 0 || leases.length > 2) giveBackSoon(lease);
    },
    async tend() {
      const time = now();
      const idle = time - usedAt > IDLE_MS;
      for (const lease of [...leases]) {
        try {
          if (lease.inFlight === 0 && (idle || lease.retired || !isOfToday(lease, time))) {
            await giveBack(lease);
          } else if (lease.expiresAt - time < LEASE_MS / 2) {
            const expiresAt = now() + LEASE_MS;
            // A lease that a reaper closed meanwhile is gone: what is in flight is billed without it.
            if (await ledger.extendLease(lease.id, expiresAt)) lease.expiresAt = expiresAt;
            else leases = leases.filter((other) => other !== lease);
          }
        } catch (error) {
          warn(error, 'a lease could not be tended');
        }
      }
    },
    recall(leaseIds) {
      for (const lease of leases) if (leaseIds.has(lease.id)) giveBackSoon(lease);
    },
    async retire() {
      await Promise.all(leases.map(giveBack));
    },
    isEmpty: () => leases.length === 0,
  };
}

function isRefusal(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === 'insufficient_quota';
}
