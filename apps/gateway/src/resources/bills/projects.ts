/** Which account a project of the vendor is, where somebody has said so. Pure. */
import type { components } from '@model-gateway/contracts';
import { dollarsIn } from '@model-gateway/contracts/bills';
import type { GatewayAccount } from '@model-gateway/core';
import type { LedgerCost } from './ledger-costs.ts';

type Schemas = components['schemas'];
type BillLine = Schemas['VendorBillLine'];

/** Both sides with their accounts, and without what nobody has named. */
export interface SidesByAccount {
  /** Without those of projects that are of an account which is not asked about. */
  readonly lines: readonly BillLine[];
  readonly costs: readonly LedgerCost[];
  /** Undefined for a project that has no account: its lines are not compared. */
  readonly accountOf: (project: string) => string | undefined;
  readonly accountName: (id: number) => string;
  readonly otherAccounts: Schemas['BillCheck']['other_accounts'];
}

interface Sides {
  readonly accounts: readonly Pick<GatewayAccount, 'id' | 'name'>[];
  readonly lines: readonly BillLine[];
  readonly costs: readonly LedgerCost[];
}

/** Tells accounts apart once a project is named. Only what has a name on both sides is compared: the rest would look like traffic elsewhere. */
export function sidesByAccount(
  { accounts, lines, costs }: Sides,
  projects: Readonly<Record<string, string>> = {},
): SidesByAccount {
  const accountAt = new Map(Object.entries(projects));
  if (accountAt.size === 0) return { lines, costs, accountOf: () => '', accountName: () => '', otherAccounts: [] };
  const nameOf = new Map(accounts.map(({ id, name }) => [id, name]));
  const asked = new Set(nameOf.values());
  const named = new Set(accountAt.values());
  const accountName = (id: number): string => nameOf.get(id) ?? '';
  const others = Map.groupBy(
    costs.filter(({ account }) => !named.has(accountName(account))),
    ({ account }) => accountName(account),
  );
  return {
    lines: lines.filter(({ project }) => {
      const account = accountAt.get(project);
      return account === undefined || asked.has(account);
    }),
    costs: costs.filter(({ account }) => named.has(accountName(account))),
    accountOf: (project) => accountAt.get(project),
    accountName,
    otherAccounts: [...others]
      .map(([account, found]) => ({ account, usd: dollarsIn(found.reduce((sum, { cost }) => sum + cost, 0n)) }))
      .sort((one, other) => other.usd - one.usd),
  };
}
