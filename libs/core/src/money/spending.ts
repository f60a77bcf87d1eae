/**
 * Paying for chat without waiting for the database (design.md §6): each process leases slices of a balance and spends from them in
 * memory; finished requests are journalled in batches. A payer with no cap at all needs no lease.
 */
import type { Caller, Log } from '../parts.ts';
import type { ChargeRecord, LedgerStore, OwnerStore, Payer } from '../ports.ts';
import { createWallet, type Lease, type Wallet } from './wallet.ts';

const FLUSH_MS = 150;
const LARGEST_BATCH = 500;
const OWNER_FRESH_MS = 2_000;
const TEND_MS = 5_000;

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
  /** Takes the price of what was used and gives the rest back. Once; `charged` is what could be taken. */
  charge(charge: Charge): { readonly charged: number };
  /** Nothing was used. */
  cancel(): void;
}
export type Charge = Omit<ChargeRecord, 'payer' | 'requestId' | 'charged' | 'shortfall' | 'leaseId' | 'at'> & {
  readonly units: number;
};

export interface Spending {
  /** Sets `units` aside for the caller, or throws `insufficient_quota`. Synchronous while the lease has room: the hot path. */
  reserve(caller: Caller, units: number): Reservation | Promise<Reservation>;
  /** Writes what is journalled so far; resolves when it is in the ledger. */
  flush(): Promise<void>;
  /** Flushes, gives leases back. */
  close(): Promise<void>;
}

interface Purse {
  readonly wallet: Wallet;
  /** The key's limits it was made for: a changed key gets a new purse. */
  readonly limits: Caller['key']['limits'];
  /** No balance to pass and no cap: nothing to lease. Unknown until the owner was read. */
  uncapped: boolean | undefined;
  checkedAt: number;
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

/** Makes sure that an owner and its test purse exist before a key of theirs spends. */
export async function ensureOwner(
  owners: OwnerStore,
  owner: { readonly id: number; readonly group: string },
  now: number,
): Promise<void> {
  await owners.ensure({ id: owner.id, name: ownerName(owner.id), group: owner.group }, now);
  await owners.ensure({ id: -owner.id, name: ownerName(-owner.id), group: owner.group }, now);
}

/** Makes the spending of one process. */
export function createSpending({ ledger, owners, now, log, process }: SpendingOptions): Spending {
  const purses = new Map<number, Purse>();
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
  const warn = (error: unknown, message: string): void => log.warn({ err: error }, message);

  const purseOf = (caller: Caller): Purse => {
    let purse = purses.get(caller.key.id);
    if (purse === undefined || purse.limits !== caller.key.limits) {
      purse?.wallet.close().catch((error: unknown) => warn(error, 'a lease could not be given back'));
      purse = {
        wallet: createWallet({ payer: payerOf(caller), ledger, now, process, flush, warn }),
        limits: caller.key.limits,
        uncapped: undefined,
        checkedAt: -Infinity,
      };
      purses.set(caller.key.id, purse);
    }
    return purse;
  };

  const check = async (purse: Purse): Promise<void> => {
    const { payer } = purse.wallet;
    purse.checkedAt = now();
    const owner = await owners.ensure({ id: payer.ownerId, name: ownerName(payer.ownerId), group: 'default' }, now());
    purse.uncapped = owner.creditLimit === undefined && Object.keys(payer.limits).length === 0;
  };

  const reservation = (purse: Purse, caller: Caller, units: number, lease: Lease | undefined): Reservation => {
    let open = true;
    const settle = (used: number): number => {
      if (lease === undefined) return used;
      const charged = Math.min(used, units + Math.max(0, lease.left));
      purse.wallet.settle(lease, units - charged);
      return charged;
    };
    return {
      charge({ units: used, ...charge }) {
        if (!open) return { charged: 0 };
        open = false;
        // Journalled before the lease is let go: it may be closed by that.
        const charged = lease === undefined ? used : Math.min(used, units + Math.max(0, lease.left));
        journal.push({
          ...charge,
          payer: purse.wallet.payer,
          requestId: caller.requestId,
          charged,
          shortfall: used - charged,
          at: now(),
          ...(lease !== undefined && { leaseId: lease.id }),
        });
        settle(used);
        schedule();
        return { charged };
      },
      cancel() {
        if (!open) return;
        open = false;
        settle(0);
      },
    };
  };

  const reserveSlowly = async (purse: Purse, caller: Caller, units: number): Promise<Reservation> => {
    if (purse.uncapped === undefined) await check(purse);
    return reservation(purse, caller, units, purse.uncapped === true ? undefined : await purse.wallet.fetch(units));
  };

  const tending = setInterval(() => {
    for (const { wallet } of purses.values())
      wallet.tend().catch((error: unknown) => warn(error, 'a lease could not be tended'));
    ledger
      .closeExpiredLeases(now())
      .catch((error: unknown) => warn(error, 'leases of lost processes could not be closed'));
  }, TEND_MS);
  tending.unref();

  return {
    reserve(caller, units) {
      const purse = purseOf(caller);
      if (purse.uncapped === undefined) return reserveSlowly(purse, caller, units);
      if (now() - purse.checkedAt > OWNER_FRESH_MS)
        check(purse).catch((error: unknown) => warn(error, 'an owner could not be read'));
      if (purse.uncapped) return reservation(purse, caller, units, undefined);
      const lease = purse.wallet.take(units);
      return lease === undefined ? reserveSlowly(purse, caller, units) : reservation(purse, caller, units, lease);
    },
    flush,
    async close() {
      clearInterval(tending);
      await flush();
      for (const { wallet } of purses.values()) await wallet.close();
      purses.clear();
    },
  };
}

function ownerName(id: number): string {
  return id < 0 ? `test purse of owner ${-id}` : `owner ${id}`;
}
