/**
 * Runs clients that nobody here wrote against the gateway, and prints what works.
 *
 *   npm run verify -- clients [--quick] [--only=name,name] [--case=part of a case's name] [--verbose] [--page] [--json=file]
 *
 * --quick   four models instead of all, no long silences, few generated requests: for CI
 * --only    these clients (their names are in the table)
 * --case    only cases whose name has this in it
 * --verbose print what went over the wire in a failed case
 * --page    write docs/works-with.md, with --only the rows of those clients; a whole run without --only and --case does so by itself
 * --json    where the whole exchanges of failed cases go
 *
 * Clients are installed into the user's cache folder (environments.mjs). Where Python, Java or Go cannot be had, what needs them is
 * skipped and said. Exit code 1 when a case failed that is not a known fault of the client itself.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import '../needs-node-24.mjs';
import { CACHE, Missing } from './environments.mjs';
import { KEY, startGateway } from './gateway.mjs';
import { startOutside } from './outside.mjs';
import { CLIENTS } from './registry.mjs';
import { judged, printTable, writeJson, writeWorksWith } from './report.mjs';
import { readArguments } from '../read-arguments.mjs';

/** How many clients run at once. */
const LANES = 2;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const values = readArguments(import.meta.url, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  case: { type: 'string' },
  verbose: { type: 'boolean', default: false },
  page: { type: 'boolean', default: false },
  json: { type: 'string', default: join(ROOT, '.test-results/clients.json') },
});
const wanted = values.only?.split(',');
const unknown = wanted?.filter((name) => !CLIENTS.some((client) => client.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`no such client: ${unknown.join(', ')}; there are ${CLIENTS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const chosen = CLIENTS.filter(({ name, quick = true }) => wanted?.includes(name) ?? (quick || !values.quick));

console.log(`clients are kept in ${CACHE}`);
const missing = new Map();
await Promise.all(
  chosen.map(async ({ name, prepare }) => {
    try {
      await prepare();
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      missing.set(name, error.message);
    }
  }),
);

const results = new Map();
const waiting = [...chosen];
await Promise.all(Array.from({ length: Math.min(LANES, chosen.length) }, runLane));
const rows = chosen.map(({ name }) => results.get(name));
printTable(rows);
writeJson(values.json, rows, KEY);
console.log(`whole exchanges of failed cases: ${values.json}`);
if (values.page || (wanted === undefined && values.case === undefined && !values.quick && missing.size === 0))
  await writeWorksWith(
    join(ROOT, 'docs/works-with.md'),
    rows,
    CLIENTS.map(({ name }) => name),
  );
const count = (of) => rows.reduce((sum, row) => sum + of(row), 0);
const failed = count(({ failures }) => failures.length);
console.log(`clients: ${count(({ passed }) => passed)} passed, ${failed} failed, ${missing.size} clients skipped`);
process.exit(failed === 0 ? 0 : 1);

/** One client after the other, against a gateway that no other lane uses: faults take offers out for a while. */
async function runLane() {
  const gateway = await startGateway();
  const outside = await startOutside();
  try {
    for (let client = waiting.shift(); client !== undefined; client = waiting.shift())
      results.set(client.name, await runClient(client, { gateway, outside }));
  } finally {
    await outside.close();
    await gateway.stop();
  }
}

async function runClient({ name, ran, run }, { gateway, outside }) {
  const skipped = missing.get(name);
  if (skipped !== undefined) {
    console.log(`${name}: skipped, ${skipped}`);
    return judged({ name, ran, skipped });
  }
  const began = Date.now();
  outside.take();
  const result = await run({ gateway, outside, quick: values.quick, filter: values.case });
  const hosts = outside.take();
  if (hosts.length > 0)
    result.cases.push({ name: 'stays on loopback', ok: false, seconds: 0, error: `asked for ${hosts.join(', ')}` });
  const row = judged({ name, ran, ...result });
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  console.log(`${name}: ${row.passed} passed, ${row.failures.length} failed, ${seconds} s`);
  if (values.verbose) for (const each of row.failures) printWire(name, each);
  return row;
}

function printWire(name, { name: of, error, wire = [] }) {
  console.log(`\n---- ${name}: ${of}\n${error}`);
  for (const { from, text } of wire) console.log(`---- ${from}:\n${text.replaceAll(KEY, 'sk-test-…')}`);
}
