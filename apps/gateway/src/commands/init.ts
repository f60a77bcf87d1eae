/** `gateway init` */
import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';
import type { InitOptions } from './init-work.ts';

/** Adds `gateway init`. */
export function addInitCommand(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description('ask a few questions, write a configuration file, and check it')
    .argument('[file]', 'where to write it', 'gateway.yaml')
    .option('-y, --yes', 'no questions: what would be proposed')
    .option('--force', 'replace the file if it is there')
    .option('--json', 'JSON alone; no questions')
    .action(async (file: string, options: InitOptions) =>
      (await import('./init-work.ts')).init(terminal, file, options),
    );
}
