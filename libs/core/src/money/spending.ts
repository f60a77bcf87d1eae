/**
 * Paying for chat without waiting for the database (design.md §6): each process leases slices of a balance and spends from them in
 * memory; finished requests are journalled in batches. A payer with no cap at all needs no lease.
 */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { Caller, Log } from '../parts.ts';
import type { ChargeRecord, LedgerStore, OwnerStore, Payer } from '../ports.ts';

const FLUSH_MS = 150;
const LARGEST_BATCH = 500;
const LEASE_MS = 60_000;
const OWNER_FRESH_MS = 2_000;
const LEASE_REQUESTS = 20;

export interface SpendingOptions {
  readonly ledger: LedgerStore;
  readonly owners: OwnerStore;
  readonly now: () => number;
  readonly log: Log;
  /** Unguessable name of this process, for its leases. */
  readonly process: string;
}

/** Money set aside in memory for one request. */
export interface Reservation {
  /** Takes the price of what was used and gives the rest back. Once. */
  charge(
    charge: Omit<ChargeRecord, 'payer' | 'requestId' | 'charged' | 'shortfall' | 'leaseId' | 'at'> & {
      readonly units: number;
    },
  ): { readonly charged: number };
  /** Nothing was used. */
  cancel(): void;
}

export interface Spending {
  /** Sets `units` aside for the caller, or throws `insufficient_quota`. Synchronous while the lease has room: the hot path. */
  reserve(caller: Caller, units: number): Reservation | Promise<Reservation>;
  /** Writes what is journalled so far; resolves when it is in the ledger. */
  flush(): Promise<void>;
  /** Flushes, gives leases back. */
  close(): Promise<void>;
}

interface Wallet {
  readonly payer: Payer;
  lease: { id: number; left: number; expiresAt: number } | undefined;
  /** Charges drawn from older leases that are still in flight keep them open. */
  uncapped: boolean;
  checkedAt: number;
  inFlight: number;
  opening: Promise<void> | undefined;
}

/** Who pays: test keys pay from their owner's test purse (the owner with the negative id), which never touches real money. */
export function payerOf(caller: Pick<Caller, 'key' | 'mode'>): Payer {
  const { key } = caller;
  const { spendPerDay, spendPerMonth, spendTotal } = key.limits;
  return {
    ownerId: caller.mode === 'test' ? -key.ownerId : key.ownerId,
    keyId: key.id,
    limits: {
      ...(spendPerDay !== undefined && { spendPerDay }),
      ...(spendPerMonth !== undefined && { spendPerMonth }),
      ...(spendTotal !== undefined && { spendTotal }),
    },
  };
}

/** Makes the spending of one process. */
export function createSpending({ ledger, owners, now, log, process }: SpendingOptions): Spending {
  const wallets = new Map<number, Wallet>();
  let journal: ChargeRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    while (journal.length > 0) {
      const batch = journal.slice(0, LARGEST_BATCH);
      try {
        await ledger.record(batch);
        journal = journal.slice(batch.length);
      } catch (error) {
        log.error(
          { err: error, charges: journal.length },
          'the ledger could not be written; charges are kept and tried again',
        );
        schedule();
        return;
      }
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => void flush(), FLUSH_MS);
  };

  const walletOf = (caller: Caller): Wallet => {
    let wallet = wallets.get(caller.key.id);
    if (
      wallet === undefined ||
      wallet.payer.limits.spendPerDay !== caller.key.limits.spendPerDay ||
      wallet.payer.limits.spendPerMonth !== caller.key.limits.spendPerMonth ||
      wallet.payer.limits.spendTotal !== caller.key.limits.spendTotal
    ) {
      wallet = {
        payer: payerOf(caller),
        lease: undefined,
        uncapped: false,
        checkedAt: -Infinity,
        inFlight: 0,
        opening: undefined,
      };
      wallets.set(caller.key.id, wallet);
    }
    return wallet;
  };

  /** Learns whether the payer is capped at all. Refreshed in the background once known. */
  const check = async (wallet: Wallet): Promise<void> => {
    const owner = await owners.ensure(
      { id: wallet.payer.ownerId, name: `owner ${wallet.payer.ownerId}`, group: 'default' },
      now(),
    );
    wallet.uncapped = owner.creditLimit === undefined && Object.keys(wallet.payer.limits).length === 0;
    wallet.checkedAt = now();
  };

  const open = async (wallet: Wallet, units: number): Promise<void> => {
    const old = wallet.lease;
    wallet.lease = undefined;
    if (old !== undefined) await giveBack(old.id);
    const lease = await ledger.lease(
      wallet.payer,
      { want: units * LEASE_REQUESTS, atLeast: units, process, expiresAt: now() + LEASE_MS },
      now(),
    );
    wallet.lease = { id: lease.id, left: lease.amount, expiresAt: now() + LEASE_MS };
  };

  /** A lease is closed only when its charges are in the ledger: what is left of it is computed from them. */
  const giveBack = async (id: number): Promise<void> => {
    await flush();
    await ledger.closeLease(id, now());
  };

  const take = (wallet: Wallet, caller: Caller, units: number): Reservation => {
    const lease = wallet.lease;
    if (lease !== undefined) lease.left -= units;
    wallet.inFlight++;
    let open = true;
    const settle = (used: number): number => {
      if (!open) return 0;
      open = false;
      wallet.inFlight--;
      if (lease === undefined) return used;
      const charged = Math.min(used, units + Math.max(0, lease.left));
      lease.left += units - charged;
      return charged;
    };
    return {
      charge({ units: used, ...charge }) {
        const wasOpen = open;
        const charged = settle(used);
        if (wasOpen) {
          journal.push({
            ...charge,
            payer: wallet.payer,
            requestId: caller.requestId,
            charged,
            shortfall: used - charged,
            at: now(),
            ...(lease !== undefined && { leaseId: lease.id }),
          });
          schedule();
        }
        return { charged };
      },
      cancel() {
        settle(0);
      },
    };
  };

  const reserveSlowly = async (wallet: Wallet, caller: Caller, units: number): Promise<Reservation> => {
    if (wallet.checkedAt === -Infinity) await check(wallet);
    if (wallet.uncapped) return take(wallet, caller, units);
    for (let attempt = 0; attempt < 3; attempt++) {
      if (wallet.lease !== undefined && wallet.lease.left >= units && wallet.lease.expiresAt > now())
        return take(wallet, caller, units);
      // One opening at a time per wallet; the others wait and look again.
      wallet.opening ??= open(wallet, units).finally(() => {
        wallet.opening = undefined;
      });
      await wallet.opening;
    }
    throw new GatewayError('insufficient_quota', 'the balance or a spend cap of this key is used up');
  };

  return {
    reserve(caller, units) {
      const wallet = walletOf(caller);
      if (wallet.checkedAt !== -Infinity) {
        if (now() - wallet.checkedAt > OWNER_FRESH_MS) {
          wallet.checkedAt = now();
          void check(wallet).catch((error: unknown) => log.warn({ err: error }, 'an owner could not be read'));
        }
        if (wallet.uncapped) return take(wallet, caller, units);
        const { lease } = wallet;
        if (lease !== undefined && lease.left >= units && lease.expiresAt > now()) return take(wallet, caller, units);
      }
      return reserveSlowly(wallet, caller, units);
    },
    flush,
    async close() {
      await flush();
      for (const { lease } of wallets.values()) if (lease !== undefined) await ledger.closeLease(lease.id, now());
      wallets.clear();
    },
  };
}

/** What a charge's `detail` always says. */
export type ChargeDetail = JsonObject;
