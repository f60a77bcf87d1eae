import { expect, it } from 'vitest';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { unique } from './test-rows.ts';

const newId = (): string => `file-${unique()}`;

describeDatabases('files at vendors', openStore, ({ store, replica }) => {
  const recordOf = (fileId: string, expiresAt = 1000) => ({
    ...{ fileId, accountId: 7, vendorId: newId(), name: 'n', createdAt: 5, expiresAt },
  });
  const file = (id: string, expiresAt: number) => ({
    ...({
      id,
      ownerId: 3,
      mode: 'live',
      mime: 'application/pdf',
      size: 5,
      location: 'a',
      createdAt: 5,
      expiresAt,
    } as const),
  });

  it('one upload of a file to an account, whoever is first, until its time is over', async () => {
    const id = newId();
    await store().files.create(file(id, 5000));
    const records = [recordOf(id), recordOf(id)];
    const added = await Promise.all([
      store().vendorFiles.add(records[0]!, 10),
      replica().vendorFiles.add(records[1]!, 10),
    ]);
    expect(added.toSorted()).toEqual([false, true]);
    const kept = added[0] ? records[0] : records[1];
    expect(await replica().vendorFiles.find(id, 7, 10)).toStrictEqual(kept);
    expect(await store().vendorFiles.find(id, 8, 10)).toBeUndefined();
    expect(await store().vendorFiles.find(id, 7, 1000)).toBeUndefined();
    const next = recordOf(id, 3000);
    expect(await store().vendorFiles.add(next, 1000)).toBe(true);
    // Somebody else's old knowledge removes nothing new.
    await replica().vendorFiles.remove(kept!);
    expect(await store().vendorFiles.find(id, 7, 1000)).toStrictEqual(next);
    await replica().vendorFiles.remove(next);
    expect(await store().vendorFiles.find(id, 7, 1000)).toBeUndefined();
  });

  it('those of files that are over, or gone, are told until they are removed', async () => {
    const [living, over, gone, ended] = [newId(), newId(), newId(), newId()];
    await store().files.create(file(living, 5000));
    await store().files.create(file(over, 100));
    await store().files.create(file(ended, 5000));
    const records = [recordOf(living), recordOf(over), recordOf(gone), recordOf(ended, 90)];
    for (const record of records) await store().vendorFiles.add(record, 10);
    const told = async (now: number) =>
      (await store().vendorFiles.over(now, 99))
        .map(({ fileId }) => fileId)
        .filter((id) => [living, over, gone, ended].includes(id));
    expect(await told(50)).toEqual([gone]);
    expect((await told(100)).toSorted()).toEqual([over, gone, ended].toSorted());
    for (const record of records.slice(1)) await store().vendorFiles.remove(record);
    expect(await told(100)).toEqual([]);
    await store().vendorFiles.remove(records[0]!);
  });
});
