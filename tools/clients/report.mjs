/** What the runs say: a table for people, JSON for programs, a page for the documentation. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWN_FAULTS = JSON.parse(readFileSync(new URL('own-faults.json', import.meta.url), 'utf8'));
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

/** The page "Works with". Rows that were skipped are not in it. */
export function writePage(file, rows) {
  const cells = rows
    .filter(({ skipped }) => skipped === undefined)
    .map(({ name, version, ran, passed, failures, own }) => [
      name,
      version.replace(new RegExp(`^${name} `), ''),
      ran,
      String(passed),
      String(failures.length),
      [...new Set(own.map(({ sentence }) => sentence))].join(' '),
    ]);
  const table = aligned([
    ['Client', 'Version', 'What was run', 'Passed', 'Failed', 'What the client itself gets wrong'],
    ...cells,
  ]);
  writeFileSync(
    file,
    `# Works with

Clients that were made by others, as they are published, run against the gateway with a test key: every case is one call or one short
conversation, through the client's own wire, to models of all four chat formats. Written by \`npm run clients\`; a failed case can be run
again by itself, see \`tools/clients/README.md\`.

${table}
`,
  );
}

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`;
  return [
    line(rows[0]),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.slice(1).map(line),
  ].join('\n');
}
