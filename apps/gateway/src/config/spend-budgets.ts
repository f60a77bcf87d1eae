/** Budgets above keys: the form of `budgets`, and what is made of it (docs/guides/limits.md#budgets). */
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { BUDGET_SCOPES, SPEND_WINDOWS, type BudgetRule } from '@model-gateway/core';
import * as z from 'zod';
import { sharesInOrder, sharesSchema } from './alerts.ts';
import type { Placed } from './layers.ts';
import { dollars, flag } from './scalars.ts';
import type { PlacedFault } from './source.ts';

const text = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.string().trim().min(1).max(128),
);

export const budgetSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'expected up to 64 letters, digits, dots, dashes and underscores'),
  scope: z.enum(BUDGET_SCOPES),
  tag: z.string().min(1).max(64).optional(),
  values: z.array(text).min(1).max(1_000).optional(),
  each: flag.optional(),
  window: z.enum(SPEND_WINDOWS),
  limit: dollars,
  action: z.enum(['refuse', 'alert']).optional(),
  alert_at: sharesSchema.optional(),
});

export type SpendBudgetRow = z.infer<typeof budgetSchema>;

/** What a row may leave out where it changes one beneath it. */
export const budgetsSchema = z.array(budgetSchema.partial({ scope: true, window: true, limit: true })).max(200);

/** Only what is of a tag names one. */
export function spendBudgetFaults({
  path,
  row: { scope, tag },
  source,
}: Placed<SpendBudgetRow>): readonly PlacedFault[] {
  if ((scope === 'tag') === (tag !== undefined)) return [];
  const message = tag === undefined ? 'a budget of a tag names its tag' : 'only a budget of a tag names one';
  return [{ path: [...path, 'tag'], message, source }];
}

/** Shares that no alert can come of: requests beyond the limit are refused, so that spending ends about there. */
export function unreachedShares({ action, alert_at: shares = [] }: Pick<SpendBudgetRow, 'action' | 'alert_at'>) {
  return action === 'alert' ? [] : shares.filter((share) => share > 1);
}

/** What would be right where there are any. */
export const unreachedMessage = (shares: readonly number[]): string =>
  `spending does not reach ${shares.join(', ')} of the limit, because requests beyond it are refused; use shares up to 1, or action: alert`;

/** A warning and no fault: a budget that was left out would refuse nothing. */
export function spendBudgetWarnings({ path, row, source }: Placed<SpendBudgetRow>): readonly PlacedFault[] {
  const shares = unreachedShares(row);
  if (shares.length === 0) return [];
  return [{ path: [...path, 'alert_at'], message: unreachedMessage(shares), source }];
}

export function spendBudgetOf(given: SpendBudgetRow): BudgetRule {
  const { limit, each, action, tag, values, alert_at: alertAt, ...row } = given;
  return {
    ...row,
    ...(tag !== undefined && { tag }),
    ...(values !== undefined && { values }),
    each: each ?? false,
    limit: Math.round(limit * UNITS_PER_DOLLAR),
    refuses: action !== 'alert',
    ...(alertAt !== undefined && { alertAt: sharesInOrder(alertAt) }),
  };
}

export const BUDGET_SETTINGS = {
  'budgets[].name': { about: 'a unique name, for refusals and alerts' },
  'budgets[].scope': { about: 'what the budget is of' },
  'budgets[].tag': { about: 'the name of the tag; only for a budget of a tag' },
  'budgets[].values': {
    about:
      'whose requests count: names of organizations, users or values of the tag; names or numbers of owners and keys',
    default: 'all',
  },
  'budgets[].each': { about: 'whether each of them has the whole limit; otherwise they share it', default: false },
  'budgets[].window': { about: 'when it begins anew, in UTC; a week begins on Monday' },
  'budgets[].limit': { about: 'the limit', unit: 'US dollars' },
  'budgets[].action': { about: 'whether requests beyond it are refused, or you are only told', default: '`refuse`' },
  'budgets[].alert_at': {
    about: 'the shares of the limit at which you are told of this budget, such as `[0.5, 0.8, 1]`; `[]` for none',
    default: '`alerts.at`',
  },
} as const;
