/** `gateway init` */
import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';
import type { InitOptions } from './init-work.ts';

/** Adds `gateway init`. */
export function addInitCommand(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description('ask a few questions, write a configuration file, and check it')
    .argument('[file]', 'the file to write', 'gateway.yaml')
    .option('-y, --yes', 'ask no questions and use the defaults')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print only JSON; ask no questions')
    .action(async (file: string, options: InitOptions) =>
      (await import('./init-work.ts')).init(terminal, file, options),
    );
}
