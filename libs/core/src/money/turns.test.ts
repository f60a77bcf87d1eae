/** Payers whose money is short: who may begin, and in which order. */
import { describe, expect, it } from 'vitest';
import type { Reservation } from '../ports.ts';
import { useReplicas, isRefused, used } from './testing/replicas.ts';
import { createTurns } from './turns.ts';

const replicas = useReplicas();

describe('with less than one worst case left', () => {
  const NEED = { most: 800, least: 20 };

  it('requests run one at a time, each when the one before has ended', async () => {
    const spending = replicas.replica();
    const who = await replicas.person(500);
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const reservation = await spending.reserve(who.call(), NEED);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        reservation.charge(used(30));
      }),
    );
    await spending.flush();
    expect(most).toBe(1);
    expect(await replicas.charged(who)).toBe(360);
  });

  it('vendors that bill the worst case each time bill one too much in all', async () => {
    const [one, two] = [replicas.replica(), replicas.replica()];
    const who = await replicas.person(1_900);
    const other = await who.another();
    let billed = 0;
    await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const request = [who, other][index % 2]!.call();
        try {
          const reservation = await [one, two][(index >> 1) % 2]!.reserve(request, NEED);
          await new Promise((resolve) => setImmediate(resolve));
          billed += 800;
          reservation.charge(used(800));
        } catch {
          // Refused: there is nothing left.
        }
      }),
    );
    await Promise.all([one.flush(), two.flush()]);
    expect(billed - 1_900).toBeLessThanOrEqual(800);
    expect(await replicas.charged(who)).toBe(1_900);
    expect(await replicas.shortfall(who)).toBe(billed - 1_900);
  });

  it('a request does not begin beside one that has all of its money', async () => {
    const spending = replicas.replica();
    const who = await replicas.person(1_000);
    const whole = await spending.reserve(who.call(), NEED);
    let begun: Reservation | undefined;
    const second = Promise.resolve(spending.reserve(who.call(), NEED)).then((each) => (begun = each));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun).toBeUndefined();
    whole.charge(used(100));
    (await second).charge(used(100));
    await spending.flush();
    expect(await replicas.charged(who)).toBe(200);
  });

  it('who waits begins as soon as what others hold comes back, before it looks again', async () => {
    const spending = replicas.replica({ durability: { worstCases: 2 }, pause: () => new Promise(() => undefined) });
    const who = await replicas.person(1_000);
    const [short, long] = [await spending.reserve(who.call(), 100), await spending.reserve(who.call(), 100)];
    let begun: Reservation | undefined;
    const waiting = Promise.resolve(spending.reserve(who.call(), 900)).then((each) => (begun = each));
    const turnsPass = async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    await turnsPass();
    short.cancel();
    long.cancel();
    await turnsPass();
    expect(begun).toBeDefined();
    (await waiting).charge(used(900));
    await spending.flush();
    expect(await replicas.charged(who)).toBe(900);
  });

  it('who waits in vain is refused, and who hangs up is let go', async () => {
    const spending = replicas.replica();
    const who = await replicas.person(500);
    await spending.reserve(who.call(), NEED);
    const hangUp = new AbortController();
    const gone = spending.reserve(who.call(hangUp.signal), NEED);
    hangUp.abort();
    await expect(gone).rejects.toMatchObject({ code: 'unavailable' });
    expect(await isRefused(() => spending.reserve(who.call(), NEED))).toBe(true);
  });
});

describe('keys of one owner', () => {
  it('one of them never holds more than half of what their owner has', async () => {
    const spending = replicas.replica();
    const greedy = await replicas.person(1_000);
    const modest = await greedy.another();
    const begun: Reservation[] = [];
    const all = Array.from({ length: 10 }, async () => {
      begun.push(await spending.reserve(greedy.call(), 100));
    });
    const rest = Promise.allSettled(all);
    while (begun.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    // Time for one more.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(begun).toHaveLength(5);
    expect(await isRefused(() => spending.reserve(modest.call(), 100))).toBe(false);
    for (const each of begun) each.cancel();
    await rest;
    for (const each of begun) each.cancel();
  });

  it('a lone key may hold everything', async () => {
    const spending = replicas.replica();
    const who = await replicas.person(1_000);
    const begun = await Promise.all(Array.from({ length: 10 }, async () => spending.reserve(who.call(), 100)));
    expect(await replicas.balance(who)).toBe(0);
    for (const each of begun) each.cancel();
  });

  it('take turns, whoever has more in the line', async () => {
    const turns = createTurns();
    const order: number[] = [];
    const ask = (key: number): Promise<void> => turns.run(key, async () => void order.push(key));
    await Promise.all([ask(1), ask(1), ask(1), ask(1), ask(2), ask(2), ask(3)]);
    expect(order).toEqual([1, 1, 2, 3, 1, 2, 1]);
    expect([1, 2, 3].some((key) => turns.isWanted(key))).toBe(false);
  });

  it('tell who has the turn or waits for it, and of nobody whose turn is over', async () => {
    const turns = createTurns();
    const ends: (() => void)[] = [];
    const asked = [1, 2, 3].map((key) => turns.run(key, () => new Promise<void>((resolve) => void ends.push(resolve))));
    const wanted = (): boolean[] => [1, 2, 3].map((key) => turns.isWanted(key));
    const seen = [wanted()];
    for (const [index, running] of asked.entries()) {
      await expect.poll(() => ends.length).toBe(index + 1);
      ends[index]?.();
      await running;
      seen.push(wanted());
    }
    expect(seen).toEqual([
      [true, true, true],
      [false, true, true],
      [false, false, true],
      [false, false, false],
    ]);
  });

  it('wait in a line that has an end', async () => {
    const turns = createTurns();
    let finish = (): void => undefined;
    const first = turns.run(1, () => new Promise<void>((resolve) => (finish = resolve)));
    const others = Array.from({ length: 256 }, () => turns.run(1, async () => undefined));
    await expect(turns.run(1, async () => undefined)).rejects.toMatchObject({ code: 'insufficient_quota' });
    finish();
    await Promise.all([first, ...others]);
  });
});
