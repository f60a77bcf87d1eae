/** `gateway check-config` and `gateway config-schema` */
import type { Command } from 'commander';
import type { CheckOptions } from './check-config-work.ts';
import type { Terminal } from './terminal.ts';

/** Adds `gateway check-config` and `gateway config-schema`. */
export function addConfigCommands(program: Command, terminal: Terminal): void {
  program
    .command('check-config')
    .description('check the configuration and print each fault with its place; nothing is changed')
    .option('--json', 'print only JSON')
    .option('--strict', 'treat warnings as faults')
    .option('--explain <model>', 'print where requests for this model go')
    .action(async (options: CheckOptions) => {
      const { checkConfig } = await import('./check-config-work.ts');
      await checkConfig(terminal, options);
    });
  program
    .command('config-schema')
    .description('print the JSON Schema of the configuration file, for editors')
    .action(async () => {
      const { configJsonSchema } = await import('../config/json-schema.ts');
      terminal.out(JSON.stringify(configJsonSchema(), undefined, 2));
    });
}
