/** Small runs of tools/crash: killed at its steps in random order, the gateway loses nothing, starts nothing twice and charges nothing twice; and no cap is passed. */
import { expect, it } from 'vitest';
import { runTool } from './run-tool.ts';

const LONGEST_MS = 180_000;

it.each([
  { database: 'sqlite', replicas: 1, kills: 7 },
  // Most tasks wait for room at their accounts.
  { database: 'sqlite', replicas: 1, kills: 4, 'max-jobs': 2 },
  { database: 'postgres', replicas: 2, kills: 5 },
])(
  '$kills kills on $database with $replicas replica(s): every promise is kept',
  async (given) => {
    const options = { ...given, clients: 6, seed: 3, minutes: 1 };
    const run = await runTool(
      'crash/crash.mjs',
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    );
    expect(run).toEqual({ code: 0, said: expect.stringContaining('every promise was kept') });
  },
  LONGEST_MS,
);

it(
  'forty agents under three caps, one of two processes killed and then both: every promise is kept',
  async () => {
    const run = await runTool('crash/caps.mjs', '--kills', '1', '--seed', '3');
    expect(run).toEqual({ code: 0, said: expect.stringContaining('every promise was kept') });
  },
  LONGEST_MS,
);
