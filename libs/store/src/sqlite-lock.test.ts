/** One SQLite file and two machines, whose locks do not reach each other: another machine is what it writes beside the file. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from './index.ts';
import type { SqliteHost } from './sqlite-lock.ts';

let folder: string;
let url: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-lock-'));
  url = `sqlite:${join(folder, 'gateway.db')}`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const beats = (): string => join(folder, 'gateway.db-holder');
const beat = (count: number): void =>
  writeFileSync(beats(), JSON.stringify({ pid: 7, host: 'elsewhere', boot: 'boot-2', beat: count }));

/** A machine on which each pause is the work of another one. */
function machine(whilePausing: (pausedMs: number) => void, name = 'here', boot = 'boot-1') {
  let pausedMs = 0;
  const host: SqliteHost = {
    name,
    boot,
    pause: async (ms) => {
      pausedMs += ms;
      whilePausing(pausedMs);
    },
  };
  return { host, pausedMs: () => pausedMs };
}

it.each([
  { name: 'a gateway', options: {} },
  { name: 'a command', options: { beside: true } },
])('$name does not touch a file that a gateway of another machine has', async ({ options }) => {
  beat(1);
  const { host } = machine((pausedMs) => {
    // Every other second.
    beat(1 + Math.floor(pausedMs / 2000));
  });
  await expect(openStore(url, { ...options, host })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(
      /^The SQLite database gateway\.db is in use by another gateway process \(pid 7 on elsewhere\)\. One process/,
    ),
  });
  expect(existsSync(join(folder, 'gateway.db'))).toBe(false);
  expect(JSON.parse(readFileSync(beats(), 'utf8'))).toMatchObject({ host: 'elsewhere' });
});

it('has it once the other machine has been silent for six seconds, or has said that it is done', async () => {
  beat(1);
  const after = machine(() => undefined);
  await (await openStore(url, { host: after.host })).close();
  expect(after.pausedMs()).toBe(6000);
  beat(1);
  const done = machine((pausedMs) => {
    if (pausedMs === 1500) rmSync(beats());
  });
  await (await openStore(url, { host: done.host })).close();
  expect(done.pausedMs()).toBe(1500);
});

it.each([
  { name: 'of another container of this machine', host: 'elsewhere', boot: 'boot-2' },
  { name: 'of a machine that has no such thing as a boot', host: 'here', boot: '' },
])('does not wait for a dead gateway $name: the lock is enough', async ({ host: name, boot }) => {
  writeFileSync(beats(), JSON.stringify({ pid: 7, host: name, boot, beat: 3 }));
  const { host, pausedMs } = machine(() => undefined, 'here', boot);
  const store = await openStore(url, { host });
  expect(pausedMs()).toBe(0);
  expect(JSON.parse(readFileSync(beats(), 'utf8'))).toMatchObject({ pid: process.pid, host: 'here', boot });
  await store.close();
  expect(existsSync(beats())).toBe(false);
});

it('waits for a machine that died while it wrote', async () => {
  writeFileSync(beats(), '{"pid":7,"ho');
  const { host, pausedMs } = machine(() => undefined);
  await (await openStore(url, { host })).close();
  expect(pausedMs()).toBe(6000);
});
