// npm run check: everything that must be true of the tree. Arguments go to nx (--skip-nx-cache). Stops at nothing, says all that is wrong.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { isLogLine, testFaults } from './test-faults.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const nxArguments = process.argv.slice(2);

/** Projects that need what browsers have; all others are one program. */
const OF_BROWSERS = '--projects=console,docs';

/** Name, and the commands that run side by side. The tests come last: their counts close the output. */
const steps = [
  ['the document is sound', ['npx', 'redocly', 'lint', 'spec/openapi.yaml', '--config', 'spec/redocly.yaml']],
  ['generated contracts are current', ['node', 'tools/contracts.mjs', '--check']],
  ['the JSON Schema and the guide of the configuration are current', ['node', 'tools/settings.mjs', '--check']],
  ['schema.sql is current', ['node', 'tools/schema-dump.mjs', '--check']],
  ['citations lead somewhere', ['node', 'tools/citations.mjs']],
  ['shape', ['npx', 'prettier', '--check', '--log-level', 'warn', '.']],
  [
    'types and lint',
    ['npx', 'tsc', '-p', 'tsconfig.check.json'],
    ['npx', 'nx', 'run-many', '-t', 'typecheck', OF_BROWSERS, '--parallel=1', '--outputStyle=stream', ...nxArguments],
    ['npx', 'eslint', '--config', 'eslint.check.config.mjs', '.'],
  ],
  ['no circles', ['node', 'tools/no-cycles.mjs']],
  ['nothing is dead', ['npx', 'knip']],
  ['tests', ['node', 'tools/run-tests.mjs']],
  ['tests of the second tier', ['node', 'tools/run-tests.mjs', '--tier=verify']],
];

/** Lines that say what is wrong, in the words of the tools above. */
const FAULT_LINE = /\berror\b|✖|●|\bFAIL\b|\[warn\]|not ok|Failed tasks|killed|heap out of memory/i;
const FAULT_LINES_SHOWN = 40;
/** What ends a run of tests so that no results are left, or fails it beside its tests. */
const TEST_RUN_FAULT = /killed|heap out of memory|something they opened is still open/i;

/** What of a step's output says what is wrong. */
function faultsOf(name, lines) {
  const own = lines.filter((line) => !isLogLine(line));
  if (!name.startsWith('tests')) return own.filter((line) => FAULT_LINE.test(line)).slice(0, FAULT_LINES_SHOWN);
  const tasks = own.findLastIndex((line) => line.includes('Failed tasks:'));
  return [
    ...testFaults(root),
    ...own.filter((line) => TEST_RUN_FAULT.test(line)).slice(0, FAULT_LINES_SHOWN),
    ...(tasks < 0 ? [] : own.slice(tasks).filter((line) => /^\s*(?:Failed tasks:|- )/.test(line))),
  ];
}

/** Runs one step, showing what it prints as it comes. Gives its exit code and its lines. */
function run([command, ...args]) {
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
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    from.setEncoding('utf8').on('data', (text) => {
      to.write(text);
      said += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) =>
      resolve({ status, signal, lines: stripVTControlCharacters(said).split('\n') }),
    );
  });
}

const failed = [];
let counts = '';
for (const [name, ...commands] of steps) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const runs = await Promise.all(commands.map(run));
  const lines = runs.flatMap((each) => each.lines);
  const { status, signal } = runs.find((each) => each.status !== 0) ?? runs[0];
  console.log(`== ${name}: ${status === 0 ? 'ok' : 'FAILED'} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (name.startsWith('tests')) counts += lines.findLast((line) => / passed, \d+ failed/.test(line)) ?? '';
  if (status !== 0) failed.push({ name, how: signal ?? `exit code ${status}`, faults: faultsOf(name, lines) });
}
// Once more at the end: whoever sees only the last page of a long output still learns what to mend.
for (const { name, how, faults } of failed) console.log([`\n== ${name} failed (${how}):`, ...faults].join('\n'));
if (failed.length > 0) console.log(`\ncheck failed: ${failed.map(({ name }) => name).join(', ')}\n${counts}`);
// Not `exit`: it ends before a busy reader has taken the last lines.
process.exitCode = failed.length === 0 ? 0 : 1;
