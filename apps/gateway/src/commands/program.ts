import { VERSION } from '@model-gateway/contracts';
import { Command } from 'commander';
import { ConfigError } from '../config/config.ts';
import { checkConfig, type CheckOptions } from './check-config.ts';
import { addAdminKeyCommands } from './admin-key.ts';
import { addAuditCommands } from './audit.ts';
import { addKeyCommands } from './keys.ts';
import { addLedgerCommands } from './ledger.ts';
import { addOwnerCommands } from './owners.ts';
import { fail, type Terminal } from './terminal.ts';
import { addWorkCommands } from './work.ts';

/** EX_CONFIG of sysexits.h: starting again does not help. */
const BAD_CONFIGURATION = 78;

/** Runs the command that the process was started with. Faults end it with a sentence and exit code 1; those of the configuration with 78. */
export async function run(terminal: Terminal): Promise<void> {
  const program = new Command('gateway')
    .description('One HTTP address in front of many generative models.')
    .version(VERSION)
    .showHelpAfterError();
  program
    .command('serve')
    .description(
      'serve the gateway; GATEWAY_CONFIG names its configuration, without one the built-in catalogue is used',
    )
    // The others need no server.
    .action(async () => (await import('./serve.ts')).serve(terminal));
  program
    .command('check-config')
    .description('read the configuration, say every fault with its place, and change nothing')
    .option('--json', 'for programs')
    .option('--strict', 'warnings are faults, too')
    .action((options: CheckOptions) => checkConfig(terminal, options));
  addKeyCommands(program, terminal);
  addOwnerCommands(program, terminal);
  addLedgerCommands(program, terminal);
  addWorkCommands(program, terminal);
  addAuditCommands(program, terminal);
  addAdminKeyCommands(program, terminal);

  await program.parseAsync().catch((error: unknown) => {
    if (error instanceof ConfigError) fail(error.message, BAD_CONFIGURATION);
    else fail(error instanceof Error ? error.message : String(error));
  });
}
