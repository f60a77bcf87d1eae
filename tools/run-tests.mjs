// npm test: unit, contract and in-process tests; with --tier=verify those that start gateways, browsers, workers, tools and packages.
// Ends with the counts. Other arguments go to vitest.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A gateway that does not come up by then is the tests' matter. */
const LONGEST_START_MS = 60_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const node = join(root, 'node_modules/.bin/node');
const tierOption = process.argv.find((argument) => argument.startsWith('--tier='));
const tier = tierOption?.slice('--tier='.length) ?? 'test';
const others = process.argv.slice(2).filter((argument) => argument !== tierOption);
const results = join(root, '.test-results', `${tier}.json`);
mkdirSync(join(root, '.test-results'), { recursive: true });
rmSync(results, { force: true });
// What the twins of an earlier run have made.
rmSync(join(root, '.test-results/media'), { recursive: true, force: true });

// Tests start the gateway as people do: of the bundle, which starts in half the time of the sources.
spawnSync(node, [join(root, 'tools/packing/build.mjs'), '--if-changed'], { stdio: 'inherit' });
if (tier === 'verify') await startOnce();

const { status } = spawnSync(
  node,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    `--project=${tier}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
    ...others,
  ],
  // `npx` and Nx ask every program for colours; what commands print into a pipe is compared as text.
  { cwd: root, stdio: 'inherit', env: { ...process.env, FORCE_COLOR: undefined } },
);

const report = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : { testResults: [] };
const { numPassedTests: passed = 0, numFailedTests: failedTests = 0, numPendingTests = 0, numTodoTests = 0 } = report;
// A file that could not be loaded, or left something open, is a failure beside its tests.
const failedFiles = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
).length;
const failed = failedTests + failedFiles || (status === 0 ? 0 : 1);
const skipped = numPendingTests + numTodoTests;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
// Not `exit`: it ends before a busy reader has taken the counts.
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/**
 * Starts the gateway and stops it. Only a process that ends by itself keeps what it has compiled, and most gateways of tests are killed: each of them
 * would compile everything again, which is a third of the CPU of its start. Where it does not start, the tests say why.
 */
async function startOnce() {
  const folder = join(root, '.test-results/first-start');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0, drain_seconds: 1 }\ndatabase: { url: 'sqlite:${folder}/gateway.db' }\n`,
  );
  const gateway = spawn(node, ['--no-warnings', join(root, 'apps/gateway/bin/gateway.mjs'), 'serve'], {
    cwd: folder,
    env: {
      ...process.env,
      GATEWAY_CONFIG: join(folder, 'gateway.yaml'),
      GATEWAY_WORKERS: '1',
      LOG_LEVEL: 'fatal',
      // As vitest.config.mjs has it.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, '.test-results/compiled'),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: LONGEST_START_MS,
  });
  let said = '';
  gateway.stdout.on('data', (piece) => {
    said += String(piece);
    if (said.includes(' listens on ')) gateway.kill('SIGTERM');
  });
  await once(gateway, 'close');
}
