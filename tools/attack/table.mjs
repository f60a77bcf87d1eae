/** The table of docs/security.md: a row for each attack, replaced by what a run has measured. */
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../docs/security.md', import.meta.url);
const HEAD = '| Attack | Law | Before | Now | Threshold |';
const RULE = /^\|(?: -+ \|)+$/;

/** Writes each of `rows` (`{ attack, law, before, measured, threshold, short }`) in the place of the row of the same attack, or below the others. */
export function writeTable(rows) {
  writeFileSync(PAGE, withRows(readFileSync(PAGE, 'utf8'), rows));
}

/** The page with those rows; every other line stays as it is. Throws when the page has no table of attacks. */
export function withRows(page, rows) {
  const lines = page.split('\n');
  const head = lines.findIndex((line) => cellsOf(line).join() === cellsOf(HEAD).join());
  if (head === -1 || !RULE.test(lines[head + 1] ?? '')) throw new Error(`docs/security.md has no table '${HEAD}'`);
  const from = head + 2;
  let end = from;
  while (lines[end]?.startsWith('|')) end++;
  const kept = new Map(lines.slice(from, end).map((line) => [cellsOf(line)[0], line]));
  for (const row of rows) kept.set(cell(row.attack), lineOf(row));
  const sorted = [...kept.values()].toSorted((a, b) => cellsOf(a)[1].localeCompare(cellsOf(b)[1]));
  return [...lines.slice(0, from), ...sorted, ...lines.slice(end)].join('\n');
}

function lineOf({ attack, law, before, measured, threshold, short }) {
  const now = short ? `${measured} (short form)` : measured;
  return `| ${[attack, law, before, now, threshold].map(cell).join(' | ')} |`;
}

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

function cellsOf(line) {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((text) => text.trim());
}
