/** Entries of the ledger as a file. */
import type { Schemas } from '../api/api.ts';
import { toCsv } from '../ui/csv.ts';

type Entry = Schemas['LedgerEntry'];
type ReadPage = (after: number | undefined) => Promise<Schemas['LedgerEntryList']>;

/** Reads page after page, at most `most` entries, and saves them as CSV. */
export async function saveStatement(name: string, read: ReadPage, most: number): Promise<void> {
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
