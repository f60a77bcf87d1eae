// Puts one fault after another into a copy of the tree and runs the tests that ought to notice it (README.md beside this file).
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runTests } from './tests.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = /\.(?:ts|tsx|mjs)$/;
const NOT_SOURCE = /\.test\.tsx?$|\.d\.ts$/;

const { values: options } = parseArgs({
  options: {
    /** Prints the faults and ends. */
    list: { type: 'boolean', default: false },
    /** Only looks whether every fault can be put in, and whether the tests named for it are there. */
    check: { type: 'boolean', default: false },
    /** Names or subjects, with commas between them. */
    only: { type: 'string' },
    /** The commit to copy; what is not committed is not in the copy. */
    at: { type: 'string', default: 'HEAD' },
    /** What is installed for that commit. */
    modules: { type: 'string', default: join(root, 'node_modules') },
    /** Another list of faults, for a commit in which the code reads otherwise. */
    faults: { type: 'string', default: join(root, 'verify/seeded-faults/faults.mjs') },
    /** What no named test notices is shown to all tests of its project, then to all of the gateway. */
    wide: { type: 'boolean', default: false },
    /** Where the results are written, as JSON, after every fault. */
    json: { type: 'string' },
    /** Does not run the named tests without a fault first: they are known to pass. */
    'assume-passing': { type: 'boolean', default: false },
    /** Keeps the copy, and prints where it is. */
    keep: { type: 'boolean', default: false },
  },
});

const { FAULTS } = await import(pathToFileURL(options.faults).href);
const wanted = options.only?.split(',');
const faults = FAULTS.filter(
  ({ name, subject }) => wanted === undefined || wanted.includes(name) || wanted.includes(subject),
);

if (options.list) for (const { name, subject, file } of faults) console.log(`${name}  (${subject}, ${file})`);
else if (options.check) checkAll();
else await runAll();

/** Fails where a fault cannot be put into the tree as it stands. */
function checkAll() {
  const wrong = [];
  for (const fault of faults) {
    const { places, isMoved } = placesOf(root, fault);
    if (places.length !== 1) wrong.push(`${fault.name}: its text occurs ${places.length} times in ${fault.file}`);
    else if (isMoved) console.log(`${fault.name}: its text is in ${places[0]} now, no longer in ${fault.file}`);
    for (const test of fault.tests) {
      const { project, pattern } = parsedTest(test);
      if (!filesBelow(root, project).some((file) => /\.test\.tsx?$/.test(file) && file.includes(pattern)))
        wrong.push(`${fault.name}: no test file in ${project} has '${pattern}' in its path`);
    }
  }
  for (const line of wrong) console.error(line);
  console.log(`${faults.length} faults, ${wrong.length} of their places or tests not found`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

async function runAll() {
  const copy = makeCopy(options.at);
  const results = [];
  try {
    const known = options['assume-passing'] ? new Set() : await failuresWithoutFaults(copy);
    for (const fault of faults) {
      const result = await runOne(copy, fault, known);
      results.push(result);
      console.log(
        `${result.isCaught ? 'caught' : 'MISSED'}  ${fault.name} (${fault.subject}): ${result.by} [${result.seconds} s]`,
      );
      if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
    }
  } finally {
    if (options.keep) console.log(`the copy: ${copy}`);
    else removeCopy(copy);
  }
  console.log(`\n${tableOf(results)}`);
  const missed = results.filter(({ isCaught, isMissKnown }) => !isCaught && !isMissKnown);
  console.log(`\n${results.filter(({ isCaught }) => isCaught).length} of ${results.length} caught`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

/** The tests that fail in the tree as it is: they notice nothing. */
async function failuresWithoutFaults(copy) {
  const failed = new Set();
  const named = faults.flatMap(({ tests }) => tests.map(parsedTest));
  for (const [project, tests] of Map.groupBy(named, (test) => test.project)) {
    const patterns = [...new Set(tests.map(({ pattern }) => pattern))];
    const result = await runTests(copy, { project, patterns });
    console.log(`without faults: ${project}, ${result.ran} tests ran, ${result.failed.length} failed`);
    for (const name of result.failed) {
      console.log(`  fails without a fault: ${name}`);
      failed.add(name);
    }
  }
  return failed;
}

async function runOne(copy, fault, known) {
  const { places } = placesOf(copy, fault);
  const from = performance.now();
  const result = (isCaught, by) => ({
    name: fault.name,
    subject: fault.subject,
    file: places[0] ?? fault.file,
    isCaught,
    by,
    isMissKnown: fault.missed !== undefined,
    seconds: Math.round((performance.now() - from) / 1000),
  });
  if (places.length !== 1) return result(false, `cannot be put in: its text occurs ${places.length} times`);
  const path = join(copy, places[0]);
  const before = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    before.replace(fault.find, () => fault.replace),
  );
  try {
    const ways = fault.tests.map(parsedTest).map(({ project, pattern }) => ({ project, patterns: [pattern] }));
    if (options.wide) ways.push(...widerThan(fault, places[0]));
    let ran = 0;
    for (const way of ways) {
      const { ran: more, failed } = await runTests(copy, { ...way, bail: true });
      ran += more;
      const [first] = failed.filter((name) => !known.has(name));
      if (first !== undefined) return result(true, first);
    }
    return result(false, ran === 0 ? 'no test ran' : `${ran} tests passed`);
  } finally {
    writeFileSync(path, before);
  }
}

/** All tests of the project, then all of the gateway. */
function widerThan(fault, file) {
  const projects = new Set([projectOf(file), 'apps/gateway']);
  return [...projects].map((project) => ({ project }));
}

/** `libs/core money/price`: the project, then what stands in the paths of its test files. */
function parsedTest(test) {
  const [project, pattern = ''] = test.split(' ');
  return { project, pattern };
}

/** Where the text of a fault stands: in its file, or wherever in its project the code was moved to; each place once for every occurrence. */
function placesOf(tree, { file, find }) {
  const there = existsSync(join(tree, file)) ? occurrences(tree, file, find) : [];
  if (there.length > 0) return { places: there, isMoved: false };
  const sources = filesBelow(tree, projectOf(file)).filter((each) => SOURCE.test(each) && !NOT_SOURCE.test(each));
  return { places: sources.flatMap((each) => occurrences(tree, each, find)), isMoved: true };
}

function occurrences(tree, file, find) {
  const count = readFileSync(join(tree, file), 'utf8').split(find).length - 1;
  return Array(count).fill(file);
}

/** `libs/providers/kling`, `libs/core`, `apps/gateway` */
function projectOf(file) {
  let folder = dirname(file);
  while (folder !== '.' && !existsSync(join(root, folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function filesBelow(tree, folder) {
  return readdirSync(join(tree, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/(?:node_modules|dist)\b/.test(entry.parentPath))
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)));
}

/** A work tree with node_modules of its own, whose links to the packages of the repository lead into the copy. */
function makeCopy(commit) {
  const copy = mkdtempSync(join(tmpdir(), 'seeded-faults-'));
  execFileSync('git', ['worktree', 'add', '--detach', '--force', copy, commit], { cwd: root, stdio: 'pipe' });
  // Hard links: a copy of a gigabyte in seconds.
  execFileSync('cp', ['-al', options.modules, join(copy, 'node_modules')]);
  return copy;
}

function removeCopy(copy) {
  execFileSync('git', ['worktree', 'remove', '--force', copy], { cwd: root, stdio: 'pipe' });
  rmSync(copy, { recursive: true, force: true });
}

function tableOf(results) {
  const lines = results.map(
    ({ name, subject, isCaught, by }) =>
      `| ${name} | ${subject} | ${isCaught ? by.replaceAll('|', '\\|') : `missed: ${by}`} |`,
  );
  return ['| Fault | Subject | Caught by |', '| --- | --- | --- |', ...lines].join('\n');
}
