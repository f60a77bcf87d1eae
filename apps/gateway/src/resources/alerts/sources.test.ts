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

/** `leases`: what each reading finds. */
const sourcesWith = (leases: readonly Leases[], budgets: readonly Budget[]) => {
  const left = [...leases];
  return new AlertSources({
    store: { alerts: { leased: () => Promise.resolve(left.shift() ?? []) }, owners: {}, ledger: {} } as never,
    listBudgets: () => ({ object: 'list', data: [...budgets], has_more: false }),
    accountHealth: () => Promise.resolve([]),
    catalogue: () => ({ accounts: [] }),
    ...{ forecast: true, now: () => 0, log: { warn: () => undefined } },
  });
};

it.each([
  { name: 'all the time', leases: [LEASE, LEASE] },
  { name: 'until the budgets were read', leases: [LEASE, []] },
  { name: 'since the budgets were read', leases: [[], LEASE] },
])('a lease that is there $name is not used', async ({ leases }) => {
  const [key, balance, month] = await sourcesWith(leases, [KEY, BALANCE, MONTH]).budgets('all');
  expect(key).toMatchObject({ used: 0.000056, left: 25.999944 });
  expect(key?.share).toBeLessThan(0.001);
  expect(balance).toMatchObject({ left: 25, share: null });
  // It is made of charges alone.
  expect(month).toEqual(MONTH);
});

it('what is used up without a lease stays so', async () => {
  const [key] = await sourcesWith([[], []], [{ ...KEY, used: 26, left: 0, share: 1 }]).budgets('all');
  expect(key).toMatchObject({ used: 26, share: 1 });
});
