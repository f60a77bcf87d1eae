/**
 * The fault matrix: a real gateway under a small load meets one fault after the other, and each promise is checked when it is over.
 *
 *   npm run verify -- chaos [--only 'vendor: hang'] [--short] [--write] [--logs FOLDER]
 *
 * Every fault of `faults/` has `name` and `run({ world, load, seconds, rounds })`, and perhaps `world` (what else it needs), `mostMb` (resident memory) and `needsHelp`
 * (what an operator has to do). `--only` takes the faults whose names contain one of the texts; `--short` the most valuable ones, each in seconds;
 * `--write` puts the table into docs/faults.md; `--logs` keeps each gateway's log there.
 *
 * Prints a table; exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import '../needs-node-24.mjs';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROMISES } from './checks.mjs';
import { runFault } from './run.mjs';
import { writeTable } from './table.mjs';
import { readArguments } from '../read-arguments.mjs';

const FOLDER = new URL('faults/', import.meta.url);
const values = readArguments(import.meta.url, {
  only: { type: 'string', default: '' },
  short: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  logs: { type: 'string' },
});

const all = [];
for (const name of [
  'process.mjs',
  ...readdirSync(FOLDER)
    .filter((file) => file !== 'process.mjs')
    .toSorted(),
])
  all.push(...(await import(new URL(name, FOLDER).href)).faults);
const chosen = all.filter(
  ({ name, short }) =>
    values.only.split(',').some((part) => name.includes(part)) &&
    (!values.short || short === true || values.only !== ''),
);
if (chosen.length === 0) {
  console.error(`no fault's name contains '${values.only}'; there are: ${all.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const rows = [];
for (const fault of chosen) {
  const say = (text) => console.error(`${fault.name}: ${text}`);
  const row = await runFault(fault, { short: values.short, say }).catch((error) => {
    say(error.stack);
    const broken = { seen: 'the run broke off', faults: [error.message] };
    return { name: fault.name, cells: Object.fromEntries(PROMISES.map((promise) => [promise, broken])) };
  });
  rows.push(row);
  if (row.skipped !== undefined) console.error(`${fault.name}: skipped, ${row.skipped}`);
  if (values.logs !== undefined && row.log !== undefined) {
    mkdirSync(values.logs, { recursive: true });
    writeFileSync(join(values.logs, `${fault.name.replaceAll(/\W+/g, '-')}.log`), row.log);
  }
  for (const promise of PROMISES)
    for (const broken of (row.cells?.[promise].faults ?? []).slice(0, 8))
      console.error(`BROKEN: ${fault.name}: ${promise}: ${broken}`);
}
if (values.write) await writeTable(rows);
const cellOf = (row, promise) =>
  row.skipped !== undefined ? 'skipped' : row.cells[promise].faults.length === 0 ? 'yes' : 'NO';
console.table(
  Object.fromEntries(
    rows.map((row) => [
      row.name,
      { ...Object.fromEntries(PROMISES.map((promise) => [promise, cellOf(row, promise)])), seconds: row.seconds },
    ]),
  ),
);
const broken = rows.flatMap((row) => PROMISES.flatMap((promise) => row.cells?.[promise].faults ?? []));
console.log(broken.length === 0 ? 'every promise was kept' : `${broken.length} promises were broken`);
process.exit(broken.length === 0 ? 0 : 1);
