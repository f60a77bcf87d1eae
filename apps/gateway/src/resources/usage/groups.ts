/** By what usage is grouped: what the ledger knows, and vendors, which the configuration knows by their accounts. */
import type { components } from '@model-gateway/contracts';
import type { Catalogue, Store, UsageFilter, UsageRow } from '@model-gateway/core';

export type UsageGroup = components['schemas']['UsageGroup'];

export const GROUPS = [
  'day',
  'model',
  'key',
  'owner',
  'organization',
  'project',
  'user',
  'session',
  'run',
  'endpoint',
  'account',
  'vendor',
  'tag',
  'default_price',
] as const satisfies readonly UsageGroup[];

/** An account as a report names it. */
export interface AccountLookup {
  readonly nameOf: (accountId: number) => string | undefined;
  /** Of an account that is not in the configuration any more, undefined. */
  readonly vendorOf: (accountId: number) => string | undefined;
}

export interface UsageParts {
  readonly store: Pick<Store, 'ledger' | 'owners' | 'keys'>;
  readonly accounts: AccountLookup;
}

/** What owners see of accounts. */
export const NO_ACCOUNTS: AccountLookup = {
  nameOf: () => undefined,
  vendorOf: () => undefined,
};

export function accountLookup({ accounts }: Pick<Catalogue, 'accounts'>): AccountLookup {
  const known = new Map(accounts.map((account) => [account.id, account]));
  return {
    nameOf: (id) => known.get(id)?.name,
    vendorOf: (id) => {
      const account = known.get(id);
      return account?.provider ?? account?.vendor;
    },
  };
}

/** Reads usage in any groups: those that the ledger does not know are sums of those that it does. */
export async function readUsage(
  { store, accounts }: Pick<UsageParts, 'store' | 'accounts'>,
  { groupBy, top, ...filter }: Omit<UsageFilter, 'groupBy'> & { readonly groupBy: readonly UsageGroup[] },
): Promise<readonly UsageRow[]> {
  const isSummed = groupBy.includes('vendor') || groupBy.includes('organization');
  const kept = [...new Set(groupBy.map(ledgerGroup))];
  const rows = await store.ledger.usage({ ...filter, groupBy: kept, ...(!isSummed && top !== undefined && { top }) });
  if (!isSummed) return rows;
  const organizations = groupBy.includes('organization') ? await store.owners.organizations() : NO_ORGANIZATIONS;
  const vendorOf = ({ account }: UsageRow['group']): string => {
    const id = Number(account);
    // Money that went to an account which is gone is still in the sum.
    return id === 0 ? '' : (accounts.vendorOf(id) ?? `account ${id}`);
  };
  // The payer of an owner's test keys is in the same organization.
  const organizationOf = ({ owner }: UsageRow['group']): string => organizations.get(Math.abs(Number(owner))) ?? '';
  const sums = new UsageSums(groupBy)
    .add(
      rows.map((row) => ({
        ...row,
        group: {
          ...row.group,
          vendor: vendorOf(row.group),
          organization: organizationOf(row.group),
        },
      })),
    )
    .rows();
  return top === undefined ? sums : sums.toSorted((a, b) => b.charged - a.charged).slice(0, top);
}

const NO_ORGANIZATIONS: ReadonlyMap<number, string> = new Map();

function ledgerGroup(group: UsageGroup): UsageFilter['groupBy'][number] {
  if (group === 'vendor') return 'account';
  return group === 'organization' ? 'owner' : group;
}

/** Adds rows of the same group up. */
export class UsageSums {
  readonly #groupBy: readonly UsageGroup[];
  readonly #sums = new Map<string, UsageRow>();

  constructor(groupBy: readonly UsageGroup[]) {
    this.#groupBy = groupBy;
  }

  get size(): number {
    return this.#sums.size;
  }

  add(rows: readonly UsageRow[]): this {
    for (const row of rows) {
      const group = Object.fromEntries(this.#groupBy.map((name) => [name, row.group[name] ?? '']));
      const name = JSON.stringify(Object.values(group));
      const before = this.#sums.get(name) ?? { requests: 0, charged: 0, inputTokens: 0, outputTokens: 0 };
      this.#sums.set(name, {
        group,
        requests: before.requests + row.requests,
        charged: before.charged + row.charged,
        inputTokens: before.inputTokens + row.inputTokens,
        outputTokens: before.outputTokens + row.outputTokens,
      });
    }
    return this;
  }

  /** In the order of their groups. */
  rows(): readonly UsageRow[] {
    return [...this.#sums.values()].sort((a, b) => compare(a, b, this.#groupBy));
  }
}

function compare(a: UsageRow, b: UsageRow, groupBy: readonly UsageGroup[]): number {
  for (const name of groupBy) {
    const [one, other] = [a.group[name] ?? '', b.group[name] ?? ''];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** What owners, keys and accounts of some rows are called. */
export async function groupNames(
  { store, accounts }: UsageParts,
  rows: readonly UsageRow[],
): Promise<(group: UsageRow['group']) => Record<string, string>> {
  const ids = (name: string): number[] => [
    ...new Set(rows.map(({ group }) => Math.abs(Number(group[name] ?? 0))).filter((id) => id > 0)),
  ];
  const none: ReadonlyMap<number, string> = new Map();
  const [owners, keys] = await Promise.all([
    ids('owner').length === 0 ? none : store.owners.names(ids('owner')),
    ids('key').length === 0 ? none : store.keys.names(ids('key')),
  ]);
  const look: Readonly<Record<string, (id: number) => string | undefined>> = {
    // The payer of an owner's test keys has no name of its own.
    owner: (id) => owners.get(Math.abs(id)),
    key: (id) => keys.get(id),
    account: accounts.nameOf,
  };
  return (group) =>
    Object.fromEntries(
      Object.entries(look).flatMap(([name, nameOf]) => {
        const found = group[name] === undefined ? undefined : nameOf(Number(group[name]));
        return found === undefined ? [] : [[name, found]];
      }),
    );
}
