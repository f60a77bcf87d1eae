import type { Schemas } from '../api/api.ts';
/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it. Pure. */
export function toCsv(rows: readonly Readonly<Record<string, string | number | boolean | null>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? null))];
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

type Entry = Schemas['LedgerEntry'];
type ReadPage = (after: number | undefined) => Promise<Schemas['LedgerEntryList']>;

/** Reads page after page, to the end or at most `most` entries, and saves them as CSV. */
export async function saveStatement(name: string, read: ReadPage, most = Infinity): Promise<void> {
  const entries: Entry[] = [];
  let after: number | undefined;
  while (entries.length < most) {
    const page = await read(after);
    entries.push(...page.data);
    if (page.next_after === null) break;
    after = page.next_after;
  }
  const lines = entries.slice(0, most).map(({ detail: _detail, object: _object, ...line }) => line);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([toCsv(lines)], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
