import type { Environment } from '../config/interpolate.ts';

/** What `serve` may touch: the environment, the clock, the screen. */
export interface Screen {
  readonly env: Environment;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Writes a line to standard output. */
  readonly out: (line: string) => void;
  /** Whether people read what is printed. */
  readonly isTerminal?: boolean;
}

/** What the other commands may touch beside: they ask, and they write what is no result to standard error. */
export interface Terminal extends Screen {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Says how the process will end. */
  readonly exitWith: (code: number) => void;
}

/** Says something beside the result, on standard error: where a pipe does not carry it. */
export function note({ stderr }: Pick<Terminal, 'stderr'>, line: string): void {
  stderr.write(`${line}\n`);
}

/** Ends the command with a sentence for people. */
export function fail(terminal: Pick<Terminal, 'stderr' | 'exitWith'>, message: string, exitCode = 1): void {
  note(terminal, message);
  terminal.exitWith(exitCode);
}

/** Whether somebody sits there who can be asked: both ends are a terminal, and the answer is no JSON. */
export function canAsk({ stdin, stderr }: Terminal, { json }: { readonly json?: boolean } = {}): boolean {
  return stdin.isTTY && stderr.isTTY && json !== true;
}
