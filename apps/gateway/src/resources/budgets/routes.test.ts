import { expect, it } from 'vitest';
import { listBudgets } from './routes.ts';

it('lists the budgets of owners however many there are before them', async () => {
  const owners = Array.from({ length: 6_000 }, (_, index) => ({
    ...{ id: index + 1, name: `owner ${index + 1}`, balance: 0, declared: false },
    ...(index === 5_999 && { creditLimit: 1_000 }),
  }));
  const parts = {
    store: {
      owners: {
        list: async ({ after, limit }: { readonly after: number; readonly limit: number }) =>
          owners.filter(({ id }) => id > after).slice(0, limit),
        names: async () => new Map(),
      },
    },
    now: () => Date.UTC(2026, 10, 21, 12),
    flush: async () => undefined,
  } as never;
  const listed = await listBudgets(parts, { of: 'owner', limit: 200 });
  expect(listed).toMatchObject({ data: [{ id: 6_000, bound: 'credit' }], has_more: false });
});
