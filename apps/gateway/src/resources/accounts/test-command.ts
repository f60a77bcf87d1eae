/** `gateway accounts test NAME`: one cheap call to the vendor, and what its outcome means. */
import type { OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { fail, type Terminal } from '../../commands/terminal.ts';
import { didYouMean } from '../../config/nearest.ts';

export interface AccountTestOptions extends OperatorOptions {
  readonly model?: string;
}

/** Tests one account of the configuration, rows of the database included. Exit code 0 when the vendor took the call, 1 otherwise. */
export async function testAccount(
  terminal: Terminal,
  name: string,
  { model, ...options }: AccountTestOptions,
): Promise<void> {
  await withOperator(terminal, options, async ({ call, say, exitWith }) => {
    const { data: accounts } = await call('listAccounts');
    const account = accounts.find((each) => each.name === name);
    if (account === undefined) {
      const known = accounts.map((each) => each.name);
      fail(terminal, `There is no account '${name}'${didYouMean(name, known)}; gateway accounts lists them.`);
      return;
    }
    const query = model === undefined ? {} : { model };
    const test = await call('testAccount', { path: { account_id: account.id }, query });
    say(test, () => `${name}: ${test.message}`);
    if (!test.ok) exitWith(1);
  });
}
