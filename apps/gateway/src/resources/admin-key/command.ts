/** `gateway admin-key rotate` */
import type { Command } from 'commander';
import { CommandFault } from '../../commands/command-fault.ts';
import type { JsonOption } from '../../commands/command-options.ts';
import { sayTo } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

/** Adds `gateway admin-key rotate`. */
export function addAdminKeyCommands(program: Command, terminal: Terminal): void {
  const adminKey = program.command('admin-key').description('the key of the admin API');
  adminKey
    .command('rotate')
    .description(
      'create a new admin key and show it once; running gateways accept it, and refuse the old one, within two seconds',
    )
    .option('--json', 'print only JSON')
    .addHelpText('after', '\nIt uses the database of this machine, as set by GATEWAY_CONFIG and DATABASE_URL.')
    .action((options: JsonOption) => rotate(terminal, options));
}

async function rotate(terminal: Terminal, options: JsonOption): Promise<void> {
  const { env, now } = terminal;
  const { openLocalGateway } = await import('../../commands/operator-local.ts');
  const { rotateAdminKey } = await import('./admin-key.ts');
  await using database = await openLocalGateway(env, now);
  if (database.config.adminKey !== undefined)
    throw new CommandFault('The admin key comes from GATEWAY_ADMIN_KEY; change it there and start the gateway again.');
  const key = await rotateAdminKey(database.store, now());
  sayTo(terminal, options)({ admin_key: key }, (paint) => `The admin key, shown once:\n${paint('green', key)}`);
}
