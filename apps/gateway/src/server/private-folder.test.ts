/** Folders that can and cannot be made. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeFolder } from '@model-gateway/store';
import { requireWritable } from './storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'private-folder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes the folders above it too, for their owner alone, and minds none that is there', () => {
  const path = join(folder, 'a/b/c');
  makeFolder(path);
  makeFolder(path);
  for (const each of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, each)).mode & 0o777).toBe(0o700);
});

it('stops at a file in the way, and leaves nothing behind', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file/below/it'))).toThrow('ENOTDIR');
});

(existsSync('/proc/self') ? it : it.skip)('ends where a file system takes no folders', async () => {
  await expect(requireWritable('/proc/nowhere/data', 'database.url')).rejects.toThrow(
    /^the folder \/proc\/nowhere\/data cannot be written \(\w+\); set database\.url to a folder that can be written$/,
  );
});
