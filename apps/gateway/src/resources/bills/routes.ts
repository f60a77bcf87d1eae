/** /admin/bills/check: a vendor's cost export beside the ledger. */
import type { components } from '@model-gateway/contracts';
import { ACCOUNTS_OF_BILL } from '@model-gateway/contracts/bills';
import type { Catalogue, GatewayAccount } from '@model-gateway/core';
import type { AdminOperations, AdminParts } from '../admin-operation.ts';
import { dayOf, invalidAt } from '../values.ts';
import { compareBill, toleranceOf } from './comparison.ts';
import { ledgerCosts } from './ledger-costs.ts';
import { ModelNames } from './model-names.ts';
import { sidesByAccount } from './projects.ts';

type Schemas = components['schemas'];

const DAY_MS = 86_400_000;
const MOST_DAYS = 31;
const USUAL_TOLERANCE = 0.01;

/** Operations on vendors' bills. */
export function billOperations({ store, catalogue, flush }: AdminParts): AdminOperations {
  return {
    checkBill: async ({ body, signal }) => {
      const accounts = accountsOf(catalogue(), body);
      const { from, to } = periodOf(body);
      await flush();
      const ids = new Set(accounts.map(({ id }) => id));
      const costs = await ledgerCosts(store, { from, to: to + DAY_MS, accounts: ids, signal });
      const { models } = catalogue();
      const names = new ModelNames(models.values(), accounts, body.models);
      const days = [dayOf(from), dayOf(to)] as const;
      const lines = body.lines.filter(({ day }) => day >= days[0] && day <= days[1]);
      const { otherAccounts, ...sides } = sidesByAccount({ accounts, lines, costs }, body.projects);
      const { matches, ...compared } = compareBill({
        ...sides,
        tolerance: toleranceOf(body.tolerance_usd ?? USUAL_TOLERANCE),
        modelOfItem: (item) => names.ofItem(item),
        modelOfCode: (code) => names.ofCode(code),
        priceOf: (code) => {
          const batch = models.get(code)?.price.batch;
          return batch === undefined ? {} : { batch };
        },
      });
      const { differences, unknown, other_projects: otherProjects } = compared;
      const isRight = [differences, unknown, otherProjects, otherAccounts].every(({ length }) => length === 0);
      return {
        ...{ object: 'bill_check', vendor: body.vendor, from: days[0], to: days[1], ok: isRight },
        ...{ ...compared, other_accounts: otherAccounts },
        ...(body.include_matches === true && { matches }),
      };
    },
  };
}

/** The accounts that the bill is of. Throws `invalid_request` where there is none. */
function accountsOf(
  { accounts }: Pick<Catalogue, 'accounts'>,
  { vendor, account, projects = {} }: Schemas['BillCheckCreate'],
): readonly GatewayAccount[] {
  const all = accounts.filter((each) => ACCOUNTS_OF_BILL[vendor].includes(each.vendor));
  for (const name of Object.values(projects))
    if (!all.some((each) => each.name === name))
      throw invalidAt('projects', `there is no account '${name.slice(0, 80)}' of ${vendor}`);
  const chosen = all.filter(({ name }) => account === undefined || name === account);
  if (chosen.length === 0) throw invalidAt('account', `there is no such account of ${vendor}; there is ${all.map(({ name }) => name).join(', ') || 'none'}`); // prettier-ignore
  return chosen;
}

/** Days of the period, the last one included. Throws `invalid_request` for one that is too long. */
function periodOf({ from, to, lines }: Schemas['BillCheckCreate']): { readonly from: number; readonly to: number } {
  const days = lines.filter(({ kind }) => kind === 'usage').map(({ day }) => day).sort((one, other) => one.localeCompare(other)); // prettier-ignore
  const first = Date.parse(from ?? days[0] ?? '');
  const last = Date.parse(to ?? days.at(-1) ?? '');
  if (Number.isNaN(first) || Number.isNaN(last)) throw invalidAt('lines', 'no line of it is usage: give from and to');
  if (last < first) throw invalidAt('to', 'it must not be before from');
  if (last - first >= MOST_DAYS * DAY_MS) throw invalidAt('from', `a check covers ${MOST_DAYS} days at most`);
  return { from: first, to: last };
}
