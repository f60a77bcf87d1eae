// npm test: runs every project's tests through Nx and ends with the counts. Arguments go to nx (--skip-nx-cache, --projects=…).
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Projects at a time. About half of a test's time is waiting, for timers, files and other processes. */
const AT_ONCE = Math.max(2, Math.ceil(availableParallelism() * 1.5));
const root = fileURLToPath(new URL('..', import.meta.url));
const results = join(root, '.test-results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

// Tests start the gateway as people do: of the bundle, which starts in half the time of the sources.
spawnSync(join(root, 'node_modules/.bin/node'), [join(root, 'tools/packing/build.mjs'), '--if-changed'], {
  stdio: 'inherit',
});

const { status } = spawnSync(
  'npx',
  ['nx', 'run-many', '-t', 'test', '--outputStyle=stream', `--parallel=${AT_ONCE}`, ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  },
);

const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of readdirSync(results).filter((name) => name.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(join(results, file), 'utf8'));
  total.passed += report.numPassedTests;
  // A file that could not even be loaded is a failure without tests.
  total.failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  total.skipped += report.numPendingTests + report.numTodoTests;
}
if (status !== 0 && total.failed === 0) total.failed = 1;
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
// Not `exit`: it ends before a busy reader has taken the counts.
process.exitCode = status === 0 && total.failed === 0 && total.passed > 0 ? 0 : 1;
