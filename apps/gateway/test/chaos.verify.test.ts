/**
 * The short form of tools/chaos: faults of docs/faults.md over real processes, and the promises that must be kept. `kill -9 under load` and
 * `PostgreSQL down` take most of a minute each and are in the command alone; crash.verify.test.ts kills at every step, database-outage.test.ts takes the
 * database away.
 */
import { expect, it } from 'vitest';
import { runTool } from './run-tool.ts';

const LONGEST_MS = 300_000;

it.each(['SQLite locked', 'vendor: hang', 'vendor: reset'])(
  '%s: every promise is kept',
  async (only) => {
    const run = await runTool('chaos/chaos.mjs', '--only', only, '--short');
    expect(run).toEqual({ code: 0, said: expect.stringContaining('every promise was kept') });
  },
  LONGEST_MS,
);
