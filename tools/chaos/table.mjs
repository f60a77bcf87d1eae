/** The table of docs/faults.md: a row for each fault, replaced by what a run has seen. */
import { readFileSync } from 'node:fs';
import { PROMISES } from './checks.mjs';
import { writePage } from '../write-page.mjs';

const PAGE = new URL('../../docs/faults.md', import.meta.url);

/** Writes each row in the place of the row of the same fault, or below the others. */
export async function writeTable(rows) {
  await writePage(PAGE, withRows(readFileSync(PAGE, 'utf8'), rows));
}

/** The page with those rows; every other line stays as it is. Throws when the page has no table of faults. */
export function withRows(page, rows) {
  const lines = page.split('\n');
  const wanted = ['Fault', ...PROMISES].join().toLowerCase();
  const head = lines.findIndex((line) => cellsOf(line).join().toLowerCase() === wanted);
  if (head === -1) throw new Error('docs/faults.md has no table of faults');
  const from = head + 2;
  let end = from;
  while (lines[end]?.startsWith('|')) end++;
  const kept = new Map(lines.slice(from, end).map((line) => [cellsOf(line)[0], line]));
  for (const row of rows) if (row.skipped === undefined) kept.set(cell(row.name), lineOf(row));
  return [...lines.slice(0, from), ...kept.values(), ...lines.slice(end)].join('\n');
}

function lineOf({ name, cells }) {
  const texts = PROMISES.map((promise) => {
    const { seen, faults } = cells[promise];
    return faults.length === 0 ? seen : `**broken**: ${faults[0]}`;
  });
  return `| ${[name, ...texts].map(cell).join(' | ')} |`;
}

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

function cellsOf(line) {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((text) => text.trim());
}
