/** Budgets that stand above keys: which of them a request counts in, by the organization, owner, user, key and tags that it is made for. */
import type { Caller, CallerCaps } from '../parts.ts';
import type { BudgetRule, OwnerStore, SpendScope, Tenant } from '../ports.ts';
import { scopeWord } from './spend-scopes.ts';

/** What a budget is of. */
export const BUDGET_SCOPES = [
  'organization',
  'owner',
  'user',
  'key',
  'tag',
] as const satisfies readonly BudgetRule['scope'][];

const NO_CAP = Number.MAX_SAFE_INTEGER;

/** Where a budget counts; with a subject the part of one that each has. */
export function budgetScopeName({ name }: Pick<BudgetRule, 'name'>, mode: Tenant['mode'], subject?: string): string {
  const part = subject === undefined ? '' : `:${scopeWord(subject)}`;
  // What test keys spend is no money.
  return `${mode === 'test' ? 'test:' : ''}budget:${scopeWord(name)}${part}`;
}

/** The budgets of one process. What owners are called and belong to is read now and then. */
export class BudgetBook implements CallerCaps {
  readonly #rules: () => readonly BudgetRule[];
  readonly #owners: Pick<OwnerStore, 'organizations' | 'named'>;
  #organizations: ReadonlyMap<number, string> = new Map();
  #named: ReadonlyMap<string, readonly number[]> = new Map();

  constructor(rules: () => readonly BudgetRule[], owners: Pick<OwnerStore, 'organizations' | 'named'>) {
    this.#rules = rules;
    this.#owners = owners;
  }

  get isEmpty(): boolean {
    return this.#rules().length === 0;
  }

  /** Reads what the budgets need to know of owners; nothing where they need nothing. */
  async refresh(): Promise<void> {
    const rules = this.#rules();
    if (rules.some(({ scope }) => scope === 'organization')) this.#organizations = await this.#owners.organizations();
    const names = rules.flatMap(({ scope, values = [] }) => (scope === 'owner' ? values : []));
    const named = new Map<string, readonly number[]>();
    for (const name of new Set(names))
      named.set(
        name,
        (await this.#owners.named(name)).map(({ id }) => id),
      );
    this.#named = named;
  }

  scopesOf(caller: Caller): readonly SpendScope[] {
    const scopes: SpendScope[] = [];
    for (const rule of this.#rules()) {
      const subject = this.#subjectOf(rule, caller);
      if (subject === undefined) continue;
      scopes.push({
        scope: budgetScopeName(rule, caller.mode, rule.each ? subject : undefined),
        window: rule.window,
        cap: rule.refuses ? rule.limit : NO_CAP,
        name: `the budget '${rule.name}'`,
        limit: `budget:${rule.name}`,
      });
    }
    return scopes;
  }

  /** Whose request it is, in the budget's terms; undefined where it does not count. */
  #subjectOf({ scope, tag = '', values }: BudgetRule, { key, identity, tags }: Caller): string | undefined {
    const among = (subject: string | undefined): string | undefined =>
      subject === undefined || values === undefined || values.includes(subject) ? subject : undefined;
    switch (scope) {
      case 'organization':
        return among(this.#organizations.get(key.ownerId));
      case 'owner': {
        const id = String(key.ownerId);
        return (
          among(id) ??
          (values?.some((name) => this.#named.get(name)?.includes(key.ownerId) === true) === true ? id : undefined)
        );
      }
      case 'user':
        return among(identity?.user);
      case 'key': {
        const id = String(key.id);
        return among(id) ?? (values?.includes(key.name) === true ? id : undefined);
      }
      case 'tag':
        return among(tags?.[tag]);
    }
  }
}
