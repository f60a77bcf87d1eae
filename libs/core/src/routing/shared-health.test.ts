/** Routers of several processes that tell each other which accounts cool. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { HealthNews } from '../ports.ts';
import { createRouter, type Router, type Slot } from '../routing.ts';
import { accountOf, offerOf } from './testing/accounts.ts';

const [first, second] = [1, 2].map((id) => offerOf(accountOf(id), { priority: id })) as [
  ReturnType<typeof offerOf>,
  ReturnType<typeof offerOf>,
];

/** Two processes, the second with a clock that is an hour off. */
function pair() {
  let time = 1_000_000;
  const told: HealthNews[] = [];
  const routers: Router[] = [];
  for (const ahead of [0, 3_600_000]) {
    const self = routers.length;
    routers.push(
      createRouter({
        now: () => time + ahead,
        random: () => 0.5,
        tell: (news) => {
          told.push(news);
          // As it travels: text.
          routers[1 - self]?.learn(JSON.parse(JSON.stringify(news)) as HealthNews);
        },
      }),
    );
  }
  const [here, there] = routers as [Router, Router];
  return { here, there, told, pass: (ms: number) => (time += ms) };
}
const begin = (router: Router, offer = first): Slot => router.acquire(offer) as Slot;
const rateLimited = (retryAfterSeconds?: number): GatewayError =>
  new GatewayError('upstream_rate_limited', 'slow down', {
    vendorCode: 'rate_limit_exceeded',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

describe('what one process finds', () => {
  it('a wish to wait for years is five minutes in all', () => {
    const { here, there, told, pass } = pair();
    begin(here).fail(rateLimited(1e9));
    expect([here.retryAfterSeconds([first]), there.retryAfterSeconds([first])]).toEqual([300, 300]);
    // Of a process that knows no bound.
    there.learn({ ...told[0]!, coolMs: 1e12 });
    expect(there.retryAfterSeconds([first])).toBe(300);
    pass(300_000);
    for (const router of [here, there]) expect(router.order([first, second])).toEqual([first, second]);
  });

  it('a 429 with retry-after is kept by all, in the vendor’s words, for as long as is left', () => {
    const { here, there, pass } = pair();
    begin(here).fail(rateLimited(30));
    expect(there.order([first, second])).toEqual([second, first]);
    expect(there.retryAfterSeconds([first])).toBe(30);
    pass(10_000);
    // Another one is well: why this one is not asked is told in the vendor's words.
    expect(() => there.acquire(first, undefined, () => [second])).toThrow(
      expect.objectContaining({
        code: 'upstream_rate_limited',
        message: 'slow down',
        details: expect.objectContaining({ retryAfterSeconds: 20, vendorCode: 'rate_limit_exceeded' }) as unknown,
      }),
    );
    pass(20_000);
    expect(there.order([first, second])).toEqual([first, second]);
  });

  it('is told once for a change, not for each call, and not told back', () => {
    const { here, told } = pair();
    begin(here).succeed();
    expect(told).toEqual([]);
    const slots = Array.from({ length: 4 }, () => begin(here));
    for (const slot of slots) slot.fail(new GatewayError('upstream_unavailable', 'broken'));
    expect(told).toEqual([]);
    begin(here).fail(new GatewayError('upstream_unavailable', 'broken'));
    expect(told).toMatchObject([{ accountId: 1, model: 'm', coolMs: 5_000, code: 'upstream_unavailable' }]);
  });

  it('a request’s own mistake is told to nobody', () => {
    const { here, told } = pair();
    begin(here).fail(new GatewayError('invalid_request', 'bad'));
    expect(told).toEqual([]);
  });

  it('an account that is well again is well for all', () => {
    const { here, there, pass } = pair();
    begin(here).fail(rateLimited(30));
    pass(5_000);
    begin(there).succeed();
    expect(here.order([first, second])).toEqual([first, second]);
    expect(here.health([first.account])[0]).toMatchObject({ state: 'closed', coolUntil: 0 });
  });

  it('concerns the model it was found at, and no other of the account', () => {
    const { here, there } = pair();
    begin(here).fail(rateLimited(30));
    const other = { ...first, model: 'another' };
    expect(there.order([other, second])).toEqual([other, second]);
  });
});

it('a worker’s share of an account’s places is its own bound', () => {
  const router = createRouter({ now: () => 0, random: () => 0.5, shareOf: (most) => most / 2 });
  const slot = begin(router);
  begin(router);
  const third = router.acquire(first);
  expect(third).toBeInstanceOf(Promise);
  slot.release();
  return Promise.resolve(third).then((admitted) => admitted.release());
});
