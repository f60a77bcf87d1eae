/** A small run of tools/cuts: streams cut at random bytes are billed what their vendors' books say. The tool itself runs thousands. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const tool = fileURLToPath(new URL('../../../tools/cuts/cuts.mjs', import.meta.url));

it('60 streams cut by clients and vendors, and 20 clients that hang up at once: bills and books agree', async () => {
  // Other test files have the processor too: how long the loop is held up is looked at by the long run.
  const line = ['--no-warnings', tool, '--streams', '60', '--mass', '20', '--loop-ms', '1000'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, line, {
    env: { ...process.env, NODE_OPTIONS: '', FORCE_COLOR: '0' },
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('ledger verify: no differences');
  expect(stdout).toContain('every promise was kept');
  const [, exact = 0] = /│ all +│ (\d+) /.exec(stdout) ?? [];
  expect(Number(exact)).toBeGreaterThan(20);
}, 180_000);
