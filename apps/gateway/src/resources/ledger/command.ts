/** `gateway ledger …` */
import { Option, type Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { readNames, type Names } from '../../commands/names.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { count, dollars, moment, money, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];

const SHOWN = 50;
const KINDS = [
  'hold',
  'capture',
  'release',
  'topup',
  'adjust',
] as const satisfies readonly Schemas['LedgerEntry']['kind'][];

interface ListOptions extends OperatorOptions {
  readonly owner?: number;
  readonly key?: number;
  readonly request?: string;
  readonly task?: string;
  readonly kind?: Schemas['LedgerEntry']['kind'];
  readonly limit?: number;
}

/** Adds `gateway ledger list|verify|replay`. */
export function addLedgerCommands(program: Command, terminal: Terminal): void {
  const ledger = program.command('ledger').description('every change of balances, and whether it adds up');
  operatorCommand(ledger, 'list', 'entries of the ledger, newest first')
    .option('--owner <id>', 'only this owner', wholeNumber)
    .option('--key <id>', 'only this key', wholeNumber)
    .option('--request <id>', 'only this request, by its x-request-id')
    .option('--task <id>', 'only this task')
    .addOption(new Option('--kind <kind>', 'only this kind').choices([...KINDS]))
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, isJson, say }) => {
        const { owner: owner_id, key: key_id, request: request_id, task: task_id, kind } = options;
        const entries = await list('listLedgerEntries', { owner_id, key_id, request_id, task_id, kind }, limit);
        const names = await readNames({ list, isJson });
        say(entries, (paint) => entryTable(entries, names, paint));
      }),
    );
  operatorCommand(
    ledger,
    'verify',
    'recompute every balance, hold, window and charge; exit code 1 if something differs',
  ).action((options: OperatorOptions) => withOperator(terminal, options, verify));
  operatorCommand(ledger, 'replay', 'explain one bill line by line; exit code 1 if it does not add up')
    .argument('<request-id>', 'the x-request-id of the answer')
    .action((requestId: string, options: OperatorOptions) =>
      withOperator(terminal, options, (work) => replay(work, requestId)),
    );
}

function entryTable(entries: readonly Schemas['LedgerEntry'][], names: Names, paint: Paint): string {
  if (entries.length === 0) return 'There are no such lines.';
  return table(
    ['id', 'time', 'kind', 'owner', 'key', 'amount', 'charged', 'model', 'request'],
    entries.map((entry) => [
      String(entry.id),
      moment(entry.created_at),
      entry.kind,
      names.owner(entry.owner_id),
      names.key(entry.key_id),
      money(entry.amount),
      money(entry.charged),
      entry.model ?? '',
      entry.request_id ?? '',
    ]),
    paint,
  );
}

async function verify({ call, say, exitWith }: Work): Promise<void> {
  const verification = await call('verifyLedger');
  const { ok, differences } = verification;
  say(verification, (paint) =>
    ok
      ? paint('green', 'The ledger adds up.')
      : [
          paint('red', `${differences.length} differences:`),
          table(
            ['what', 'expected', 'found', 'why'],
            differences.map((each) => [each.subject, money(each.expected), money(each.found), each.message]),
            paint,
          ),
        ].join('\n'),
  );
  if (!ok) exitWith(1);
}

async function replay({ call, list, isJson, say, exitWith }: Work, requestId: string): Promise<void> {
  const bill = await call('replayLedger', { path: { request_id: requestId } });
  const names = await readNames({ list, isJson });
  say(bill, (paint) => billText(bill, names, paint));
  if (!bill.matches) exitWith(1);
}

function billText(bill: Schemas['LedgerReplay'], names: Names, paint: Paint): string {
  const { lines, recomputed, charged, shortfall } = bill;
  const used = Object.entries(bill.usage).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [
    `Request ${bill.request_id}: ${bill.model ?? 'no model'}, owner ${names.owner(bill.owner_id)}${bill.key_id === null ? '' : `, key ${names.key(bill.key_id)}`}`,
    `Prices   ${bill.price_version ?? 'none'}${bill.default_price === null ? '' : `, the default price of ${bill.default_price}`}`,
    `Usage    ${used.length === 0 ? 'none' : used.join(', ')}`,
    '',
    table(
      ['item', 'quantity', 'price', 'factor', 'comes to'],
      lines.map(({ item, quantity, price, per, factor }) => [
        item,
        count(quantity),
        `${dollars(price)}${per === 1 ? ' each' : ` per ${count(per)}`}`,
        String(factor),
        dollars(((quantity * price) / per) * factor),
      ]),
      paint,
    ),
    '',
    `Factor of the group  ${bill.group_factor}`,
    `Computed again       ${money(recomputed)}`,
    `Charged              ${money(charged)}`,
    ...(shortfall === 0 ? [] : [`Beyond the balance   ${money(shortfall)}, the house's loss`]),
    bill.matches ? paint('green', 'It adds up.') : paint('red', 'IT DOES NOT ADD UP.'),
    '',
    entryTable(bill.entries, names, paint),
  ].join('\n');
}
