/**
 * What routing makes of vendors' faults: thousands of requests through the real planning, router, attempts, streams, cache and money, in
 * simulated time.
 *
 *   npm run verify -- simulate [--only affinity,hedging] [--seed 1] [--seconds 240] [--per-second 20] [--write] [--check]
 *
 * `--write` puts the tables into the guides on routing and on the response cache, `--check` fails when they are not those of the pages. The
 * same seed gives the same tables. `--seconds` and `--per-second` are of the strategies.
 */
import { readFileSync } from 'node:fs';
import { readArguments } from '../read-arguments.mjs';
import { shaped, writePage } from '../write-page.mjs';
import { affinity } from './affinity.mjs';
import { breaks } from './breaks.mjs';
import { budgets } from './budgets.mjs';
import { cache } from './cache.mjs';
import { hedging } from './hedging.mjs';
import { strategies } from './strategies.mjs';

const PAGES = {
  'docs/guides/routing-load-balancing.md': { strategies },
  'docs/guides/routing-affinity.md': { affinity },
  'docs/guides/routing-hedging.md': { hedging },
  'docs/guides/routing-fallbacks.md': { breaks },
  'docs/guides/routing-budgets.md': { budgets },
  'docs/guides/response-cache.md': { cache },
};
const TABLES = Object.values(PAGES).flatMap(Object.keys);

const values = readArguments(import.meta.url, {
  only: { type: 'string', default: TABLES.join(',') },
  seed: { type: 'string', default: '1' },
  seconds: { type: 'string', default: '240' },
  'per-second': { type: 'string', default: '20' },
  write: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
});
const shape = { seed: Number(values.seed), seconds: Number(values.seconds), perSecond: Number(values['per-second']) };
if (!Object.values(shape).every((value) => Number.isFinite(value) && value > 0))
  fail('--seed, --seconds and --per-second are numbers above 0');
const names = values.only.split(',').map((name) => name.trim());
const unknown = names.find((name) => !TABLES.includes(name));
if (unknown !== undefined) fail(`--only: there is no table '${unknown}'; there are ${TABLES.join(', ')}`);

for (const [path, tables] of Object.entries(PAGES)) {
  const place = new URL(`../../${path}`, import.meta.url);
  const before = readFileSync(place, 'utf8');
  let page = before;
  for (const [name, simulated] of Object.entries(tables)) {
    if (!names.includes(name)) continue;
    const table = await simulated(shape);
    console.log(`${name}\n\n${table}\n`);
    page = withTable(page, path, { name, table });
  }
  if (values.write) await writePage(place, page);
  else if (values.check && (await shaped(place, page)) !== before) {
    console.error(`${path} has other tables; npm run verify -- simulate --write writes these`);
    process.exitCode = 1;
  }
}

function withTable(text, path, { name, table }) {
  const [start, rest = ''] = text.split(`<!-- simulated: ${name} -->\n`);
  const end = rest.indexOf('<!-- end -->\n');
  if (end < 0) throw new Error(`${path} has no place for the table of ${name}`);
  return `${start}<!-- simulated: ${name} -->\n\n${table}\n\n${rest.slice(end)}`;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
