import { expect, it } from '@jest/globals';
import type { FileRecord, SubjectRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { unique } from './test-rows.ts';

describeDatabases('files and subjects', openStore, ({ store, replica }) => {
  const newFile = (expiresAt: number): FileRecord => ({
    id: `file_${unique()}`,
    ownerId: 3,
    mime: 'video/mp4',
    size: 2 ** 40,
    location: 'a/b.mp4',
    createdAt: 5,
    expiresAt,
  });

  it('keeps files until they expire, and hands each expired one out once', async () => {
    const files = [30, 10, 20, 1000].map(newFile);
    for (const file of files) await store().files.create(file);
    expect(await store().files.get(files[0]!.id)).toStrictEqual(files[0]);
    expect(await store().files.get('file_unknown')).toBeUndefined();
    expect(await store().files.takeExpired(20, 1)).toEqual([files[1]]);
    const taken = await Promise.all([store().files.takeExpired(30, 9), replica().files.takeExpired(30, 9)]);
    const ids = taken.flat().map(({ id }) => id);
    expect(ids.toSorted()).toEqual([files[0]!.id, files[2]!.id].toSorted());
    expect(await store().files.get(files[0]!.id)).toBeUndefined();
    expect(await store().files.get(files[3]!.id)).toBeDefined();
  });

  it('remembers subjects; the first owner of an id stays', async () => {
    const subject = (id: string, ownerId: number): SubjectRecord => ({
      id,
      ownerId,
      mode: 'live',
      accountId: 4,
      taskId: 'task_1',
      createdAt: 9,
    });
    await store().subjects.remember([subject('s1', 1), subject('s2', 1)]);
    await replica().subjects.remember([subject('s2', 2), subject('s3', 2)]);
    await store().subjects.remember([]);
    const found = await store().subjects.find(['s1', 's2', 's3', 's4']);
    expect(found.toSorted((a, b) => a.id.localeCompare(b.id))).toStrictEqual([
      subject('s1', 1),
      subject('s2', 1),
      subject('s3', 2),
    ]);
    expect(await store().subjects.find([])).toEqual([]);
  });
});
