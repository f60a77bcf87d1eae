/** A small run of tools/crash: killed at its steps in random order, the gateway loses nothing, starts nothing twice and charges nothing twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const TOOL = fileURLToPath(new URL('../../../tools/crash/crash.mjs', import.meta.url));
const LONGEST_MS = 180_000;

it.each([
  { database: 'sqlite', replicas: 1, kills: 10 },
  { database: 'postgres', replicas: 2, kills: 6 },
])(
  '$kills kills on $database with $replicas replica(s): every promise is kept',
  async ({ database, replicas, kills }) => {
    const options = { kills, database, replicas, clients: 6, seed: 3, minutes: 1 };
    const run = spawn(
      process.execPath,
      ['--no-warnings', TOOL, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])],
      { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    run.stdout.on('data', (chunk) => (said += String(chunk)));
    run.stderr.on('data', (chunk) => (said += String(chunk)));
    const [code] = (await once(run, 'close')) as [number | null];
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('every promise was kept') });
  },
  LONGEST_MS,
);
