/** `gateway encryption-key rotate` */
import type { Command } from 'commander';
import type { JsonOption } from '../../commands/command-options.ts';
import type { Terminal } from '../../commands/terminal.ts';

/** Adds `gateway encryption-key rotate`. */
export function addEncryptionKeyCommands(program: Command, terminal: Terminal): void {
  const encryptionKey = program
    .command('encryption-key')
    .description('the key that kept responses and stored credentials are encrypted with');
  encryptionKey
    .command('rotate')
    .description(
      'make another key in the file beside the SQLite database; it encrypts from the next start, older keys decrypt',
    )
    .option('--json', 'JSON alone')
    .addHelpText('after', '\nIt works on the database of this machine, while no gateway does.')
    .action(async (options: JsonOption) => {
      const { rotateEncryptionKey } = await import('./command-work.ts');
      await rotateEncryptionKey(terminal, options);
    });
}
