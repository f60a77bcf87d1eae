/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it. Pure. */
export function toCsv(rows: readonly CsvLine[]): string {
  const names = Object.keys(rows[0] ?? {});
  return textOf([names, ...rows.map((row) => names.map((name) => row[name] ?? null))]);
}

export type CsvLine = Readonly<Record<string, string | number | boolean | null>>;

function textOf(lines: readonly (readonly (string | number | boolean | null)[])[]): string {
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
}

export interface WholeList<Row> {
  readonly read: (after: string | undefined) => Promise<{
    readonly data: readonly Row[];
    readonly next_after?: string | null;
  }>;
  readonly lineOf: (row: Row) => CsvLine;
  /** Told after each page how many there are so far. */
  readonly onRows: (count: number) => void;
  readonly signal: AbortSignal;
}

/** Every row of a list as CSV, in parts. Throws when a page cannot be read, or nobody wants it any more: what is there so far is never given for the whole. */
export async function wholeCsv<Row>({ read, lineOf, onRows, signal }: WholeList<Row>): Promise<readonly string[]> {
  const parts: string[] = [];
  let names: readonly string[] | undefined;
  let after: string | undefined;
  for (let count = 0; ;) {
    const page = await read(after);
    signal.throwIfAborted();
    const lines = page.data.map(lineOf);
    if (names === undefined && lines[0] !== undefined) {
      names = Object.keys(lines[0]);
      parts.push(textOf([names]));
    }
    parts.push(textOf(lines.map((line) => (names ?? []).map((name) => line[name] ?? null))));
    count += lines.length;
    onRows(count);
    if (page.next_after === null || page.next_after === undefined) return parts;
    after = page.next_after;
  }
}

/** Gives the browser a file to keep. */
export function saveFile(name: string, parts: readonly string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function toCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
