/** Strategies over the accounts of one model, whatever its kind. */
import { expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import { createRouter, type Slot } from '../routing.ts';
import type { Route } from './route.ts';
import { accountOf, offerOf } from './testing/accounts.ts';

const row: { readonly route: Route } = { route: { targets: [], strategy: 'least_busy', fallbacks: {} } };
const [first, second, third] = [1, 2, 3].map((id) => offerOf(accountOf(id, 10))) as [
  ReturnType<typeof offerOf>,
  ReturnType<typeof offerOf>,
  ReturnType<typeof offerOf>,
];
const offers = [first, second, third];
const house = () => createRouter({ now: () => 1_000, random: () => 0.5 });

it('the account with the fewest calls is asked first, and calls spread evenly', () => {
  const router = house();
  const counts = new Map(offers.map((offer) => [offer, 0]));
  const slots: Slot[] = [];
  for (let call = 0; call < 9; call++) {
    const chosen = router.order(offers, row)[0] ?? first;
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
    slots.push(router.acquire(chosen) as Slot);
  }
  expect([...counts.values()]).toEqual([3, 3, 3]);
  slots[1]?.release();
  expect(router.order(offers, row)[0]).toBe(second);
});

it('one that cools comes last, however idle it is, and nobody is lost', () => {
  const router = house();
  (router.acquire(first) as Slot).fail(new GatewayError('upstream_rejected_key', 'no'));
  void router.acquire(second);
  expect(router.order(offers, row)).toEqual([third, second, first]);
});

it('priorities go before it', () => {
  const router = house();
  const late = { ...third, priority: 2 };
  void router.acquire(first);
  expect(router.order([late, first], row)).toEqual([first, late]);
});
