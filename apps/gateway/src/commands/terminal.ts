import type { Environment } from '../config/interpolate.ts';

/** What a command may touch: the environment, the clock, the screen. */
export interface Terminal {
  readonly env: Environment;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly out: (line: string) => void;
}

/** Ends the command with a sentence for people. */
export function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
