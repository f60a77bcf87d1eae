/** Whether each account reaches its vendor. */
import { createAccountTester } from '../../resources/accounts/account-tester.ts';
import type { ClockQuestion } from './clock.ts';
import type { Finding } from './finding.ts';

/** Makes one cheap call for each account that is on. */
export async function lookAtAccounts({ catalogue, now, offline }: ClockQuestion): Promise<readonly Finding[]> {
  const accounts = catalogue.accounts.filter(({ twin }) => !twin);
  const on = accounts.filter((account) => account.on);
  const off = accounts.filter((account) => !account.on).map(({ name }) => name);
  const without: Finding = {
    name: 'accounts off',
    state: on.length === 0 ? 'warning' : 'ok',
    message: `${off.join(', ')}: no credentials`,
    ...(on.length === 0 && {
      advice: 'the vendor twin answers everything until you set a credential such as OPENAI_API_KEY',
    }),
  };
  const silent = offline && on.length > 0;
  await using tester = createAccountTester(catalogue, now);
  const tried = silent
    ? [{ name: 'accounts on', state: 'ok' as const, message: `${on.map(({ name }) => name).join(', ')}: not tried` }]
    : await Promise.all(
        on.map(async (account): Promise<Finding> => {
          const { ok, message } = await tester.test(account);
          const name = `account ${account.name}`;
          if (ok) return { name, state: 'ok', message };
          return { name, state: 'fault', message, advice: `gateway accounts test ${account.name} tries it again` };
        }),
      );
  return [...tried, ...(off.length === 0 ? [] : [without])];
}
