/** Budgets that stand above keys: which of them a request counts in, by the organization, owner, user, key and tags that it is made for. */
import type { Caller, CallerCaps } from '../parts.ts';
import type { BudgetRule, KeyRecord, OwnerStore, SpendScope, Tenant } from '../ports.ts';
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
/** Callers whose budgets are remembered: users, mostly. */
const MOST_KNOWN = 10_000;

/** Where a budget counts; with a part that of one that each has. */
export function budgetScopeName({ name }: Pick<BudgetRule, 'name'>, mode: Tenant['mode'], part?: string): string {
  // What test keys spend is no money.
  return `${mode === 'test' ? 'test:' : ''}budget:${scopeWord(name)}${part === undefined ? '' : `:${part}`}`;
}

/** A text that means something within an owner only: two owners may have the same user. */
function withinOwner(ownerId: number, text: string): string {
  return `${ownerId}:${scopeWord(text)}`;
}

/** The budgets of one process. What owners are called and belong to is read before a budget counts, and again now and then. */
export class BudgetBook implements CallerCaps {
  readonly #rules: () => readonly BudgetRule[];
  readonly #owners: Pick<OwnerStore, 'organizations' | 'idsNamed'>;
  #organizations: ReadonlyMap<number, string> = new Map();
  #named: ReadonlyMap<string, readonly number[]> = new Map();
  /** Those that are about to count: a reading that is under way must not forget them. */
  #next: readonly BudgetRule[] = [];
  #reading: Promise<void> = Promise.resolve();
  /** By key, mode and what the budgets look at beside them; of these rules. */
  #known = new WeakMap<KeyRecord, Map<string, readonly SpendScope[]>>();
  #knownCount = 0;
  #rulesOfKnown: readonly BudgetRule[] | undefined;
  #hasUsers = false;
  #tags: readonly string[] = [];

  constructor(rules: () => readonly BudgetRule[], owners: Pick<OwnerStore, 'organizations' | 'idsNamed'>) {
    this.#rules = rules;
    this.#owners = owners;
  }

  get isEmpty(): boolean {
    return this.#rules().length === 0;
  }

  /** Reads what these budgets need to know of owners, so that they count from their first request. Rejects when the database does not answer. */
  async prepare(next: readonly BudgetRule[]): Promise<void> {
    this.#next = next;
    await this.refresh();
  }

  /** Reads what the budgets need to know of owners, one reading after the other; nothing where they need nothing. */
  async refresh(): Promise<void> {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => undefined);
    await reading;
  }

  async #read(): Promise<void> {
    const rules = [...this.#rules(), ...this.#next];
    if (rules.some(({ scope }) => scope === 'organization')) this.#organizations = await this.#owners.organizations();
    const names = new Set(rules.flatMap(({ scope, values = [] }) => (scope === 'owner' ? values : [])));
    this.#named = names.size === 0 ? new Map() : await this.#owners.idsNamed([...names]);
    this.#forget(undefined);
  }

  /** The same list for the same caller, for as long as budgets and owners stay as they are. */
  scopesOf(caller: Caller): readonly SpendScope[] {
    const rules = this.#rules();
    if (rules !== this.#rulesOfKnown) this.#forget(rules);
    let ofKey = this.#known.get(caller.key);
    if (ofKey === undefined) this.#known.set(caller.key, (ofKey = new Map<string, readonly SpendScope[]>()));
    const name = this.#nameOf(caller);
    let scopes = ofKey.get(name);
    if (scopes === undefined) {
      // Finding all of them again costs less than keeping the order in which they were used.
      if (++this.#knownCount > MOST_KNOWN) this.#forget(rules);
      scopes = this.#find(rules, caller);
      ofKey.set(name, scopes);
    }
    return scopes;
  }

  #forget(rules: readonly BudgetRule[] | undefined): void {
    this.#known = new WeakMap();
    this.#knownCount = 0;
    this.#rulesOfKnown = rules;
    this.#hasUsers = rules?.some(({ scope }) => scope === 'user') === true;
    this.#tags = [...new Set(rules?.flatMap(({ scope, tag = '' }) => (scope === 'tag' ? [tag] : [])))];
  }

  /** What the budgets look at beside the key's record; no part of it has the character between them. */
  #nameOf({ key, mode, identity, tags }: Caller): string {
    let name = this.#hasUsers && identity?.user !== undefined ? `${mode}=${identity.user}` : mode;
    for (const tag of this.#tags) {
      const word = key.tags?.[tag] ?? tags?.[tag];
      name += word === undefined ? '\0' : `\0=${word}`;
    }
    return name;
  }

  #find(rules: readonly BudgetRule[], caller: Caller): readonly SpendScope[] {
    const scopes: SpendScope[] = [];
    for (const rule of rules) {
      const part = this.#partOf(rule, caller);
      if (part === undefined) continue;
      scopes.push({
        scope: budgetScopeName(rule, caller.mode, rule.each ? part : undefined),
        window: rule.window,
        cap: rule.refuses ? rule.limit : NO_CAP,
        name: `the budget '${rule.name}'`,
        limit: `budget:${rule.name}`,
      });
    }
    return scopes;
  }

  /** The part that each such request counts in, as a scope has it; undefined where the budget is of others. */
  #partOf({ scope, tag = '', values }: BudgetRule, { key, identity, tags }: Caller): string | undefined {
    const isAmong = (subject: string): boolean => values === undefined || values.includes(subject);
    const among = (text: string | undefined, part: (text: string) => string): string | undefined =>
      text === undefined || !isAmong(text) ? undefined : part(text);
    const ownPart = (text: string): string => withinOwner(key.ownerId, text);
    switch (scope) {
      case 'organization':
        return among(this.#organizations.get(key.ownerId), scopeWord);
      case 'owner': {
        const id = String(key.ownerId);
        return isAmong(id) || values?.some((name) => this.#named.get(name)?.includes(key.ownerId) === true) === true
          ? id
          : undefined;
      }
      case 'user':
        return among(identity?.user, ownPart);
      case 'key': {
        const id = String(key.id);
        return isAmong(id) || isAmong(key.name) ? id : undefined;
      }
      case 'tag':
        // A request may say more than its key, and nothing else: it would choose its own budget.
        return among(key.tags?.[tag] ?? tags?.[tag], ownPart);
    }
  }
}
