import { expect, it } from 'vitest';
import type { VendorIdRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

describeDatabases('what vendors keep', openStore, ({ store, replica }) => {
  let last = 0;
  const record = (given: Partial<VendorIdRecord> = {}): VendorIdRecord => ({
    hash: `hash ${++last}`,
    ownerId: 1,
    mode: 'live',
    accountId: 3,
    expiresAt: 10_000,
    ...given,
  });

  it('is found again by every replica, with whose it is and where', async () => {
    const [one, other] = [record(), record({ ownerId: 2, mode: 'test', accountId: 9_000_000_001 })];
    await store().vendorIds.remember([one, other]);
    const found = await replica().vendorIds.find([one.hash, other.hash, 'nobody']);
    expect(found.toSorted((a, b) => a.ownerId - b.ownerId)).toEqual([one, other]);
    expect(await replica().vendorIds.find([])).toEqual([]);
  });

  it('stays its first owner’s', async () => {
    const first = record();
    await store().vendorIds.remember([first]);
    await replica().vendorIds.remember([{ ...first, ownerId: 2 }, record()]);
    expect(await store().vendorIds.find([first.hash])).toEqual([first]);
    await store().vendorIds.remember([]);
  });

  it('is forgotten when its time is over, a bounded number at once', async () => {
    const now = 5_000_000;
    await store().vendorIds.sweep(now - 1, 10_000);
    const over = Array.from({ length: 5 }, () => record({ expiresAt: now }));
    const stays = record({ expiresAt: now + 1 });
    await store().vendorIds.remember([...over, stays]);
    expect(await store().vendorIds.sweep(now, 3)).toBe(3);
    expect(await replica().vendorIds.sweep(now, 3)).toBe(2);
    expect(await store().vendorIds.sweep(now, 3)).toBe(0);
    expect(await store().vendorIds.find([...over, stays].map(({ hash }) => hash))).toEqual([stays]);
  });
});
