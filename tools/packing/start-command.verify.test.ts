/** Which code the gateway command runs: never a bundle of other sources. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { node, ROOT } from '../publishing/sandbox.ts';

const SOURCE = 'apps/gateway/src/main.ts';
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'start-command-'));
  for (const folder of ['apps/gateway/bin', 'apps/gateway/src', 'apps/gateway/dist'])
    mkdirSync(join(root, folder), { recursive: true });
  cpSync(join(ROOT, 'apps/gateway/bin/gateway.mjs'), join(root, 'apps/gateway/bin/gateway.mjs'));
  writeFileSync(join(root, SOURCE), `console.log('sources');`);
  writeFileSync(join(root, 'apps/gateway/dist/main.mjs'), `console.log('bundle');`);
  const { size, mtimeMs } = statSync(join(root, SOURCE));
  writeFileSync(join(root, 'apps/gateway/dist/made-of.json'), JSON.stringify([[SOURCE, size, mtimeMs]]));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each([
  { name: 'what it was made of is as it was', change: () => undefined, runs: 'bundle' },
  { name: 'a source grew', change: () => writeFileSync(join(root, SOURCE), `console.log('sources'); `) },
  { name: 'a source of the same size is newer', change: () => utimesSync(join(root, SOURCE), 2e9, 2e9) },
  { name: 'there is no bundle', change: () => rmSync(join(root, 'apps/gateway/dist'), { recursive: true }) },
  {
    name: 'what the bundle was made of is not known',
    change: () => writeFileSync(join(root, 'apps/gateway/dist/made-of.json'), '['),
  },
  {
    name: 'a file that it was made of is gone',
    change: () => writeFileSync(join(root, 'apps/gateway/dist/made-of.json'), '[["no.ts",1,1]]'),
  },
  { name: 'there are no sources', change: () => rmSync(join(root, SOURCE)), runs: 'bundle' },
])('$name', async ({ change, runs = 'sources' }) => {
  change();
  expect((await node([join(root, 'apps/gateway/bin/gateway.mjs')], root)).trim()).toBe(runs);
});

/** A Node of this machine that is too old for the gateway. */
const OLDER = (process.env['PATH'] ?? '').split(delimiter).find((folder) => {
  const { stdout } = spawnSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)/.exec(stdout)?.[1] ?? 99) < 24;
});

// Where every Node is new enough there is nothing to hand on.
describe.skipIf(OLDER === undefined)('under an older Node', () => {
  /** The command, with a gateway that says `ready` and its process id, and does what `does` says at SIGTERM. */
  async function started(does: string) {
    mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
    symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
    const main = `process.on('SIGTERM', () => { ${does} }); setInterval(() => {}, 1000); console.log('ready', process.pid);`;
    writeFileSync(join(root, SOURCE), main);
    writeFileSync(join(root, 'apps/gateway/dist/made-of.json'), '[');
    const child = spawn(join(OLDER ?? '', 'node'), [join(root, 'apps/gateway/bin/gateway.mjs'), 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, pid: Number(/ready (\d+)/.exec(String(said))?.[1]) };
  }
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it.each([
    { name: 'it ends with the status of the gateway', does: 'process.exit(7)', ends: [7, null] },
    {
      name: 'it ends by the signal that ended the gateway',
      does: `process.kill(process.pid, 'SIGKILL')`,
      ends: [null, 'SIGKILL'],
    },
  ])('$name, and leaves none behind', async ({ does, ends }) => {
    const { child, pid } = await started(does);
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual(ends);
    expect(isAlive(pid)).toBe(false);
  });
});
