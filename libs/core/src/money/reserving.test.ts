/** Who may begin and what it costs the database: leases ahead of need, and the last units of a balance. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { Reservation } from '../ports.ts';
import { used, isRefused, useReplicas } from './testing/replicas.ts';

const bench = useReplicas({ durability: { worstCases: 2 } });

describe('the hot path', () => {
  it('is synchronous once a lease is there, and asks the database for nothing', async () => {
    let asked = 0;
    const spending = bench.replica({
      ledger: {
        lease: (...given) => {
          asked++;
          return bench.store.ledger.lease(...given);
        },
      },
    });
    const who = await bench.person(1_000_000);
    (await spending.reserve(who.call(), 10)).charge(used(4));
    for (let request = 0; request < 5; request++) {
      const reservation = spending.reserve(who.call(), 10);
      expect(reservation).not.toBeInstanceOf(Promise);
      (reservation as Reservation).charge(used(4));
    }
    expect(asked).toBe(1);
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(1_000_000 - 24);
  });

  it('leases nothing for who has no cap at all, and for what is free', async () => {
    const spending = bench.replica({ ledger: { lease: () => Promise.reject(new Error('no lease is needed')) } });
    const [boundless, poor] = [await bench.person(0, null), await bench.person(0)];
    (await spending.reserve(boundless.call(), 10)).charge(used(7));
    (await spending.reserve(poor.call(), 0)).charge(used(0));
    await bench.closeAll();
    expect(await bench.balance(boundless)).toBe(-7);
    expect(await bench.store.ledger.entries({ ownerId: poor.ownerId, kind: 'capture', limit: 9 })).toHaveLength(1);
  });

  it('fetches the next lease while there still is something in the last', async () => {
    let leases = 0;
    const spending = bench.replica({
      ledger: {
        lease: (...given) => {
          leases++;
          return bench.store.ledger.lease(...given);
        },
      },
    });
    const who = await bench.person(10_000_000);
    let asynchronous = 0;
    for (let request = 0; request < 500; request++) {
      const reservation = spending.reserve(who.call(), 10);
      if (reservation instanceof Promise) asynchronous++;
      (await reservation).charge(used(10));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asynchronous).toBe(1);
    expect(leases).toBeGreaterThan(1);
    await bench.closeAll();
  });

  it('draws on what earlier requests gave back to their lease before it leases more', async () => {
    let leases = 0;
    const spending = bench.replica({
      ledger: {
        lease: (...given) => {
          leases++;
          return bench.store.ledger.lease(...given);
        },
      },
    });
    const who = await bench.person(10_000_000);
    for (let request = 0; request < 100; request++) (await spending.reserve(who.call(), 1_000)).charge(used(1));
    expect(leases).toBe(1);
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(10_000_000 - 100);
  });

  it('a cold start with two thousand at once refuses nobody who can pay', async () => {
    const spending = bench.replica();
    const who = await bench.person(100_000_000);
    const all = await Promise.all(
      Array.from({ length: 2_000 }, async () => (await spending.reserve(who.call(), 1_000)).charge(used(3))),
    );
    expect(all).toHaveLength(2_000);
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(100_000_000 - 6_000);
  });
});

describe('a request that a thousand others were faster than', () => {
  it('is told to come back, holds nothing, and is served then', async () => {
    let ids = 1_000_000;
    const spending = bench.replica({
      ledger: {
        // Just enough for one request each time.
        lease: async (_payer, { enough = 0 }) => {
          const granted = { id: ++ids, amount: enough, overdraft: 0 };
          return { ...granted, available: 1e12, shared: true, careful: false };
        },
        closeLease: async () => undefined,
      },
    });
    const who = await bench.person(1_000);
    const first = await spending.reserve(who.call(), 10);
    const all = await Promise.allSettled(Array.from({ length: 1_010 }, async () => spending.reserve(who.call(), 10)));
    const served = all.filter((each) => each.status === 'fulfilled');
    const failed = all.filter((each) => each.status === 'rejected');
    expect(served).toHaveLength(1_000);
    for (const { reason } of failed)
      expect(reason).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 1 } });
    (await spending.reserve(who.call(), 10)).cancel();
    for (const each of [first, ...served.map(({ value }) => value)]) each.cancel();
  });
});

describe('the last units', () => {
  it('are spent to the last request that can be paid, although each could cost more than there is', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    let served = 0;
    // Each may cost 800, costs 30, and 20 for certain.
    while (!(await isRefused(async () => hold(await spending.reserve(who.call(), { most: 800, least: 20 }), 30))))
      served++;
    function hold(reservation: Reservation, units: number): Reservation {
      reservation.charge(used(units));
      return reservation;
    }
    expect(served).toBe(33);
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(10);
  });

  it('go to one request at a time when they are less than it may cost', async () => {
    const spending = bench.replica();
    const who = await bench.person(100);
    const first = await spending.reserve(who.call(), { most: 800, least: 20 });
    expect(await isRefused(() => spending.reserve(who.call(), { most: 800, least: 20 }))).toBe(true);
    first.charge(used(250));
    await bench.closeAll();
    // The house pays what the caller could not: no debt.
    expect(await bench.balance(who)).toBe(0);
    const [entry] = await bench.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ charged: 100, shortfall: 150 });
  });

  it.each([
    { name: 'a balance', balance: 1_000, limits: {} },
    { name: "a day's cap", balance: 50_000, limits: { spendPerDay: 1_000 } },
    { name: "a month's cap", balance: 50_000, limits: { spendPerMonth: 1_000 } },
    { name: 'a total cap', balance: 50_000, limits: { spendTotal: 1_000 } },
  ])('of $name, wanted by 64 clients of two replicas: never passed, and used up', async ({ balance, limits }) => {
    const replicas = [bench.replica(), bench.replica()];
    const who = await bench.person(balance, 0, limits);
    let served = 0;
    const client = async (index: number): Promise<void> => {
      for (let tries = 0; tries < 40; tries++) {
        try {
          const reservation = await replicas[index % 2]!.reserve(who.call(), { most: 40, least: 10 });
          await new Promise((resolve) => setImmediate(resolve));
          reservation.charge(used(10));
          served++;
        } catch (error) {
          if (!(error instanceof GatewayError && error.code === 'insufficient_quota')) throw error;
          // All is spent, and who asks then has been refused.
          if (served === 100) return;
          bench.clock.now += 300;
          for (const each of replicas) await each.tend();
        }
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, index) => client(index)));
    await bench.closeAll();
    expect(await bench.charged(who)).toBe(served * 10);
    expect(served).toBe(100);
    expect(await bench.balance(who)).toBe(balance - 1_000);
  });

  it('are seen again after a top-up, within the time a refusal is remembered', async () => {
    const spending = bench.replica();
    const who = await bench.person(5);
    expect(await isRefused(() => spending.reserve(who.call(), 10))).toBe(true);
    await bench.store.ledger.topUp(who.ownerId, 100, {}, bench.clock.now);
    bench.clock.now += 250;
    expect(await isRefused(() => spending.reserve(who.call(), 10))).toBe(false);
  });

  it('go to a small request that asked beside a larger one there is not enough for', async () => {
    const spending = bench.replica();
    const who = await bench.person(100);
    const large = isRefused(() => spending.reserve(who.call(), 500));
    const small = await spending.reserve(who.call(), 50);
    expect(await large).toBe(true);
    small.charge(used(50));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(50);
  });

  it('are seen at once when a lease came back since the refusal', async () => {
    const spending = bench.replica();
    const who = await bench.person(100);
    const running = await spending.reserve(who.call(), 100);
    expect(await isRefused(() => spending.reserve(who.call(), 150))).toBe(true);
    await bench.store.ledger.topUp(who.ownerId, 100, {}, bench.clock.now);
    running.cancel();
    await spending.tend();
    expect(await bench.balance(who)).toBe(200);
    (await spending.reserve(who.call(), 150)).charge(used(150));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(50);
  });

  it('a refusal is remembered, so that many of them cost the database nothing', async () => {
    let asked = 0;
    const spending = bench.replica({
      ledger: {
        lease: (...given) => {
          asked++;
          return bench.store.ledger.lease(...given);
        },
      },
    });
    const who = await bench.person(5);
    for (let request = 0; request < 50; request++) await isRefused(() => spending.reserve(who.call(), 10));
    // Once, and once more after a moment.
    expect(asked).toBe(2);
  });
});
