/** `gateway models sync` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];

interface SyncOptions extends OperatorOptions {
  readonly account?: string;
  readonly vendor?: string;
}

const WORDS: Readonly<Record<Schemas['ModelChange']['change'], string>> = {
  new: 'new',
  gone: 'not listed any more',
  deprecated: 'deprecated',
  retiring: 'will be retired',
  limits: 'other limits',
  price: 'another price',
};

/** Adds `gateway models sync`. */
export function addSyncCommand(models: Command, terminal: Terminal): void {
  operatorCommand(
    models,
    'sync',
    'ask vendors for their models, and say where the catalogue differs; nothing is changed',
  )
    .option('--account <name>', 'this account alone; every account that is on without it')
    .option('--vendor <vendor>', 'only accounts of this vendor')
    .action((_options: SyncOptions, command: Command) => {
      const options: SyncOptions = command.optsWithGlobals();
      return withOperator(terminal, options, async ({ call, say }) => {
        const { account, vendor } = options;
        const query = { ...(account !== undefined && { account }), ...(vendor !== undefined && { vendor }) };
        const found = await call('listModelChanges', { query });
        say(found, (paint) => text(found, paint));
      });
    });
}

function text({ data, accounts }: Schemas['ModelChangeList'], paint: Paint): string {
  const unasked = accounts.flatMap(({ account, error }) =>
    error === null ? [] : [`${account} was not asked: ${error}`],
  );
  const asked = accounts.filter(({ listed }) => listed !== null);
  const without = accounts.filter(({ lists_models: lists }) => !lists).map(({ account }) => account);
  const lists = asked.map(({ account, listed }) => `${account} lists ${listed ?? 0} models`);
  const proposals = data.filter(({ proposal }) => proposal !== null);
  return [
    ...(accounts.length === 0 ? ['No account is on.'] : [...lists, ...unasked]),
    ...(without.length === 0 ? [] : [`Without a list of models at the vendor: ${without.join(', ')}`]),
    ...(data.length === 0
      ? asked.length === 0
        ? []
        : ['The catalogue says the same.']
      : [
          table(
            ['account', 'model', 'what', 'catalogue', 'vendor'],
            data.map(({ account, model, change, before, after }) => [
              account,
              model,
              WORDS[change],
              before === null ? '' : plain(before),
              after === null ? '' : plain(after),
            ]),
            paint,
          ),
        ]),
    ...(proposals.length === 0
      ? []
      : ['Take one over with gateway config set models/NAME VALUE --merge; --json has name and value of each.']),
  ].join('\n');
}

function plain(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(
      ([name, value]) =>
        `${name} ${typeof value === 'object' && value !== null ? plain(value as Record<string, unknown>) : String(value)}`,
    )
    .join(', ');
}
