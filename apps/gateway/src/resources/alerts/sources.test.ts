/** Money that processes have set aside comes and goes, and is not spent. */
import { expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { AlertSources, type AlertSourcesOptions } from './sources.ts';

type Budget = components['schemas']['Budget'];
type Leases = Awaited<ReturnType<AlertSourcesOptions['store']['alerts']['leased']>>;

const LEASE: Leases = [{ ownerId: 3, keyId: 7, units: 12_500_000 }];
const KEY: Budget = {
  ...{ object: 'budget', of: 'key', id: 7, name: 'indexer', owner_id: 3, owner_name: 'search', bound: 'spend_per_day' },
  ...{
    unit: 'usd',
    limit: 26,
    used: 25.000056,
    left: 0.999944,
    share: 25.000056 / 26,
    resets_at: null,
    declared: false,
    rule: null,
  },
};
const BALANCE: Budget = { ...KEY, of: 'owner', id: 3, bound: 'balance', limit: null, used: null, left: 0, share: 1 };
const MONTH: Budget = {
  ...KEY,
  of: 'owner',
  id: 3,
  bound: 'monthly_budget',
  limit: 30,
  used: 25,
  left: 5,
  share: 25 / 30,
};

const NOW = Date.UTC(2026, 10, 21, 12);

interface Given {
  /** What each reading finds. */
  readonly leases?: readonly Leases[];
  readonly budgets?: readonly Budget[];
  readonly owners?: readonly object[];
  /** Quota units of the last 7 days, by owner. */
  readonly spent?: Readonly<Record<number, number>>;
  readonly health?: readonly object[];
}

const sourcesWith = ({ leases = [], budgets = [], owners = [], spent = {}, health = [] }: Given) => {
  const left = [...leases];
  const usage = Object.entries(spent).map(([owner, charged]) => ({ group: { owner: Number(owner) }, charged }));
  return new AlertSources({
    store: {
      alerts: { leased: () => Promise.resolve(left.shift() ?? []) },
      owners: { list: () => Promise.resolve(owners) },
      ledger: { usage: () => Promise.resolve(usage) },
    } as never,
    listBudgets: async () => ({ data: [...budgets], has_more: false }),
    accountHealth: () => Promise.resolve(health as never),
    catalogue: () => ({ accounts: [{ id: 1, name: 'first', vendor: 'openai' }] as never }),
    ...{ forecast: true, now: () => NOW, log: { warn: () => undefined } },
  });
};

it.each([
  { name: 'all the time', leases: [LEASE, LEASE] },
  { name: 'until the budgets were read', leases: [LEASE, []] },
  { name: 'since the budgets were read', leases: [[], LEASE] },
])('a lease that is there $name is not used', async ({ leases }) => {
  const [key, balance, month] = await sourcesWith({ leases, budgets: [KEY, BALANCE, MONTH] }).budgets('all');
  expect(key).toMatchObject({ used: 0.000056, left: 25.999944 });
  expect(key?.share).toBeLessThan(0.001);
  expect(balance).toMatchObject({ left: 25, share: null });
  // It is made of charges alone.
  expect(month).toEqual(MONTH);
});

it('what is used up without a lease stays so', async () => {
  const [key] = await sourcesWith({ budgets: [{ ...KEY, used: 26, left: 0, share: 1 }] }).budgets('all');
  expect(key).toMatchObject({ used: 26, share: 1 });
});

const DOLLAR = 500_000;
const owner = (balance: number, more: object = {}): object => ({ id: 3, name: 'search', balance: balance * DOLLAR, creditLimit: 0, ...more }); // prettier-ignore
const typesOf = async (given: Given): Promise<readonly string[]> =>
  (await sourcesWith(given).others([])).occasions.map(({ type }) => type);

it.each([
  {
    name: 'below its warning',
    given: { owners: [owner(3, { lowBalance: 5 * DOLLAR })] },
    types: ['owner.low_balance'],
  },
  { name: 'above its warning', given: { owners: [owner(5, { lowBalance: 5 * DOLLAR })] }, types: [] },
  {
    name: 'below it by a lease alone',
    given: { owners: [owner(3, { lowBalance: 5 * DOLLAR })], leases: [[{ ownerId: 3, keyId: 7, units: 2 * DOLLAR }]] },
    types: [],
  },
  { name: 'gone within days', given: { owners: [owner(2)], spent: { 3: 7 * DOLLAR } }, types: ['budget.forecast'] },
  { name: 'there for a week', given: { owners: [owner(8)], spent: { 3: 7 * DOLLAR } }, types: [] },
  {
    name: 'on credit, which is gone within days',
    given: { owners: [owner(-18, { creditLimit: 20 * DOLLAR })], spent: { 3: 7 * DOLLAR } },
    types: ['budget.forecast'],
  },
  {
    name: 'without limit',
    given: { owners: [owner(-100, { creditLimit: undefined })], spent: { 3: 700 * DOLLAR } },
    types: [],
  },
])('money $name', async ({ given, types }) => {
  expect(await typesOf(given)).toEqual(types);
});

it('what was told of money is over when it has recovered, and not before', async () => {
  const names = ['open owner:3:low:2500000', 'open owner:3:money:forecast'];
  const overWith = async (balance: number): Promise<readonly (boolean | undefined)[]> => {
    const sources = sourcesWith({ owners: [owner(balance, { lowBalance: 5 * DOLLAR })], spent: { 3: 7 * DOLLAR } });
    const { isOver } = await sources.others(names);
    return [...names, 'open key:7:spend_total:20:1'].map(isOver);
  };
  expect(await overWith(3)).toEqual([false, false, undefined]);
  expect(await overWith(5.1)).toEqual([false, false, undefined]);
  expect(await overWith(9)).toEqual([true, true, undefined]);
});

it.each([
  {
    name: 'refused a moment ago',
    fault: { code: 'upstream_rejected_key', at: NOW - 1_000 },
    state: 'open',
    told: true,
  },
  {
    name: 'refused long ago',
    fault: { code: 'upstream_rejected_key', at: NOW - 3_600_000 },
    state: 'open',
    told: false,
  },
  { name: 'well again', fault: { code: 'upstream_rejected_key', at: NOW - 1_000 }, state: 'closed', told: false },
  { name: 'too slow', fault: { code: 'upstream_timeout', at: NOW - 1_000 }, state: 'open', told: false },
])('an account that is $name', async ({ fault, state, told }) => {
  const occasions = await sourcesWith({ health: [{ accountId: 1, state, lastFault: fault }] }).refusedAccounts();
  expect(occasions.map(({ name }) => name)).toEqual(told ? ['account:1:key_refused@2026-11-21'] : []);
});
