/**
 * One payer's money in one process: leases taken from the ledger, spent in memory, topped up before they run out, given back when
 * nothing draws from them any more.
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
const REFUSED_FRESH_MS = 250;

export interface Lease {
  readonly id: number;
  readonly amount: number;
  left: number;
  expiresAt: number;
  inFlight: number;
  retired: boolean;
}

export interface WalletOptions {
  readonly payer: Payer;
  readonly ledger: Pick<LedgerStore, 'lease' | 'extendLease' | 'closeLease'>;
  readonly now: () => number;
  readonly process: string;
  /** Resolves when every charge so far is in the ledger: only then may a lease be closed. */
  readonly flush: () => Promise<void>;
  readonly warn: (error: unknown, message: string) => void;
}

export interface Wallet {
  readonly payer: Payer;
  /** A lease with room for `units`, already drawn from; undefined when the ledger must be asked. */
  take(units: number): Lease | undefined;
  /** Asks the ledger; throws `insufficient_quota`. */
  fetch(units: number): Promise<Lease>;
  /** Gives `unused` units of a request back to its lease. */
  settle(lease: Lease, unused: number): void;
  /** Renews leases in use, gives idle ones back. Called every few seconds. */
  tend(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the wallet of one payer. */
export function createWallet({ payer, ledger, now, process, flush, warn }: WalletOptions): Wallet {
  let leases: Lease[] = [];
  let opening: Promise<void> | undefined;
  let requests = FIRST_REQUESTS;
  let openedAt = -Infinity;
  let usedAt = now();
  let refused: { readonly error: GatewayError; readonly units: number; readonly at: number } | undefined;

  const open = async (units: number): Promise<void> => {
    requests =
      now() - openedAt < QUICK_MS
        ? Math.min(MOST_REQUESTS, requests * 4)
        : Math.max(FIRST_REQUESTS, Math.floor(requests / 2));
    openedAt = now();
    const expiresAt = now() + LEASE_MS;
    const { id, amount } = await ledger.lease(
      payer,
      { want: units * requests, atLeast: units, process, expiresAt },
      now(),
    );
    leases.push({ id, amount, left: amount, expiresAt, inFlight: 0, retired: false });
  };

  const begin = (units: number): Promise<void> =>
    (opening ??= open(units)
      .catch((error: unknown) => {
        if (error instanceof GatewayError && error.code === 'insufficient_quota') refused = { error, units, at: now() };
        throw error;
      })
      .finally(() => {
        opening = undefined;
      }));

  const giveBack = async (lease: Lease): Promise<void> => {
    lease.retired = true;
    if (lease.inFlight > 0) return;
    leases = leases.filter((other) => other !== lease);
    await flush();
    await ledger.closeLease(lease.id, now());
  };

  const draw = (lease: Lease, units: number): Lease => {
    lease.left -= units;
    lease.inFlight++;
    usedAt = now();
    return lease;
  };

  const take = (units: number): Lease | undefined => {
    const time = now();
    const lease = leases.find((each) => !each.retired && each.left >= units && each.expiresAt - time > SAFE_MS);
    if (lease === undefined) return undefined;
    const recentlyRefused = refused !== undefined && time - refused.at < REFUSED_FRESH_MS * 4;
    if (leases.length === 1 && lease.left < lease.amount * LOW_SHARE && opening === undefined && !recentlyRefused) {
      // What cannot be fetched ahead is asked for again when it is needed.
      begin(units).catch(() => undefined);
    }
    return draw(lease, units);
  };

  return {
    payer,
    take,
    async fetch(units) {
      for (let round = 0; round < 4; round++) {
        const lease = take(units);
        if (lease !== undefined) return lease;
        if (refused !== undefined && refused.units <= units && now() - refused.at < REFUSED_FRESH_MS)
          throw refused.error;
        // What small leases still hold may be all there is: put it back before asking for a larger piece.
        for (const idle of leases.filter((each) => each.inFlight === 0)) await giveBack(idle);
        await begin(units);
      }
      throw new GatewayError('insufficient_quota', 'the balance or a spend cap of this key is used up');
    },
    settle(lease, unused) {
      lease.left += unused;
      lease.inFlight--;
      const empty = lease.left === 0 || leases.length > 2;
      if (lease.inFlight === 0 && (lease.retired || empty))
        void giveBack(lease).catch((error: unknown) => warn(error, 'a lease could not be given back'));
    },
    async tend() {
      const idle = now() - usedAt > IDLE_MS;
      for (const lease of [...leases]) {
        if (idle && lease.inFlight === 0) await giveBack(lease);
        else if (lease.expiresAt - now() < LEASE_MS / 2) {
          const expiresAt = now() + LEASE_MS;
          // A lease that a reaper closed meanwhile is gone: what is in flight is billed without it.
          if (await ledger.extendLease(lease.id, expiresAt)) lease.expiresAt = expiresAt;
          else leases = leases.filter((other) => other !== lease);
        }
      }
    },
    async close() {
      for (const lease of [...leases]) {
        lease.inFlight = 0;
        await giveBack(lease);
      }
    },
  };
}
