/** Which code the gateway command runs: never a bundle of other sources. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
