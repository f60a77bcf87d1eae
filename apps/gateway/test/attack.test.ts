/** The short form of tools/attack: what a hostile tenant tries, over real processes that are killed, and the laws that must hold. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const TOOL = fileURLToPath(new URL('../../../tools/attack/attack.mjs', import.meta.url));
const LONGEST_MS = 240_000;

/** All but `exhaustion-bodies`, whose milliseconds mean nothing on a machine that runs other tests. */
const ATTACKS = [
  'money-kills-sqlite',
  'money-kills-postgres',
  'money-usage',
  'money-reservations',
  'exhaustion-forms',
  'exhaustion-paths',
  'exhaustion-slow-media',
  'exhaustion-twin-media',
  'isolation-modes',
  'isolation-vendor-ids',
];

it.each(ATTACKS)(
  '%s: every law is held',
  async (only) => {
    const run = spawn(process.execPath, ['--no-warnings', TOOL, '--only', only, '--short'], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    run.stdout.on('data', (chunk) => (said += String(chunk)));
    run.stderr.on('data', (chunk) => (said += String(chunk)));
    const [code] = (await once(run, 'close')) as [number | null];
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('every law was held') });
  },
  LONGEST_MS,
);
