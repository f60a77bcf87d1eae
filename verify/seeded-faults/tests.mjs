// The only place that knows which program runs the tests: Vitest, or Jest in commits that still have its configuration.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';

/** A run that takes longer is ended, and counts as failed. */
const LONGEST_MS = 15 * 60_000;

/**
 * Runs the tests of one project whose paths match one of the patterns (all of them without a pattern), up to the first failure when `bail` is
 * set. Resolves with the number of tests that ran and the names of those that failed; a file that cannot be loaded and a run that does not end
 * are failures, too.
 */
export async function runTests(root, { project, patterns = [], bail = false }) {
  const call = existsSync(join(root, 'vitest.config.mjs')) ? vitestCall : jestCall;
  const { command, args, results } = call(root, { project, patterns, bail });
  rmSync(results, { force: true });
  const { hasEnded, status, output } = await runToEnd(command, args, root);
  const report = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined;
  const failed = (report?.testResults ?? []).flatMap((file) => failuresOf(file, root));
  const ran = (report?.numPassedTests ?? 0) + (report?.numFailedTests ?? 0);
  if (!hasEnded) failed.push(`${project}: the run did not end within ${LONGEST_MS / 60_000} minutes`);
  else if (status !== 0 && failed.length === 0)
    failed.push(`${project}: the run failed outside its tests: ${lastWords(output)}`);
  return { ran, failed };
}

function vitestCall(root, { project, patterns, bail }) {
  const results = join(root, '.test-results', 'seeded-faults.json');
  const args = ['run', '--dir', project, '--reporter=json', `--outputFile.json=${results}`, ...patterns];
  if (bail) args.push('--bail=1');
  return {
    command: join(root, 'node_modules/.bin/node'),
    args: [join(root, 'node_modules/vitest/vitest.mjs'), ...args],
    results,
  };
}

/** Its start-up script says where the results go. It runs to the end: Jest that bails out writes no results. */
function jestCall(root, { project, patterns }) {
  return {
    command: join(root, 'tools/jest'),
    args: [project, ...patterns, '--silent'],
    results: join(root, '.test-results', `${project.replaceAll('/', '-')}.json`),
  };
}

function runToEnd(command, args, cwd) {
  return new Promise((resolve, reject) => {
    // In a process group of its own: what tests start ends with them.
    const child = spawn(command, args, {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${join(cwd, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
        FORCE_COLOR: undefined,
      },
    });
    let output = '';
    const keep = (chunk) => {
      output = (output + String(chunk)).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let hasEnded = true;
    const timer = setTimeout(() => {
      hasEnded = false;
      process.kill(-child.pid, 'SIGKILL');
    }, LONGEST_MS);
    child.on('error', reject);
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({ hasEnded, status, output });
    });
  });
}

function failuresOf({ name, status, assertionResults }, root) {
  const file = relative(root, name);
  const failed = assertionResults.filter((each) => each.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [`${file}: the file cannot be loaded, or its set-up failed`];
  return failed.map(({ fullName }) => `${file} › ${fullName}`);
}

function lastWords(output) {
  return output.trim().split('\n').slice(-3).join(' ').slice(-300);
}
