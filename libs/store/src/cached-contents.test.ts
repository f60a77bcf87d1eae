import { expect, it } from 'vitest';
import type { CachedContentRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

describeDatabases('contents that vendors keep', openStore, ({ store, replica }) => {
  let last = 0;
  const record = (given: Partial<CachedContentRecord> = {}): CachedContentRecord => ({
    ...{ name: `cachedContents/${String(++last).padStart(4, '0')}`, ownerId: 1, mode: 'live', keyId: 7, accountId: 3 },
    ...{ model: 'deep', tokens: 4096, about: { displayName: 'manual', usageMetadata: { totalTokenCount: 4096 } } },
    ...{ createdAt: 1_000, expiresAt: 10_000, ...given },
  });
  const kept = async (given: Partial<CachedContentRecord> = {}): Promise<CachedContentRecord> => {
    const made = record(given);
    await store().cachedContents.add(made);
    return made;
  };
  const tenant = (ownerId: number) => ({ ownerId, mode: 'live' as const });

  it('is found by its owner in its mode, until it expires', async () => {
    const made = await kept();
    const { cachedContents } = replica();
    expect(await cachedContents.find(tenant(1), made.name, 9_999)).toEqual(made);
    expect(await cachedContents.find(tenant(1), made.name, 10_000)).toBeUndefined();
    expect(await cachedContents.find(tenant(2), made.name, 1)).toBeUndefined();
    expect(await cachedContents.find({ ownerId: 1, mode: 'test' }, made.name, 1)).toBeUndefined();
  });

  it('is listed by name, page by page, without what is another’s or over', async () => {
    const mine = [await kept({ ownerId: 3 }), await kept({ ownerId: 3 }), await kept({ ownerId: 3 })];
    await kept({ ownerId: 4 });
    await kept({ ownerId: 3, expiresAt: 5 });
    await kept({ ownerId: 3, mode: 'test' });
    const page = { now: 5, limit: 2 };
    expect(await store().cachedContents.list(tenant(3), page)).toEqual(mine.slice(0, 2));
    expect(await store().cachedContents.list(tenant(3), { ...page, after: mine[1]!.name })).toEqual(mine.slice(2));
  });

  it('is kept for longer, and removed', async () => {
    const made = await kept({ ownerId: 5 });
    const about = { displayName: 'again' };
    await store().cachedContents.update({ name: made.name, about, expiresAt: 20_000 });
    const longer = await replica().cachedContents.find(tenant(5), made.name, 15_000);
    expect(longer).toEqual({ ...made, about, expiresAt: 20_000 });
    await replica().cachedContents.remove(made.name);
    expect(await store().cachedContents.find(tenant(5), made.name, 1)).toBeUndefined();
  });

  it('is forgotten when its time is over, a bounded number at once', async () => {
    await store().cachedContents.sweep(40_000, 1_000);
    for (let each = 0; each < 3; each++) await kept({ ownerId: 6, expiresAt: 50_000 });
    const stays = await kept({ ownerId: 6, expiresAt: 60_000 });
    expect(await store().cachedContents.sweep(50_001, 2)).toBe(2);
    expect(await store().cachedContents.sweep(50_001, 2)).toBe(1);
    expect(await replica().cachedContents.list(tenant(6), { now: 1, limit: 9 })).toEqual([stays]);
  });
});
