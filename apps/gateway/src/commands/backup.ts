/** `gateway backup FILE` and `gateway restore FILE` */
import type { Command } from 'commander';
import type { JsonOption } from './command-options.ts';
import type { Terminal } from './terminal.ts';

/** Adds `gateway backup` and `gateway restore`. */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command('backup <file>')
    .description(
      'copy the SQLite database to a new file, while a gateway works on it, and its encryption key to FILE.key beside it',
    )
    .option('--without-key', 'leave the encryption key out: keep it yourself, what is encrypted cannot be read without')
    .option('--json', 'JSON alone')
    .action(async (file: string, options: JsonOption & { readonly withoutKey?: true }) =>
      (await import('./backup-work.ts')).backup(terminal, file, options),
    );
  program
    .command('restore <file>')
    .description(
      'put a copy in the place of the SQLite database, with the encryption key in FILE.key, while no gateway works on it; the old one is kept beside it',
    )
    .option('--json', 'JSON alone')
    .action(async (file: string, options: JsonOption) =>
      (await import('./backup-work.ts')).restore(terminal, file, options),
    );
}
