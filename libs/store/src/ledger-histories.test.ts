import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { Payer, Store } from '@model-gateway/core';
import { describeDatabases, openTestDatabase, type TestDatabase } from '@model-gateway/testing';
import fc from 'fast-check';
import { openStore } from './index.ts';
import { balanceOf, newCharge, newPayer, newTask, unique } from './test-rows.ts';

/** What `insufficient_quota` refuses is false; any other error is a fault of the test. */
async function granted(spend: Promise<unknown>): Promise<boolean> {
  try {
    await spend;
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'insufficient_quota') return false;
    throw error;
  }
}

async function sumOfEntries(store: Store, payer: Payer): Promise<number> {
  const entries = await store.ledger.entries({ ownerId: payer.ownerId, limit: 100_000 });
  return entries.reduce((sum, { amount }) => sum + amount, 0);
}

describeDatabases('64 clients race', openStore, ({ store, replica }) => {
  const clients = Array.from({ length: 64 }, (_, index) => index);
  const replicaOf = (client: number): Store => (client % 2 === 0 ? store() : replica());

  it('for the last cent of a balance: one gets it', async () => {
    const payer = await newPayer(store(), { balance: 5000, creditLimit: 0 });
    const answers = await Promise.all(
      clients.map(async (client) =>
        granted(replicaOf(client).ledger.hold(payer, { amount: 5000, requestId: `r ${client}`, detail: {} }, 0)),
      ),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await balanceOf(store(), payer)).toBe(0);
  });

  it.each([
    { name: 'a balance', owner: { balance: 1000, creditLimit: 0 } },
    { name: 'a credit', owner: { balance: 0, creditLimit: 1000 } },
    { name: "a day's cap", owner: { balance: 9000, limits: { spendPerDay: 1000 } } },
    { name: "a month's cap", owner: { balance: 9000, creditLimit: 0, limits: { spendPerMonth: 1000 } } },
    { name: 'a total cap', owner: { balance: 9000, creditLimit: 0, limits: { spendTotal: 1000 } } },
  ])(
    'for all of $name with holds, tasks, leases and charges at once: all of it is spent, and not a unit more',
    async ({ owner }) => {
      const payer = await newPayer(store(), owner);
      // Every way takes 7; 1000 = 142 * 7 + 6.
      const spend = async (client: number, turn: number): Promise<number> => {
        const { ledger, tasks } = replicaOf(client);
        switch ((client + turn) % 4) {
          case 0:
            return (await granted(ledger.hold(payer, { amount: 7, requestId: `${client} ${turn}`, detail: {} }, 0)))
              ? 7
              : 0;
          case 1: {
            const task = newTask({ ownerId: payer.ownerId, keyId: payer.keyId });
            return (await granted(tasks.create(task, { payer, amount: 7, detail: {} }, undefined, 0))) ? 7 : 0;
          }
          case 2: {
            const lease = { want: 7, atLeast: 7, process: 'p', ttlMs: 9 };
            return (await granted(ledger.lease(payer, lease, 0))) ? 7 : 0;
          }
          default: {
            const charge = newCharge(payer, { charged: 7, at: 0 });
            await ledger.record([charge]);
            const [entry] = await ledger.entries({ requestId: charge.requestId, limit: 1 });
            return entry!.charged;
          }
        }
      };
      const spent = await Promise.all(
        clients.map(async (client) => {
          let sum = 0;
          for (let turn = 0; turn < 3; turn += 1) sum += await spend(client, turn);
          return sum;
        }),
      );
      const total = spent.reduce((sum, one) => sum + one, 0);
      // A charge may take the odd rest; everybody else needs all of 7.
      expect(total).toBeGreaterThan(1000 - 7);
      expect(total).toBeLessThanOrEqual(1000);
      expect(await balanceOf(store(), payer)).toBe(owner.balance - total);
      expect(await sumOfEntries(store(), payer)).toBe(owner.balance - total);
      expect(await store().ledger.spent(payer.keyId, 'day', 0)).toBe(total);
      expect(await store().ledger.verify()).toEqual([]);
    },
  );

  it('while holds are captured and released: the caps hold at every moment and the end adds up', async () => {
    const payer = await newPayer(store(), { balance: 300, creditLimit: 0, limits: { spendPerDay: 250 } });
    const charged = await Promise.all(
      clients.map(async (client) => {
        const { ledger } = replicaOf(client);
        let sum = 0;
        for (let turn = 0; turn < 5; turn += 1) {
          const hold = await ledger
            .hold(payer, { amount: 20, requestId: `${client} ${turn}`, detail: {} }, 0)
            .catch(() => undefined);
          if (hold === undefined) continue;
          expect(await ledger.spent(payer.keyId, 'day', 0)).toBeLessThanOrEqual(250);
          expect(await balanceOf(replicaOf(client), payer)).toBeGreaterThanOrEqual(0);
          if (turn % 2 === 0) await ledger.release(hold, {}, 1);
          else if (await ledger.capture(hold, { charged: 1, detail: {} }, 1)) sum += 1;
        }
        return sum;
      }),
    );
    const total = charged.reduce((sum, one) => sum + one, 0);
    expect(await balanceOf(store(), payer)).toBe(300 - total);
    expect(await store().ledger.verify()).toEqual([]);
  });
});

type Step =
  | {
      readonly do: 'topUp' | 'adjust' | 'hold' | 'lease' | 'charge';
      readonly units: number;
      readonly key: number;
      readonly day: number;
    }
  | { readonly do: 'capture' | 'release' | 'settleTask'; readonly pick: number; readonly units: number }
  | { readonly do: 'draw' | 'closeLease' | 'repeatCharge'; readonly pick: number; readonly units: number }
  | { readonly do: 'expire' }
  | { readonly do: 'crash' };

const units = fc.nat({ max: 120 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('topUp', 'adjust', 'hold', 'lease', 'charge'),
    units,
    key: fc.nat({ max: 2 }),
    day: fc.nat({ max: 1 }),
  }),
  fc.record({ do: fc.constantFrom('capture', 'release', 'settleTask'), pick: fc.nat(), units }),
  fc.record({ do: fc.constantFrom('draw', 'closeLease', 'repeatCharge'), pick: fc.nat(), units }),
  fc.constant({ do: 'expire' as const }),
  fc.constant({ do: 'crash' as const }),
);

describe.each(['sqlite', 'postgres'] as const)('any history on %s', (kind) => {
  const CREDIT = 50;
  const CAPS = [{}, { spendPerDay: 150 }, { spendPerMonth: 200, spendTotal: 250 }];
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await openTestDatabase(kind);
    store = await openStore(database.url, { leaseClock: 'caller' });
  });
  afterAll(async () => {
    await store.close();
    await database.close();
  });

  /** Plays a history; `wide` steps at a time run at once. */
  async function play(history: readonly Step[], wide: number): Promise<readonly Payer[]> {
    const first = await newPayer(store, { balance: 200, creditLimit: CREDIT });
    const payers = CAPS.map((limits) => ({ ...first, keyId: unique() + 2_000_000, limits }));
    const holds: number[] = [];
    const tasks: string[] = [];
    const leases: { readonly id: number; readonly payer: Payer }[] = [];
    const charges: Parameters<Store['ledger']['record']>[0][number][] = [];
    const at = (day: number): number => Date.UTC(2026, 0, 31 + day, 12);

    const step = async (one: Step): Promise<void> => {
      const { ledger } = store;
      switch (one.do) {
        case 'topUp':
          await ledger.topUp(first.ownerId, one.units + 1, {}, at(one.day));
          return;
        case 'adjust':
          await granted(ledger.adjust(first.ownerId, -one.units - 1, {}, at(one.day)));
          return;
        case 'hold': {
          const payer = payers[one.key]!;
          if (one.units % 2 === 0) {
            const hold = { amount: one.units, requestId: `r ${unique()}`, detail: {} };
            const id = ledger.hold(payer, hold, at(one.day));
            if (await granted(id)) holds.push(await id);
          } else {
            const task = newTask({ ownerId: payer.ownerId, keyId: payer.keyId, quota: one.units });
            const made = store.tasks.create(task, { payer, amount: one.units, detail: {} }, undefined, at(one.day));
            if (await granted(made)) tasks.push(task.id);
          }
          return;
        }
        case 'lease': {
          const payer = payers[one.key]!;
          const lease = { want: one.units, atLeast: 1, process: 'p', ttlMs: at(5) - at(one.day) };
          const grant = ledger.lease(payer, lease, at(one.day));
          if (await granted(grant)) leases.push({ id: (await grant)!.id, payer });
          return;
        }
        case 'charge': {
          const charge = newCharge(payers[one.key]!, { charged: one.units, at: at(one.day) });
          charges.push(charge);
          await ledger.record([charge]);
          return;
        }
        case 'capture':
        case 'release': {
          const id = holds[one.pick % holds.length];
          if (id === undefined) return;
          await (one.do === 'capture'
            ? ledger.capture(id, { charged: one.units, detail: {} }, at(1))
            : ledger.release(id, {}, at(1)));
          return;
        }
        case 'settleTask': {
          const id = tasks[one.pick % tasks.length];
          if (id === undefined) return;
          const ends = one.units % 2 === 0;
          await store.tasks.advance(
            id,
            ['NOT_START', 'IN_PROGRESS'],
            { state: ends ? 'SUCCESS' : 'FAILURE' },
            ends
              ? { type: 'capture', charged: one.units, priceVersion: 'v', detail: {} }
              : { type: 'release', detail: {} },
            at(1),
          );
          return;
        }
        case 'draw': {
          const lease = leases[one.pick % leases.length];
          if (lease === undefined) return;
          const charge = newCharge(lease.payer, { charged: one.units, leaseId: lease.id, at: at(1) });
          charges.push(charge);
          await ledger.record([charge]);
          return;
        }
        case 'repeatCharge': {
          const again = charges[one.pick % charges.length];
          if (again !== undefined) await ledger.record([again]);
          return;
        }
        case 'closeLease': {
          const lease = leases[one.pick % leases.length];
          if (lease !== undefined) await ledger.closeLease(lease.id, at(1));
          return;
        }
        case 'expire':
          await ledger.closeExpiredLeases(at(6));
          return;
        case 'crash':
          // What the process had in memory is gone: nobody closes its leases and holds by their ids any more.
          holds.length = 0;
          leases.length = 0;
      }
    };
    for (let start = 0; start < history.length; start += wide) {
      await Promise.all(history.slice(start, start + wide).map(step));
      const balance = await balanceOf(store, first);
      expect(balance).toBeGreaterThanOrEqual(-CREDIT);
    }
    return payers;
  }

  /** The promises of the ledger, recomputed here from the entries alone. */
  async function addsUp(payers: readonly Payer[]): Promise<void> {
    const entries = await store.ledger.entries({ ownerId: payers[0]!.ownerId, limit: 10_000 });
    expect(await balanceOf(store, payers[0]!)).toBe(entries.reduce((sum, { amount }) => sum + amount, 0));
    const leased = new Set(entries.filter(({ detail }) => detail['lease'] === true).map(({ id }) => id));
    for (const hold of entries.filter(({ kind: entry }) => entry === 'hold')) {
      const closing = entries.filter(
        ({ holdId, kind: entry }) => holdId === hold.id && (entry === 'release' || !leased.has(hold.id)),
      );
      expect(closing.length).toBeLessThanOrEqual(1);
    }
    for (const { keyId, limits } of payers) {
      for (const day of [31, 32]) {
        const spent = await store.ledger.spent(keyId, 'day', Date.UTC(2026, 0, day, 12));
        expect(spent).toBeGreaterThanOrEqual(0);
        expect(spent).toBeLessThanOrEqual(limits.spendPerDay ?? Infinity);
      }
      expect(await store.ledger.spent(keyId, 'total', 0)).toBeLessThanOrEqual(limits.spendTotal ?? Infinity);
    }
    expect(await store.ledger.verify()).toEqual([]);
  }

  it.each([
    { name: 'one step at a time', wide: 1 },
    { name: 'eight steps at once', wide: 8 },
  ])('adds up, $name', async ({ wide }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (history) => {
        await addsUp(await play(history, wide));
      }),
      { numRuns: 20 },
    );
  });
});
