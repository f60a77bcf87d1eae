/** A charge is booked once, beyond what was reserved too, and whatever happened the books add up. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { ChargeRecord } from '../ports.ts';
import type { Reservation } from '../ports.ts';
import type { Spending } from './spending.ts';
import { quiet, used, type TestReplica, useReplicas } from './testing/replicas.ts';

const bench = useReplicas({ durability: { worstCases: 2 } });

const at = fc.nat({ max: 1 });

type Step =
  | { readonly do: 'reserve'; readonly at: number; readonly most: number; readonly least: number }
  | { readonly do: 'charge' | 'cancel'; readonly pick: number; readonly units: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'tend' | 'flush' | 'crash'; readonly at: number }
  | { readonly do: 'adjust'; readonly units: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('reserve' as const), at, most: fc.nat(300), least: fc.nat(60) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('charge', 'cancel'), pick: fc.nat(), units: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(70_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('tend', 'flush'), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('adjust' as const), units: fc.nat(200) }) },
);

describe('a charge', () => {
  it('counts once, and not after its reservation was cancelled', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    const [charged, cancelled] = [await spending.reserve(who.call(), 100), await spending.reserve(who.call(), 100)];
    charged.charge(used(30));
    charged.charge(used(30));
    charged.cancel();
    cancelled.cancel();
    cancelled.charge(used(30));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(970);
  });

  it('beyond what was reserved is paid by the lease, then by the balance', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    const reservation = await spending.reserve(who.call(), 10);
    reservation.charge(used(600));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(400);
    const [entry] = await bench.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ charged: 600, shortfall: 0 });
  });

  it('of a test key is paid by the test payer of its owner, never with money', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    (await spending.reserve({ ...who.call(), mode: 'test' }, 100)).charge(used(30));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(1_000);
    expect(await bench.charged({ ...who, ownerId: -who.ownerId })).toBe(30);
  });

  it('beyond what was reserved is paid by the lease where the balance has nothing more', async () => {
    const spending = bench.replica();
    const who = await bench.person(1_000);
    const reservation = await spending.reserve(who.call(), 10);
    await bench.adjust(who, -(await bench.balance(who)));
    reservation.charge(used(190));
    await bench.closeAll();
    const [entry] = await bench.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entry).toMatchObject({ charged: 190, shortfall: 0 });
    expect(await bench.balance(who)).toBe(10);
  });

  it.each(['not_found', 'invalid_request'] as const)(
    'that can never be booked (%s) is told with all its numbers and does not hold up the others',
    async (code) => {
      const told: object[] = [];
      const spending = bench.replica({
        ledger: {
          record: (charges) =>
            charges.some(({ model }) => model === 'bad')
              ? Promise.reject(new GatewayError(code, 'there is no such owner'))
              : bench.store.ledger.record(charges),
        },
        log: { ...quiet, error: (fields) => void told.push(fields) },
      });
      const who = await bench.person(1_000);
      (await spending.reserve(who.call(), 10)).charge(used(1));
      (await spending.reserve(who.call(), 10)).charge({ ...used(2), model: 'bad' });
      (await spending.reserve(who.call(), 10)).charge(used(4));
      await spending.flush();
      expect(await bench.charged(who)).toBe(5);
      expect(told).toMatchObject([{ charge: { model: 'bad', charged: 2, payer: { ownerId: who.ownerId } } }]);
    },
  );

  it('that cannot be written is kept, with at most fifty thousand others: then nothing new is begun until they are', async () => {
    let isAway = true;
    const written = new Set<string>();
    const spending = bench.replica({
      ledger: {
        record: async (charges) => {
          if (isAway) throw new Error('connection refused');
          for (const { requestId, charged } of charges) written.add(`${requestId} ${charged}`);
        },
      },
    });
    const who = await bench.person(0, null);
    const expected = new Set<string>();
    const serve = async (): Promise<void> => {
      const call = who.call();
      (await spending.reserve(call, 10)).charge(used(3));
      expected.add(`${call.requestId} 3`);
    };
    for (let request = 0; request <= 50_000; request++) await serve();
    await expect(serve()).rejects.toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 5 } });
    isAway = false;
    await spending.flush();
    await serve();
    await spending.flush();
    expect(written).toEqual(expected);
  });

  it('waits for the database and loses nothing while it is away', async () => {
    let away = true;
    const spending = bench.replica({
      ledger: {
        record: (charges: readonly ChargeRecord[]) =>
          away ? Promise.reject(new Error('connection refused')) : bench.store.ledger.record(charges),
      },
    });
    const who = await bench.person(0, null);
    for (let request = 0; request < 600; request++) (await spending.reserve(who.call(), 10)).charge(used(1));
    await expect(spending.flush()).rejects.toThrow('connection refused');
    away = false;
    await spending.flush();
    expect(await bench.balance(who)).toBe(-600);
  });
});

describe('any history of reservations, charges, crashes and time', () => {
  it('never passes a cap, charges what was used as far as there was money, and adds up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const who = await bench.person(1_000, 50, { spendTotal: 900 });
        let names = 0;
        const fresh = (): TestReplica => bench.replica({ process: `h${who.ownerId} ${++names}` });
        const replicas = [fresh(), fresh()];
        const running: { readonly on: Spending; readonly reservation: Reservation }[] = [];
        for (const one of steps) {
          switch (one.do) {
            case 'reserve': {
              const on = replicas[one.at]!;
              const need = { most: Math.max(one.most, one.least), least: one.least };
              try {
                running.push({ on, reservation: await on.reserve(who.call(), need) });
              } catch (error) {
                if (!(error instanceof GatewayError && error.code === 'insufficient_quota')) throw error;
              }
              break;
            }
            case 'charge':
            case 'cancel': {
              const [picked] = running.splice(one.pick % Math.max(1, running.length), 1);
              if (one.do === 'charge') picked?.reservation.charge(used(one.units));
              else picked?.reservation.cancel();
              break;
            }
            case 'wait':
              bench.clock.now += one.ms;
              break;
            case 'tend':
              await replicas[one.at]!.tend();
              break;
            case 'flush':
              await replicas[one.at]!.flush();
              break;
            case 'crash': {
              const dead = replicas[one.at]!;
              // What a killed process has not journalled is lost: the loss that docs/architecture.md#money allows.
              running.splice(0, running.length, ...running.filter(({ on }) => on !== dead));
              dead.kill();
              replicas[one.at] = fresh();
              break;
            }
            case 'adjust':
              if (one.units > 0) await bench.adjust(who, one.units);
              break;
          }
          expect(await bench.balance(who)).toBeGreaterThanOrEqual(-50);
          expect(await bench.store.ledger.spent(who.call().key.id, 'total', bench.clock.now)).toBeLessThanOrEqual(900);
        }
        for (const { reservation } of running) reservation.cancel();
        bench.clock.now += 120_000;
        for (const each of replicas) await each.tend();
        await bench.closeAll();
        const entries = await bench.store.ledger.entries({ ownerId: who.ownerId, limit: 100_000 });
        const held = entries.filter(({ kind }) => kind === 'hold');
        const closings = entries.filter(({ kind }) => kind === 'release').map(({ holdId }) => holdId);
        expect(new Set(closings).size).toBe(closings.length);
        expect(closings).toHaveLength(held.length);
        expect(await bench.balance(who)).toBe(entries.reduce((sum, { amount }) => sum + amount, 0));
        expect(await bench.store.ledger.spent(who.call().key.id, 'total', bench.clock.now)).toBe(
          await bench.charged(who),
        );
      }),
      { numRuns: 60 },
    );
  });
});
