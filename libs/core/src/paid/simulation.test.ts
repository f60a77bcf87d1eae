/** Laws of routing, over thousands of requests in simulated time (npm run verify -- simulate has the tables). */
import { describe, expect, it } from 'vitest';
import { STRATEGIES } from '../routing/route.ts';
import {
  simulate as simulateAll,
  SIMULATED_MODELS,
  type SimulatedRequest,
  type SimulationOptions,
  type Trouble,
} from './testing/simulation.ts';

/** Half as many as in the tables: enough for the laws. */
const simulate = (options: SimulationOptions) => simulateAll({ perSecond: 10, ...options });

const CODES = SIMULATED_MODELS.map(({ code }) => code);
const MINUTE = { from: 60, until: 120 } as const;
const ONE_IN_TROUBLE: readonly (readonly [string, readonly Trouble[]])[] = CODES.flatMap((model) => [
  [`${model} is out`, [{ model, ...MINUTE, fault: { kind: 'outage' } }]] as const,
  [`${model} hangs`, [{ model, ...MINUTE, fault: { kind: 'hang' } }]] as const,
  [`${model} loses connections`, [{ model, from: 0, until: 240, fault: { kind: 'reset', share: 0.3 } }]] as const,
  [
    `${model} is limited`,
    [{ model, from: 0, until: 240, fault: { kind: 'rate-limit', perSecond: 3, retryAfterSeconds: 5 } }],
  ] as const,
]);
const shareOf = (requests: readonly SimulatedRequest[], code: string): number =>
  requests.filter(({ by }) => by === code).length / requests.length;

it('the same seed gives the same', async () => {
  const options = { strategy: 'lowest_latency', troubles: ONE_IN_TROUBLE[0]?.[1] ?? [], seconds: 120 } as const;
  const first = await simulate(options);
  expect(first.length).toBeGreaterThan(1000);
  expect(await simulate(options)).toEqual(first);
  expect(await simulate({ ...options, seed: 2 })).not.toEqual(first);
});

describe.each(STRATEGIES)('%s', (strategy) => {
  it.each(ONE_IN_TROUBLE)('%s: every request is answered, and asks nobody twice', async (name, troubles) => {
    const requests = await simulate({ strategy, troubles, perSecond: 3, seconds: 150 });
    expect(requests.filter(({ by }) => by === undefined)).toEqual([]);
    for (const { asked } of requests) expect(new Set(asked).size).toBe(asked.length);
    // What is in trouble is soon left alone; three of ten that are lost are not yet trouble.
    const most = name.includes('loses') ? 1.35 : 1.15;
    const attempts = requests.reduce((sum, { asked }) => sum + asked.length, 0);
    expect(attempts / requests.length).toBeLessThan(most);
  });

  it('whoever is well is never starved', async () => {
    const requests = await simulate({ strategy, troubles: [] });
    const shares = CODES.map((code) => shareOf(requests, code));
    if (strategy === 'weighted') for (const share of shares) expect(share).toBeCloseTo(1 / 3, 1);
    else if (strategy === 'least_busy') for (const share of shares) expect(share).toBeGreaterThan(0.1);
    else if (strategy === 'cheapest') expect(shares).toEqual([0, 0, 1]);
    else {
      // Nobody goes unmeasured for much longer than a minute.
      for (const code of CODES) {
        const times = requests.filter(({ asked }) => asked[0] === code).map(({ at }) => at);
        const pauses = [0, ...times].map((at, index) => (times[index] ?? 240) - at);
        expect(Math.max(...pauses)).toBeLessThan(75);
      }
    }
  });

  it('who was out comes back when it is well', async () => {
    const model = strategy === 'cheapest' ? 'frugal' : 'swift';
    const requests = await simulate({ strategy, troubles: [{ model, ...MINUTE, fault: { kind: 'outage' } }] });
    const before = requests.filter(({ at }) => at < 60);
    const after = requests.filter(({ at }) => at > 200);
    expect(shareOf(after, model)).toBeGreaterThan(shareOf(before, model) * 0.8);
  });
});

describe('lowest_latency', () => {
  it('leaves who has become slow, comes back, and changes its mind no more often than that', async () => {
    const slow: Trouble = { model: 'swift', ...MINUTE, fault: { kind: 'slow', times: 8 } };
    const requests = await simulate({ strategy: 'lowest_latency', troubles: [slow] });
    const during = requests.filter(({ at }) => at > 75 && at < 120);
    expect(shareOf(during, 'swift')).toBeLessThan(0.05);
    expect(
      shareOf(
        requests.filter(({ at }) => at > 200),
        'swift',
      ),
    ).toBeGreaterThan(0.95);
    // By what most of each ten requests went to.
    const inOrder = requests.toSorted((left, right) => left.at - right.at);
    const favourites = Array.from({ length: Math.floor(inOrder.length / 10) }, (_, index) => {
      const ten = inOrder.slice(index * 10, index * 10 + 10);
      return CODES.toSorted((left, right) => shareOf(ten, right) - shareOf(ten, left))[0];
    });
    const changes = favourites.filter((each, index) => index > 0 && each !== favourites[index - 1]);
    expect(changes.length).toBeLessThanOrEqual(4);
  });
});

describe('a budget of an account', () => {
  const limited: Trouble = {
    model: 'frugal',
    from: 0,
    until: 240,
    fault: { kind: 'rate-limit', perSecond: 1, seconds: 60, retryAfterSeconds: 20 },
  };

  it.each(STRATEGIES)('%s: is never passed, and nobody is refused by the vendor', async (strategy) => {
    const options = { strategy, troubles: [], perMinute: { frugal: 30 }, processes: 3, perSecond: 5 };
    const requests = await simulate(options);
    expect(requests.filter(({ by }) => by === undefined)).toEqual([]);
    const times = requests.filter(({ asked }) => asked.includes('frugal')).map(({ at }) => at);
    for (const from of times) expect(times.filter((at) => at >= from && at < from + 60).length).toBeLessThanOrEqual(30);
    for (const { asked } of requests) expect(asked).toHaveLength(1);
  });

  it('asks nobody in vain, as finding out does, and takes no less', async () => {
    const finding = await simulate({ strategy: 'cheapest', troubles: [limited] });
    const knowing = await simulate({ strategy: 'cheapest', troubles: [limited], perMinute: { frugal: 60 } });
    const attempts = (requests: readonly SimulatedRequest[]): number =>
      requests.reduce((sum, { asked }) => sum + asked.length, 0) / requests.length;
    expect(attempts(knowing)).toBeLessThan(attempts(finding));
    expect(attempts(knowing)).toBe(1);
    expect(shareOf(knowing, 'frugal')).toBeGreaterThan(shareOf(finding, 'frugal') * 0.95);
  });
});

describe('several processes, each with averages and retry budgets of its own', () => {
  it('leave who has become slow as one does, and starve nobody', async () => {
    const slow: Trouble = { model: 'swift', ...MINUTE, fault: { kind: 'slow', times: 8 } };
    const requests = await simulate({ strategy: 'lowest_latency', troubles: [slow], processes: 4 });
    const between = (from: number, until: number) => requests.filter(({ at }) => at > from && at < until);
    expect(shareOf(between(80, 120), 'swift')).toBeLessThan(0.1);
    expect(shareOf(between(200, 240), 'swift')).toBeGreaterThan(0.9);
    for (const strategy of ['weighted', 'least_busy'] as const) {
      const shares = CODES.map((code) => ({ code, strategy }));
      const all = await simulate({ strategy, troubles: [], processes: 4 });
      for (const { code } of shares) expect(shareOf(all, code)).toBeGreaterThan(0.1);
    }
  });

  it('hold their retry budgets together, but for the ten that each has free', async () => {
    const troubles = CODES.map((model): Trouble => ({
      model,
      from: 0,
      until: 240,
      fault: { kind: 'reset', share: 0.9 },
    }));
    const requests = await simulate({ strategy: 'weighted', troubles, retryBudget: 0.1, processes: 4 });
    const further = requests.reduce((sum, { asked }) => sum + Math.max(0, asked.length - 1), 0);
    expect(further).toBeLessThanOrEqual(requests.length * 0.1 + 4 * 10);
  });
});

describe('a retry budget', () => {
  const further = (requests: readonly SimulatedRequest[]): number =>
    requests.reduce((sum, { asked }) => sum + Math.max(0, asked.length - 1), 0);

  it.each([
    // Who fails in a row cools and is left alone: where all fail seldom, it is the budget that holds.
    { name: 'everybody fails now and then', models: CODES, share: 0.1, budget: 0.03, isReached: true },
    { name: 'everybody fails', models: CODES, share: 0.9, budget: 0.1, isReached: false },
    { name: 'one of three fails', models: ['swift'], share: 0.9, budget: 0.1, isReached: false },
  ])('is held while $name', async ({ models, share, budget, isReached }) => {
    const troubles = models.map((model): Trouble => ({ model, from: 0, until: 240, fault: { kind: 'reset', share } }));
    const options = { strategy: 'weighted', troubles, seconds: 120 } as const;
    const requests = await simulate({ ...options, retryBudget: budget });
    expect(further(requests)).toBeLessThanOrEqual(requests.length * budget + 10);
    expect(requests.every(({ asked }) => asked.length >= 1)).toBe(true);
    if (!isReached) return;
    expect(further(requests)).toBeGreaterThanOrEqual(requests.length * budget);
    expect(further(await simulate(options))).toBeGreaterThan(requests.length * budget * 3);
  });
});
