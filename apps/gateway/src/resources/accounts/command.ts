/** `gateway accounts …` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import type { DiscoverOptions } from './discover-command.ts';
import type { AccountTestOptions } from './test-command.ts';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { count, moment, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Account = components['schemas']['Account'];
type Vendor = components['schemas']['Vendor'];

/** Adds `gateway accounts`, `gateway accounts test` and `gateway accounts discover`. */
export function addAccountCommands(program: Command, terminal: Terminal): void {
  const accounts = operatorCommand(
    program,
    'accounts',
    'vendor accounts: which are on, and for which models; with --url or --profile also their health',
  ).action((options: OperatorOptions) =>
    withOperator(terminal, options, async ({ call, isLocal, say }) => {
      const { data } = await call('listAccounts');
      // Only a running gateway knows how accounts fare.
      if (!isLocal) return say(data, (paint) => running(data, paint));
      const accounts = data.map(configuration);
      say(accounts, (paint) => configured(accounts, paint));
    }),
  );
  operatorCommand(accounts, 'vendors', 'whom accounts can be made for, and the variables that built-in accounts read')
    .argument('[words]', 'a part of the name')
    .action((words: string | undefined, _options: OperatorOptions, command: Command) =>
      withOperator(terminal, command.optsWithGlobals(), async ({ call, sayTable }) => {
        const { data } = await call('listVendors');
        const asked = (words ?? '').toLowerCase();
        const found = data.filter(({ id, title, keywords }) =>
          [id, title, ...keywords].join(' ').toLowerCase().includes(asked),
        );
        const headings = ['account', 'name', 'vendor', 'variables', 'lists models'];
        sayTable(found, 'No vendor has this name.', headings, vendorCells);
      }),
    );
  accounts
    .command('test')
    .argument('<name>', 'the account')
    .description(
      'make one cheap call to the vendor and explain the result: wrong key, wrong base URL, missing /v1, no route',
    )
    .option('--model <model>', 'the model to test: of the catalogue or of the vendor')
    .option('--json', 'print only JSON')
    .action(async (name: string, _options: AccountTestOptions, command: Command) => {
      const { testAccount } = await import('./test-command.ts');
      await testAccount(terminal, name, command.optsWithGlobals());
    });
  accounts
    .command('discover')
    .argument('[addresses...]', 'where to look; the usual ports of this machine when absent')
    .description('find model servers (Ollama, vLLM, LM Studio, …) and print their accounts and models, or write them')
    .option('--write', 'keep them in the database: of this machine, or of a gateway elsewhere')
    .option('--print', 'print YAML alone, for a configuration file')
    .option('--context <tokens>', 'the context that Ollama gives each chat model', wholeNumber)
    .option('--json', 'print only JSON')
    .action(async (addresses: string[], _options: DiscoverOptions, command: Command) => {
      const { discoverServers } = await import('./discover-command.ts');
      await discoverServers(terminal, { addresses }, command.optsWithGlobals());
    });
}

/** A vendor without a built-in account is a word for `vendor`. */
function vendorCells(each: Vendor): readonly string[] {
  const { id, title, vendor, account, base_url: baseUrl, credentials, lists_models: lists } = each;
  const [, address] = /\$\{(\w+)\}/.exec(baseUrl ?? '') ?? [];
  const variables = credentials.flatMap(({ variable, is_set: isSet }) =>
    variable === null ? [] : [isSet ? `${variable} (set)` : variable],
  );
  const read = address === undefined ? variables : [address, ...variables];
  return [account === null ? '' : id, title, vendor, read.join(', '), lists ? 'yes' : 'no'];
}

/** An account as its configuration has it. */
function configuration({ id, name, vendor, on, off_reason, max_concurrency, open_tasks, models }: Account) {
  return { id, name, vendor, on, off_reason, max_concurrency, open_tasks, models };
}

function configured(accounts: readonly ReturnType<typeof configuration>[], paint: Paint): string {
  return table(
    ['id', 'name', 'vendor', 'state', 'bound', 'open tasks', 'models'],
    accounts.map((each) => [
      String(each.id),
      each.name,
      each.vendor,
      each.on ? 'on' : `off: ${each.off_reason ?? 'no credentials'}`,
      count(each.max_concurrency),
      count(each.open_tasks),
      each.models.join(','),
    ]),
    paint,
  );
}

const HEALTH = { closed: 'well', open: 'cooling down', 'half-open': 'on trial' };

/** `, 3 keys, 1 cooling down` */
function keysOf({ keys }: Account): string {
  if (keys.length === 0) return '';
  const cooling = keys.filter(({ state }) => state !== 'closed').length;
  return `, ${keys.length} keys${cooling === 0 ? '' : `, ${cooling} cooling down`}`;
}

function running(accounts: readonly Account[], paint: Paint): string {
  return table(
    ['id', 'name', 'vendor', 'state', 'until', 'failures', 'running', 'waiting', 'open tasks', 'last fault'],
    accounts.map((each) => [
      String(each.id),
      each.name,
      each.vendor,
      each.on ? HEALTH[each.state] + keysOf(each) : 'off',
      moment(each.cool_until),
      count(each.failures),
      `${count(each.in_flight)} of ${count(each.max_concurrency)}`,
      count(each.queued),
      count(each.open_tasks),
      each.last_fault === null
        ? ''
        : `${moment(each.last_fault.at)} ${each.last_fault.status ?? each.last_fault.code} ${each.last_fault.message}`,
    ]),
    paint,
  );
}
