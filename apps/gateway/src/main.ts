/** The `gateway` command. Run from source: `node apps/gateway/src/main.ts serve`. */
import { Command } from 'commander';
import { ConfigError } from './config/config.ts';
import { addKeyCommands } from './commands/keys.ts';
import { checkConfig } from './commands/check-config.ts';
import { serve } from './commands/serve.ts';
import { fail, type Terminal } from './commands/terminal.ts';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `gateway needs Node 24 and this is ${process.versions.node}. Run it with the one in node_modules: npm start, or npx gateway …\n`,
  );
  process.exit(1);
}

const terminal: Terminal = {
  // The one reader of the environment hands it on.
  // eslint-disable-next-line no-restricted-properties
  env: process.env,
  // The one owner of the clock.
  // eslint-disable-next-line no-restricted-properties
  now: () => Date.now(),
  out: (text) => process.stdout.write(`${text}\n`),
};

const program = new Command('gateway')
  .description('One HTTP address in front of many generative models.')
  .showHelpAfterError();
program
  .command('serve')
  .description('serve the gateway; GATEWAY_CONFIG names its configuration, without one the built-in catalogue is used')
  .action(() => serve(terminal));
program
  .command('check-config')
  .description('read the configuration, say every fault with its place, and change nothing')
  .option('--json', 'for programs')
  .action((options: { json?: boolean }) => checkConfig(terminal, options));
addKeyCommands(program, terminal);

program.parseAsync().catch((error: unknown) => {
  if (error instanceof ConfigError) fail(error.message);
  else fail(error instanceof Error ? error.message : String(error));
});
