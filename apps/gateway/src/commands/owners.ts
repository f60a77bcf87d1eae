import { InvalidArgumentError, type Command } from 'commander';
import { unitsOf } from '../admin/keys.ts';
import type { BalanceChange } from '../admin/owners.ts';
import { entryView, ownerView } from '../admin/views.ts';
import {
  allPages,
  amountOfDollars,
  withAdminServices,
  adminCommand,
  signedWhole,
  wholeNumber,
  type AdminServices,
} from './admin-command.ts';
import { dollars, table, units, type Terminal } from './terminal.ts';

const PAGE = 500;

interface CreateOptions {
  readonly group?: string;
  /** US dollars; null for no limit. */
  readonly credit?: number | null;
}
interface TopUpOptions {
  readonly usd?: number;
  readonly units?: number;
  readonly note?: string;
  readonly once?: string;
}

/** `gateway owners list|create|topup|adjust`. */
export function addOwnerCommands(program: Command, terminal: Terminal): void {
  const owners = program.command('owners').description('who keys belong to, and their balances');
  adminCommand(owners, 'list', 'list owners with their balances').action((options: object) =>
    withAdminServices(terminal, options, list),
  );
  adminCommand(owners, 'create <name>', 'make an owner with an empty balance')
    .option('--group <name>', 'the group of keys that name none')
    .option('--credit <usd>', 'what may be owed, in US dollars; none when absent, `none` for no limit', creditOf)
    .action((name: string, options: CreateOptions) =>
      withAdminServices(terminal, options, async (services) => {
        const { group, credit } = options;
        const owner = await services.owners.create({
          name,
          ...(group !== undefined && { group }),
          ...(credit !== undefined && { credit_limit: credit === null ? null : unitsOf(credit, 'credit') }),
        });
        services.say(ownerView(owner), () => `Owner ${owner.id} (${owner.name}) is made.`);
      }),
    );
  adminCommand(owners, 'topup', 'add money')
    .argument('<id>', 'the number of the owner', wholeNumber)
    .option('--usd <amount>', 'US dollars', amountOfDollars)
    .option('--units <amount>', 'quota units; 500,000 are 1 US dollar', wholeNumber)
    .option('--note <text>', 'for people; kept in the ledger')
    .option('--once <key>', 'an Idempotency-Key: with the same one again nothing is added')
    .action((id: number, options: TopUpOptions) =>
      withAdminServices(terminal, options, async (services) => {
        const { usd, units: amount, note, once } = options;
        const input = {
          ...(usd !== undefined && { usd }),
          ...(amount !== undefined && { amount }),
          ...(note !== undefined && { note }),
          ...(once !== undefined && { idempotencyKey: once }),
        };
        sayChange(services, await services.owners.topUp(id, input));
      }),
    );
  adminCommand(owners, 'adjust', 'correct a balance, either way')
    .argument('<id>', 'the number of the owner', wholeNumber)
    .requiredOption('--units <amount>', 'quota units; below zero takes money away', signedWhole)
    .requiredOption('--note <text>', 'why; kept in the ledger')
    .action((id: number, options: { readonly units: number; readonly note: string }) =>
      withAdminServices(terminal, options, async (services) =>
        sayChange(services, await services.owners.adjust(id, options.units, options.note)),
      ),
    );
}

function creditOf(text: string): number | null {
  if (text === 'none') return null;
  try {
    return amountOfDollars(text);
  } catch {
    throw new InvalidArgumentError('it must be US dollars such as 12.50, or none.');
  }
}

async function list({ owners, say }: AdminServices): Promise<void> {
  const all = (await allPages((after) => owners.list({ limit: PAGE, ...(after !== undefined && { after }) }))).map(
    ownerView,
  );
  say(all, () =>
    table(
      ['id', 'name', 'group', 'units', 'balance', 'may owe'],
      all.map((owner) => [
        String(owner.id),
        owner.name,
        owner.group,
        units(owner.balance),
        dollars(owner.balance_usd),
        owner.credit_limit === null ? 'anything' : units(owner.credit_limit),
      ]),
    ),
  );
}

function sayChange({ say }: AdminServices, { entry, owner }: BalanceChange): void {
  const view = ownerView(owner);
  say(
    { entry: entryView(entry), owner: view },
    () =>
      `${units(entry.amount)} units (entry ${entry.id}). Owner ${owner.id} (${owner.name}) now has ${units(owner.balance)} units, ${dollars(view.balance_usd)}.`,
  );
}
