import { describe, expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { balanceForecast, budgetOccasions, isOver, keyRefused, lastsLong } from './occasions.ts';

type Budget = components['schemas']['Budget'];

const NOON = Date.UTC(2026, 10, 21, 12);
const SETTINGS = { at: [0.5, 0.8, 1], forecast: true };
const KEY: Budget = {
  ...{ object: 'budget', of: 'key', id: 7, name: 'indexer', owner_id: 3, owner_name: 'search', bound: 'spend_per_day' },
  ...{
    unit: 'usd',
    limit: 20,
    used: 0,
    left: 20,
    share: 0,
    resets_at: '2026-11-22T00:00:00.000Z',
    declared: false,
    rule: null,
  },
};
const used = (share: number, budget: Budget = KEY): Budget => ({
  ...budget,
  share,
  used: (budget.limit ?? 0) * share,
  left: (budget.limit ?? 0) * (1 - share),
});
const MONTH: Budget = { ...KEY, of: 'owner', id: 3, name: 'search', bound: 'monthly_budget', limit: 100, resets_at: '2026-12-01T00:00:00.000Z' }; // prettier-ignore
const TOTAL: Budget = { ...KEY, bound: 'spend_total', resets_at: null };
const BALANCE: Budget = { ...KEY, of: 'owner', bound: 'balance', limit: null, used: null, left: 3, share: null, resets_at: null }; // prettier-ignore
const occasionsOf = (budget: Budget, now = NOON, settings = SETTINGS) => budgetOccasions(budget, settings, now);

describe('thresholds', () => {
  it.each([
    { name: 'below the lowest', share: 0.4999, says: undefined },
    { name: 'at the lowest', share: 0.5, says: 'has used 50% of spend_per_day: $10.00 of $20.00.' },
    { name: 'the highest that is reached', share: 0.81, says: 'has used 81% of spend_per_day: $16.20 of $20.00.' },
    { name: 'not rounded up to what is not reached', share: 0.9999, says: 'has used 99% of spend_per_day' },
    { name: 'beyond all', share: 1.2, says: 'has used 120% of spend_per_day: $24.00 of $20.00.' },
  ])('$name', ({ share, says }) => {
    const texts = occasionsOf(used(share)).map(({ text }) => text);
    if (says === undefined) expect(texts).toEqual([]);
    else expect(texts).toEqual([expect.stringContaining(`The key "indexer" (7) of the owner "search" ${says}`)]);
  });

  it('lower ones are implied and higher ones are not', () => {
    const [occasion] = occasionsOf(used(0.9));
    expect(occasion?.name).toBe('key:7:spend_per_day:20@2026-11-22T00:00:00.000Z:0.8');
    expect(occasion?.implied.map((name) => name.split(':').at(-1))).toEqual(['0.5', 'forecast']);
    expect(occasion?.data).toMatchObject({ of: 'key', id: 7, threshold: 0.8, share: 0.9, used: 18, limit: 20 });
  });

  it('another window and another limit are other names', () => {
    const names = [
      used(1),
      used(1, { ...KEY, resets_at: '2026-11-23T00:00:00.000Z' }),
      used(1, { ...KEY, limit: 21 }),
      used(1, { ...KEY, id: 8 }),
    ].flatMap((each) => occasionsOf(each).map(({ name }) => name));
    expect(new Set(names).size).toBe(4);
  });

  it('a minute of an account is no budget to tell of, a day is', () => {
    const account: Budget = { ...KEY, of: 'account', bound: 'requests_per_minute', unit: 'requests', owner_name: null };
    expect(occasionsOf(used(1, account))).toEqual([]);
    expect(occasionsOf(used(1, { ...account, bound: 'requests_per_day' }))[0]?.text).toContain('20 requests of 20 requests'); // prettier-ignore
  });

  it('a balance is told of when it is used up', () => {
    expect(occasionsOf(BALANCE)).toEqual([]);
    const [occasion] = occasionsOf({ ...BALANCE, share: 1, left: -0.5 });
    expect(occasion?.text).toBe('The balance of the owner "indexer" (7) is used up: -$0.50 is left.');
    expect(occasion?.name.startsWith('open ')).toBe(true);
  });

  it('names do not move a cursor or fill a message', () => {
    const [occasion] = occasionsOf(used(1, { ...KEY, name: `a\u001b[2J\n${'x'.repeat(500)}` }));
    expect(occasion?.text).not.toMatch(/\p{Cc}/u);
    expect(occasion!.text.length).toBeLessThan(300);
  });
});

describe('a budget with shares of its own', () => {
  const withRule = (rule: Partial<NonNullable<Budget['rule']>>, budget: Budget = KEY): Budget => ({
    ...budget,
    ...{ of: 'budget', name: 'red', owner_id: null, owner_name: null },
    rule: { name: 'red', action: 'refuse', alert_at: null, ...rule },
  });
  it.each([
    { name: 'is told of at them', rule: { alert_at: [0.3, 0.6] }, share: 0.7, at: '0.6' },
    { name: 'is not told of at those of all', rule: { alert_at: [0.9] }, share: 0.85, at: undefined },
    { name: 'without any is told of at none', rule: { alert_at: [] }, share: 1.2, at: undefined },
    { name: 'that says nothing is told of at those of all', rule: {}, share: 0.85, at: '0.8' },
  ])('$name', ({ rule, share, at }) => {
    const names = occasionsOf(used(share, withRule(rule))).map((each) => each.name.split(':').at(-1));
    expect(names).toEqual(at === undefined ? [] : [at]);
  });

  it('implies the lower ones of its own', () => {
    const [occasion] = occasionsOf(used(0.7, withRule({ alert_at: [0.3, 0.6, 1] })));
    expect(occasion?.implied.map((each) => each.split(':').at(-1))).toEqual(['0.3', 'forecast']);
  });

  it('that only alerts says that requests are not refused, once it is used up', () => {
    const texts = [0.9, 1.1].map((share) => occasionsOf(used(share, withRule({ action: 'alert' })))[0]?.text);
    expect(texts[0]).not.toContain('refused');
    expect(texts[1]).toContain('$22.00 of $20.00. Requests beyond it are not refused. It begins anew on');
    expect(occasionsOf(used(1.1, withRule({})))[0]?.text).not.toContain('refused');
  });

  it('keeps what is raised of a share that is not listed any more', () => {
    const total = (shares: number[], share: number): Budget => used(share, withRule({ alert_at: shares }, TOTAL));
    const name = occasionsOf(total([0.5], 0.6))[0]?.name ?? '';
    expect([total([0.9], 0.6), total([0.9], 0.4)].map((each) => isOver(name, [each]))).toEqual([false, true]);
  });
});

describe('what has no window', () => {
  const name = occasionsOf(used(0.8, TOTAL))[0]?.name ?? '';
  it.each([
    { name: 'still there', now: [used(0.8, TOTAL)], over: false },
    { name: 'a little below', now: [used(0.76, TOTAL)], over: false },
    { name: 'clearly below', now: [used(0.7, TOTAL)], over: true },
    { name: 'gone', now: [used(0.8)], over: true },
    { name: 'of another limit', now: [used(0.9, { ...TOTAL, limit: 30 })], over: true },
  ])('$name', ({ now, over }) => expect(isOver(name, now)).toBe(over));
});

it('what is missing from a list that was cut is not over', () => {
  const rule: Budget = { ...TOTAL, of: 'budget', name: 'each', owner_id: null, owner_name: null };
  const [occasion] = occasionsOf(used(0.9, { ...rule, id: 1 }));
  const name = occasion?.name ?? '';
  const fuller = Array.from({ length: 100 }, (_, at) => used(0.95, { ...rule, id: at + 2 }));
  expect(isOver(name, fuller)).toBe(false);
  expect(isOver(name, fuller.slice(1))).toBe(true);
  expect(isOver(name, fuller.map((each) => ({ ...each, limit: 30 })))).toBe(true); // prettier-ignore
});

it('what has no window implies no forecast', () => {
  expect(occasionsOf(used(0.9, TOTAL))[0]?.implied.map((each) => each.split(':').at(-1))).toEqual(['0.5']);
});

it('a refused key of a pool is named, with the account that people know', () => {
  const account = { id: 9, name: 'openai', vendor: 'openai', member: { of: 4, number: 2 } } as const;
  const told = keyRefused(account, NOON);
  expect(told.text).toMatch(/^openai refuses key 2 of the account "openai" \(4\): it is wrong or revoked/);
  expect(told).toMatchObject({ name: 'account:9:key_refused@2026-11-21', data: { of: 'account', id: 4, key: 2 } });
});

describe('forecasts', () => {
  const day = (date: number): number => Date.UTC(2026, 10, date);
  it.each([
    { name: 'a month at twice its pace', share: 0.4, now: day(7), says: 'used up on 2026-11-16' },
    { name: 'too early to know', share: 0.2, now: day(3), says: undefined },
    { name: 'at its pace', share: 0.4, now: day(13), says: undefined },
    { name: 'used up on the last day', share: 0.4, now: day(13) - 36_000_000, says: undefined },
    { name: 'nothing used', share: 0, now: day(15), says: undefined },
  ])('$name', ({ share, now, says }) => {
    const found = occasionsOf(used(share, MONTH), now);
    if (says === undefined) expect(found).toEqual([]);
    else expect(found).toMatchObject([{ type: 'budget.forecast', text: expect.stringContaining(says), data: { threshold: null } }]); // prettier-ignore
  });

  it('is part of a threshold, which is raised alone', () => {
    const found = occasionsOf(used(0.6, MONTH), day(10));
    expect(found).toMatchObject([{ type: 'budget.threshold', text: expect.stringContaining('used up on 2026-11-16') }]);
    expect(found[0]?.implied).toContainEqual(expect.stringMatching(/:forecast$/));
  });

  it('of a day says nothing, nor one that is off', () => {
    expect(occasionsOf(used(0.4), Date.UTC(2026, 10, 21, 4))).toEqual([]);
    expect(occasionsOf(used(0.4, MONTH), day(7), { ...SETTINGS, forecast: false })).toEqual([]);
  });

  it.each([
    { name: 'two days left', left: 1_000_000, perDay: 500_000, says: '2026-11-23' },
    { name: 'three days left', left: 1_500_000, perDay: 500_000, says: undefined },
    { name: 'nothing is spent', left: 1, perDay: 0, says: undefined },
    { name: 'nothing is left, which is told otherwise', left: 0, perDay: 500_000, says: undefined },
  ])('of money: $name', ({ left, perDay, says }) => {
    const occasion = balanceForecast({ id: 3, name: 'search', left, perDay }, NOON);
    if (says === undefined) expect(occasion).toBeUndefined();
    else expect(occasion?.text).toContain(`used up on ${says}`);
  });

  it('of money is over when it lasts a week again', () => {
    expect([lastsLong({ left: 5, perDay: 1 }), lastsLong({ left: 6, perDay: 1 }), lastsLong({ left: 0, perDay: 0 })]).toEqual([false, true, false]); // prettier-ignore
  });
});
