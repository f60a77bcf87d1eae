/** `gateway bills check` */
import { Option, type Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { CommandFault } from '../../commands/command-fault.ts';
import { amountOfDollars, operatorCommand, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { dollars, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];

const VENDORS = ['openai', 'anthropic', 'aws', 'google'] as const satisfies readonly Schemas['BillVendor'][];
const MOST_SHOWN = 100;

interface CheckOptions extends OperatorOptions {
  readonly vendor: Schemas['BillVendor'];
  readonly from?: string;
  readonly to?: string;
  readonly account?: string;
  readonly model?: Readonly<Record<string, string>>;
  readonly project?: Readonly<Record<string, string>>;
  readonly tolerance?: number;
}

/** Adds `gateway bills check`. */
export function addBillCommands(program: Command, terminal: Terminal): void {
  const bills = program.command('bills').description('vendors’ bills beside the ledger');
  operatorCommand(bills, 'check', 'compare a vendor’s cost export with the ledger; exit code 1 if they differ')
    .argument('<file>', 'the export: CSV or JSON, also with gzip')
    .addOption(new Option('--vendor <vendor>', 'whose bill it is').choices(VENDORS).makeOptionMandatory())
    .option('--from <day>', 'the first day (UTC), such as 2026-10-01; that of the file without it')
    .option('--to <day>', 'the last day; that of the file without it')
    .option('--account <name>', 'only this account of the configuration')
    .option('--model <item=model>', 'which model an item is; can be repeated', pairs)
    .option('--project <id=account>', 'which account a project of the vendor is; can be repeated', projectPairs)
    .option('--tolerance <dollars>', 'what is no difference; 0.01 by default', amountOfDollars)
    .action((file: string, { vendor, from, to, account, model, project, tolerance, ...options }: CheckOptions) =>
      withOperator(terminal, options, async ({ call, say, exitWith }) => {
        const { readBillFile } = await import('./export-rows.ts');
        const { lines, otherServices } = await readBillFile(vendor, file, {
          from,
          to,
          byProject: project !== undefined,
        });
        if (lines.length === 0) throw new CommandFault('The file has no costs of these days.');
        const body: Schemas['BillCheckCreate'] = {
          ...{ vendor, lines: [...lines] },
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
          ...(account !== undefined && { account }),
          ...(model !== undefined && { models: { ...model } }),
          ...(project !== undefined && { projects: { ...project } }),
          ...(tolerance !== undefined && { tolerance_usd: tolerance }),
        };
        const check = await call('checkBill', { body });
        say(check, (paint) => report(check, otherServices, paint));
        if (!check.ok) exitWith(1);
      }),
    );
}

function report(check: Schemas['BillCheck'], otherServices: number, paint: Paint): string {
  const { differences, unknown, other, other_projects: otherProjects, other_accounts: otherAccounts } = check;
  const shown = differences.slice(0, MOST_SHOWN);
  const money = (amount: number): string => dollars(amount);
  return [
    `${check.vendor}, ${check.from} to ${check.to} (UTC): the vendor bills ${money(check.vendor_usd)}, the ledger has ${money(check.ledger_usd)}; ${check.compared} days of models compared.`,
    ...(differences.length === 0 ? ['', 'No differences.'] : []),
    ...(shown.length === 0
      ? []
      : [
          '',
          table(
            ['day', 'model', 'account', 'vendor', 'ledger', 'difference', 'requests', 'likely causes'],
            shown.map((each) => [
              ...[each.day, each.model, each.account ?? '', money(each.vendor_usd), money(each.ledger_usd)],
              ...[money(each.difference_usd), String(each.requests), each.causes.map(({ cause }) => cause).join(', ')],
            ]),
            paint,
          ),
          ...(differences.length > shown.length
            ? [`and ${differences.length - shown.length} more: --json has all`]
            : []),
          '',
          ...[...new Map(shown.flatMap(({ causes }) => causes.map((each) => [each.cause, each.text] as const)))].map(
            ([cause, text]) => `${cause}: ${text}`,
          ),
        ]),
    ...(unknown.length === 0
      ? []
      : [
          '',
          'Items of no known model, which are not compared; name their models with --model:',
          table(
            ['item', 'amount', 'days'],
            unknown.map(({ item, usd, days }) => [item, money(usd), String(days)]),
            paint,
          ),
        ]),
    ...(otherProjects.length === 0
      ? []
      : [
          '',
          'Projects without an account, which are not compared; name their accounts with --project:',
          table(
            ['project', 'amount', 'days'],
            otherProjects.map(({ project, usd, days }) => [
              project === '' ? '(none)' : project,
              money(usd),
              String(days),
            ]),
            paint,
          ),
          ...(otherProjects.some(({ project }) => project === '')
            ? ['--project =ACCOUNT names lines without a project.']
            : []),
        ]),
    ...otherAccounts.map(({ account, usd }) => `Not compared: the account ${account}, ${money(usd)} in the ledger, because no --project names it`), // prettier-ignore
    ...other.map(({ kind, usd }) => `Not compared: ${kind} ${money(usd)}`),
    ...(otherServices === 0 ? [] : [`Not compared: ${otherServices} rows of other services`]),
  ].join('\n');
}

/** `item=model`; the last equals sign parts them. */
function pairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.lastIndexOf('=');
  if (at <= 0 || at === text.length - 1) throw new CommandFault(`'${text}' is no pair such as "item=model".`);
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** `project=account`; nothing before the sign is lines without a project. */
function projectPairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return text.lastIndexOf('=') === 0 && text.length > 1 ? { ...before, '': text.slice(1) } : pairs(text, before);
}
