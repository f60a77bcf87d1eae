import { statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const FOLDERS = '{apps,libs,tools,spec}';
// Vitest hands `--dir` to no project: without this a run of one folder is a run of everything.
const given = process.argv.indexOf('--dir');
const dir = given === -1 ? undefined : process.argv[given + 1];
const below = dir === undefined ? FOLDERS : dir.replace(/\/+$/, '');

/** They take minutes and are small files: Vitest would begin with the largest, and end with these on one core. */
const LONG =
  /\/(?:attack|attack-money|crash|built-commands|server-package|portal\/browser|docs\/examples)\.verify\.test\.ts$/;

/** Linux's file system in memory. */
const IN_MEMORY = '/dev/shm';
/** What a run takes is a tenth of it. Containers often have 64 MB. */
const ENOUGH_BYTES = 1e9;

/** Where tests of a process keep databases and files: SQLite waits a millisecond for the disk at each commit, and nothing here outlives its process. */
function foldersInMemory() {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES ? { TMPDIR: IN_MEMORY } : {};
  } catch {
    return {};
  }
}

class LongFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * Two tiers: `test` runs in the processes of the runner, `verify` (`*.verify.test.ts`) starts others: gateways, browsers, workers, tools, packages.
 * Modules are evaluated once for each worker, not for each file (docs/decisions/0036-the-test-runner.md).
 */
export default defineConfig({
  test: {
    pool: 'forks',
    isolate: false,
    // About a third of the time of tests is waiting, for timers, files and other processes.
    maxWorkers: 4,
    // Node loads the sources as it does when the gateway runs.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Hundreds of files share a process: with the usual 16 MB a fifth of the time went into collecting garbage.
    execArgv: ['--no-warnings', '--max-semi-space-size=64'],
    env: {
      // Modules, and programs that tests start, are compiled once a run.
      NODE_COMPILE_CACHE:
        process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('.test-results/compiled', import.meta.url)),
    },
    sequence: { sequencer: LongFirst },
    setupFiles: ['tools/testing/setup.ts'],
    // A machine that does other things takes its time: nothing is to fail for that.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    slowTestThreshold: 2_000,
    disableConsoleIntercept: true,
    passWithNoTests: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'test',
          env: process.env.TMPDIR === undefined ? foldersInMemory() : {},
          include: [`${below}/**/*.test.ts`],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.verify.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'verify',
          include: [`${below}/**/*.verify.test.ts`],
          exclude: ['**/node_modules/**', '**/dist/**'],
        },
      },
    ],
  },
});
