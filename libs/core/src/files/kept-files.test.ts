/** What one tenant's pictures may take, over a real database. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../ports.ts';
import { createResultFiles } from '../tasks/results.ts';
import { createMemoryBlobs } from '../tasks/testing/memory-blobs.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import type { TaskParts } from '../tasks/types.ts';
import { createKeptFiles } from './kept-files.ts';

let store: Store;
let now = 1_000;
let made: string[] = [];
const stored = new Map<string, number>();
const owner = { ownerId: 1, mode: 'test' } as const;

beforeEach(async () => {
  store = await openTestStore();
  [now, made] = [1_000, []];
  stored.clear();
});
afterEach(() => store.close());

const files = (most: number) =>
  createKeptFiles({
    store,
    now: () => now++,
    randomId: () => {
      made.push(`${made.length}`);
      return `${made.length - 1}`;
    },
    blobs: {
      locate: (name) => name,
      async put(name, _mime, body) {
        let size = 0;
        for await (const chunk of body) size += chunk.byteLength;
        stored.set(name, size);
        return { location: name, size };
      },
      open: () => Promise.reject(new Error('nobody reads')),
      remove: () => Promise.resolve(),
    },
    links: { link: (_kind, id) => id, verify: () => false },
    hours: 24,
    most,
  });
const living = async (tenant: { ownerId: number; mode: 'live' | 'test' }): Promise<number> => {
  let sum = 0;
  for (const id of made) {
    const file = await store.files.get(`file_${id}`);
    if (file?.ownerId === tenant.ownerId && file.mode === tenant.mode && file.expiresAt > now) sum += file.size;
  }
  return sum;
};

it('never holds more than the bound and a sixteenth; the newest stays, and another process counts with it', async () => {
  const processes = [files(1_600), files(1_600)];
  const other = { ownerId: 1, mode: 'live' } as const;
  await processes[0]!.keep({ bytes: new Uint8Array(500), mime: 'image/png', tenant: other });
  for (let turn = 0; turn < 60; turn++) {
    const id = await processes[turn % 2]!.keep({ bytes: new Uint8Array(90), mime: 'image/png', tenant: owner });
    expect((await store.files.get(id))!.expiresAt).toBeGreaterThan(now);
    expect(await living(owner)).toBeLessThanOrEqual(1_600 + 2 * 100);
  }
  expect(await living(owner)).toBeGreaterThan(1_300);
  expect(await living(other)).toBe(500);
});

it('a picture larger than the bound is kept alone', async () => {
  const kept = files(100);
  for (let turn = 0; turn < 3; turn++)
    await kept.keep({ bytes: new Uint8Array(150), mime: 'image/png', tenant: owner });
  expect(await living(owner)).toBe(150);
});

it('a picture is removed from its place when its time is over, not before', async () => {
  const blobs = createMemoryBlobs();
  let at = 1_000;
  const parts = { store, now: () => at, blobs } as const;
  const kept = createKeptFiles({
    ...parts,
    randomId: () => 'one',
    links: { link: (_kind, id) => id, verify: () => false },
    hours: 2,
    most: 1_000,
  });
  await kept.keep({ bytes: new Uint8Array(10), mime: 'image/png', tenant: owner });
  const { sweep } = createResultFiles({ ...parts, settings: {} } as unknown as TaskParts);
  at += 2 * 3_600_000 - 1;
  expect([await sweep(), [...blobs.files.keys()]]).toEqual([0, ['file_one.png']]);
  at += 1;
  expect([await sweep(), [...blobs.files.keys()]]).toEqual([1, []]);
  expect(await store.files.expired(at, 9)).toEqual([]);
});

it('what could not be removed is tried again by the next sweep', async () => {
  const blobs = createMemoryBlobs();
  const at = 10_000_000;
  const file = { mime: 'image/png', size: 3, createdAt: 0, expiresAt: 5, ...owner };
  for (const id of ['stays', 'goes']) await store.files.create({ ...file, id, location: `${id}.png` });
  let isDown = true;
  const remove = (location: string) =>
    isDown && location === 'stays.png' ? Promise.reject(new Error('the bucket is down')) : blobs.remove(location);
  const log = { warn: () => undefined };
  const parts = { store, now: () => at, blobs: { ...blobs, remove }, log, settings: {} };
  const { sweep } = createResultFiles(parts as unknown as TaskParts);
  expect(await sweep()).toBe(1);
  expect((await store.files.expired(at, 9)).map(({ id }) => id)).toEqual(['stays']);
  isDown = false;
  expect(await sweep()).toBe(1);
  expect(await store.files.expired(at, 9)).toEqual([]);
});

it('files that cannot be removed keep none of the others from being removed by the same sweep', async () => {
  const at = 10_000_000;
  const file = { mime: 'image/png', size: 3, createdAt: 0, ...owner };
  const idOf = (number: number) => `many-${String(number).padStart(3, '0')}`;
  for (let number = 0; number < 350; number++)
    await store.files.create({ ...file, id: idOf(number), location: idOf(number), expiresAt: number < 150 ? 5 : 6 });
  const stuck = [0, 99, 100, 200].map(idOf);
  const asked: string[] = [];
  const remove = async (location: string): Promise<void> => {
    asked.push(location);
    if (stuck.includes(location)) throw new Error('the bucket is down');
  };
  const log = { warn: () => undefined };
  const { sweep } = createResultFiles({
    store,
    now: () => at,
    blobs: { remove },
    log,
    settings: {},
  } as unknown as TaskParts);
  expect(await sweep()).toBe(346);
  expect(asked).toEqual([...new Set(asked)]);
  expect((await store.files.expired(at, 99)).map(({ id }) => id)).toEqual(stuck);
  await store.files.forget(stuck);
});
