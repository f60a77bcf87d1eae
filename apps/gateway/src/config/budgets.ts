/** Budgets of accounts: what becomes of them in the catalogue, and what of them can mean nothing. */
import type { AccountBudget, Budget } from '@model-gateway/core';
import { didYouMean } from './nearest.ts';
import type { ConfigRows } from './rows.ts';
import type { AccountRow, BudgetRow } from './schema.ts';
import type { PlacedFault } from './source.ts';

/** The settings of the file by the names of the catalogue. */
export const BUDGET_SETTINGS = {
  requests_per_minute: 'requestsPerMinute',
  tokens_per_minute: 'tokensPerMinute',
  dollars_per_minute: 'dollarsPerMinute',
  requests_per_day: 'requestsPerDay',
  tokens_per_day: 'tokensPerDay',
  dollars_per_day: 'dollarsPerDay',
} as const satisfies Readonly<Record<keyof BudgetRow, keyof Budget>>;
const SETTINGS = Object.keys(BUDGET_SETTINGS) as (keyof BudgetRow)[];

/** The budget of an account. */
export function accountBudgetOf({
  models = {},
  learn = true,
  ...own
}: NonNullable<AccountRow['budget']>): AccountBudget {
  return {
    ...budgetOf(own),
    models: Object.fromEntries(Object.entries(models).map(([model, row]) => [model, budgetOf(row)])),
    learns: learn,
  };
}

function budgetOf(row: BudgetRow): Budget {
  return Object.fromEntries(
    SETTINGS.flatMap((setting) => {
      const most = row[setting];
      return most === undefined ? [] : [[BUDGET_SETTINGS[setting], most]];
    }),
  );
}

/** Budgets of models that an account does not have, or that its own budget never lets them reach. */
export function budgetFaults({ accounts, models }: Pick<ConfigRows, 'accounts' | 'models'>): readonly PlacedFault[] {
  return accounts.flatMap(({ path, row: { name, budget }, source }) => {
    if (budget?.models === undefined) return [];
    const offered = new Set(
      models.flatMap(({ row }) => row.offers.filter(({ account }) => account === name).map(({ model }) => model)),
    );
    const wild = [...offered].filter((model) => model.includes('*')).map((model) => model.split('*')[0] ?? '');
    return Object.entries(budget.models).flatMap(([model, bounds]): PlacedFault[] => {
      const at = [...path, 'budget', 'models', model];
      if (!offered.has(model) && !wild.some((prefix) => model.startsWith(prefix))) {
        const message = `no row has an offer of ${name} by this name of the vendor's${didYouMean(model, offered)}`;
        return [{ path: at, message, source }];
      }
      return SETTINGS.flatMap((setting): PlacedFault[] => {
        const [most, own] = [bounds[setting], budget[setting]];
        if (most === undefined || own === undefined || most <= own) return [];
        return [{ path: [...at, setting], message: `it is more than the ${own} of the whole account`, source }];
      });
    });
  });
}
