/** The table of docs/attacks.md: a row for each attack, replaced by what a run has measured. */
import { readFileSync } from 'node:fs';
import { writePage } from '../write-page.mjs';

const PAGE = new URL('../../docs/attacks.md', import.meta.url);
const COLUMNS = ['Attack', 'Law', 'Before', 'Now', 'Threshold'];
const RULE = /^\|(?: -+ \|)+$/;

/** Writes each of `rows` in the place of the row of the same attack, or below the others; see `withRows`. */
export async function writeTable(rows) {
  await writePage(PAGE, withRows(readFileSync(PAGE, 'utf8'), rows));
}

/**
 * The page with those rows (`{ attack, law, threshold, reported, before?, now? }`); every other line stays as it is, and so does a cell that a
 * row says nothing of. `reported` stands under "Before" until that was measured. Throws when the page has no table of attacks.
 */
export function withRows(page, rows) {
  const lines = page.split('\n');
  const head = lines.findIndex((line) => cellsOf(line).join() === COLUMNS.join());
  if (head === -1 || !RULE.test(lines[head + 1] ?? '')) throw new Error('docs/attacks.md has no table of attacks');
  const from = head + 2;
  let end = from;
  while (lines[end]?.startsWith('|')) end++;
  const kept = new Map(lines.slice(from, end).map((line) => [cellsOf(line)[0], cellsOf(line)]));
  for (const row of rows) {
    const [, , before, now] = kept.get(cell(row.attack)) ?? [];
    const cells = [row.law, row.before ?? before ?? `reported: ${row.reported}`, row.now ?? now ?? '', row.threshold];
    kept.set(cell(row.attack), [row.attack, ...cells].map(cell));
  }
  const sorted = [...kept.values()].toSorted(([, a], [, b]) => a.localeCompare(b));
  return [...lines.slice(0, from), ...sorted.map((cells) => `| ${cells.join(' | ')} |`), ...lines.slice(end)].join(
    '\n',
  );
}

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

function cellsOf(line) {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((text) => text.trim());
}
