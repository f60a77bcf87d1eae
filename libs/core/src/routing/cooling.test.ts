/** The law of cooling as properties: it orders accounts and closes none, so that nobody is answered by what another one's request was told. */
import { describe, expect, it } from 'vitest';
import { GatewayError, type ErrorCode } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Offer } from '../catalogue.ts';
import { createRouter, type Router } from '../routing.ts';
import { accountOf, offerOf } from './testing/accounts.ts';

const START = 1_000_000;

const offerNumber = (id: number): Offer => offerOf(accountOf(id, 64), { priority: id });

/** What a vendor answers: undefined is an answer. */
type Vendor = (offer: Offer) => GatewayError | undefined;
interface Went {
  readonly asked: readonly Offer[];
  readonly error: GatewayError | undefined;
}

/** One request as the callers of the router make it. */
function request(router: Router, offers: readonly Offer[], vendor: Vendor): Went {
  const order = router.order(offers);
  const asked: Offer[] = [];
  let error: GatewayError | undefined;
  for (const [index, offer] of order.entries()) {
    let slot;
    try {
      slot = router.acquire(offer, undefined, () => order.slice(index + 1));
    } catch (refusal) {
      if (!(refusal instanceof GatewayError)) throw refusal;
      error ??= refusal;
      continue;
    }
    if (slot instanceof Promise) throw new Error('the account is full');
    asked.push(offer);
    error = vendor(offer);
    if (error === undefined) {
      slot.succeed();
      return { asked, error };
    }
    slot.fail(error);
    if (slot.trial) break;
  }
  return { asked, error };
}

function house(): { readonly router: Router; readonly now: () => number; pass(ms: number): void } {
  let time = START;
  return {
    router: createRouter({ now: () => time, random: () => 0.5 }),
    now: () => time,
    pass(ms) {
      time += ms;
    },
  };
}

const ELSEWHERE: readonly ErrorCode[] = [
  'upstream_rejected_key',
  'upstream_rate_limited',
  'upstream_malformed',
  'upstream_unavailable',
  'upstream_timeout',
];
const OF_THE_REQUEST: readonly ErrorCode[] = ['invalid_request', 'content_refused', 'context_length_exceeded'];

const fault = fc.constantFrom(...ELSEWHERE).map((code) => new GatewayError(code, `said: ${code}`));
const step = fc.record({ ms: fc.nat(20_000), fault });
const rejected = new GatewayError('upstream_rejected_key', 'the key was refused');
const limited = (seconds: number): GatewayError =>
  new GatewayError('upstream_rate_limited', 'Rate limit reached for m', { retryAfterSeconds: seconds });

describe('a lone account', () => {
  it('is asked by every request, whatever it answered before', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const { router, pass } = house();
        const lone = offerNumber(1);
        for (const { ms, fault: next } of steps) {
          pass(ms);
          expect(request(router, [lone], () => next).asked).toEqual([lone]);
        }
      }),
    );
  });

  it('is well again after the first good answer, however long it should have cooled', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const { router, pass } = house();
        const lone = offerNumber(1);
        for (const { ms, fault: next } of steps) {
          pass(ms);
          request(router, [lone], () => next);
        }
        request(router, [lone], () => undefined);
        expect(router.health([lone.account])[0]).toMatchObject({ state: 'closed', coolUntil: 0, failures: 0 });
      }),
    );
  });

  it('a request’s own mistakes never count', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...OF_THE_REQUEST), { minLength: 1, maxLength: 50 }), (codes) => {
        const { router } = house();
        const lone = offerNumber(1);
        for (const code of codes) request(router, [lone], () => new GatewayError(code, 'wrong'));
        expect(router.health([lone.account])[0]).toMatchObject({ state: 'closed', failures: 0 });
      }),
    );
  });
});

describe('one account of two', () => {
  it('is looked at again when its time to cool is over, however often it failed then', () => {
    const { router, pass } = house();
    const [first, second] = [offerNumber(1), offerNumber(2)];
    const down = new GatewayError('upstream_unavailable', 'down');
    const ask = (): readonly Offer[] =>
      request(router, [first, second], (offer) => (offer === first ? down : undefined)).asked;
    for (let failure = 0; failure < 5; failure++) ask();
    for (let look = 0; look < 3; look++) {
      expect(ask()).toEqual([second]);
      pass(300_000);
      expect(ask()).toEqual([first, second]);
    }
  });
});

describe('a vendor that asked to wait', () => {
  it('is asked for every request where it is alone: the refusal that a caller hears is the answer to their own request', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.nat(700), { minLength: 1, maxLength: 100 }),
        (seconds, gaps) => {
          const { router, pass } = house();
          const lone = offerNumber(1);
          request(router, [lone], () => limited(seconds));
          for (const [index, gap] of gaps.entries()) {
            pass(gap);
            const own = new GatewayError('upstream_rate_limited', `answer ${index}`, { retryAfterSeconds: seconds });
            expect(request(router, [lone], () => own)).toEqual({ asked: [lone], error: own });
          }
        },
      ),
    );
  });

  it('is well for everybody when it has answered one', () => {
    const { router } = house();
    const lone = offerNumber(1);
    request(router, [lone], () => limited(60));
    expect(request(router, [lone], () => undefined).error).toBeUndefined();
    expect(router.health([lone.account])[0]?.state).toBe('closed');
  });

  it.each([
    { name: 'a 429', error: limited(20) },
    { name: 'a 503', error: new GatewayError('upstream_unavailable', 'Overloaded', { retryAfterSeconds: 20 }) },
  ])('is left alone for so long after $name where another one is well', ({ error }) => {
    const { router, pass } = house();
    const [first, second] = [offerNumber(1), offerNumber(2)];
    const ask = (): Went => request(router, [first, second], (offer) => (offer === first ? error : undefined));
    expect(ask().asked).toEqual([first, second]);
    pass(19_999);
    expect(ask()).toEqual({ asked: [second], error: undefined });
    pass(1);
    expect(ask().asked).toEqual([first, second]);
  });

  it('is asked by those, too, who waited for a slot when it said so', async () => {
    const { router } = house();
    const lone = offerNumber(1);
    const narrow = { ...lone, account: { ...lone.account, maxConcurrency: 1 } };
    const running = await router.acquire(narrow);
    const waiting = [router.acquire(narrow), router.acquire(narrow)];
    running.fail(limited(30));
    for (const each of waiting) (await each).fail(limited(30));
    expect(router.health([narrow.account])[0]).toMatchObject({ inFlight: 0, queued: 0 });
  });
});

describe('several accounts', () => {
  it('one that is well is never starved: while it answers, every request is answered, and it is asked before any that cools', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5 }),
        fc.nat(4),
        fc.array(step, { minLength: 1, maxLength: 40 }),
        (count, which, steps) => {
          const { router, pass } = house();
          const offers = Array.from({ length: count }, (_, index) => offerNumber(index + 1));
          const good = offers[which % count];
          for (const { ms, fault: next } of steps) {
            pass(ms);
            const cooling = new Set(offers.filter(({ account }) => router.health([account])[0]?.state === 'open'));
            const { asked, error } = request(router, offers, (offer) => (offer === good ? undefined : next));
            expect(error).toBeUndefined();
            expect(asked.at(-1)).toBe(good);
            expect(asked.filter((offer) => cooling.has(offer))).toEqual([]);
          }
        },
      ),
    );
  });

  it('when all cool, exactly the one that is due first is asked', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(4_000), { minLength: 2, maxLength: 6 }),
        fc.constantFrom(undefined, rejected),
        (starts, answer) => {
          const { router, now, pass } = house();
          const offers = starts.map((_, index) => offerNumber(index + 1));
          const byStart = starts.map((at, index) => ({ at, offer: offers[index]! })).sort((a, b) => a.at - b.at);
          for (const { at, offer } of byStart) {
            pass(START + at - now());
            // A rejected key cools at once, for five seconds.
            request(router, [offer], () => rejected);
          }
          const { asked } = request(router, offers, () => answer);
          expect(asked).toEqual([byStart[0]!.offer]);
        },
      ),
    );
  });

  it('when the well ones fail, one that cools is the last chance, and only one', () => {
    const { router } = house();
    const [well, one, other] = [offerNumber(1), offerNumber(2), offerNumber(3)];
    request(router, [one], () => rejected);
    request(router, [other], () => rejected);
    const broken = new GatewayError('upstream_unavailable', 'broken');
    expect(request(router, [well, one, other], () => broken).asked).toEqual([well, one]);
  });
});
