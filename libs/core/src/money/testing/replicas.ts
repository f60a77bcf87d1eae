/** Spendings over one real store, with the clock in hand, that can be killed as a process is: what they have not written is gone. */
import { afterEach, beforeEach, expect } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { Caller, Log } from '../../parts.ts';
import type {
  Charge,
  KeyLimits,
  KeyRecord,
  LedgerEntry,
  LedgerStore,
  Need,
  Reservation,
  SpendScope,
  Store,
} from '../../ports.ts';
import { openTestStore } from '../../tasks/testing/store.ts';
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

/** A store with replicas and people over it, anew for each test; what `given` has goes to every replica. */
class TestReplicas {
  store!: Store;
  clock = { now: NOON };
  private readonly given: ReplicaOptions;
  private open: Replica[] = [];
  private names = 0;

  constructor(given: ReplicaOptions) {
    this.given = given;
  }

  begin(store: Store): void {
    this.store = store;
    this.clock = { now: NOON };
    this.open = [];
    this.names = 0;
  }

  replica(more: ReplicaOptions = {}): TestReplica {
    const { store, clock, given } = this;
    const made = new Replica({ ...store.ledger, ...given.ledger, ...more.ledger }, (ledger) => ({
      owners: store.owners,
      now: () => clock.now,
      log: quiet,
      process: `process ${++this.names} of ${process.pid}`,
      graceMs: 0,
      pause: () => new Promise((resolve) => setTimeout(resolve, 2)),
      ...given,
      ...more,
      ledger,
    }));
    this.open.push(made);
    return made;
  }

  async person(balance: number, creditLimit: number | null = 0, limits: KeyLimits = {}): Promise<TestPerson> {
    const { store, clock } = this;
    const credit = creditLimit === null ? {} : { creditLimit };
    const owner = await store.owners.create({ name: 'o', group: 'default', ...credit }, clock.now);
    if (balance > 0) await store.ledger.topUp(owner.id, balance, {}, clock.now);
    return this.personOf(owner.id, limits);
  }

  /** Whoever is alive finds the leases of the dead. */
  async reap(by: Spending): Promise<void> {
    this.clock.now += 61_000;
    await by.tend();
  }

  /** Closes what was not killed; the books add up then. */
  async closeAll(): Promise<void> {
    for (const each of this.open) if (!each.isDead()) await each.close();
    this.open = [];
    expect(await this.store.ledger.verify()).toEqual([]);
  }

  async charged(who: TestPerson): Promise<number> {
    return (await this.captures(who)).reduce((sum, each) => sum + each.charged, 0);
  }

  async shortfall(who: TestPerson): Promise<number> {
    return (await this.captures(who)).reduce((sum, each) => sum + each.shortfall, 0);
  }

  async adjust(who: TestPerson, change: number): Promise<void> {
    await this.store.ledger.adjust(who.ownerId, change, {}, this.clock.now);
  }

  async balance(who: TestPerson): Promise<number> {
    return (await this.store.owners.get(who.ownerId))?.balance ?? NaN;
  }

  private captures({ ownerId }: TestPerson): Promise<readonly LedgerEntry[]> {
    return this.store.ledger.entries({ ownerId, kind: 'capture', limit: 100_000 });
  }

  private async personOf(ownerId: number, limits: KeyLimits): Promise<TestPerson> {
    const key = await this.keyOf(ownerId, limits);
    const call = (signal = new AbortController().signal): Caller => ({
      key,
      mode: 'live',
      requestId: `r ${++this.names}`,
      signal,
    });
    return {
      ownerId,
      keyId: key.id,
      call,
      callUnder: (scopes) => ({ ...call(), caps: { scopesOf: () => scopes } }),
      callWith: (changed) => ({ ...call(), key: { ...key, limits: changed } }),
      another: (others = {}) => this.personOf(ownerId, others),
    };
  }

  private keyOf(ownerId: number, limits: KeyLimits): Promise<KeyRecord> {
    const name = `key ${++this.names}`;
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
    return this.store.keys.create({ name, hash: `${name} of ${ownerId}`, ...rest }, this.clock.now);
  }
}

class Replica implements TestReplica {
  private readonly spending: Spending;
  private dead = false;

  constructor(ledger: LedgerStore, options: (ledger: LedgerStore) => SpendingOptions) {
    this.spending = createSpending(options(this.whileAlive(ledger)));
  }

  reserve(caller: Caller, units: number | Need): Reservation | Promise<Reservation> {
    return this.spending.reserve(caller, units);
  }

  flush(): Promise<void> {
    return this.spending.flush();
  }

  tend(): Promise<void> {
    return this.spending.tend();
  }

  close(): Promise<void> {
    return this.spending.close();
  }

  isDead(): boolean {
    return this.dead;
  }

  kill(): void {
    this.dead = true;
  }

  /** The ledger, whose methods never answer when the replica is dead. */
  private whileAlive(ledger: LedgerStore): LedgerStore {
    const methods = Object.entries(ledger as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>);
    const mortal = methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        if (this.isDead()) return new Promise(() => undefined);
        const answer = await method(...args);
        return this.isDead() ? new Promise(() => undefined) : answer;
      },
    ]);
    return Object.fromEntries(mortal) as LedgerStore;
  }
}

/**
 * A store with replicas and people over it, new for each test of the file; after each the replicas are closed and the books add up. In
 * memory, or where `url` says.
 */
export function useReplicas(given: ReplicaOptions = {}, url?: () => string): TestReplicas {
  const bench = new TestReplicas(given);
  beforeEach(async () => {
    bench.begin(await openTestStore(url?.()));
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
