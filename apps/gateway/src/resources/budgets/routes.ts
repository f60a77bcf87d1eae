/** /admin/budgets: every limit of money and every budget of an account, the fullest first. */
import { UNITS_PER_DOLLAR, type components } from '@model-gateway/contracts';
import {
  budgetScopeName,
  dollarsOf,
  SPEND_WINDOWS,
  type CappedKey,
  type Catalogue,
  type OwnerRecord,
  type Router,
} from '@model-gateway/core';
import { numberIn, textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { CAPS, KEY_LIMITS } from '../keys/limits.ts';
import { resetOf } from '../keys/view.ts';
import { monthOf } from '../values.ts';
import { behaviourOf, budgetId } from './rules.ts';

type Budget = components['schemas']['Budget'];
type BudgetList = components['schemas']['BudgetList'];

const SHOWN = 200;
/** Owners that are read at once. */
const OWNERS_AT_ONCE = 1_000;

/** Operations on budgets. */
export function budgetOperations(parts: AdminParts): AdminOperations {
  return {
    listBudgets: async (call) => {
      const of = textIn(call, 'of') as Budget['of'] | undefined;
      return { object: 'list', ...(await listBudgets(parts, { of, limit: numberIn(call, 'limit') ?? SHOWN })) };
    },
  };
}

export interface BudgetQuery {
  /** All when absent. */
  readonly of?: Budget['of'] | undefined;
  readonly limit: number;
}

/** The fullest first. */
export async function listBudgets(
  parts: Pick<AdminParts, 'store' | 'catalogue' | 'configuration' | 'router' | 'now' | 'flush'>,
  { of, limit }: BudgetQuery,
): Promise<Omit<BudgetList, 'object'>> {
  const { store, catalogue, router, now, flush } = parts;
  await flush();
  const [keys, owners] = await Promise.all([
    of === undefined || of === 'key' ? store.ledger.cappedKeys(now()) : [],
    of === undefined || of === 'owner' ? ownersWithBudget(store) : [],
  ]);
  const spent = await spentByOwner(store, owners, now());
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  const unnamed = new Set(keys.map(({ ownerId }) => ownerId).filter((id) => !names.has(id)));
  for (const [id, name] of await store.owners.names([...unnamed])) names.set(id, name);
  const all = [
    ...keys.flatMap((key) => keyBudgets(key, names.get(key.ownerId) ?? null, now())),
    ...owners.flatMap((owner) => [...planOf(owner, spent.get(owner.id) ?? 0, now()), ...ownerBudget(owner)]),
    ...(of === undefined || of === 'budget' ? await ruleBudgets(parts, now()) : []),
    ...(of === undefined || of === 'account' ? accountBudgets(catalogue(), router, now()) : []),
  ].sort(byFullness);
  return { data: all.slice(0, limit), has_more: all.length > limit };
}

/** All owners with a plan or a limit, however many others there are. */
async function ownersWithBudget({ owners }: Pick<AdminParts['store'], 'owners'>): Promise<readonly OwnerRecord[]> {
  const found: OwnerRecord[] = [];
  // Behind the payers of test keys, whose numbers are below zero.
  for (let after = 0; ;) {
    const page = await owners.list({ after, limit: OWNERS_AT_ONCE });
    found.push(
      ...page.filter(({ creditLimit, monthlyBudget }) => creditLimit !== undefined || monthlyBudget !== undefined),
    );
    const last = page.at(-1);
    if (last === undefined || page.length < OWNERS_AT_ONCE) return found;
    after = last.id;
  }
}

/** Balances that are not used up come last, the smallest first. */
function byFullness(one: Budget, other: Budget): number {
  return (other.share ?? -1) - (one.share ?? -1) || one.left - other.left;
}

function keyBudgets(key: CappedKey, ownerName: string | null, now: number): readonly Budget[] {
  const { id, name, ownerId: owner_id, declared, limits, used } = key;
  return SPEND_WINDOWS.flatMap((window): Budget[] => {
    const bound = CAPS[window];
    const limit = limits[KEY_LIMITS[bound].field];
    if (limit === undefined) return [];
    return [
      {
        ...{ object: 'budget', of: 'key', id, name, owner_id, owner_name: ownerName, bound, unit: 'usd', declared },
        ...amounts(dollarsOf(limit), dollarsOf(used[window])),
        resets_at: resetOf(window, now),
        rule: null,
      },
    ];
  });
}

/** What owners with a plan for the month have spent in it; nothing is read where none has one. */
async function spentByOwner(
  { ledger }: Pick<AdminParts['store'], 'ledger'>,
  owners: readonly OwnerRecord[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  if (!owners.some(({ monthlyBudget }) => monthlyBudget !== undefined)) return new Map();
  const rows = await ledger.usage({ from: monthOf(now), to: now + 1, mode: 'live', groupBy: ['owner'] });
  return new Map(rows.map(({ group, charged }) => [Number(group.owner), charged]));
}

function subjectOf({ id, name, declared }: OwnerRecord) {
  return {
    ...({ object: 'budget', of: 'owner', unit: 'usd' } as const),
    ...{ id, name, owner_id: id, owner_name: name, declared, rule: null },
  };
}

function planOf(owner: OwnerRecord, spent: number, now: number): readonly Budget[] {
  const { monthlyBudget } = owner;
  if (monthlyBudget === undefined) return [];
  const all = amounts(dollarsOf(monthlyBudget), dollarsOf(spent));
  return [{ ...subjectOf(owner), bound: 'monthly_budget', ...all, resets_at: resetOf('month', now) }];
}

/** An owner without limit has no budget. */
function ownerBudget(owner: OwnerRecord): readonly Budget[] {
  const { balance, creditLimit } = owner;
  if (creditLimit === undefined) return [];
  if (creditLimit > 0)
    return [{ ...subjectOf(owner), bound: 'credit', ...amounts(dollarsOf(creditLimit), dollarsOf(Math.max(0, -balance))), resets_at: null }]; // prettier-ignore
  const share = balance <= 0 ? 1 : null;
  return [
    {
      ...subjectOf(owner),
      bound: 'balance',
      limit: null,
      used: null,
      left: dollarsOf(balance),
      share,
      resets_at: null,
    },
  ];
}

/** How many of those that each have a budget are listed, the fullest. */
export const MOST_SUBJECTS = 100;

/** Budgets of the configuration. What test keys count is not told. */
async function ruleBudgets(
  { store: { ledger }, catalogue, configuration }: Pick<AdminParts, 'store' | 'catalogue' | 'configuration'>,
  now: number,
): Promise<readonly Budget[]> {
  const { budgets = [] } = catalogue();
  if (budgets.length === 0) return [];
  const declared = new Set(configuration.reloading.file().budgets.map(({ name }) => name));
  const scopes = budgets.map((rule) => ({ scope: budgetScopeName(rule, 'live'), window: rule.window }));
  const used = await ledger.spentOf(scopes, now);
  const listed = await Promise.all(
    budgets.map(async ({ name, window, limit, each, ...rule }, index): Promise<readonly Budget[]> => {
      const budgetOf = (named: string, units: number): Budget => ({
        ...{ object: 'budget', of: 'budget', id: budgetId(named), name: named, owner_id: null, owner_name: null },
        ...{ bound: CAPS[window], unit: 'usd', declared: declared.has(name) },
        ...amounts(dollarsOf(limit), dollarsOf(units)),
        resets_at: resetOf(window, now),
        rule: { name, ...behaviourOf(rule) },
      });
      if (!each) return [budgetOf(name, used[index] ?? 0)];
      const words = `${scopes[index]?.scope ?? ''}:`;
      const found = await ledger.spentUnder(words, window, now, MOST_SUBJECTS);
      // Nobody has spent anything yet, and operators look for it.
      if (found.length === 0) return [budgetOf(name, 0)];
      return found.map((one) => budgetOf(`${name}: ${one.scope.slice(words.length)}`, one.used));
    }),
  );
  return listed.flat();
}

const UNITS = { requests: 'requests', tokens: 'tokens', dollars: 'usd' } as const;

function accountBudgets({ accounts }: Catalogue, router: Pick<Router, 'budgetUse'>, now: number): readonly Budget[] {
  return accounts.flatMap((account) =>
    router.budgetUse(account).map(({ bound, share }): Budget => {
      const limit = account.budget?.[bound] ?? 0;
      const word = bound.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Budget['bound'];
      return {
        ...{ object: 'budget', of: 'account', id: account.id, name: account.name, owner_id: null, owner_name: null },
        bound: word,
        unit: UNITS[word.slice(0, word.indexOf('_')) as keyof typeof UNITS],
        ...amounts(limit, share * limit),
        resets_at: word.endsWith('_day') ? resetOf('day', now) : null,
        ...{ declared: true, rule: null },
      };
    }),
  );
}

function amounts(limit: number, used: number): Pick<Budget, 'limit' | 'used' | 'left' | 'share'> {
  return { limit, used: exact(used), left: exact(limit - used), share: limit === 0 ? 1 : used / limit };
}

/** No money below a quota unit. */
function exact(amount: number): number {
  return Math.round(amount * UNITS_PER_DOLLAR) / UNITS_PER_DOLLAR;
}
