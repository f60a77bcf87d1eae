/** `gateway accounts test NAME`: one cheap call to the vendor, and what its outcome means. */
import { adapters } from '../../adapters.ts';
import { createAccountTester } from './account-tester.ts';
import { buildCatalogue } from '../../config/catalogue.ts';
import { readConfig } from '../../config/config.ts';
import { didYouMean } from '../../config/nearest.ts';
import { fail, type Terminal } from '../../commands/terminal.ts';

export interface AccountTestOptions {
  readonly model?: string;
  readonly json?: boolean;
}

/** Tests one account of the configuration. Exit code 0 when the vendor took the call, 1 otherwise. */
export async function testAccount(
  terminal: Terminal,
  name: string,
  { model, json = false }: AccountTestOptions,
): Promise<void> {
  const { env, now, out } = terminal;
  const catalogue = buildCatalogue(readConfig(env), adapters, undefined);
  const account = catalogue.accounts.find((each) => each.name === name);
  if (account === undefined) {
    const known = catalogue.accounts.map((each) => each.name);
    fail(terminal, `There is no account '${name}'${didYouMean(name, known)}; gateway accounts lists them.`);
    return;
  }
  await using tester = createAccountTester(catalogue, now);
  const verdict = await tester.test(account, model);
  if (json) out(JSON.stringify({ account: name, ...verdict }));
  else out(`${name}: ${verdict.message}`);
  if (!verdict.ok) terminal.exitWith(1);
}
