/** Metrics of spend are bounded, whatever callers send, and their sums are complete. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Spend } from '@model-gateway/core';
import { SPEND_LABELS } from './spend-labels.ts';
import { SpendMetrics } from './spend-metrics.ts';

const ORGANIZATIONS = new Map([
  [1, 'acme'],
  [2, 'acme'],
]);

afterEach(() => {
  vi.useRealTimers();
});

function open(settings: Partial<ConstructorParameters<typeof SpendMetrics>[0]> = {}) {
  const clock = { now: 0 };
  const names = vi.fn(async (ids: readonly number[]) => new Map(ids.map((id) => [id, `team ${id}`])));
  const organizations = vi.fn(async (_ids?: readonly number[]): Promise<ReadonlyMap<number, string>> => ORGANIZATIONS);
  const warn = vi.fn();
  const metrics = new SpendMetrics(
    { labels: SPEND_LABELS, values: 100, ...settings },
    { owners: { names, organizations }, now: () => clock.now, log: { warn } },
  );
  return { metrics, clock, names, organizations, warn };
}

function spend({ project, user, ...given }: Partial<Spend> & { project?: string; user?: string } = {}): Spend {
  return {
    ...{ ownerId: 1, mode: 'live', charged: 500_000, usage: { inputTokens: 3, outputTokens: 2 } },
    labels: {
      ...(project !== undefined && { tags: { project, team: 'any' } }),
      ...(user !== undefined && { identity: { user } }),
    },
    ...given,
  };
}

const NAME = 'gateway_spend_dollars_total';
async function seriesOf(metrics: SpendMetrics, name = NAME) {
  return (await metrics.readings())
    .filter((reading) => reading.name === name)
    .map(({ labels = {}, value }) => ({ labels, value }));
}
async function valuesOf(metrics: SpendMetrics, label: string): Promise<ReadonlySet<string | undefined>> {
  return new Set((await seriesOf(metrics)).map(({ labels }) => labels[label]));
}
async function sumOf(metrics: SpendMetrics, name: string): Promise<number> {
  return (await seriesOf(metrics, name)).reduce((sum, { value }) => sum + value, 0);
}

it('a charge has the labels of whoever made it; what is not known is empty', async () => {
  const { metrics } = open();
  metrics.add(spend({ project: 'search', user: 'u-1' }));
  metrics.add(spend({ project: 'search', user: 'u-1', charged: 250_000, usage: { inputTokens: 4 } }));
  metrics.add(spend({ ownerId: 3, mode: 'test', charged: 0, usage: {} }));
  const who = { organization: 'acme', owner: '1', owner_name: 'team 1', project: 'search', user: 'u-1', mode: 'live' };
  const other = { organization: '', owner: '3', owner_name: 'team 3', project: '', user: '', mode: 'test' };
  expect(await metrics.readings()).toEqual([
    { name: NAME, value: 1.5, labels: who },
    { name: 'gateway_spend_requests_total', value: 2, labels: who },
    { name: 'gateway_spend_tokens_total', value: 7, labels: { ...who, type: 'input' } },
    { name: 'gateway_spend_tokens_total', value: 2, labels: { ...who, type: 'output' } },
    { name: NAME, value: 0, labels: other },
    { name: 'gateway_spend_requests_total', value: 1, labels: other },
    { name: 'gateway_spend_tokens_total', value: 0, labels: { ...other, type: 'input' } },
    { name: 'gateway_spend_tokens_total', value: 0, labels: { ...other, type: 'output' } },
  ]);
});

it('only the labels of the configuration are counted, and owners are read for those alone', async () => {
  const { metrics, names } = open({ labels: ['project'] });
  metrics.add(spend({ project: 'search', user: 'u-1' }));
  expect(await seriesOf(metrics)).toEqual([{ labels: { project: 'search', mode: 'live' }, value: 1 }]);
  expect(names).not.toHaveBeenCalled();
});

it('a caller with a new project and user in every request makes no more than so many, and all of it is counted', async () => {
  const { metrics } = open();
  metrics.add(spend({ project: 'before', user: 'before' }));
  await metrics.readings();
  for (let at = 0; at < 20_000; at++) metrics.add(spend({ project: `p-${at}`, user: `u-${at}` }));
  metrics.add(spend({ project: 'before', user: 'before' }));
  // Itself, 99 others and `other`.
  expect((await valuesOf(metrics, 'project')).size).toBe(101);
  expect((await valuesOf(metrics, 'user')).size).toBe(101);
  expect(await sumOf(metrics, NAME)).toBe(20_002);
  expect(await sumOf(metrics, 'gateway_spend_requests_total')).toBe(20_002);
  expect(await sumOf(metrics, 'gateway_spend_tokens_total')).toBe(5 * 20_002);
  const series = await seriesOf(metrics);
  expect(series).toHaveLength(101);
  expect(series.find(({ labels }) => labels['project'] === 'before')?.value).toBe(2);
});

it.each([100, 500])(
  'every combination of %d values each makes at most 3,000 series, and owners and organizations keep theirs',
  async (values) => {
    const { metrics, organizations } = open({ values });
    const owners = Array.from({ length: values }, (_, index) => index + 1);
    const inOrganization = (ownerId: number): string => `org ${ownerId % values}`;
    organizations.mockImplementation(async (ids = []) => new Map(ids.map((id) => [id, inOrganization(id)])));
    const spendAll = async (ownerIds: readonly number[], more: Parameters<typeof spend>[0] = {}): Promise<void> => {
      for (const ownerId of ownerIds) {
        metrics.add(spend({ ownerId, ...more }));
        if (ownerId % 500 === 0) await metrics.readings();
      }
      await metrics.readings();
    };
    const turns = 4_000 / values;
    // What callers choose comes first: it leaves room for the owners and organizations that come later.
    for (let turn = 0; turn < turns; turn++) await spendAll(owners, { project: `p-${turn}`, user: `u-${turn}` });
    const later = owners.map((ownerId) => ownerId + values);
    for (const mode of ['live', 'test'] as const) {
      await spendAll(owners, { mode });
      await spendAll(later, { mode });
    }
    const series = await seriesOf(metrics);
    expect(series.length).toBeLessThanOrEqual(3_000);
    expect(await sumOf(metrics, NAME)).toBe((turns + 4) * values);
    const sumOfEach = (label: string, mode: string): ReadonlyMap<string | undefined, number> => {
      const sums = new Map<string | undefined, number>();
      for (const { labels, value } of series)
        if (labels['mode'] === mode) sums.set(labels[label], (sums.get(labels[label]) ?? 0) + value);
      return sums;
    };
    for (const [mode, each] of [
      ['live', turns + 1],
      ['test', 1],
    ] as const) {
      const ofOwners = sumOfEach('owner', mode);
      expect(owners.map((ownerId) => ofOwners.get(String(ownerId)))).toEqual(owners.map(() => each));
      expect([ofOwners.size, ofOwners.get('other')]).toEqual([values + 1, values]);
      const ofOrganizations = sumOfEach('organization', mode);
      expect(owners.map((ownerId) => ofOrganizations.get(inOrganization(ownerId)))).toEqual(owners.map(() => each + 1));
      expect(ofOrganizations.size).toBe(values);
    }
  },
);

it('test keys, which pay nothing, do not use up the values of live keys', async () => {
  const { metrics } = open({ values: 2 });
  for (let at = 0; at < 10; at++) metrics.add(spend({ mode: 'test', project: `p-${at}` }));
  metrics.add(spend({ project: 'search' }));
  expect((await seriesOf(metrics)).map(({ labels }) => [labels['mode'], labels['project']])).toEqual([
    ['test', 'p-0'],
    ['test', 'p-1'],
    ['test', 'other'],
    ['live', 'search'],
  ]);
});

it('an owner that changes its organization is counted under the new one from the next minute on', async () => {
  const { metrics, clock, organizations } = open({ labels: ['organization'] });
  metrics.add(spend());
  await metrics.readings();
  organizations.mockResolvedValue(new Map([[1, 'globex']]));
  metrics.add(spend());
  clock.now = 60_000;
  metrics.add(spend());
  await metrics.readings();
  await vi.waitFor(() => expect(organizations).toHaveBeenCalledTimes(2));
  metrics.add(spend());
  expect(await seriesOf(metrics)).toEqual([
    { labels: { organization: 'acme', mode: 'live' }, value: 3 },
    { labels: { organization: 'globex', mode: 'live' }, value: 1 },
  ]);
});

it('while the database is away, charges wait; beyond a thousand they count without their organization', async () => {
  const { metrics, names, warn } = open({ labels: ['organization', 'owner'] });
  names.mockRejectedValue(new Error('away'));
  for (let at = 0; at < 1_500; at++) {
    metrics.add(spend());
    if (at % 100 === 0) await metrics.readings();
  }
  expect(await seriesOf(metrics)).toEqual([
    { labels: { organization: 'other', owner: '1', owner_name: '', mode: 'live' }, value: 500 },
  ]);
  expect(warn).toHaveBeenCalledTimes(1);
  names.mockImplementation(async (ids) => new Map(ids.map((id) => [id, 'back'])));
  expect(await sumOf(metrics, NAME)).toBe(1_500);
  expect((await seriesOf(metrics)).map(({ labels }) => [labels['organization'], labels['owner_name']])).toEqual([
    ['other', 'back'],
    ['acme', 'back'],
  ]);
});

it('2,500 owners are read together and once each, and again when what is known is a minute old', async () => {
  vi.useFakeTimers();
  const { metrics, clock, names, organizations } = open();
  const pass = async (ms: number): Promise<void> => {
    clock.now += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  const readIds = (): readonly number[] => names.mock.calls.flatMap(([ids]) => ids);
  for (let ownerId = 1; ownerId <= 2_500; ownerId++) {
    metrics.add(spend({ ownerId }));
    await pass(2);
  }
  await pass(100);
  expect(names.mock.calls.length).toBeLessThanOrEqual(51);
  expect(organizations.mock.calls).toEqual(names.mock.calls);
  expect(readIds().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 1));
  expect(await sumOf(metrics, NAME)).toBe(2_500);

  // The first ones were forgotten, the last ones were not.
  names.mockClear();
  for (const ownerId of [500, 2_500]) metrics.add(spend({ ownerId }));
  await pass(100);
  expect(readIds()).toEqual([500]);

  names.mockClear();
  clock.now = 60_000;
  for (const ownerId of [2_499, 2_500]) metrics.add(spend({ ownerId }));
  await pass(100);
  expect([names.mock.calls.length, new Set(readIds()).size]).toEqual([1, 2_000]);
  await pass(10_000);
  metrics.add(spend({ ownerId: 2_500 }));
  await pass(100);
  expect(names).toHaveBeenCalledTimes(1);
});

it('a charge that comes during a read is read next, and a page waits for it', async () => {
  const { metrics, names } = open();
  const late = Promise.withResolvers<ReadonlyMap<number, string>>();
  names.mockReturnValueOnce(late.promise as never);
  metrics.add(spend({ ownerId: 1 }));
  const first = metrics.readings();
  metrics.add(spend({ ownerId: 2 }));
  const second = metrics.readings();
  late.resolve(new Map([[1, 'team 1']]));
  expect((await first).filter(({ name }) => name === NAME)).toHaveLength(1);
  expect((await second).filter(({ name }) => name === NAME)).toHaveLength(2);
  expect(names.mock.calls).toEqual([[[1]], [[2]]]);
});

it('a store that never answers delays a page by one second, and takes no more memory than a thousand charges', async () => {
  vi.useFakeTimers();
  const { metrics, names } = open();
  metrics.add(spend({ ownerId: 1 }));
  await metrics.readings();
  names.mockReturnValue(new Promise(() => undefined));
  for (let ownerId = 1; ownerId <= 1_101; ownerId++) metrics.add(spend({ ownerId }));
  let page: Awaited<ReturnType<typeof metrics.readings>> | undefined;
  void metrics.readings().then((read) => (page = read));
  await vi.advanceTimersByTimeAsync(999);
  expect(page).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  const spent = (page ?? []).filter(({ name }) => name === NAME);
  // Those of the owner that is known, and what came when a thousand were waiting.
  expect(spent.find(({ labels }) => labels?.['owner'] === '1')?.value).toBe(2);
  expect(spent.reduce((sum, { value }) => sum + value, 0)).toBe(2 + 100);
  expect(names).toHaveBeenCalledTimes(2);
});

it('reads nothing after its end', async () => {
  vi.useFakeTimers();
  const { metrics, names } = open();
  metrics.add(spend({ ownerId: 1 }));
  metrics.close();
  metrics.add(spend({ ownerId: 2 }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(names).not.toHaveBeenCalled();
});
