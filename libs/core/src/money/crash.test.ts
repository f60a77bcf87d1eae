/** What a killed process had in flight is paid by whom it was for; nobody is charged for what was not begun. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Reservation } from '../ports.ts';
import { useReplicas, used, type TestReplica } from './testing/replicas.ts';

const RICH = 1_000_000;

const replicas = useReplicas();

describe('a process that is killed', () => {
  it('leaves what it had in flight to be charged, marked as such, and gives the rest back', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    for (let request = 0; request < 3; request++) await dead.reserve(who.call(), 100);
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.balance(who)).toBe(RICH - 300);
    const entries = await replicas.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    const each = { charged: 100, shortfall: 0, detail: { crashSettlement: true, basis: 'reserved', reserved: 100 } };
    expect(entries).toMatchObject([each, each, each]);
  });

  it.each([
    ['may cost five dollars', 0, null, 2_500_000],
    ['was asked for by a payer with a balance', RICH, 0, 1_700],
  ])('has it charged all that was set aside when it %s', async (_why, balance, credit, most) => {
    const who = await replicas.person(balance, credit);
    const dead = replicas.replica();
    await dead.reserve(who.call(), { most, least: 100, model: 'm' });
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(most);
  });

  it('without waiting for a restart on a database that only one process can have', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    await dead.reserve(who.call(), 100);
    await dead.flush();
    dead.kill();
    await replicas.replica({ soleProcess: true }).tend();
    expect(await replicas.balance(who)).toBe(RICH - 100);
  });

  it('costs nobody anything when nothing was in flight', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    const [charged, cancelled] = [await dead.reserve(who.call(), 100), await dead.reserve(who.call(), 100)];
    charged.charge(used(30));
    cancelled.cancel();
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.balance(who)).toBe(RICH - 30);
  });

  it('costs nobody anything for what was booked beside a charge that can never be', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica({
      ledger: {
        record: (charges, atRisk) =>
          charges.some(({ model }) => model === 'bad')
            ? Promise.reject(new GatewayError('not_found', 'there is no such owner'))
            : replicas.store.ledger.record(charges, atRisk),
      },
    });
    const all = [await dead.reserve(who.call(), 100), await dead.reserve(who.call(), 100)];
    await dead.flush();
    for (const [index, each] of all.entries()) each.charge({ ...used(30), model: index === 0 ? 'bad' : 'm' });
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(30);
  });

  it('has its streams charged by their last checkpoint, and a little for what came after it', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    const stream = await dead.reserve(who.call(), 3_200);
    for (const units of [1, 5, 200, 700]) stream.checkpoint(() => units);
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(800);
  });

  it('costs nobody more for a checkpoint of a request that has ended', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    const streams = [await dead.reserve(who.call(), 3_200), await dead.reserve(who.call(), 3_200)];
    for (const [index, stream] of streams.entries()) {
      // One comes before the end and is not reckoned yet, one after it.
      if (index === 0) stream.checkpoint(() => 700);
      stream.charge(used(20));
      stream.checkpoint(() => 700);
    }
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(40);
  });

  it('has a stream charged by its last checkpoint that said anything, and named as delivered', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    const stream = await dead.reserve(who.call(), 3_200);
    for (const units of [700, undefined]) {
      stream.checkpoint(() => units);
      await dead.flush();
    }
    dead.kill();
    await replicas.reap(replicas.replica());
    const entries = await replicas.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entries).toMatchObject([{ charged: 800, detail: { basis: 'delivered', reserved: 3_200 } }]);
  });

  it('is told at whose default price its requests are paid, where the model has none of its own', async () => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    for (const more of [{ defaultPrice: 'house' }, {}])
      await dead.reserve(who.call(), { most: 100, least: 100, model: 'm', ...more });
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    const entries = await replicas.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entries.map(({ detail }) => detail['default_price']).toSorted()).toEqual(['house', undefined]);
  });

  it.each([0, -5, 1e12])('is charged no more than was set aside when a checkpoint says %d', async (units) => {
    const who = await replicas.person(RICH);
    const dead = replicas.replica();
    const stream = await dead.reserve(who.call(), 3_200);
    stream.checkpoint(() => units);
    await dead.flush();
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(units > 0 ? 3_200 : 100);
  });

  it('has what it finished and could not write any more charged as what it was', async () => {
    const who = await replicas.person(RICH);
    let full = false;
    const dead = replicas.replica({
      ledger: {
        ...replicas.store.ledger,
        // The disk takes what is at risk and refuses charges.
        record: (charges, atRisk) =>
          full && charges.length > 0 ? new Promise(() => undefined) : replicas.store.ledger.record(charges, atRisk),
      },
    });
    const reservation = await dead.reserve(who.call(), 100);
    await dead.flush();
    full = true;
    reservation.charge(used(60));
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(100);
  });
});

describe('a request is written down before it begins', () => {
  const killedAtOnce = async (who: Awaited<ReturnType<typeof replicas.person>>, units: number): Promise<void> => {
    const dead = replicas.replica();
    await dead.reserve(who.call(), units);
    // No tick of the journal's.
    dead.kill();
    await replicas.reap(replicas.replica());
  };

  it('when its payer has less than sixteen worst cases left', async () => {
    const who = await replicas.person(1_599);
    await killedAtOnce(who, 100);
    expect(await replicas.charged(who)).toBe(100);
  });

  it('when it may cost much, however rich the payer is, and if there is no cap at all', async () => {
    const [rich, boundless] = [await replicas.person(1e12), await replicas.person(0, null)];
    for (const who of [rich, boundless]) await killedAtOnce(who, 2_500_000);
    expect(await replicas.charged(rich)).toBe(2_500_000);
    expect(await replicas.charged(boundless)).toBe(2_500_000);
    expect(await replicas.balance(boundless)).toBe(-2_500_000);
  });

  it('when it may cost much, also where a lease for many has room for it', async () => {
    const who = await replicas.person(1e12);
    const dead = replicas.replica();
    (await dead.reserve(who.call(), 2_000_000)).cancel();
    expect(dead.reserve(who.call(), 2_499_999)).not.toBeInstanceOf(Promise);
    await dead.flush();
    await dead.reserve(who.call(), 2_500_000);
    dead.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(4_999_999);
  });

  it('when a process of the payer’s died not long ago: no second crash forgives anything', async () => {
    const who = await replicas.person(RICH);
    await killedAtOnce(who, 100);
    const before = await replicas.charged(who);
    const next = replicas.replica();
    await next.reserve(who.call(), 100);
    for (let request = 0; request < 10; request++) await next.reserve(who.call(), 100);
    next.kill();
    const last = replicas.replica();
    await replicas.reap(last);
    expect((await replicas.charged(who)) - before).toBe(1_100);
    // After an hour it is in memory again.
    replicas.clock.now += 3_600_000;
    (await last.reserve(who.call(), 100)).cancel();
    expect(last.reserve(who.call(), 100)).not.toBeInstanceOf(Promise);
  });

  it('from the first request of the next process on, on a database that only one process can have', async () => {
    const who = await replicas.person(RICH);
    const sole = { soleProcess: true };
    const killedWith = async (requests: number): Promise<void> => {
      const dead = replicas.replica(sole);
      for (let request = 0; request < requests; request++) await dead.reserve(who.call(), 100);
      dead.kill();
    };
    await killedWith(1);
    await killedWith(11);
    await replicas.replica(sole).tend();
    expect(await replicas.charged(who)).toBe(1_200);
  });

  it('and holds nothing when it could not be written down', async () => {
    const who = await replicas.person(RICH);
    await killedAtOnce(who, 100);
    let isAway = false;
    const next = replicas.replica({
      ledger: {
        record: (...given) =>
          isAway ? Promise.reject(new Error('connection refused')) : replicas.store.ledger.record(...given),
      },
    });
    (await next.reserve(who.call(), 100)).cancel();
    await next.flush();
    isAway = true;
    await expect(Promise.resolve(next.reserve(who.call(), 100))).rejects.toThrow('connection refused');
    isAway = false;
    await next.close();
    expect(await replicas.balance(who)).toBe(RICH - 100);
  });

  it('by replicas that live on, too, once they have renewed their leases', async () => {
    const who = await replicas.person(RICH);
    const [dead, alive] = [replicas.replica(), replicas.replica()];
    for (const each of [dead, alive]) await each.reserve(who.call(), 100);
    dead.kill();
    for (let renewal = 0; renewal < 3; renewal++) {
      replicas.clock.now += 31_000;
      await alive.tend();
    }
    for (let request = 0; request < 10; request++) await alive.reserve(who.call(), 100);
    alive.kill();
    await replicas.reap(replicas.replica());
    expect(await replicas.charged(who)).toBe(1_200);
  });
});

describe('a bill that is no sum of money', () => {
  it.each([NaN, -1, 0.5, Infinity, 2 ** 60])('of %d takes what was set aside', async (units) => {
    const who = await replicas.person(RICH);
    const spending = replicas.replica();
    (await spending.reserve(who.call(), 100)).charge(used(units));
    await spending.flush();
    const entries = await replicas.store.ledger.entries({ ownerId: who.ownerId, kind: 'capture', limit: 9 });
    expect(entries).toMatchObject([{ charged: 100, detail: { reserved: 100 } }]);
  });
});

type Step =
  | { readonly do: 'reserve'; readonly at: number; readonly key: number; readonly most: number; readonly least: number }
  | { readonly do: 'checkpoint' | 'charge'; readonly pick: number; readonly share: number }
  | { readonly do: 'cancel'; readonly pick: number }
  | { readonly do: 'flush' | 'tend' | 'crash'; readonly at: number }
  | { readonly do: 'wait'; readonly ms: number };

const at = fc.nat({ max: 1 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('reserve' as const), at, key: at, most: fc.nat(300), least: fc.nat(60) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('checkpoint', 'charge'), pick: fc.nat(), share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('flush', 'tend'), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(70_000) }) },
);

interface Running {
  readonly on: TestReplica;
  readonly reservation: Reservation;
  readonly most: number;
  /** What the vendor has delivered so far, and would bill. */
  delivered: number | undefined;
}

describe('any history in which processes die', () => {
  // Vendors bill what they delivered; all of the worst case where nothing is known of it.
  it.each([
    { name: 'poor payers', balance: 1_000 },
    { name: 'rich payers, killed after the journal’s tick', balance: 100_000 },
  ])(
    'never lets vendors bill more than was charged by more than one worst case: $name',
    async ({ balance }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          const first = await replicas.person(balance);
          const people = [first, await first.another()];
          const alive = [replicas.replica(), replicas.replica()];
          let running: Running[] = [];
          let billed = 0;
          let worst = 0;
          for (const one of steps) {
            const picked = 'pick' in one ? running[one.pick % Math.max(1, running.length)] : undefined;
            switch (one.do) {
              case 'reserve': {
                const need = { most: Math.max(one.most, one.least), least: one.least };
                worst = Math.max(worst, need.most);
                const on = alive[one.at]!;
                // Nobody ends while it waits: a short line.
                const asked = await Promise.resolve()
                  .then(() => on.reserve(people[one.key]!.call(), need))
                  .catch((error: unknown) => {
                    if (error instanceof GatewayError && error.code === 'insufficient_quota') return undefined;
                    throw error;
                  });
                if (asked !== undefined)
                  running.push({ on, reservation: asked, most: need.most, delivered: undefined });
                break;
              }
              case 'checkpoint':
                if (picked === undefined) break;
                picked.delivered = Math.max(picked.delivered ?? 0, Math.floor(picked.most * one.share));
                picked.reservation.checkpoint(() => picked.delivered);
                break;
              case 'charge': {
                if (picked === undefined) break;
                running = running.filter((each) => each !== picked);
                const units = Math.max(picked.delivered ?? 0, Math.floor(picked.most * one.share));
                billed += units;
                picked.reservation.charge(used(units));
                break;
              }
              case 'cancel':
                if (picked === undefined || picked.delivered !== undefined) break;
                running = running.filter((each) => each !== picked);
                picked.reservation.cancel();
                break;
              case 'flush':
              case 'tend':
                await alive[one.at]![one.do]();
                break;
              case 'wait':
                replicas.clock.now += one.ms;
                for (const each of alive) await each.tend();
                break;
              case 'crash': {
                const dead = alive[one.at]!;
                await dead.flush();
                dead.kill();
                for (const { on, most, delivered } of running) if (on === dead) billed += delivered ?? most;
                running = running.filter(({ on }) => on !== dead);
                alive[one.at] = replicas.replica();
                break;
              }
            }
            expect(await replicas.balance(first)).toBeGreaterThanOrEqual(0);
          }
          for (const { reservation, most, delivered } of running) {
            billed += delivered ?? most;
            reservation.charge(used(delivered ?? most));
          }
          for (const each of alive) await each.flush();
          await replicas.reap(alive[0]!);
          expect(await replicas.store.ledger.verify()).toEqual([]);
          expect(billed - (await replicas.charged(first))).toBeLessThanOrEqual(worst);
          expect(await replicas.shortfall(first)).toBeLessThanOrEqual(worst);
          await replicas.closeAll();
        }),
        { numRuns: 30 },
      );
    },
    120_000,
  );
});
