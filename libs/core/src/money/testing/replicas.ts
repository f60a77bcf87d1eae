/** Spendings over one real store, with the clock in hand, that can be killed as a process is: what they have not written is gone. */
import { afterEach, beforeEach, expect } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { Caller, Log } from '../../parts.ts';
import type { KeyLimits, KeyRecord, LedgerStore, SpendScope, Store } from '../../ports.ts';
import { openTestStore } from '../../tasks/testing/store.ts';
import type { Charge, Reservation } from '../../ports.ts';
import { isMoneyRefusal } from '../spend-scopes.ts';
import { createSpending, type Spending, type SpendingOptions } from '../spending.ts';

export const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
export const DAY = 86_400_000;
/** When the clock of a test begins: in the middle of a day. */
export const NOON = 1_790_000_000_000 - (1_790_000_000_000 % DAY) + DAY / 2;

export interface TestReplica extends Spending {
  /** Nothing of it reaches the database any more, and nothing comes back from there. */
  kill(): void;
}
export interface TestPerson {
  readonly ownerId: number;
  readonly keyId: number;
  call(signal?: AbortSignal): Caller;
  /** A request with further caps. */
  callUnder(scopes: readonly SpendScope[]): Caller;
  /** A request after the caps of the key were changed to these. */
  callWith(limits: KeyLimits): Caller;
  /** Another key of the same owner. */
  another(limits?: KeyLimits): Promise<TestPerson>;
}

/** Options of one replica; what `ledger` has stands in place of the methods of the store's. */
type ReplicaOptions = Partial<Omit<SpendingOptions, 'ledger'>> & { readonly ledger?: Partial<LedgerStore> };

/** Replicas and people over `store`; what `given` has goes to every replica. */
function createTestReplicas(store: Store, given: ReplicaOptions = {}) {
  const clock = { now: NOON };
  let open: TestReplica[] = [];
  let names = 0;

  const replica = (more: ReplicaOptions = {}): TestReplica => {
    let dead = false;
    const isDead = (): boolean => dead;
    const methods = { ...store.ledger, ...given.ledger, ...more.ledger } as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    const ledger = Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          if (isDead()) return new Promise(() => undefined);
          const answer = await method(...args);
          return isDead() ? new Promise(() => undefined) : answer;
        },
      ]),
    ) as unknown as LedgerStore;
    const spending = createSpending({
      owners: store.owners,
      now: () => clock.now,
      log: quiet,
      process: `process ${++names} of ${process.pid}`,
      graceMs: 0,
      pause: () => new Promise((resolve) => setTimeout(resolve, 2)),
      ...given,
      ...more,
      ledger,
    });
    const made: TestReplica = {
      ...spending,
      kill() {
        dead = true;
        open = open.filter((each) => each !== made);
      },
    };
    open.push(made);
    return made;
  };

  const personOf = async (ownerId: number, limits: KeyLimits): Promise<TestPerson> => {
    const name = `key ${++names}`;
    const group = 'default';
    const rest = {
      hint: '',
      mode: 'live',
      ownerId,
      group,
      models: ['*'],
      ipRanges: [],
      limits,
      declared: false,
    } as const;
    const key: KeyRecord = await store.keys.create({ name, hash: `${name} of ${ownerId}`, ...rest }, clock.now);
    const call = (signal = new AbortController().signal): Caller => ({
      key,
      mode: 'live',
      requestId: `r ${++names}`,
      signal,
    });
    return {
      ownerId,
      keyId: key.id,
      call,
      callUnder: (scopes) => ({ ...call(), caps: { scopesOf: () => scopes } }),
      callWith: (changed) => ({ ...call(), key: { ...key, limits: changed } }),
      another: (others = {}) => personOf(ownerId, others),
    };
  };

  return {
    clock,
    replica,
    async person(balance: number, creditLimit: number | null = 0, limits: KeyLimits = {}): Promise<TestPerson> {
      const credit = creditLimit === null ? {} : { creditLimit };
      const owner = await store.owners.create({ name: 'o', group: 'default', ...credit }, clock.now);
      if (balance > 0) await store.ledger.topUp(owner.id, balance, {}, clock.now);
      return personOf(owner.id, limits);
    },
    /** Whoever is alive finds the leases of the dead. */
    async reap(by: Spending): Promise<void> {
      clock.now += 61_000;
      await by.tend();
    },
    /** Closes what was not killed; the books add up then. */
    async closeAll(): Promise<void> {
      for (const each of [...open]) await each.close();
      open = [];
      expect(await store.ledger.verify()).toEqual([]);
    },
    async charged(who: TestPerson): Promise<number> {
      const entries = await store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 100_000 });
      return entries.reduce((sum, each) => sum + each.charged, 0);
    },
    async shortfall(who: TestPerson): Promise<number> {
      const entries = await store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 100_000 });
      return entries.reduce((sum, each) => sum + each.shortfall, 0);
    },
    async adjust(who: TestPerson, change: number): Promise<void> {
      await store.ledger.adjust(who.ownerId, change, {}, clock.now);
    },
    balance: async (who: TestPerson): Promise<number> => (await store.owners.get(who.ownerId))?.balance ?? NaN,
  };
}

/**
 * A store with replicas and people over it, new for each test of the file; after each the replicas are closed and the books add up. In
 * memory, or where `url` says.
 */
export function useReplicas(given: ReplicaOptions = {}, url?: () => string) {
  const bench = {} as ReturnType<typeof createTestReplicas> & { store: Store };
  beforeEach(async () => {
    const store = await openTestStore(url?.());
    Object.assign(bench, createTestReplicas(store, given), { store });
  });
  afterEach(async () => {
    await bench.closeAll();
    await bench.store.close();
  });
  return bench;
}

export const used = (units: number): Charge => ({ units, model: 'm', endpoint: '/x', priceVersion: 'v', detail: {} });

/** True when there is no money for it; any other error is thrown. */
export async function isRefused(reserving: () => Reservation | Promise<Reservation>): Promise<boolean> {
  try {
    await reserving();
    return false;
  } catch (error) {
    if (error instanceof GatewayError && isMoneyRefusal(error.code)) return true;
    throw error;
  }
}
