import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { Offer } from './catalogue.ts';
import { createRouter, type Router, type Slot } from './routing.ts';
import { accountOf, callerOf, offerOf } from './routing/testing/accounts.ts';

/** A clock that stands still, and numbers that repeat (a linear congruential generator). */
function house(): { readonly router: Router; pass(ms: number): void } {
  let time = 1_000_000;
  let seed = 42;
  const random = (): number => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return seed / 2 ** 32;
  };
  return {
    router: createRouter({ now: () => time, random }),
    pass(ms) {
      time += ms;
    },
  };
}

const acquire = (router: Router, offer: Offer): Slot => {
  const slot = router.acquire(offer);
  if (slot instanceof Promise) throw new Error('the account is full');
  return slot;
};
const refusal = (router: Router, offer: Offer, left: readonly Offer[] = []): GatewayError | undefined => {
  try {
    void router.acquire(offer, undefined, () => left);
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  return undefined;
};
const broken = new GatewayError('upstream_unavailable', 'broken');
const stateOf = (router: Router, { account }: Offer) => router.health([account])[0]?.state;

describe('order', () => {
  it('goes by priority first, whatever the weights', () => {
    const { router } = house();
    const late = offerOf(accountOf(1), { priority: 2, weight: 1000 });
    const soon = offerOf(accountOf(2), { priority: 1, weight: 0.001 });
    for (let round = 0; round < 50; round++) expect(router.order([late, soon])[0]).toBe(soon);
  });

  it('shares by weight among equals', () => {
    const { router } = house();
    const heavy = offerOf(accountOf(1), { weight: 3 });
    const light = offerOf(accountOf(2), { weight: 1 });
    let heavyFirst = 0;
    for (let round = 0; round < 4000; round++) if (router.order([light, heavy])[0] === heavy) heavyFirst++;
    expect(heavyFirst / 4000).toBeGreaterThan(0.72);
    expect(heavyFirst / 4000).toBeLessThan(0.78);
  });

  it('weight zero is the last resort, not an equal', () => {
    const { router } = house();
    const never = offerOf(accountOf(1), { weight: 0 });
    const usual = offerOf(accountOf(2), { weight: 1 });
    for (let round = 0; round < 200; round++) expect(router.order([never, usual])[0]).toBe(usual);
  });

  it('puts what cools behind what does not, even of a later priority', () => {
    const { router } = house();
    const first = offerOf(accountOf(1), { priority: 1 });
    const second = offerOf(accountOf(2), { priority: 2 });
    acquire(router, first).fail(new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 30 }));
    expect(router.order([first, second])).toEqual([second, first]);
  });
});

describe('cool-down', () => {
  it('one 429 cools for as long as the vendor says', () => {
    const { router, pass } = house();
    const offer = offerOf(accountOf(1));
    acquire(router, offer).fail(new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 30 }));
    expect(stateOf(router, offer)).toBe('open');
    expect(refusal(router, offer, [offerOf(accountOf(2))])).toMatchObject({
      code: 'upstream_rate_limited',
      details: { retryAfterSeconds: 30 },
    });
    expect(refusal(router, offer)).toBeUndefined();
    pass(30_000);
    expect(stateOf(router, offer)).toBe('half-open');
    acquire(router, offer).succeed();
    expect(stateOf(router, offer)).toBe('closed');
  });

  it('a 429 without a word cools for a moment', () => {
    const { router, pass } = house();
    const offer = offerOf(accountOf(1));
    acquire(router, offer).fail(new GatewayError('upstream_rate_limited', 'slow down'));
    expect(stateOf(router, offer)).toBe('open');
    pass(2_000);
    expect(stateOf(router, offer)).toBe('half-open');
  });

  it('four failures in a row are bad luck, five are an outage', () => {
    const { router } = house();
    const offer = offerOf(accountOf(1));
    for (let round = 0; round < 4; round++) acquire(router, offer).fail(broken);
    expect(stateOf(router, offer)).toBe('closed');
    acquire(router, offer).fail(broken);
    expect(stateOf(router, offer)).toBe('open');
    expect(refusal(router, offer, [offerOf(accountOf(2))])).toMatchObject({
      code: 'upstream_unavailable',
      message: 'broken',
      details: { retryAfterSeconds: 5 },
    });
  });

  it('a success between failures starts the count anew', () => {
    const { router } = house();
    const offer = offerOf(accountOf(1));
    for (let round = 0; round < 12; round++) {
      if (round % 4 === 3) acquire(router, offer).succeed();
      else acquire(router, offer).fail(broken);
    }
    expect(stateOf(router, offer)).toBe('closed');
  });

  it('a rejected key cools at once', () => {
    const { router } = house();
    const offer = offerOf(accountOf(1));
    acquire(router, offer).fail(new GatewayError('upstream_rejected_key', 'no'));
    expect(stateOf(router, offer)).toBe('open');
  });

  it('lets one probe in where another is well; its failure doubles the pause, up to five minutes', () => {
    const { router, pass } = house();
    const offer = offerOf(accountOf(1));
    const well = offerOf(accountOf(2));
    for (let round = 0; round < 5; round++) acquire(router, offer).fail(broken);
    let pause = 5_000;
    for (let round = 0; round < 10; round++) {
      pass(pause - 1);
      expect(stateOf(router, offer)).toBe('open');
      pass(1);
      const probe = acquire(router, offer);
      expect(refusal(router, offer, [well])?.code).toBe('upstream_unavailable');
      probe.fail(broken);
      pause = Math.min(300_000, pause * 2);
    }
  });

  it('a probe the caller gave up leaves the place to another', () => {
    const { router, pass } = house();
    const offer = offerOf(accountOf(1));
    acquire(router, offer).fail(new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 1 }));
    pass(1_000);
    acquire(router, offer).release();
    expect(stateOf(router, offer)).toBe('half-open');
    acquire(router, offer).succeed();
    expect(stateOf(router, offer)).toBe('closed');
  });

  it('a call that began before the cool-down does not end it', () => {
    const { router } = house();
    const offer = offerOf(accountOf(1));
    const slow = acquire(router, offer);
    acquire(router, offer).fail(new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 30 }));
    slow.succeed();
    expect(stateOf(router, offer)).toBe('open');
  });

  it('calls that fail side by side are one sign: the pause is not doubled for each', () => {
    const { router } = house();
    const account = accountOf(1, 64);
    const offer = offerOf(account);
    const slots = Array.from({ length: 40 }, () => acquire(router, offer));
    for (const slot of slots) slot.fail(broken);
    expect(router.health([account])[0]?.coolUntil).toBe(1_005_000);
  });

  it('is of one model: the account’s other models go on', () => {
    const { router } = house();
    const account = accountOf(1);
    const [one, other] = [offerOf(account, { model: 'one' }), offerOf(account, { model: 'other' })];
    acquire(router, one).fail(new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 30 }));
    acquire(router, other).succeed();
    expect(refusal(router, one, [offerOf(accountOf(2))])).toBeDefined();
    expect(stateOf(router, one)).toBe('closed');
  });

  it('tells when the first of several is back', () => {
    const { router } = house();
    const [one, other] = [offerOf(accountOf(1)), offerOf(accountOf(2))];
    acquire(router, one).fail(new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 30 }));
    expect(router.retryAfterSeconds([one, other])).toBeUndefined();
    acquire(router, other).fail(new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 7 }));
    expect(router.retryAfterSeconds([one, other])).toBe(7);
  });
});

describe('concurrency', () => {
  it('bounds an account over all its models, queues, and refuses beyond the queue', async () => {
    const { router } = house();
    const account = accountOf(1, 2);
    const [one, other] = [offerOf(account, { model: 'one' }), offerOf(account, { model: 'other' })];
    const running = [acquire(router, one), acquire(router, other)];
    const caller = callerOf(1);
    const waiting = [one, other, one, other].map((offer) => router.acquire(offer, caller));
    expect(router.health([account])[0]).toMatchObject({ inFlight: 2, queued: 4 });
    expect(() => router.acquire(one, caller)).toThrow(
      expect.objectContaining({ code: 'upstream_rate_limited', details: { retryAfterSeconds: 1, taken: 'no' } }),
    );
    running[0]?.succeed();
    const third = await waiting[0];
    expect(router.health([account])[0]).toMatchObject({ inFlight: 2, queued: 3 });
    for (const slot of [running[1], third]) slot?.succeed();
    for (const entered of waiting.slice(1)) (await entered).succeed();
    expect(router.health([account])[0]).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it('a slot is given back once, however often it is told', () => {
    const { router } = house();
    const account = accountOf(1, 2);
    const slot = acquire(router, offerOf(account));
    acquire(router, offerOf(account));
    slot.succeed();
    slot.release();
    slot.fail(broken);
    expect(router.health([account])[0]).toMatchObject({ inFlight: 1, failures: 0 });
  });

  it('a caller who leaves the queue takes no slot', async () => {
    const { router } = house();
    const account = accountOf(1, 1);
    const running = acquire(router, offerOf(account));
    const abort = new AbortController();
    const gone = router.acquire(offerOf(account), { ...callerOf(1), signal: abort.signal });
    abort.abort();
    await expect(gone).rejects.toThrow('cancelled');
    running.succeed();
    expect(router.health([account])[0]).toMatchObject({ inFlight: 0, queued: 0 });
  });
});
