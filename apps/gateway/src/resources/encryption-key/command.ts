/** `gateway encryption-key rotate` */
import type { Command } from 'commander';
import type { JsonOption } from '../../commands/command-options.ts';
import type { Terminal } from '../../commands/terminal.ts';

/** Adds `gateway encryption-key rotate`. */
export function addEncryptionKeyCommands(program: Command, terminal: Terminal): void {
  const encryptionKey = program
    .command('encryption-key')
    .description('the key that encrypts stored responses and credentials');
  encryptionKey
    .command('rotate')
    .description(
      'add a new key to the file beside the SQLite database; it encrypts from the next start, and older keys still decrypt',
    )
    .option('--json', 'print only JSON')
    .addHelpText('after', '\nIt uses the database of this machine. Stop the gateway first.')
    .action(async (options: JsonOption) => {
      const { rotateEncryptionKey } = await import('./command-work.ts');
      await rotateEncryptionKey(terminal, options);
    });
}
