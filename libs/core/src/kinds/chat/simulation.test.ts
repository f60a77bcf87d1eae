/** Laws of affinity, hedging, continued streams, budgets and kept answers, through the real chat and money in simulated time (npm run verify -- simulate has the tables). */
import { describe, expect, it } from 'vitest';
import { conversations, popular, stampede, steadily } from './testing/questions.ts';
import {
  simulateChats,
  type ChatSimulation,
  type ChatsSimulated,
  type SimulatedAccount,
  type SimulatedChat,
} from './testing/simulation.ts';
import type { VendorFault } from './testing/simulated-vendor.ts';

const WORDS = 40;
const accountOf = (id: number, more: Partial<SimulatedAccount> = {}): SimulatedAccount => ({
  id,
  firstMs: 600,
  wordMs: 10,
  ...more,
});
const alike = (ids: readonly number[], ...faults: VendorFault[]) => ids.map((id) => accountOf(id, { faults }));
const simulate = (options: ChatSimulation) => simulateChats({ words: WORDS, ...options });
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(share * (values.length - 1))] ?? 0;
const firstTimes = ({ chats }: ChatsSimulated): readonly number[] => chats.map(({ firstMs }) => firstMs);
const chargedIn = ({ chats }: ChatsSimulated): number => chats.reduce((sum, { dollars }) => sum + dollars, 0);
const billed = ({ vendors }: ChatsSimulated, id: number) =>
  vendors.get(id)?.billed ?? { read: 0, fromCache: 0, written: 0 };

it('the same seed gives the same; what is told is charged, and is what the vendors bill', async () => {
  const questions = steadily({ seconds: 20, perSecond: 10, tokens: 300 });
  const first = await simulate({ accounts: alike([1, 2]), questions });
  expect(first.chats.length).toBeGreaterThan(150);
  expect(first.chats.filter(({ isWhole }) => !isWhole)).toEqual([]);
  expect(await simulate({ accounts: alike([1, 2]), questions })).toEqual(first);
  expect(first.ledgerDollars).toBeCloseTo(chargedIn(first), 9);
  expect(first.ledgerDollars).toBeCloseTo(first.vendorDollars, 9);
});

describe('affinity', () => {
  const COUNT = 36;
  const HAPPENS = 50;
  const questions = conversations({ count: COUNT, seconds: 130, everySeconds: 12, tokens: 1_200 });
  const route = { affinity: 'prefix' } as const;
  /** By whom each conversation was answered in a span of seconds, most of the time. */
  const placesIn = ({ chats }: ChatsSimulated, from: number, until: number): ReadonlyMap<string, number> =>
    new Map(
      [...Map.groupBy(chats, ({ question: { name = '' } }) => name)].flatMap(([name, own]): [string, number][] => {
        const last = own.findLast(({ question: { at } }) => at >= from && at < until);
        return last?.by === undefined ? [] : [[name, last.by]];
      }),
    );

  it('moves the conversations of an account that dies and no other, and gives them back when it is well', async () => {
    const outage = { kind: 'outage', from: HAPPENS, until: 80 } as const;
    const accounts = [...alike([1, 2, 3]), accountOf(4, { faults: [outage] })];
    const done = await simulate({ accounts, questions, route });
    expect(done.chats.filter(({ isWhole }) => !isWhole)).toEqual([]);
    const before = placesIn(done, 0, HAPPENS);
    const during = placesIn(done, HAPPENS, 80);
    const after = placesIn(done, 110, Infinity);
    const homes = [1, 2, 3, 4].map((id) => [...before.values()].filter((by) => by === id).length);
    for (const count of homes) expect(count).toBeGreaterThan(COUNT * 0.1);
    for (const [name, home] of before) {
      if (home === 4) expect(during.get(name)).not.toBe(4);
      else expect([name, during.get(name)]).toEqual([name, home]);
      expect([name, after.get(name)]).toEqual([name, home]);
    }
    // The dead one's are spread, not heaped on one.
    const refuges = new Set([...before].filter(([, home]) => home === 4).map(([name]) => during.get(name)));
    expect(refuges.size).toBeGreaterThan(1);
  });

  it('an account that joins takes its share, and nothing else moves', async () => {
    const accounts = [...alike([1, 2, 3, 4]), accountOf(5, { joins: HAPPENS })];
    const done = await simulate({ accounts, questions, route });
    const before = placesIn(done, 0, HAPPENS);
    const after = placesIn(done, 90, Infinity);
    const moved = [...before].filter(([name, home]) => after.get(name) !== home);
    for (const [name] of moved) expect(after.get(name)).toBe(5);
    expect(moved.length).toBeGreaterThan(COUNT * 0.1);
    expect(moved.length).toBeLessThan(COUNT * 0.35);
  });

  it('reads more from caches than chance does, and costs less', async () => {
    const chance = await simulate({ accounts: alike([1, 2, 3, 4]), questions });
    const kept = await simulate({ accounts: alike([1, 2, 3, 4]), questions, route });
    const share = (done: ChatsSimulated): number => {
      const all = [1, 2, 3, 4].map((id) => billed(done, id));
      return all.reduce((sum, { fromCache }) => sum + fromCache, 0) / all.reduce((sum, { read }) => sum + read, 0);
    };
    expect(share(kept)).toBeGreaterThan(share(chance) + 0.1);
    expect(kept.ledgerDollars).toBeLessThan(chance.ledgerDollars * 0.85);
  });
});

describe('hedging', () => {
  const late: VendorFault = { kind: 'late', share: 0.04, times: 10 };
  const questions = steadily({ seconds: 40, perSecond: 10, tokens: 600 });
  const hedge = { quantile: 0.95, budget: 0.1 };

  it('shortens what is late; losers are hung up on, and their cost is in the bill', async () => {
    const once = await simulate({ accounts: alike([1, 2], late), questions });
    const done = await simulate({ accounts: alike([1, 2], late), questions, route: { hedge } });
    expect(done.chats.filter(({ isWhole }) => !isWhole)).toEqual([]);
    expect(quantile(firstTimes(done), 0.99)).toBeLessThan(quantile(firstTimes(once), 0.99) / 2);
    const twice = done.hedged.first + done.hedged.second;
    expect(twice).toBeGreaterThan(questions.length * 0.03);
    expect(twice).toBeLessThanOrEqual(questions.length * hedge.budget + 10);
    const hungUp = [...done.vendors.values()].reduce((sum, tally) => sum + tally.hungUp, 0);
    expect(hungUp).toBe(twice);
    // Nobody writes an answer that is not read; what was read for it is charged, and no more than the share.
    expect(billed(done, 1).written + billed(done, 2).written).toBe(questions.length * WORDS);
    expect(done.ledgerDollars).toBeCloseTo(chargedIn(done), 9);
    expect(done.ledgerDollars).toBeGreaterThanOrEqual(done.vendorDollars * 0.99);
    expect(done.ledgerDollars).toBeGreaterThan(once.ledgerDollars * 1.01);
    expect(done.ledgerDollars).toBeLessThan(once.ledgerDollars * 1.12);
  });

  it('asks no more than its budget while everybody is slow', async () => {
    const slow: VendorFault = { kind: 'late', share: 1, times: 10, from: 10, until: 35 };
    const { hedged } = await simulate({ accounts: alike([1, 2], slow), questions, route: { hedge } });
    expect(hedged.first + hedged.second).toBeLessThanOrEqual(questions.length * hedge.budget + 10);
  });
});

describe('a stream that breaks', () => {
  const questions = steadily({ seconds: 40, perSecond: 8, tokens: 300 });
  const cut: VendorFault = { kind: 'cut', share: 0.1 };
  const whole = (chats: readonly SimulatedChat[]): number => chats.filter(({ isWhole }) => isWhole).length;

  it('is continued word for word, and both are charged', async () => {
    const ended = await simulate({ accounts: alike([1, 2, 3], cut), questions });
    const done = await simulate({ accounts: alike([1, 2, 3], cut), questions, route: { continuesBroken: true } });
    const { length } = questions;
    expect(whole(ended.chats) / length).toBeLessThan(0.93);
    expect(whole(done.chats) / length).toBeGreaterThan(0.97);
    expect(done.chats.filter(({ isWrong }) => isWrong)).toEqual([]);
    const continued = done.chats.filter(({ seams }) => seams > 0);
    expect(continued.length).toBeGreaterThan(length * 0.05);
    for (const { seams } of continued) expect(seams).toBe(1);
    const usual = ended.chats.find(({ isWhole }) => isWhole)?.dollars ?? 0;
    for (const { dollars } of continued) expect(dollars).toBeGreaterThanOrEqual(usual);
    expect(continued.reduce((sum, { dollars }) => sum + dollars, 0)).toBeGreaterThan(continued.length * usual * 1.4);
    expect(done.ledgerDollars).toBeCloseTo(chargedIn(done), 9);
    // Of what broke off the vendor told nothing: it is an estimate.
    expect(done.ledgerDollars / done.vendorDollars).toBeGreaterThan(0.97);
    expect(done.ledgerDollars / done.vendorDollars).toBeLessThan(1.1);
  });
});

describe('a budget of an account', () => {
  const limit: VendorFault = { kind: 'rate-limit', perMinute: 60, retryAfterSeconds: 20 };
  const questions = steadily({ seconds: 130, perSecond: 3, tokens: 300 });
  /** Requests that an account began in the fullest minute. */
  const most = (chats: readonly SimulatedChat[]): number => {
    const times = chats.filter(({ by }) => by === 1).map(({ question: { at } }) => at);
    return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 60).length));
  };
  const run = (budget: object | undefined) =>
    simulate({
      accounts: [
        accountOf(1, { faults: [limit], ...(budget && { budget: { models: {}, learns: false, ...budget } }) }),
        accountOf(2, { priority: 2 }),
      ],
      questions,
    });

  it('is found out by refusals where there is none', async () => {
    const { vendors } = await run(undefined);
    expect(vendors.get(1)?.limited).toBeGreaterThan(1);
  });

  it.each([
    ['of requests', { requestsPerMinute: 60 }, 60],
    ['of tokens', { tokensPerMinute: 50 * 340 }, 50],
    ['of dollars', { dollarsPerMinute: 50 * 0.00046 }, 50],
    ['learnt from headers', { learns: true }, 60],
  ])('%s: traffic moves before the vendor refuses, and not before it has to', async (_, budget, bound) => {
    const { chats, vendors } = await run(budget);
    expect(vendors.get(1)?.limited).toBe(0);
    expect(chats.filter(({ isWhole, attempts }) => !isWhole || attempts !== 1)).toEqual([]);
    expect(most(chats)).toBeGreaterThan(bound * 0.9);
    // What is known when the answer is there is passed by what is under way: a second of three requests, by chance three times as many.
    expect(most(chats)).toBeLessThanOrEqual(bound === 60 ? 60 : bound + 9);
  });
});

it('attempts beyond the first are a tenth of all at most, and that many where more would be made', async () => {
  const questions = steadily({ seconds: 40, perSecond: 10, tokens: 100 });
  // Too seldom in a row for accounts to cool: without a budget every one is repeated.
  const refuse: VendorFault = { kind: 'refuse', share: 0.3 };
  const further = async (budget: number): Promise<number> => {
    const route = { retries: { attempts: 4, budget } };
    const { chats } = await simulate({ accounts: alike([1, 2, 3], refuse), questions, route });
    return chats.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0);
  };
  expect(await further(1)).toBeGreaterThan(questions.length * 0.25);
  const bounded = await further(0.1);
  expect(bounded).toBeLessThanOrEqual(questions.length * 0.1 + 10);
  expect(bounded).toBeGreaterThan(questions.length * 0.08);
});

describe('answers that are kept', () => {
  const rule = { ttlSeconds: 30, when: 'deterministic', share: 0.1 } as const;

  it.each([
    { name: 'whole', stream: false },
    { name: 'streamed', stream: true },
  ])('a stampede goes to the vendor once ($name), and each pays the share', async ({ stream }) => {
    const questions = stampede(200, 200).map((question) => ({ ...question, stream }));
    const { chats, vendors, ledgerDollars, vendorDollars } = await simulate({
      accounts: alike([1]),
      questions,
      cache: rule,
    });
    expect(chats.filter(({ isWhole }) => !isWhole)).toEqual([]);
    expect(vendors.get(1)?.requests).toBe(1);
    expect(chats.filter(({ cache }) => cache === 'miss')).toHaveLength(1);
    expect(ledgerDollars / (vendorDollars * (1 + 199 * rule.share))).toBeCloseTo(1, 1);
  });

  it('when the one that asks fails the next one asks, one at a time', async () => {
    const refuse: VendorFault = { kind: 'outage', until: 1.3 };
    const { chats, vendors } = await simulate({
      accounts: alike([1], refuse),
      questions: stampede(100, 200),
      cache: rule,
    });
    // Whoever waited three times in vain asks beside the others.
    expect(vendors.get(1)?.requests).toBeLessThan(60);
    expect(chats.filter(({ isWhole }) => isWhole).length).toBeGreaterThan(50);
  });

  it('is asked again when its time is over', async () => {
    const questions = popular({ count: 3, seconds: 70, perSecond: 3, tokens: 200 });
    const { vendors } = await simulate({ accounts: alike([1]), questions, cache: rule });
    expect(vendors.get(1)?.requests).toBeGreaterThanOrEqual(3 * 2);
    expect(vendors.get(1)?.requests).toBeLessThanOrEqual(3 * 3);
  });
});
