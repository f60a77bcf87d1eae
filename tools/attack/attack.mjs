/**
 * Attacks the gateway as a hostile tenant would, and measures each law that it must hold.
 *
 *   npm run attack -- [--only money] [--short] [--write]
 *
 * Every file of `attacks/` is one attack: it exports `law` (its number), `name`, `threshold` and `before` (what was measured before the
 * law was held; both in words) and `run({ short, say })`, which resolves with `{ measured, faults }`: the numbers in words, and what broke
 * the threshold. `--only` takes the files whose names begin so; `--write` puts what was measured into the table of docs/security.md.
 *
 * Prints a table; exit code 1 when a law was broken, 2 when the arguments are wrong.
 */
import '../needs-node-24.mjs';
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writeTable } from './table.mjs';

const FOLDER = new URL('attacks/', import.meta.url);
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.mjs') && name.startsWith(values.only))
  .toSorted();
if (names.length === 0) {
  console.error(`no attack begins with '${values.only}'`);
  process.exit(2);
}

const rows = [];
const broken = [];
for (const name of names) {
  const { law, name: title, threshold, before, run } = await import(new URL(name, FOLDER).href);
  const began = Date.now();
  const say = (text) => console.error(`${title}: ${text}`);
  const { measured, faults } = await run({ short: values.short, say });
  const seconds = Math.round((Date.now() - began) / 1000);
  rows.push({ law, attack: title, threshold, before, measured, held: faults.length === 0 ? 'yes' : 'NO', seconds });
  broken.push(...faults.map((fault) => `${title}: ${fault}`));
}
// A broken law is written down, too.
if (values.write)
  writeTable(
    rows.map((row) => ({
      ...row,
      short: values.short,
      measured: row.held === 'NO' ? `**broken**: ${row.measured}` : row.measured,
    })),
  );
console.table(rows);
for (const fault of broken.slice(0, 50)) console.error(`BROKEN: ${fault}`);
console.log(broken.length === 0 ? 'every law was held' : `${broken.length} laws were broken`);
process.exit(broken.length === 0 ? 0 : 1);
