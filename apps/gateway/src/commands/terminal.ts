import type { Environment } from '../config/interpolate.ts';

/** What a command may touch: the environment, the clock, the screen. */
export interface Terminal {
  readonly env: Environment;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly out: (line: string) => void;
}

const WIDEST_CELL = 60;
const NUMBER = /^-?[\d,]+(\.\d+)?$/;

/** Ends the command with a sentence for people. */
export function fail(message: string, exitCode = 1): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

/** Columns as wide as their widest cell, numbers to the right; what could move the cursor is taken out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const body = rows.map((row) => head.map((_, column) => printable(row[column] ?? '')));
  const all = [head, ...body];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const isNumeric = head.map(
    (_, column) => body.length > 0 && body.every((row) => NUMBER.test(row[column] ?? '') || row[column] === ''),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names and reasons come from others. */
function printable(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return plain.length > WIDEST_CELL ? `${plain.slice(0, WIDEST_CELL - 1)}…` : plain;
}

/** `$1.25` */
export function dollars(amount: number): string {
  return `${amount < 0 ? '-' : ''}$${Math.abs(amount)
    .toFixed(6)
    .replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

/** `1,250,000` */
export function units(amount: number): string {
  return amount.toLocaleString('en-US');
}

/** `2026-11-21 09:02:20`, UTC. */
export function moment(time: string | null): string {
  return time === null ? '' : time.slice(0, 19).replace('T', ' ');
}
