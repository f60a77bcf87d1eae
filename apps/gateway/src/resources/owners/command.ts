/** `gateway owners …` */
import { InvalidArgumentError, type Command } from 'commander';
import { UNITS_PER_DOLLAR, type components } from '@model-gateway/contracts';
import { misuse } from '../../commands/command-fault.ts';
import {
  amountOfDollars,
  operatorCommand,
  signedDollars,
  signedWhole,
  wholeNumber,
  type OperatorOptions,
} from '../../commands/command-options.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { dollars, moment, money, record, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { addStatementCommand } from './statement-command.ts';

type Owner = components['schemas']['Owner'];

interface OwnerOptions extends OperatorOptions {
  readonly group?: string;
  /** Quota units. */
  readonly credit?: number | 'none';
  readonly budget?: number | 'none';
  readonly low?: number | 'none';
  readonly organization?: string;
}
interface AmountOptions extends OperatorOptions {
  readonly usd?: number;
  readonly units?: number;
}

const BUDGET =
  'what is meant to be spent in a month, in US dollars, or none; for reports, nothing is refused beyond it';
const LOW = 'the balance below which it is shown as low, in US dollars, or none';
const ORGANIZATION = 'the organization that it belongs to, or none; usage adds up owners of the same one';
const CREDIT = 'what may be owed, in US dollars, or none for no limit';

/** Adds `gateway owners list|get|create|update|topup|adjust|statement`. */
export function addOwnerCommands(program: Command, terminal: Terminal): void {
  const owners = program.command('owners').description('owners of keys, and their balances');
  operatorCommand(owners, 'list', 'list owners with their balances').action((options: OperatorOptions) =>
    withOperator(terminal, options, async ({ list, say }) => {
      const all = await list('listOwners');
      say(all, (paint) => ownerTable(all, paint));
    }),
  );
  operatorCommand(owners, 'get', 'show one owner')
    .argument('<id>', 'the number of the owner', wholeNumber)
    .action((id: number, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const owner = await call('getOwner', { path: { owner_id: id } });
        say(owner, (paint) => ownerRecord(owner, paint));
      }),
    );
  operatorCommand(owners, 'create', 'create an owner with an empty balance')
    .argument('<name>', 'the name')
    .option('--group <name>', 'the group of keys that have none of their own')
    .option('--credit <usd>', `${CREDIT}; nothing by default`, creditOf)
    .option('--budget <usd>', BUDGET, creditOf)
    .option('--low <usd>', LOW, creditOf)
    .option('--organization <name>', ORGANIZATION)
    .action((name: string, options: OwnerOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const owner = await call('createOwner', { body: { name, ...scopeOf(options) } });
        say(
          owner,
          () =>
            `Owner ${owner.id} (${owner.name}) is made. It has no money yet: gateway owners topup ${owner.id} --usd 20`,
        );
      }),
    );
  operatorCommand(owners, 'update', 'change what you name and keep the rest')
    .argument('<id>', 'the number of the owner', wholeNumber)
    .option('--name <name>', 'the name')
    .option('--group <name>', 'the group of keys that have none of their own')
    .option('--credit <usd>', CREDIT, creditOf)
    .option('--budget <usd>', BUDGET, creditOf)
    .option('--low <usd>', LOW, creditOf)
    .option('--organization <name>', ORGANIZATION)
    .action((id: number, options: OwnerOptions & { readonly name?: string }) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const change = { ...(options.name !== undefined && { name: options.name }), ...scopeOf(options) };
        if (Object.keys(change).length === 0)
          throw misuse(
            'Name what to change: --name, --group, --credit, --budget, --low or --organization. See gateway owners update --help.',
          );
        const owner = await call('updateOwner', { path: { owner_id: id }, body: change });
        say(owner, (paint) => ownerRecord(owner, paint));
      }),
    );
  addMoneyCommands(owners, terminal);
  addStatementCommand(owners, terminal);
}

function addMoneyCommands(owners: Command, terminal: Terminal): void {
  operatorCommand(owners, 'topup', 'add money')
    .argument('<id>', 'the number of the owner', wholeNumber)
    .option('--usd <amount>', 'US dollars', amountOfDollars)
    .option('--units <amount>', 'quota units instead of dollars; 500,000 are 1 US dollar', wholeNumber)
    .option('--note <text>', 'a note, which is kept in the ledger')
    .option('--once <key>', 'an Idempotency-Key: repeating the command with it adds nothing')
    .action((id: number, options: AmountOptions & { readonly note?: string; readonly once?: string }) =>
      withOperator(terminal, options, async (work) => {
        const { note, once } = options;
        const amount = unitsOf(options, 'gateway owners topup');
        const input = { path: { owner_id: id }, body: { amount, ...(note !== undefined && { note }) } };
        sayChange(work, await work.call('topUpOwner', input, { idempotencyKey: once }));
      }),
    );
  operatorCommand(owners, 'adjust', 'correct a balance, either way')
    .argument('<id>', 'the number of the owner', wholeNumber)
    .option('--usd <amount>', 'US dollars; a negative number takes money away', signedDollars)
    .option('--units <amount>', 'quota units instead of dollars; a negative number takes money away', signedWhole)
    .requiredOption('--note <text>', 'the reason, which is kept in the ledger')
    .action((id: number, options: AmountOptions & { readonly note: string }) =>
      withOperator(terminal, options, async (work) => {
        const body = { amount: unitsOf(options, 'gateway owners adjust'), note: options.note };
        sayChange(work, await work.call('adjustOwner', { path: { owner_id: id }, body }));
      }),
    );
}

/** Quota units of either option; dollars beyond six decimals are none. */
function unitsOf({ usd, units }: AmountOptions, command: string): number {
  if (usd !== undefined && units === undefined) return unitsOfDollars(usd);
  if (usd === undefined && units !== undefined) return units;
  throw misuse(`Give the amount as --usd or as --units. See ${command} --help.`);
}

function unitsOfDollars(usd: number): number {
  const units = Math.round(usd * UNITS_PER_DOLLAR);
  if (Math.abs(units / UNITS_PER_DOLLAR - usd) < 1e-9) return units;
  throw misuse(`--usd: ${usd} is no multiple of ${dollars(1 / UNITS_PER_DOLLAR)}, the smallest amount that is kept.`);
}

/** commander has no null. */
function creditOf(text: string): number | 'none' {
  if (text === 'none') return text;
  try {
    return unitsOfDollars(amountOfDollars(text));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError('it must be US dollars such as 12.50, or none.');
  }
}

function scopeOf({ group, credit, budget, low, organization }: OwnerOptions) {
  return {
    ...(organization !== undefined && { organization: organization === 'none' ? null : organization }),
    ...(budget !== undefined && { monthly_budget: budget === 'none' ? null : budget }),
    ...(low !== undefined && { low_balance: low === 'none' ? null : low }),
    ...(group !== undefined && { group }),
    ...(credit !== undefined && { credit_limit: credit === 'none' ? null : credit }),
  };
}

function ownerTable(owners: readonly Owner[], paint: Paint): string {
  return table(
    ['id', 'name', 'group', 'balance', 'may owe'],
    owners.map((owner) => [
      String(owner.id),
      owner.name,
      owner.group,
      `${dollars(owner.balance_usd)}${isLow(owner) ? ' (low)' : ''}`,
      mayOwe(owner),
    ]),
    paint,
  );
}

function ownerRecord(owner: Owner, paint: Paint): string {
  return record(
    [
      ['id', String(owner.id)],
      ['name', owner.declared ? `${owner.name} (of the configuration file)` : owner.name],
      ['group', owner.group],
      ['organization', owner.organization ?? ''],
      ['balance', dollars(owner.balance_usd)],
      ['may owe', mayOwe(owner)],
      ['budget', owner.monthly_budget === null ? '' : `${money(owner.monthly_budget)} a month`],
      ['low below', owner.low_balance === null ? '' : money(owner.low_balance)],
      ['made', `${moment(owner.created_at)} UTC`],
    ],
    paint,
  );
}

function isLow({ balance, low_balance: low }: Owner): boolean {
  return low !== null && balance < low;
}

function mayOwe({ credit_limit: credit }: Owner): string {
  return credit === null ? 'anything' : money(credit);
}

function sayChange({ say }: Work, change: components['schemas']['BalanceChange']): void {
  const { entry, owner } = change;
  say(change, () => {
    const done = entry.amount < 0 ? `Took ${money(-entry.amount)} from` : `Added ${money(entry.amount)} to`;
    return `${done} owner ${owner.id} (${owner.name}), who now has ${dollars(owner.balance_usd)} (entry ${entry.id}).`;
  });
}
