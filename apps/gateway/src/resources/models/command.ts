/** `gateway models` */
import { Option, type Command } from 'commander';
import { MODEL_KINDS, type components } from '@model-gateway/contracts';
import { WHERE, type JsonOption, type TargetOptions } from '../../commands/command-options.ts';
import { sayTo, table, type Paint } from '../../commands/output.ts';
import { priceTable } from './prices.ts';
import { clientTarget, isClientTargeted } from '../../commands/target.ts';
import { note, type Terminal } from '../../commands/terminal.ts';
import { addSyncCommand } from './sync-command.ts';

type Model = components['schemas']['CatalogueModel'];

interface ModelOptions extends JsonOption, TargetOptions {
  readonly key?: string;
  readonly kind?: Model['kind'];
  readonly prices?: boolean;
}

/** Adds `gateway models` and `gateway models sync`. */
export function addModelCommands(program: Command, terminal: Terminal): void {
  const command = program
    .command('models')
    .description('list the models that you can use: of a gateway and a key, or of the configuration of this machine')
    .addOption(new Option('--kind <kind>', 'only this kind').choices([...MODEL_KINDS]))
    .option('--prices', 'show the price of each model, in US dollars')
    .optionsGroup(WHERE)
    .option('--url <url>', 'use the gateway at this address, with the key in MODEL_GATEWAY_API_KEY')
    .option('--profile <name>', 'use the gateway of this profile')
    .option('--key <key>', 'the key; other users of this machine can see it')
    .optionsGroup('Options:')
    .option('--json', 'print only JSON: the answer of GET /v1/models')
    .action((options: ModelOptions) => models(terminal, options));
  addSyncCommand(command, terminal);
}

async function models(terminal: Terminal, options: ModelOptions): Promise<void> {
  const { kind, prices = false } = options;
  const all = isClientTargeted(terminal.env, options)
    ? await ofGateway(terminal, options)
    : await ofConfiguration(terminal);
  const found = kind === undefined ? all : all.filter((model) => model.kind === kind);
  sayTo(terminal, options)(found, (paint) => modelTable(found, prices, paint));
}

async function ofGateway({ env }: Terminal, options: ModelOptions): Promise<readonly Model[]> {
  const target = clientTarget(env, options);
  const { callGateway } = await import('../../commands/remote-call.ts');
  return callGateway(target, 0, async (client) => (await client.models.list()).data);
}

async function ofConfiguration(terminal: Terminal): Promise<readonly Model[]> {
  const { configuredModels } = await import('./configured-models.ts');
  return configuredModels(terminal.env, ({ message }) =>
    note(terminal, `Models of the file alone, because the database cannot be read: ${message}`),
  );
}

function modelTable(models: readonly Model[], prices: boolean, paint: Paint): string {
  if (models.length === 0) return 'There are no such models.';
  if (prices) return priceTable(models, paint);
  return table(
    ['model', 'kind', 'vendor', 'formats'],
    models.map((model) => [model.id, model.kind, model.owned_by, model.formats.join(', ')]),
    paint,
  );
}
