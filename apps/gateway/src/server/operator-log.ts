/** The log of a process that somebody started: text where people read it, JSON for machines, exported where that is configured. */
import { openSync } from 'node:fs';
import { VERSION } from '@model-gateway/contracts';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { openTelemetry } from '../telemetry/open.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { createLog } from './log.ts';
import { BAD_CONFIGURATION, codeOf, StartFault } from './start-fault.ts';
import type { createTerminalLog, TerminalLog } from './terminal-log.ts';

export interface OperatorLogOptions {
  /** Whether people read what is printed. */
  readonly isTerminal?: boolean;
  /** Other processes write there, too. */
  readonly besideOthers?: boolean;
}

export interface OperatorLog extends TerminalLog {
  /** Closed by who opened the log, after everything else. */
  readonly telemetry: Telemetry | undefined;
}

type LogSettings = Pick<Config, 'logLevel' | 'logFormat' | 'logFile' | 'telemetry'>;

/** Opens the exporters of the configuration and the log, which has Node's warnings too. On a terminal nothing is printed before `begin`. */
export async function openOperatorLog(
  { logLevel: level, logFormat: format, logFile: file, telemetry: settings }: LogSettings,
  { isTerminal = false, besideOthers = false }: OperatorLogOptions,
): Promise<OperatorLog> {
  const telemetry = await openTelemetry(settings, VERSION);
  const isText = file === undefined && (format === 'text' || (format === 'auto' && isTerminal));
  const destination = file === undefined ? undefined : openLogFile(file);
  const opened = isText
    ? await openTerminalLog({ level, colours: isTerminal, telemetry })
    : { log: createLog(level, destination, { besideOthers, telemetry }), begin: () => undefined };
  logWarnings(opened.log);
  return { ...opened, telemetry };
}

/** Lines are added to what is there. Throws StartFault. */
function openLogFile(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    throw new StartFault(`the log cannot be written to ${file} (${codeOf(error)}); see log.file and LOG_FILE`, {
      cause: error,
      exitCode: BAD_CONFIGURATION,
    });
  }
}

async function openTerminalLog(
  options: Pick<Parameters<typeof createTerminalLog>[0], 'level' | 'colours' | 'telemetry'>,
): Promise<TerminalLog> {
  const { createTerminalLog: create } = await import('./terminal-log.ts');
  return create({ ...options, write: (text) => void process.stdout.write(text) });
}

/** `url.parse`: express-openapi-validator's, for its makers to mend. In the bundle Node takes the library for us and would say it. */
const OF_LIBRARIES = new Set<string | undefined>(['DEP0169']);

/** From now on they go to `log` and not to standard error. */
export function logWarnings(log: Pick<Logger, 'warn' | 'debug'>): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: NodeJS.ErrnoException) => {
    const line = { err: warning, code: warning.code };
    if (OF_LIBRARIES.has(warning.code)) log.debug(line, 'a library uses what Node advises against');
    else log.warn(line, 'Node warns');
  });
}
