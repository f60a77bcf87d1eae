import { GatewayError, VERSION } from '@model-gateway/contracts';
import { Command, CommanderError, Help } from 'commander';
import { ConfigError } from '../config/fault.ts';
import { BAD_CONFIGURATION, StartFault } from '../server/start-fault.ts';
import { ROLE } from '../workers/messages.ts';
import { addBackupCommands } from './backup.ts';
import { addChatCommand } from '../resources/chat/command.ts';
import { addEmbedCommand } from '../resources/embeddings/command.ts';
import { addFileCommands } from '../resources/files/command.ts';
import { addMediaCommands } from './media.ts';
import { addBatchCommands } from '../resources/batches/command.ts';
import { addMcpCommand } from '../resources/mcp/command.ts';
import { addModerateCommand } from '../resources/moderations/command.ts';
import { addMusicCommand } from '../resources/music/command.ts';
import { addRerankCommand } from '../resources/rerank/command.ts';
import { addTranscribeCommand } from '../resources/transcription/command.ts';
import { addConfigCommands } from './check-config.ts';
import { CommandFault, MISUSE, faultOfLine, faultOfRefusal } from './command-fault.ts';
import { addCompletionCommand } from './completion.ts';
import { addConnectCommand } from './connect.ts';
import { addDoctorCommand } from './doctor.ts';
import { addInitCommand } from './init.ts';
import { helpWithOwnFirst } from './command-options.ts';
import { ADMIN_COMMANDS } from '../resources/commands.ts';
import { addLogCommands } from './logs.ts';
import { addMigrateCommand } from './migrate.ts';
import { addModelCommands } from '../resources/models/command.ts';
import { addProfileCommands } from './profile.ts';
import { fail, type Terminal } from './terminal.ts';
import { addTwinCommand } from './twin.ts';

/**
 * Runs the command of a line such as `['keys', 'list']`. What goes wrong is one line on standard error: exit code 2 when the command line was wrong, 78
 * for faults of the configuration, 69 or 78 for what a start needs, else 1.
 */
export async function run(terminal: Terminal, line: readonly string[]): Promise<void> {
  try {
    await createProgram(terminal).parseAsync(line, { from: 'user' });
  } catch (error) {
    end(terminal, error);
    // The channel to the primary would keep a process open that could not start.
    if (terminal.env[ROLE] !== undefined) process.exit();
  }
}

/** The tree of all commands. What one of them needs is loaded when it runs. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('gateway')
    .description('One HTTP address in front of many generative models.')
    .version(VERSION, '-v, --version')
    .configureHelp({
      groupItems: (all, visible, groupOf) => helpWithOwnFirst(new Help().groupItems(all, visible, groupOf)),
    })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => terminal.stdout.columns,
      getErrHelpWidth: () => terminal.stderr.columns,
      getOutHasColors: () => terminal.stdout.isTTY,
      getErrHasColors: () => terminal.stderr.isTTY,
    });
  program.commandsGroup('Run a gateway:');
  program
    .command('serve')
    .description('start the gateway with the configuration in GATEWAY_CONFIG, or with the built-in catalogue')
    .action(async () => (await import('./serve.ts')).serve(terminal));
  addInitCommand(program, terminal);
  addConfigCommands(program, terminal);
  addDoctorCommand(program, terminal);
  addMigrateCommand(program, terminal);
  addBackupCommands(program, terminal);
  addTwinCommand(program, terminal);
  program.commandsGroup('Operate it:');
  for (const addCommands of ADMIN_COMMANDS) addCommands(program, terminal);
  addLogCommands(program, terminal);
  program.commandsGroup('Call models:');
  addModelCommands(program, terminal);
  addChatCommand(program, terminal);
  addMediaCommands(program, terminal);
  addTranscribeCommand(program, terminal);
  addEmbedCommand(program, terminal);
  addMusicCommand(program, terminal);
  addRerankCommand(program, terminal);
  addModerateCommand(program, terminal);
  addMcpCommand(program, terminal);
  addFileCommands(program, terminal);
  addBatchCommands(program, terminal);
  program.commandsGroup('More:');
  addConnectCommand(program, terminal);
  addProfileCommands(program, terminal);
  addCompletionCommand(program, terminal);
  program.helpCommand(true);
  for (const command of everyCommand(program))
    command.exitOverride((error) => {
      // Help that was asked for, or shown in place of a command that was not named.
      throw error.exitCode === 0 || error.code === 'commander.help' ? error : faultOfLine(error, command);
    });
  return program;
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function end(terminal: Terminal, error: unknown): void {
  if (error instanceof CommanderError) terminal.exitWith(error.exitCode === 0 ? 0 : MISUSE);
  else if (error instanceof CommandFault) fail(terminal, error.message, error.exitCode);
  else if (error instanceof GatewayError) {
    const { message, exitCode } = faultOfRefusal({ ...error.details, code: error.code, message: error.message });
    fail(terminal, message, exitCode);
  } else if (error instanceof ConfigError) fail(terminal, error.message, BAD_CONFIGURATION);
  else if (error instanceof StartFault) fail(terminal, error.message, error.exitCode);
  else fail(terminal, error instanceof Error ? error.message : String(error));
}
