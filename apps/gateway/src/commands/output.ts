/** How results are printed: a table or sentences for people, JSON alone for programs. */
import { styleText } from 'node:util';
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import type { Terminal } from './terminal.ts';

const WIDEST_CELL = 60;
const NUMBER = /^-?\$?[\d,]+(\.\d+)?%?$/;

/** The table or the sentences for people, or with --json the value for programs. */
export type Say = (forPrograms: unknown, forPeople: (paint: Paint) => string) => void;

type Style = Parameters<typeof styleText>[0];
/** Gives a text a colour where a terminal shows it; not in pipes, nor with NO_COLOR. */
export type Paint = (style: Style, text: string) => string;

/** What a command says its result with. */
export function sayTo({ out, stdout }: Pick<Terminal, 'out' | 'stdout'>, { json }: { readonly json?: boolean }): Say {
  return (forPrograms, forPeople) => out(json === true ? JSON.stringify(forPrograms) : forPeople(paintFor(stdout)));
}

/** Colours for one stream. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

const plain: Paint = (_style, text) => text;

/** Columns as wide as their widest cell, numbers to the right; what could move the cursor is taken out. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint = plain,
  widest = WIDEST_CELL,
): string {
  const body = rows.map((row) => head.map((_, column) => printable(row[column] ?? '', widest)));
  const all = [head, ...body];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const isNumeric = head.map(
    (_, column) =>
      body.some((row) => row[column] !== '') &&
      body.every((row) => NUMBER.test(row[column] ?? '') || row[column] === ''),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [paint('bold', line(head)), ...body.map(line)].join('\n');
}

/** Names and values in two columns: one record. */
export function record(fields: readonly (readonly [name: string, value: string])[], paint: Paint = plain): string {
  const widest = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => `${paint('dim', name.padEnd(widest))}  ${plainText(value)}`.trimEnd())
    .join('\n');
}

/** A text that others chose, without what could move the cursor. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

/** Names and reasons come from others. */
function printable(text: string, widest: number): string {
  const shown = plainText(text);
  return shown.length > widest ? `${shown.slice(0, widest - 1)}…` : shown;
}

/** `$1.25`, `$0.000123`; cents at least. */
export function dollars(amount: number): string {
  return `${amount < 0 ? '-' : ''}$${Math.abs(amount)
    .toFixed(6)
    .replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

/** Quota units as dollars: `$1.25`. */
export function money(units: number): string {
  return dollars(units / UNITS_PER_DOLLAR);
}

/** An owner or a key in a table: `search (3)`. Test traffic has no owner, and numbers below zero for its payers; who is gone has a number alone. */
export function named(name: string | null | undefined, id: number | null): string {
  if (id === null) return '';
  if (id < 0) return 'test';
  return name === null || name === undefined ? String(id) : `${name} (${id})`;
}

/** `1,250,000` */
export function count(amount: number): string {
  return amount.toLocaleString('en-US');
}

/** `1 request`, `17 requests` */
export function counted(amount: number, what: string): string {
  return `${count(amount)} ${what}${amount === 1 ? '' : 's'}`;
}

/** `2026-11-21 09:02:20`, UTC. */
export function moment(time: string | null): string {
  return time === null ? '' : time.slice(0, 19).replace('T', ' ');
}
