import type { Command } from 'commander';
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { replayBill, verifyAll, type ReplayedBill } from '../admin/bills.ts';
import { usageReport } from '../admin/usage.ts';
import { billView, timeOf } from '../admin/views.ts';
import { withAdminServices, adminCommand, listOf, wholeNumber, type AdminServices } from './admin-command.ts';
import { dollars, moment, table, units, type Terminal } from './terminal.ts';

interface UsageOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by?: readonly string[];
  readonly test?: boolean;
  readonly owner?: number;
  readonly key?: number;
}

/** `gateway usage` and `gateway ledger verify|replay`. */
export function addLedgerCommands(program: Command, terminal: Terminal): void {
  adminCommand(program, 'usage', 'what was used and charged; the last 30 days unless said otherwise')
    .option('--from <time>', 'start, such as 2026-11-01T00:00:00Z')
    .option('--to <time>', 'end, not included')
    .option('--by <groups>', 'day, model, key, owner, endpoint, account; comma separated, day when absent', listOf)
    .option('--owner <id>', 'only of this owner', wholeNumber)
    .option('--key <id>', 'only of this key', wholeNumber)
    .option('--test', 'of test keys: what live keys would have paid')
    .action((options: UsageOptions) => withAdminServices(terminal, options, (services) => usage(services, options)));
  const ledger = program.command('ledger').description('what was charged, and whether it adds up');
  adminCommand(
    ledger,
    'verify',
    'compute every balance, hold, window and charge again; exit code 1 when something differs',
  ).action((options: object) => withAdminServices(terminal, options, verify));
  adminCommand(
    ledger,
    'replay <request-id>',
    'explain one bill line by line; exit code 1 when it does not add up',
  ).action((requestId: string, options: object) =>
    withAdminServices(terminal, options, (services) => replay(services, requestId)),
  );
}

async function usage(
  { store, now, say }: AdminServices,
  { from, to, by, test, owner, key }: UsageOptions,
): Promise<void> {
  const report = await usageReport(
    store.ledger,
    { from, to, groupBy: by, mode: test === true ? 'test' : 'live', ownerId: owner, keyId: key },
    now(),
  );
  const sums = (row: (typeof report)['total']): string[] => [
    units(row.requests),
    units(row.input_tokens),
    units(row.output_tokens),
    units(row.charged),
    dollars(row.charged_usd),
  ];
  say(report, () =>
    [
      `From ${moment(report.from)} to ${moment(report.to)} UTC${test === true ? ', test keys' : ''}`,
      table(
        [...report.group_by, 'requests', 'input tokens', 'output tokens', 'units', 'charged'],
        [
          ...report.data.map((row) => [...report.group_by.map((name) => String(row.group[name] ?? '')), ...sums(row)]),
          [...report.group_by.map((_, index) => (index === 0 ? 'all' : '')), ...sums(report.total)],
        ],
      ),
    ].join('\n'),
  );
}

async function verify({ store, say }: AdminServices): Promise<void> {
  const differences = await verifyAll(store.ledger);
  say({ object: 'ledger_verification', ok: differences.length === 0, differences }, () =>
    differences.length === 0
      ? 'The ledger adds up.'
      : [
          `${differences.length} differences:`,
          table(
            ['what', 'expected', 'found', 'why'],
            differences.map((each) => [each.subject, units(each.expected), units(each.found), each.message]),
          ),
        ].join('\n'),
  );
  if (differences.length > 0) process.exitCode = 1;
}

async function replay({ store, say }: AdminServices, requestId: string): Promise<void> {
  const bill = await replayBill(store.ledger, requestId);
  say(billView(bill), () => billText(bill));
  if (!bill.matches) process.exitCode = 1;
}

function billText(bill: ReplayedBill): string {
  const { lines, groupFactor, recomputed, charged, shortfall } = bill;
  const used = Object.entries(bill.usage).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [
    `Request ${bill.requestId}: ${bill.model ?? 'no model'}, owner ${bill.ownerId}${bill.keyId === undefined ? '' : `, key ${bill.keyId}`}`,
    `Prices   ${bill.priceVersion ?? 'none'}`,
    `Usage    ${used.length === 0 ? 'none' : used.join(', ')}`,
    '',
    table(
      ['item', 'quantity', 'price', 'factor', 'comes to'],
      lines.map(({ item, quantity, price, per, factor }) => [
        item,
        units(quantity),
        `${dollars(price)}${per === 1 ? ' each' : ` per ${units(per)}`}`,
        String(factor),
        dollars(((quantity * price) / per) * factor),
      ]),
    ),
    '',
    `Factor of the group  ${groupFactor}`,
    `Computed again       ${units(recomputed)} units, ${dollars(recomputed / UNITS_PER_DOLLAR)}`,
    `Charged              ${units(charged)} units, ${dollars(charged / UNITS_PER_DOLLAR)}`,
    ...(shortfall === 0 ? [] : [`Beyond the balance   ${units(shortfall)} units, the house's loss`]),
    bill.matches ? 'It adds up.' : 'IT DOES NOT ADD UP.',
    '',
    table(
      ['entry', 'time', 'kind', 'amount', 'charged', 'hold'],
      bill.entries.map((entry) => [
        String(entry.id),
        moment(timeOf(entry.createdAt)),
        entry.kind,
        units(entry.amount),
        units(entry.charged),
        entry.holdId === undefined ? '' : String(entry.holdId),
      ]),
    ),
  ].join('\n');
}
