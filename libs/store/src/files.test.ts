import { expect, it } from 'vitest';
import type { FileRecord, SubjectRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newTask, unique } from './test-rows.ts';

describeDatabases('files and subjects', openStore, ({ store, replica }) => {
  const newFile = (expiresAt: number): FileRecord => ({
    id: `file_${unique()}`,
    ownerId: 3,
    mode: 'live',
    mime: 'video/mp4',
    size: 2 ** 40,
    location: 'a/b.mp4',
    createdAt: 5,
    expiresAt,
  });

  it('keeps files until they expire, and hands expired ones out until they are forgotten', async () => {
    const files = [30, 10, 20, 1000].map(newFile);
    for (const file of files) await store().files.create(file);
    expect(await store().files.get(files[0]!.id)).toStrictEqual(files[0]);
    expect(await store().files.get('file_unknown')).toBeUndefined();
    expect(await store().files.expired(20, 1)).toEqual([files[1]]);
    // Whoever asked first may have died before the bytes were gone.
    expect(await replica().files.expired(20, 1)).toEqual([files[1]]);
    await store().files.forget([files[1]!.id]);
    const due = await Promise.all([store().files.expired(30, 9), replica().files.expired(30, 9)]);
    expect(due).toEqual([
      [files[2], files[0]],
      [files[2], files[0]],
    ]);
    await Promise.all([store().files.forget([files[0]!.id, files[2]!.id]), replica().files.forget([files[2]!.id])]);
    expect(await replica().files.expired(30, 9)).toEqual([]);
    expect(await store().files.get(files[0]!.id)).toBeUndefined();
    expect(await store().files.get(files[3]!.id)).toBeDefined();
  });

  it('ends the oldest of an owner and mode beyond a bound, and nobody else’s, nor those of tasks', async () => {
    const tenant = { ownerId: 77, mode: 'live' as const };
    const file = (createdAt: number, more: Partial<FileRecord> = {}): FileRecord => ({
      ...newFile(1_000_000),
      ...tenant,
      size: 10,
      createdAt,
      ...more,
    });
    const [oldest, middle, newest] = [file(1), file(2), file(3)];
    const others = [
      file(1, { mode: 'test' }),
      file(1, { ownerId: 78 }),
      file(1, { taskId: 'task_1' }),
      file(1, { expiresAt: 40 }),
    ];
    for (const each of [newest, ...others, oldest, middle]) await store().files.create(each);
    const ends = (of: readonly FileRecord[]) =>
      Promise.all(of.map(async ({ id }) => (await store().files.get(id))!.expiresAt));
    expect(await store().files.endOldest(tenant, 30, 50)).toBe(30);
    expect(await ends([oldest, middle, newest])).toEqual([1_000_000, 1_000_000, 1_000_000]);
    expect(await store().files.endOldest(tenant, 29, 50)).toBe(20);
    expect(await ends([oldest, middle, newest])).toEqual([50, 1_000_000, 1_000_000]);
    expect(await store().files.endOldest(tenant, 0, 60)).toBe(0);
    expect(await ends([oldest, middle, newest])).toEqual([50, 60, 60]);
    expect(await ends(others)).toEqual([1_000_000, 1_000_000, 1_000_000, 40]);
  });

  it('the files of a task expire with it, in the transaction that deletes it', async () => {
    const task = newTask({ ownerId: 3, mode: 'test' });
    await store().tasks.create(task, undefined, undefined, 0);
    const made = { ...newFile(1_000_000), mode: 'test' as const, taskId: task.id };
    const other = newFile(1_000_000);
    for (const file of [made, other]) await store().files.create(file);
    await store().tasks.markDeleted(task, task.id, 50);
    expect((await store().files.get(made.id))!.expiresAt).toBe(1_000_000);
    await store().tasks.advance(task.id, ['NOT_START'], { state: 'FAILURE' }, { type: 'none' }, 60);
    await store().tasks.markDeleted(task, task.id, 70);
    expect(await store().files.get(made.id)).toStrictEqual({ ...made, expiresAt: 70 });
    expect((await store().files.get(other.id))!.expiresAt).toBe(1_000_000);
  });

  it('remembers subjects; the first owner of an id stays, live and test ids are not the same', async () => {
    const subject = (id: string, ownerId: number, mode: 'live' | 'test' = 'live'): SubjectRecord => ({
      id,
      ownerId,
      mode,
      accountId: 4,
      taskId: 'task_1',
      createdAt: 9,
    });
    await store().subjects.remember([subject('s1', 1), subject('s2', 1)]);
    await replica().subjects.remember([subject('s2', 2), subject('s3', 2)]);
    await replica().subjects.remember([subject('s1', 1, 'test'), subject('s3', 1, 'test')]);
    await store().subjects.remember([]);
    const find = (ownerId: number, mode: 'live' | 'test') =>
      store().subjects.find({ ownerId, mode }, ['s1', 's2', 's3', 's4']);
    const sorted = ({ own, foreign }: Awaited<ReturnType<typeof find>>) => ({
      own: own.toSorted((a, b) => a.id.localeCompare(b.id)),
      foreign: foreign.toSorted(),
    });
    expect(sorted(await find(1, 'live'))).toEqual({ own: [subject('s1', 1), subject('s2', 1)], foreign: ['s3'] });
    expect(sorted(await find(1, 'test'))).toEqual({
      own: [subject('s1', 1, 'test'), subject('s3', 1, 'test')],
      foreign: ['s2'],
    });
    expect(sorted(await find(2, 'live'))).toEqual({ own: [subject('s3', 2)], foreign: ['s1', 's2'] });
    expect(sorted(await find(2, 'test'))).toEqual({ own: [], foreign: ['s1', 's2', 's3'] });
    expect(await store().subjects.find({ ownerId: 1, mode: 'live' }, [])).toEqual({ own: [], foreign: [] });
  });
});
