/** The overdraft: requests of a payer with little money run side by side, and the owner never costs more than the balance and the overdraft. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Need, Reservation } from '../ports.ts';
import { isRefused, used, useReplicas } from './testing/replicas.ts';

const OVERDRAFT = 1_000;
const bench = useReplicas({ overdraft: OVERDRAFT });

const need = (most: number, least = 1): Need => ({ most, least, model: 'm' });

describe('requests of a payer who has less than their worst cases', () => {
  it('run side by side as far as the overdraft covers the worst cases, and cost what they use', async () => {
    const spending = bench.replica();
    const who = await bench.person(300);
    const four = await Promise.all(Array.from({ length: 4 }, async () => spending.reserve(who.call(), need(300))));
    for (const each of four) each.charge(used(1));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(296);
    expect(await bench.shortfall(who)).toBe(0);
  });

  it('under the cap of a key as under a balance', async () => {
    const spending = bench.replica();
    const who = await bench.person(0, null, { spendTotal: 300 });
    const four = await Promise.all(Array.from({ length: 4 }, async () => spending.reserve(who.call(), need(300))));
    for (const each of four) each.charge(used(100));
    expect(await isRefused(() => spending.reserve(who.call(), need(300)))).toBe(true);
    await bench.closeAll();
    expect(await bench.charged(who)).toBe(400);
  });

  it('who owes is refused until the debt is paid', async () => {
    const spending = bench.replica();
    const who = await bench.person(100);
    const two = await Promise.all([1, 2].map(async () => spending.reserve(who.call(), need(400))));
    for (const each of two) each.charge(used(400));
    await spending.flush();
    expect(await isRefused(() => spending.reserve(who.call(), need(10)))).toBe(true);
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(-700);
    await bench.store.ledger.topUp(who.ownerId, 800, {}, bench.clock.now);
    const again = bench.replica();
    (await again.reserve(who.call(), need(10))).charge(used(10));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(90);
  });

  it('what has been used up of it is worst cases again: one at a time', async () => {
    const [one, other] = [bench.replica(), bench.replica()];
    const who = await bench.person(300);
    const running = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => (index % 2 === 0 ? one : other).reserve(who.call(), need(300))),
    );
    let isIn = false;
    const fifth = Promise.resolve(one.reserve(who.call(), need(300))).then((reservation) => {
      isIn = true;
      return reservation;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isIn).toBe(false);
    for (const each of running) each.cancel();
    (await fifth).charge(used(5));
    await bench.closeAll();
    expect(await bench.balance(who)).toBe(295);
  });

  it('a request holds what such requests have cost, with a margin', async () => {
    const spending = bench.replica();
    const who = await bench.person(300);
    for (let count = 0; count < 3; count++) (await spending.reserve(who.call(), need(300))).charge(used(20));
    const running = await spending.reserve(who.call(), need(300));
    expect(await bench.balance(who)).toBe(300 - 3 * 20 - 30);
    running.charge(used(20));
    await bench.closeAll();
  });

  it('a process that dies is charged what it may have cost, as far as the overdraft goes', async () => {
    const [dying, other] = [bench.replica(), bench.replica()];
    const who = await bench.person(100);
    await dying.reserve(who.call(), need(400));
    dying.kill();
    await bench.reap(other);
    expect(await bench.balance(who)).toBe(-300);
  });
});

it('without an overdraft a worst case is held, as ever', async () => {
  const spending = bench.replica({ overdraft: 0 });
  const who = await bench.person(300);
  const running = await spending.reserve(who.call(), need(200));
  expect(await bench.balance(who)).toBe(100);
  running.charge(used(1));
});

const step = fc.record({
  key: fc.nat(1),
  replica: fc.nat(1),
  /** Within what there is and the overdraft: a larger one runs alone. */
  most: fc.integer({ min: 2, max: 900 }),
  least: fc.integer({ min: 1, max: 20 }),
  /** What it uses of its worst case. */
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  /** How many others end before it. */
  after: fc.nat(6),
  dies: fc.boolean(),
});

it('whatever its requests use, over two keys and two processes that die: an owner is charged no more than balance and overdraft', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 50, max: 2_000 }), fc.array(step, { maxLength: 25 }), async (balance, steps) => {
      const who = await bench.person(balance);
      const keys = [who, await who.another()];
      const replicas = [bench.replica(), bench.replica()];
      let billed = 0;
      const running: { readonly reservation: Reservation; readonly units: number; readonly on: number }[] = [];
      const end = (count: number): void => {
        for (const { reservation, units } of running.splice(0, count)) {
          reservation.charge(used(units));
          billed += units;
        }
      };
      for (const { key, replica, most, least, share, after, dies } of steps) {
        const gone = new AbortController();
        const asking = Promise.resolve()
          .then(() => replicas[replica]!.reserve(keys[key]!.call(gone.signal), need(Math.max(most, least), least)))
          .catch(() => undefined);
        // Who must wait for others is let go when some of them end, or gives up.
        const patience = setTimeout(() => {
          end(after);
          gone.abort();
        }, 10);
        const reservation = await asking;
        clearTimeout(patience);
        if (reservation !== undefined)
          running.push({ reservation, units: Math.floor(Math.max(most, least) * share), on: replica });
        if (running.length > after) end(running.length - after);
        if (dies && running.length > 0) {
          await replicas[replica]!.flush();
          replicas[replica]!.kill();
          // Their vendors bill all the same.
          for (let index = running.length - 1; index >= 0; index--)
            if (running[index]!.on === replica) billed += running.splice(index, 1)[0]!.units;
          replicas[replica] = bench.replica();
          await bench.reap(replicas[1 - replica]!);
        }
      }
      end(running.length);
      for (const each of replicas) await each.close();
      expect(billed).toBeLessThanOrEqual(balance + OVERDRAFT);
      expect(await bench.charged(who)).toBeLessThanOrEqual(balance + OVERDRAFT);
      expect(await bench.balance(who)).toBeGreaterThanOrEqual(-OVERDRAFT);
    }),
    { numRuns: 40 },
  );
}, 120_000);
