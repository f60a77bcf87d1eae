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
    .description('update the database; with a file of LiteLLM, new-api or Bifrost: convert its configuration to ours')
    .argument('[file]', 'config.yaml of LiteLLM, SQLite file or JSON of new-api, config.json of Bifrost')
    .option('-o, --out <file>', 'the file for the new configuration; standard output by default')
    .option('--secrets <file>', 'the file for the keys that were in the old configuration, as variables')
    .option('--force', 'replace existing files')
    .option(
      '--compare <url>',
      'write nothing: send the same requests to the other gateway and to this one, and print the differences',
    )
    .option('--compare-key <key>', 'a key of the other gateway; COMPARE_KEY by default')
    .option('--json', 'print only JSON')
    .optionsGroup(WHERE)
    .option('--url <url>', 'the address of this gateway, for --compare; the one on this machine by default')
    .option('--profile <name>', 'the profile of this gateway')
    .action(async (file: string | undefined, options: ConvertOptions) => {
      if (file !== undefined) return (await import('../moving-in/convert.ts')).convert(terminal, file, options);
      if (Object.keys(options).length > 0)
        throw misuse('Name the file of the other gateway. See gateway migrate --help.');
      return (await import('./migrate-work.ts')).migrate(terminal);
    });
}
