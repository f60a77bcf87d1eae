/** The log for people: a line each, on a terminal. */
import { pino, type Logger } from 'pino';
import { exported } from './log.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export interface TerminalLogOptions {
  readonly level: string;
  readonly write: (text: string) => void;
  readonly colours: boolean;
  readonly telemetry?: Telemetry | undefined;
}

export interface TerminalLog {
  readonly log: Logger;
  /** Writes what was held back since the start: the banner has been printed, or there will be none. */
  readonly begin: () => void;
}

/** Makes what prints a line of the log for people, with its line end. */
export async function createLinePrinter(colours: boolean): Promise<(line: string) => string> {
  // By its default: in the bundle a CommonJS package has no other name.
  const { default: pretty } = await import('pino-pretty');
  const print = pretty.prettyFactory({
    colorize: colours,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,trace_id,span_id',
    singleLine: true,
  });
  return (line) => print(shown(line));
}

/** Makes the log of a terminal. Lines wait until `begin`, so that the banner of a start stands in one piece. */
export async function createTerminalLog({
  level,
  write,
  colours,
  telemetry,
}: TerminalLogOptions): Promise<TerminalLog> {
  const print = await createLinePrinter(colours);
  let held: string[] | undefined = [];
  const log = pino(
    { level, ...exported(telemetry) },
    {
      write(line: string) {
        if (held === undefined) write(print(line));
        else held.push(line);
      },
    },
  );
  return {
    log,
    begin() {
      const waiting = held ?? [];
      held = undefined;
      for (const line of waiting) write(print(line));
    },
  };
}

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
}

/** Of the line of a request, what is shown. */
interface Told extends Line {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly request_id: string;
  readonly model?: string;
  readonly error?: string;
  readonly aborted?: true;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
}

/** A request is told in words; its id only where somebody may have to look for it. */
function shown(text: string): object {
  const line = JSON.parse(text) as Line;
  if (line.msg !== 'request') return line;
  const { level, time, method, path, status, ms, model, error, aborted, request_id: id, ...tokens } = line as Told;
  const { input_tokens: input, output_tokens: output } = tokens;
  const used = input === undefined && output === undefined ? undefined : `${input ?? 0}+${output ?? 0} tokens`;
  const words = [method, path, aborted === true ? 'hung up' : String(status), `${ms} ms`, model, used];
  const msg = words.filter((word) => word !== undefined).join(' ');
  return { level, time, msg, ...(error !== undefined && { code: error, request_id: id }) };
}
