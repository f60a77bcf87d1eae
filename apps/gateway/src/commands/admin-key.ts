import type { Command } from 'commander';
import { rotateAdminKey } from '../admin/admin-key.ts';
import { adminCommand, withAdminServices } from './admin-command.ts';
import { fail, type Terminal } from './terminal.ts';

/** `gateway admin-key rotate`. */
export function addAdminKeyCommands(program: Command, terminal: Terminal): void {
  const adminKey = program.command('admin-key').description('the key of the admin API');
  adminCommand(
    adminKey,
    'rotate',
    'make another admin key, shown once; running gateways take it, and refuse the old one, within two seconds',
  ).action((options: object) =>
    withAdminServices(terminal, options, async ({ config, store, now, say }) => {
      if (config.adminKey !== undefined) {
        fail('The admin key comes from GATEWAY_ADMIN_KEY; change it there and start the gateway again.');
        return;
      }
      const key = await rotateAdminKey(store, now());
      say({ admin_key: key }, () => `The admin key, shown once:\n${key}`);
    }),
  );
}
