// npm run check: everything that must be true of the tree. Stops at nothing, says all that is wrong.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { isLogLine, testFaults } from './test-faults.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Two lanes, one for each core: tests, which wait for about a third of their time, beside everything else. The second tier comes after both: it kills
 * and measures processes, and starts browsers.
 */
const STATIC_CHECKS = [
  // Nx keeps the graph that the rule on boundaries of projects asks: without one the rule is skipped.
  ['graph of projects', 'npx', 'nx', 'show', 'projects'],
  ['types, rules and boundaries of projects', 'npx', 'oxlint'],
  ['the document is sound', 'npx', 'redocly', 'lint', 'spec/openapi.yaml', '--config', 'spec/redocly.yaml'],
  ['generated contracts are current', 'node', 'tools/contracts.mjs', '--check'],
  ['the JSON Schema and the guide of the configuration are current', 'node', 'tools/settings.mjs', '--check'],
  ['schema.sql is current', 'node', 'tools/schema-dump.mjs', '--check'],
  ['citations lead somewhere', 'node', 'tools/citations.mjs'],
  ['plain English', 'node', 'tools/prose.mjs'],
  ['shape', 'npx', 'oxfmt', '--check'],
  ['no circles', 'node', 'tools/no-cycles.mjs'],
  ['nothing is dead', 'npx', 'knip'],
  ['every seeded fault has its place', 'node', 'verify/seeded-faults/run.mjs', '--check'],
];
const TESTS = [['tests', 'node', 'tools/run-tests.mjs']];
const SECOND_TIER = [['tests of the second tier', 'node', 'tools/run-tests.mjs', '--tier=verify']];

/** Lines that say what is wrong, in the words of the tools above. */
const FAULT_LINE = /\berror\b|✖|●|\bFAIL\b|\[warn\]|not ok|Failed tasks|killed|heap out of memory/i;
const FAULT_LINES_SHOWN = 40;
/** What ends a run of tests so that no results are left, or fails it beside its tests. */
const TEST_RUN_FAULT = /killed|heap out of memory|Unhandled (?:Rejection|Error)/i;
const COUNTS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

const started = performance.now();
const results = [];
await Promise.all([runLane(TESTS), runLane(STATIC_CHECKS)]);
await runLane(SECOND_TIER);
report();

/** One command after the other. What each says is shown when it ends: two lanes would mix theirs. */
async function runLane(steps) {
  for (const [name, command, ...args] of steps) {
    const begun = performance.now();
    const { status, signal, lines } = await run(command, args);
    const seconds = secondsSince(begun);
    results.push({ name, seconds, status, signal, lines });
    console.log(`\n== ${name}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
    console.log(lines.join('\n').trim());
  }
}

function run(command, args) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) =>
      resolve({ status, signal, lines: stripVTControlCharacters(said).split('\n') }),
    );
  });
}

/** Once more at the end: whoever sees only the last page of a long output still learns what to mend, how long each part took, and the counts. */
function report() {
  const failed = results.filter(({ status }) => status !== 0);
  for (const result of failed)
    console.log(
      [`\n== ${result.name} failed (${result.signal ?? `exit code ${result.status}`}):`, ...faultsOf(result)].join(
        '\n',
      ),
    );
  if (failed.some(isOfTests)) console.log(testFaults(root).join('\n'));
  console.log(`\n${'seconds'.padStart(8)}  part`);
  for (const { name, seconds } of results) console.log(`${seconds.padStart(8)}  ${name}`);
  console.log(`${secondsSince(started).padStart(8)}  in all`);
  if (failed.length > 0) console.log(`\ncheck failed: ${failed.map(({ name }) => name).join(', ')}`);
  const [passed, failedTests, skipped] = sumCounts();
  console.log(`\n${passed} passed, ${failedTests} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  // Not `exit`: it ends before a busy reader has taken the last lines.
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function faultsOf(result) {
  const fault = isOfTests(result) ? TEST_RUN_FAULT : FAULT_LINE;
  return result.lines.filter((line) => !isLogLine(line) && fault.test(line)).slice(0, FAULT_LINES_SHOWN);
}

function sumCounts() {
  const sums = [0, 0, 0];
  for (const { lines } of results.filter(isOfTests)) {
    const counts = lines.map((line) => COUNTS.exec(line)).findLast((match) => match !== null) ?? [];
    sums.forEach((sum, at) => (sums[at] = sum + Number(counts[at + 1] ?? 0)));
  }
  return sums;
}

function isOfTests({ name }) {
  return name.startsWith('tests');
}

function secondsSince(moment) {
  return ((performance.now() - moment) / 1000).toFixed(1);
}
