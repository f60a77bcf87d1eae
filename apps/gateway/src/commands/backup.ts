/** `gateway backup FILE` and `gateway restore FILE` */
import type { Command } from 'commander';
import type { JsonOption } from './command-options.ts';
import type { Terminal } from './terminal.ts';

/** Adds `gateway backup` and `gateway restore`. */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command('backup <file>')
    .description('copy the SQLite database to a new file, and its encryption key to FILE.key; a gateway may be running')
    .option(
      '--without-key',
      'do not copy the encryption key; keep it yourself, because encrypted data cannot be read without it',
    )
    .option('--json', 'print only JSON')
    .action(async (file: string, options: JsonOption & { readonly withoutKey?: true }) =>
      (await import('./backup-work.ts')).backup(terminal, file, options),
    );
  program
    .command('restore <file>')
    .description(
      'replace the SQLite database with a copy, and its encryption key with FILE.key; stop the gateway first; the old database is kept beside the new one',
    )
    .option('--json', 'print only JSON')
    .action(async (file: string, options: JsonOption) =>
      (await import('./backup-work.ts')).restore(terminal, file, options),
    );
}
