import { expect, it } from 'vitest';
import type { ConfigChange } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

describeDatabases('entries of the configuration', openStore, ({ store, replica }) => {
  const change = (given: Partial<ConfigChange> = {}): Omit<ConfigChange, 'id'> => ({
    at: 5,
    actor: 'command',
    section: 'models',
    name: 'gpt-x',
    ...given,
  });
  const row = (size: number) => ({ value: { size } });

  it('a change is made once, by whoever knows the last one; another replica sees it', async () => {
    const entries = store().configEntries;
    expect(await entries.version()).toBe(0);
    expect(await entries.change(change({ after: row(1) }), 0)).toBe(1);
    expect(await replica().configEntries.version()).toBe(1);
    expect(await replica().configEntries.all()).toEqual({
      version: 1,
      entries: [{ section: 'models', name: 'gpt-x', row: row(1), version: 1 }],
    });
    // Who knows an older state, or one that is not there yet, changes nothing.
    for (const stale of [0, 2]) expect(await entries.change(change({ after: row(2) }), stale)).toBeUndefined();
    expect((await entries.all()).entries).toMatchObject([{ row: row(1) }]);

    const raced = await Promise.all(
      [2, 3].map((size) => (size === 2 ? store() : replica()).configEntries.change(change({ after: row(size) }), 1)),
    );
    expect(raced.filter((id) => id !== undefined)).toEqual([2]);
  });

  it('an entry is replaced and taken away; what happened stays, newest first, page after page', async () => {
    const entries = store().configEntries;
    const removed = { removed: true } as const;
    expect(await entries.change(change({ section: 'accounts', before: row(1), after: removed, requestId: 'req_1' }), 2)).toBe(3); // prettier-ignore
    expect(await entries.change(change({ before: row(2), undoes: 2 }), 3)).toBe(4);
    expect((await entries.all()).entries).toEqual([{ section: 'accounts', name: 'gpt-x', row: removed, version: 3 }]);
    expect(await entries.getChange(4)).toStrictEqual({ ...change({ before: row(2), undoes: 2 }), id: 4 });
    expect(await entries.getChange(9)).toBeUndefined();
    const ids = async (filter: object) => (await entries.changes({ limit: 9, ...filter })).map(({ id }) => id);
    expect(await ids({})).toEqual([4, 3, 2, 1]);
    expect(await ids({ after: 3, limit: 1 })).toEqual([2]);
    expect(await ids({ section: 'accounts' })).toEqual([3]);
    expect(await ids({ section: 'models', name: 'another' })).toEqual([]);
  });

  it('is part of a transaction: nothing of it stays when the rest fails', async () => {
    const failing = store().together(async (tables) => {
      expect(await tables.configEntries.change(change({ after: row(7) }), 4)).toBe(5);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await replica().configEntries.version()).toBe(4);
  });
});
