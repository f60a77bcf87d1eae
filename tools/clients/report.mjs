/** What the runs say: a table for people, JSON for programs, a page for the documentation. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePage } from '../write-page.mjs';

const OWN_FAULTS = JSON.parse(readFileSync(new URL('own-faults.json', import.meta.url), 'utf8'));
const IN_TESTS = JSON.parse(readFileSync(new URL('in-tests.json', import.meta.url), 'utf8'));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TESTS = 'apps/gateway/test';
const MOST_WIRE = 6_000;

/** Marks failures that a client brings about itself, whatever it talks to. */
export function judged({ name, ran, version, cases, skipped }) {
  const own = [];
  const failures = [];
  for (const each of cases ?? []) {
    if (each.ok) continue;
    const fault = OWN_FAULTS.find((known) => isOf(known, name, each));
    if (fault === undefined) failures.push(each);
    else own.push({ ...each, sentence: fault.sentence });
  }
  const passed = (cases ?? []).filter(({ ok }) => ok).length;
  return { name, version: version ?? '', ran, passed, failures, own, skipped };
}

function isOf({ client, case: names, error }, name, each) {
  return client === name && new RegExp(names).test(each.name) && new RegExp(error, 's').test(each.error);
}

export function printTable(rows) {
  console.log();
  console.table(
    rows.map(({ name, version, passed, failures, own, skipped }) => ({
      client: name,
      version: skipped === undefined ? version : `skipped: ${skipped}`,
      passed,
      failed: failures.length,
      'its own faults': own.length,
    })),
  );
  for (const { name, failures } of rows) {
    for (const { name: of, error } of failures) console.log(`FAILED ${name}: ${of}\n  ${error.slice(0, 700)}`);
  }
}

export function writeJson(file, rows, key) {
  mkdirSync(dirname(file), { recursive: true });
  const text = JSON.stringify({ clients: rows.map(shortened) }, null, 2);
  writeFileSync(file, `${text.replaceAll(key, 'sk-test-…')}\n`);
}

function shortened({ failures, ...row }) {
  return { ...row, failed: failures.length, failures: failures.map(cut), own: row.own.map(cut) };
}
function cut({ wire = [], ...each }) {
  return { ...each, wire: wire.map((part) => ({ ...part, text: part.text.slice(0, MOST_WIRE) })) };
}

/**
 * The page "Works with", of `names` in their order. Rows that were skipped are not in it; of clients that did not run the page has what it
 * had.
 */
export async function writeWorksWith(file, rows, names) {
  const known = new Map(rowsOf(file).map((cells) => [cells[0], cells]));
  for (const { name, version, ran, passed, failures, own, skipped } of rows) {
    if (skipped !== undefined) continue;
    const sentences = [...new Set(own.map(({ sentence }) => sentence))].join(' ');
    const short = version.replace(new RegExp(`^${name} `), '');
    known.set(name, [name, short, ran, String(passed), String(failures.length), sentences]);
  }
  const cells = names.flatMap((name) => (known.has(name) ? [known.get(name)] : []));
  const table = markdownTable([
    ['Client', 'Version', 'What was run', 'Passed', 'Failed', 'Faults of the client itself'],
    ...cells,
  ]);
  await writePage(
    file,
    `# Works with

These published clients of other people work with the gateway. Each ran against it with a test key, with models of all four chat formats. A case is one call or one short conversation, in the client's own format.

\`npm run verify -- clients\` writes this page. \`tools/clients/README.md\` explains how to run a failed case again.

${table}

## In the tests

\`npm test\` runs the JavaScript SDKs against a running gateway and the vendor twin, so every change is tested with them.

${inTheTests()}
`,
  );
}

/** What a page has of its first table, without its head. */
function rowsOf(file) {
  if (!existsSync(file)) return [];
  const [table = ''] = readFileSync(file, 'utf8').match(/^\|[^]*?\n\n/m) ?? [];
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** SDKs that tests import, with the files that do: a test that is gone or drives another SDK is a fault of this list. */
function inTheTests() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const rows = IN_TESTS.map(({ packages, ran, tests }) => {
    const text = tests.map((test) => readFileSync(join(ROOT, TESTS, test), 'utf8')).join('\n');
    for (const name of packages)
      if (!text.includes(`from '${name}'`)) throw new Error(`none of ${tests.join(', ')} imports ${name}`);
    const versions = packages.map((name) => `${name} ${devDependencies[name]}`).join(', ');
    return [versions, ran, tests.map((test) => `\`${test}\``).join(', ')];
  });
  return markdownTable([['SDK', 'What is run', `Tests, in \`${TESTS}\``], ...rows]);
}

function markdownTable([head, ...rows]) {
  const line = (row) => `| ${row.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
