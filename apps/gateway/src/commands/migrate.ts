/** `gateway migrate`: brings the database up to date before the gateways start, as a deployment of several wants it. */
import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** A gateway does the same at its start, under a lock: the command is for those who want it done, and seen, before. */
export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('bring the database up to date; does nothing when it is')
    .action(async () => {
      const { migrate } = await import('./migrate-work.ts');
      await migrate(terminal);
    });
}
