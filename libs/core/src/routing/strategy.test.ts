/** The order of those of one priority. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../paid/testing/simulated-time.ts';
import type { Strategy } from './route.ts';
import { arrange, type Choice, type OfferView } from './strategy.ts';

const well: OfferView = { cooling: false, coolUntil: 0, inFlight: 0 };
const choice = (
  name: string,
  changes: Partial<Choice<string>> & { readonly view?: Partial<OfferView> } = {},
): Choice<string> => {
  const { view, ...rest } = changes;
  return { item: name, name, priority: 1, weight: 1, views: [{ ...well, ...view }], price: 1, ...rest };
};
const taking = (name: string, ms: number, view: Partial<OfferView> = {}): Choice<string> =>
  choice(name, { view: { latency: { ms, isFresh: true }, ...view } });
const firstOf = (choices: readonly Choice<string>[], strategy: Strategy, favourite?: string) =>
  arrange(choices, strategy, { random: () => 0.5, favourite }).order[0];

describe('weighted', () => {
  it('gives each its share', () => {
    const random = seededRandom(3000);
    const count = { a: 0, b: 0 } as Record<string, number>;
    for (let each = 0; each < 3000; each++) {
      const [first = ''] = arrange([choice('a', { weight: 3 }), choice('b')], 'weighted', { random }).order;
      count[first] = (count[first] ?? 0) + 1;
    }
    expect((count['a'] ?? 0) / 3000).toBeCloseTo(0.75, 1);
  });
});

describe('every strategy', () => {
  it.each<Strategy>(['weighted', 'least_busy', 'lowest_latency', 'cheapest'])('%s keeps to priorities', (strategy) => {
    const late = choice('late', { priority: 2, price: 0, view: { latency: { ms: 1, isFresh: true } } });
    const early = choice('early', { price: 9, view: { inFlight: 9, latency: { ms: 900, isFresh: true } } });
    expect(arrange([late, early], strategy, { random: () => 0.5 }).order).toEqual(['early', 'late']);
  });

  it.each<Strategy>(['weighted', 'least_busy', 'lowest_latency', 'cheapest'])('%s loses nobody', (strategy) => {
    const all = [choice('a', { views: [] }), choice('b'), taking('c', 5, { cooling: true }), taking('d', 7)];
    expect([...arrange(all, strategy, { random: () => 0.5 }).order].sort()).toEqual(['a', 'b', 'c', 'd']);
  });
});

it('least_busy takes the one with the fewest calls for its weight', () => {
  const busy = (name: string, inFlight: number, weight = 1) => choice(name, { weight, view: { inFlight } });
  expect(firstOf([busy('a', 3), busy('b', 2)], 'least_busy')).toBe('b');
  expect(firstOf([busy('a', 3, 2), busy('b', 2)], 'least_busy')).toBe('a');
});

it('cheapest goes by the price, and by chance where that is one', () => {
  expect(firstOf([choice('a', { price: 2 }), choice('b', { price: 1 })], 'cheapest')).toBe('b');
  const even = [choice('a', { price: 1 }), choice('b', { price: 1 })];
  const random = seededRandom(100);
  const firsts = Array.from({ length: 100 }, () => arrange(even, 'cheapest', { random }).order[0]);
  expect(new Set(firsts)).toEqual(new Set(['a', 'b']));
});

describe('lowest_latency', () => {
  it('takes the fastest, and stays with it until another is clearly faster', () => {
    expect(firstOf([taking('a', 100), taking('b', 90)], 'lowest_latency')).toBe('b');
    expect(firstOf([taking('a', 100), taking('b', 90)], 'lowest_latency', 'a')).toBe('a');
    expect(firstOf([taking('a', 100), taking('b', 79)], 'lowest_latency', 'a')).toBe('b');
  });

  it('measurements that waver by a tenth change the choice no more than once', () => {
    let favourite: string | undefined;
    const chosen = Array.from({ length: 100 }, (_, round) => {
      const sway = round % 2 === 0 ? 0.95 : 1.05;
      const found = arrange([taking('a', 100 * sway), taking('b', 100 / sway)], 'lowest_latency', {
        random: () => 0.5,
        favourite,
      });
      favourite = found.favourite;
      return found.order[0];
    });
    expect(chosen.filter((each, index) => index > 0 && each !== chosen[index - 1]).length).toBeLessThanOrEqual(1);
  });

  it('one request at a time looks at what nothing is known of, or nothing new', () => {
    expect(firstOf([taking('a', 10), choice('new')], 'lowest_latency', 'a')).toBe('new');
    expect(firstOf([taking('a', 10), choice('new', { view: { inFlight: 1 } })], 'lowest_latency', 'a')).toBe('a');
    const stale = choice('stale', { view: { latency: { ms: 9000, isFresh: false } } });
    expect(firstOf([taking('a', 10), stale], 'lowest_latency', 'a')).toBe('stale');
  });

  it('does not prefer what cools', () => {
    expect(firstOf([taking('a', 10, { cooling: true }), taking('b', 500)], 'lowest_latency', 'a')).toBe('b');
  });
});

describe('affinity', () => {
  const names = ['a', 'b', 'c', 'd'];
  const order = (affinity: string, choices = names.map((name) => choice(name))) =>
    arrange(choices, 'weighted', { random: () => never(), affinity }).order;

  it('is the same order every time, and no chance', () => {
    for (let each = 0; each < 50; each++) expect(order(`p${each}`)).toEqual(order(`p${each}`));
  });

  it('when one is gone only what it had goes elsewhere', () => {
    for (let each = 0; each < 200; each++) {
      const all = order(`p${each}`);
      const left = order(
        `p${each}`,
        names.filter((name) => name !== 'b').map((name) => choice(name)),
      );
      expect(left).toEqual(all.filter((name) => name !== 'b'));
    }
  });

  it('gives each its share by weight', () => {
    const choices = [choice('a', { weight: 3 }), choice('b')];
    const firsts = Array.from({ length: 3000 }, (_, each) => order(`p${each}`, choices)[0]);
    expect(firsts.filter((name) => name === 'a').length / 3000).toBeCloseTo(0.75, 1);
  });

  it('keeps to priorities, and passes those that have no room', () => {
    const late = choice('late', { priority: 2 });
    for (let each = 0; each < 50; each++) {
      expect(order(`p${each}`, [late, choice('a'), choice('b')])[2]).toBe('late');
      expect(order(`p${each}`, [choice('a', { view: { isFull: true } }), choice('b')])[0]).toBe('b');
    }
  });
});

function never(): never {
  throw new Error('chance decides nothing here');
}
