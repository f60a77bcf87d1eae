/** `gateway migrate`: brings the database up to date, or reads the configuration of another gateway. */
import type { Command } from 'commander';
import { misuse } from './command-fault.ts';
import { WHERE } from './command-options.ts';
import type { Terminal } from './terminal.ts';
import type { ConvertOptions } from '../moving-in/convert.ts';

/** A gateway brings its database up to date at its start, under a lock: the command is for those who want it done, and seen, before. */
export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description(
      'bring the database up to date; with a file of LiteLLM, new-api or Bifrost: write its configuration as ours',
    )
    .argument('[file]', 'config.yaml of LiteLLM, SQLite file or JSON of new-api, config.json of Bifrost')
    .option('-o, --out <file>', 'where to write the configuration; standard output without it')
    .option('--secrets <file>', 'where to write the keys that stood in the file, as variables')
    .option('--force', 'replace files that are there')
    .option('--compare <url>', 'write nothing: ask the other gateway and this one the same, and say what differs')
    .option('--compare-key <key>', 'a key of the other gateway; COMPARE_KEY without it')
    .option('--json', 'JSON alone')
    .optionsGroup(WHERE)
    .option('--url <url>', 'this gateway, for --compare; the one on this machine without it')
    .option('--profile <name>', 'this gateway, by its profile')
    .action(async (file: string | undefined, options: ConvertOptions) => {
      if (file !== undefined) return (await import('../moving-in/convert.ts')).convert(terminal, file, options);
      if (Object.keys(options).length > 0)
        throw misuse('Name the file of the other gateway. See gateway migrate --help.');
      return (await import('./migrate-work.ts')).migrate(terminal);
    });
}
