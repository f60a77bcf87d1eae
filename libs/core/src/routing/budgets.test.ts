/** Budgets of accounts: what they let through, where requests go instead, and how far several processes may pass them. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { AccountUse } from '../ports.ts';
import { createRouter, type Router, type Slot } from '../routing.ts';
import type { AccountBudget } from './budget.ts';
import { accountOf, offerOf } from './testing/accounts.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const budgetOf = (changes: Partial<AccountBudget>): AccountBudget => ({ models: {}, learns: false, ...changes });
const offerWith = (id: number, budget?: AccountBudget, model = 'm') =>
  offerOf({ ...accountOf(id, 1000), ...(budget !== undefined && { budget }) }, { model });
type TestOffer = ReturnType<typeof offerWith>;

function setUp(start = NOON) {
  let clock = start;
  return {
    router: createRouter({ now: () => clock, random: () => 0.5 }),
    now: () => clock,
    pass: (ms: number) => (clock += ms),
  };
}
function take(router: Router, offer: TestOffer): Slot {
  const slot = router.acquire(offer);
  if (slot instanceof Promise) throw new Error('there is room');
  return slot;
}
function refusal(router: Router, offer: TestOffer): GatewayError {
  try {
    take(router, offer);
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('it was let in');
}
const isLetIn = (router: Router, offer: TestOffer): boolean => {
  try {
    take(router, offer).succeed();
    return true;
  } catch {
    return false;
  }
};

describe('requests per minute', () => {
  it('in no 60 seconds more than the budget, and the time to come back is right', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat(6_000), { minLength: 40, maxLength: 150 }),
        (most, gaps) => {
          const { router, now, pass } = setUp();
          const offer = offerWith(1, budgetOf({ requestsPerMinute: most }));
          const times: number[] = [];
          for (const gap of gaps) {
            pass(gap);
            if (isLetIn(router, offer)) times.push(now());
          }
          for (const from of times)
            expect(times.filter((time) => time >= from && time < from + 60_000).length).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 40 },
    );
    const { router, pass } = setUp();
    const offer = offerWith(1, budgetOf({ requestsPerMinute: 2 }));
    take(router, offer);
    pass(10_000);
    take(router, offer);
    const error = refusal(router, offer);
    expect(error).toMatchObject({ code: 'rate_limited', details: { retryAfterSeconds: 50, taken: 'no' } });
    expect(error.message).toContain('requests per minute');
    pass(49_000);
    refusal(router, offer);
    pass(2_000);
    take(router, offer);
  });

  it('requests that failed count too: the vendor has counted them', () => {
    const { router } = setUp();
    const offer = offerWith(1, budgetOf({ requestsPerMinute: 1 }));
    take(router, offer).fail(new GatewayError('invalid_request', 'no'));
    refusal(router, offer);
  });
});

it('traffic moves to the others before, and comes back', () => {
  const { router, pass } = setUp();
  const offers = [offerWith(1, budgetOf({ requestsPerMinute: 1 })), offerWith(2)];
  const [limited] = offers as [TestOffer, TestOffer];
  const inTurn = offers.map((offer, index) => ({ ...offer, priority: 1 + index }));
  const first = () => router.order(inTurn)[0]?.account.id;
  expect(first()).toBe(1);
  take(router, limited);
  expect(first()).toBe(2);
  expect(router.view(limited)).toMatchObject({ cooling: true, isSpent: true });
  pass(61_000);
  expect(first()).toBe(1);
});

describe('tokens and dollars', () => {
  it('are passed by no more than what is under way', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(100), { minLength: 100, maxLength: 300 }),
        (concurrency, perRequest, steps) => {
          const { router, pass } = setUp();
          const most = 500;
          const offer = offerWith(1, budgetOf({ tokensPerDay: most }));
          const running: Slot[] = [];
          let used = 0;
          const end = (): void => {
            running.shift()?.succeed();
            used += perRequest;
            router.used(offer, { tokens: perRequest, units: 0 });
          };
          for (const step of steps) {
            pass(step);
            if (running.length >= concurrency || (step % 2 === 0 && running.length > 0)) end();
            else {
              try {
                running.push(take(router, offer));
              } catch {
                // Used up.
              }
            }
          }
          while (running.length > 0) end();
          expect(used).toBeLessThan(most + concurrency * perRequest);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('a day is one of UTC, and dollars are those of the catalogue', () => {
    const { router, pass } = setUp(Date.UTC(2026, 10, 22, 23, 59, 0));
    const offer = offerWith(1, budgetOf({ dollarsPerDay: 0.5 }));
    take(router, offer).succeed();
    router.used(offer, { tokens: 10, units: 249_999 });
    take(router, offer).succeed();
    router.used(offer, { tokens: 10, units: 1 });
    expect(refusal(router, offer)).toMatchObject({ details: { retryAfterSeconds: 60 } });
    pass(60_000);
    take(router, offer);
  });
});

it('a model has a budget of its own within that of its account', () => {
  const { router } = setUp();
  const budget = budgetOf({ requestsPerMinute: 3, models: { small: { requestsPerMinute: 1 } } });
  const [small, large] = [offerWith(1, budget, 'small'), offerWith(1, budget, 'large')];
  take(router, small);
  refusal(router, small);
  take(router, large);
  take(router, large);
  refusal(router, large);
  expect(router.budgetUse(small.account)).toEqual([{ bound: 'requestsPerMinute', share: 1 }]);
});

describe('what the vendor says is left', () => {
  const learning = budgetOf({ learns: true });

  it('moves requests before it refuses, of that model alone, and a lone account is asked all the same', () => {
    const { router, pass } = setUp();
    const [offer, other] = [offerWith(1, learning), offerWith(1, learning, 'other')];
    router.heard(offer, { requests: { remaining: 2, resetMs: 30_000 } });
    take(router, offer);
    expect(router.view(offer).cooling).toBe(false);
    take(router, offer);
    expect(router.view(offer)).toMatchObject({ cooling: true, isSpent: true, coolUntil: NOON + 30_000 });
    expect(router.view(other).cooling).toBe(false);
    take(router, offer);
    pass(30_000);
    expect(router.view(offer).cooling).toBe(false);
  });

  it('a request that would not fit into the tokens that are left goes elsewhere', () => {
    const { router } = setUp();
    const offer = offerWith(1, learning);
    take(router, offer).succeed();
    router.used(offer, { tokens: 1_000, units: 0 });
    router.heard(offer, { tokens: { remaining: 2_500, resetMs: 10_000 } });
    take(router, offer);
    take(router, offer);
    expect(router.view(offer)).toMatchObject({ isSpent: true });
  });
});

describe('several processes', () => {
  /** What one uses the others hear of after a moment. */
  function processes(count: number, delayMs: number) {
    let clock = NOON;
    const mail: { readonly at: number; readonly to: number; readonly use: AccountUse }[] = [];
    const routers: Router[] = Array.from({ length: count }, (_, index) =>
      createRouter({
        now: () => clock,
        random: () => 0.5,
        tellUse(use) {
          for (let to = 0; to < count; to++) if (to !== index) mail.push({ at: clock + delayMs, to, use });
        },
      }),
    );
    return {
      routers,
      now: () => clock,
      pass(ms: number) {
        clock += ms;
        while (mail[0] !== undefined && mail[0].at <= clock) {
          const [{ to, use }] = mail.splice(0, 1) as [(typeof mail)[number]];
          routers[to]?.learnUse(use);
        }
      },
    };
  }

  it('pass a budget by no more than what they have under way together', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 6 }), fc.nat(1000), (count, each, seed) => {
        const { routers, pass, now } = processes(count, 5);
        const most = 40;
        const offer = offerWith(1, budgetOf({ requestsPerMinute: most }));
        const running: { readonly slot: Slot; readonly until: number; readonly of: number }[] = [];
        let letIn = 0;
        for (let step = 0; step < 400; step++) {
          pass(1 + ((seed + step) % 3));
          for (const one of running.filter(({ until }) => until <= now())) {
            one.slot.succeed();
            running.splice(running.indexOf(one), 1);
          }
          const index = (seed * 7 + step) % count;
          // Answers take longer than messages between processes.
          if (running.filter(({ of }) => of === index).length >= each) continue;
          try {
            running.push({ slot: take(routers[index] as Router, offer), until: now() + 20, of: index });
            letIn++;
          } catch {
            // Used up.
          }
        }
        expect(letIn).toBeGreaterThanOrEqual(most);
        expect(letIn).toBeLessThanOrEqual(most + count * each);
      }),
      { numRuns: 30 },
    );
  });

  it('who comes later knows the day, and hears of it twice without harm', () => {
    const { router } = setUp();
    const offer = offerWith(1, budgetOf({ requestsPerDay: 10 }));
    const today = { accountId: 1, model: 'm', requests: 9, tokens: 0, units: 0 };
    router.learnDay(today);
    router.learnDay(today);
    take(router, offer);
    refusal(router, offer);
  });
});

it('an account without a budget counts nothing', () => {
  const told: AccountUse[] = [];
  const router = createRouter({ now: () => NOON, random: () => 0.5, tellUse: (use) => told.push(use) });
  const offer = offerWith(1);
  take(router, offer).succeed();
  router.used(offer, { tokens: 5, units: 5 });
  expect(told).toEqual([]);
  expect(router.budgetUse(offer.account)).toEqual([]);
});
