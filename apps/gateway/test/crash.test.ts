/** A small run of tools/crash: what it promises after thousands of kills must hold after a few. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const TOOL = fileURLToPath(new URL('../../../tools/crash/crash.mjs', import.meta.url));

const run = (...options: string[]): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['--no-warnings', TOOL, ...options], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    child.once('close', (code) => resolve({ code, said }));
  });

it.each([
  ['SQLite', ['--database', 'sqlite', '--kills', '5']],
  ['PostgreSQL with two replicas', ['--database', 'postgres', '--replicas', '2', '--kills', '5']],
])(
  'kill -9 at labelled steps and at random on %s: nothing is lost, started twice or paid twice',
  async (_name, options) => {
    const { code, said } = await run(...options);
    expect(said).toContain('every promise was kept');
    expect(code).toBe(0);
  },
  300_000,
);
