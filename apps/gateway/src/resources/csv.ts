/** CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it. */

export type Cell = string | number | boolean | null | undefined;

/** One line. */
export function csvLine(cells: readonly Cell[]): Uint8Array {
  return csvLines([cells]);
}

/** Lines as they are written. */
export function csvLines(lines: readonly (readonly Cell[])[]): Uint8Array {
  return Buffer.from(lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join(''));
}

function toCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
