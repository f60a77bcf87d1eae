/** `gateway logs` */
import { InvalidArgumentError, type Command } from 'commander';
import { misuse } from './command-fault.ts';
import type { JsonOption } from './command-options.ts';
import type { Terminal } from './terminal.ts';

const SHOWN = 50;

interface LogOptions extends JsonOption {
  readonly follow?: boolean;
  readonly lines?: number;
  readonly file?: string;
}

/** Adds `gateway logs`. */
export function addLogCommands(program: Command, terminal: Terminal): void {
  program
    .command('logs')
    .description('print the last lines of the log file (log.file, LOG_FILE) as readable text')
    .option('-f, --follow', 'continue with every new line until Ctrl-C, also when the file is rotated')
    .option('-n, --lines <n>', `how many lines to start with; ${SHOWN} by default`, countOf)
    .option('--file <path>', 'read this file instead of the configured one; - reads standard input')
    .option('--json', 'print the lines unchanged')
    .addHelpText(
      'after',
      `
Without a log file the log is where the gateway was started: its terminal, journalctl -fu gateway, docker logs -f, kubectl logs -f.
Those can be read in words, too: docker logs -f gateway | gateway logs -f --file -`,
    )
    .action((options: LogOptions) => logs(terminal, options));
}

function countOf(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('it must be a whole number from 0.');
  return Number(text);
}

async function logs(
  terminal: Terminal,
  { follow = false, lines = SHOWN, file, json = false }: LogOptions,
): Promise<void> {
  const { env, stdin, stdout } = terminal;
  const { linePrinter, readLog, readLines } = await import('./log-file.ts');
  const print = await linePrinter(json, stdout.isTTY);
  if (file === '-') {
    for await (const line of readLines(stdin)) stdout.write(print(line));
    return;
  }
  const path = file ?? (await configuredFile(env));
  if (path === undefined)
    throw misuse(
      'There is no log file: the gateway writes its log where it was started. Set LOG_FILE or log.file, or see gateway logs --help.',
    );
  for await (const line of readLog(path, { last: lines, follow })) stdout.write(print(line));
}

async function configuredFile(env: Terminal['env']): Promise<string | undefined> {
  const { readConfig } = await import('../config/config.ts');
  return readConfig(env).logFile;
}
