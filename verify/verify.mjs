/**
 * Runs the evidence that needs real processes: faults, kills, attacks, cut streams, hostile requests, simulations, other people's clients.
 *
 *   npm run verify                          each scenario of the set, short: what CI can run
 *   npm run verify -- --list                every scenario, and whether it is of the set
 *   npm run verify -- NAME… [--short]       these, whole or short
 *   npm run verify -- NAME [options]        one with options of its own; `NAME --help` says which
 *
 * Prints a table of what was kept; exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import '../tools/needs-node-24.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../tools/read-arguments.mjs';

/** `short` are the options of the set; a scenario without them is run by name only. */
const SCENARIOS = {
  chaos: {
    program: 'tools/chaos/chaos.mjs',
    what: 'the gateway keeps its promises while what is around it breaks (docs/faults.md)',
    short: ['--short'],
  },
  soak: { program: 'tools/chaos/soak.mjs', what: 'everything at once for minutes, faults among it; memory over time' },
  attack: {
    program: 'tools/attack/attack.mjs',
    what: 'a hostile tenant against money, isolation and exhaustion (docs/attacks.md)',
    short: ['--short', '--only', 'isolation,money-usage'],
  },
  crash: {
    program: 'tools/crash/crash.mjs',
    what: 'kill -9 at named steps of tasks; nothing is lost, started twice or paid twice',
    short: ['--kills', '6', '--seed', '7'],
  },
  answers: {
    program: 'tools/crash/answers.mjs',
    what: 'kill -9 under vectors, scores, verdicts, transcripts and resumable streams',
    short: ['--kills', '2', '--seed', '3'],
  },
  responses: {
    program: 'tools/crash/responses.mjs',
    what: 'kill -9 under answers in the background',
    short: ['--kills', '2', '--seed', '3'],
  },
  sessions: {
    program: 'tools/crash/sessions.mjs',
    what: 'kill -9 under sessions over WebSockets; every answer has one bill, and what vendors billed is charged',
    short: ['--kills', '3', '--seed', '3'],
  },
  caps: {
    program: 'tools/crash/caps.mjs',
    what: 'kill -9 among forty agents under budgets and run caps in two processes; no cap is passed by more than the overdraft',
    short: ['--kills', '1', '--seed', '3'],
  },
  batches: {
    program: 'tools/crash/batches.mjs',
    what: 'kill -9 under batches; every line has one result, one bill and one request',
    short: ['--kills', '4', '--seed', '3'],
  },
  files: {
    program: 'tools/crash/files.mjs',
    what: 'kill -9 under uploads of files; nothing half is visible, nothing acknowledged is lost, no bytes stay behind',
    short: ['--kills', '4', '--seed', '3'],
  },
  cuts: {
    program: 'tools/cuts/cuts.mjs',
    what: 'streams cut at random bytes are billed what their vendors’ books say',
    short: ['--streams', '60', '--mass', '20', '--loop-ms', '1000'],
  },
  fuzz: {
    program: 'tools/fuzz.mjs',
    what: 'every operation with valid, mutated and hostile requests: no 5xx, no hang, no growth',
    short: ['--seconds', '15', '--seed', '7'],
  },
  simulate: {
    program: 'tools/simulate/simulate.mjs',
    what: 'routing against vendors’ faults in simulated time; the tables of the guides',
    short: ['--check'],
  },
  clients: { program: 'tools/clients/clients.mjs', what: 'clients that other people wrote (docs/works-with.md)' },
  tests: { program: 'tools/run-tests.mjs', before: ['--tier=verify'], what: 'the test files that start processes' },
};

const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2);
const names = given.filter((word, index) => given.slice(0, index + 1).every((each) => !each.startsWith('-')));
const options = given.slice(names.length);
const unknown = names.find((name) => !Object.hasOwn(SCENARIOS, name));
if (unknown !== undefined) fail(`there is no scenario '${unknown}'; there are ${Object.keys(SCENARIOS).join(', ')}`);
if (names.length === 0 && readArguments(import.meta.url, { list: { type: 'boolean', default: false } }).list) list();
else await runAll();

function list() {
  for (const [name, { what, short }] of Object.entries(SCENARIOS))
    console.log(`${name.padEnd(10)} ${short === undefined ? '   ' : 'set'}  ${what}`);
}

async function runAll() {
  const isShort = names.length === 0 || options.join() === '--short';
  if (names.length > 1 && options.length > 0 && !isShort)
    fail('options are of one scenario; several take --short only');
  const chosen =
    names.length > 0 ? names : Object.keys(SCENARIOS).filter((name) => SCENARIOS[name].short !== undefined);
  const rows = {};
  for (const name of chosen) {
    const began = Date.now();
    const { program, before = [], short = [] } = SCENARIOS[name];
    const code = await runProgram(program, [...before, ...(isShort ? short : options)]);
    // Wrong options are of this scenario alone.
    if (code === 2 && chosen.length === 1) process.exit(2);
    rows[name] = { kept: code === 0 ? 'yes' : 'NO', seconds: Math.round((Date.now() - began) / 1000) };
  }
  if (!options.includes('--help')) console.table(rows);
  process.exitCode = Object.values(rows).every(({ kept }) => kept === 'yes') ? 0 : 1;
}

async function runProgram(program, args) {
  const child = spawn(process.execPath, ['--no-warnings', `${root}${program}`, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
