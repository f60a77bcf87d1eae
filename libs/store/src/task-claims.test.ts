import { describe, expect, it } from 'vitest';
import type { Store, TaskRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newTask, unique } from './test-rows.ts';

const OPEN = ['NOT_START', 'IN_PROGRESS'] as const;
const NONE = { type: 'none' } as const;

describeDatabases('claims', openStore, ({ store, replica }) => {
  const tasks = () => store().tasks;
  const newAccount = (): number => unique() + 10_000;
  async function dueAt(accountId: number, ...times: readonly number[]): Promise<string[]> {
    const ids: string[] = [];
    for (const nextCheckAt of times) {
      const task = newTask({ accountId, nextCheckAt });
      await tasks().create(task, undefined, undefined, 0);
      ids.push(task.id);
    }
    return ids;
  }
  /** Claims of the given accounts only: tests share the database. */
  async function claim(
    one: Store,
    perAccount: readonly (readonly [number, number])[],
    given: { readonly now?: number; readonly leaseUntil?: number; readonly limit?: number } = {},
  ): Promise<readonly TaskRecord[]> {
    return one.tasks.claimDue({
      now: 1000,
      leaseUntil: 5000,
      limit: 100,
      ...given,
      perAccount: new Map(perAccount),
      defaultPerAccount: 0,
    });
  }
  const idsOf = (records: readonly TaskRecord[]): string[] => records.map(({ id }) => id);

  it('gives what is due, soonest first, and each task once until its lease ends', async () => {
    const account = newAccount();
    const [late, future, soon] = await dueAt(account, 900, 1001, 100);
    const claimed = await claim(store(), [[account, 9]]);
    expect(idsOf(claimed)).toEqual([soon, late]);
    expect(claimed[0]).toMatchObject({ nextCheckAt: 100, state: 'NOT_START' });
    expect(await claim(store(), [[account, 9]])).toEqual([]);
    expect(await claim(store(), [[account, 9]], { now: 4999 })).toMatchObject([{ id: future }]);
    expect(idsOf(await claim(store(), [[account, 9]], { now: 5000, leaseUntil: 9000 }))).toEqual([soon, late, future]);
  });

  it('renews a lease only for who still has it', async () => {
    const account = newAccount();
    const ids = await dueAt(account, 100, 200, 300);
    const [kept = '', lost = '', ended = ''] = ids;
    await claim(store(), [[account, 9]]);
    await tasks().advance(ended, OPEN, { nextCheckAt: 7000 }, NONE, 1000);
    await claim(replica(), [[account, 1]], { now: 5000, leaseUntil: 9000 });
    const [taken] = await claim(replica(), [[account, 9]], { now: 5000, leaseUntil: 9000 });
    expect(taken?.id).toBe(lost);
    expect(await tasks().renewLeases(ids, 5000, 8000)).toEqual([]);
    expect(await tasks().renewLeases(ids, 9000, 12_000)).toEqual(expect.arrayContaining([kept, lost]));
    expect(idsOf(await claim(store(), [[account, 9]], { now: 11_999, leaseUntil: 20_000 }))).toEqual([ended]);
    expect(idsOf(await claim(replica(), [[account, 9]], { now: 12_000 }))).toEqual([kept, lost]);
  });

  it('keeps the bounds: of each account, by default, and in all', async () => {
    const [a, b, c] = [newAccount(), newAccount(), newAccount()];
    const [a1, a2] = await dueAt(a, 1, 2, 3);
    const [b1, b2] = await dueAt(b, 4, 5);
    const [c1] = await dueAt(c, 6);
    expect(
      idsOf(
        await claim(store(), [
          [a, 2],
          [b, 1],
          [c, 0],
        ]),
      ),
    ).toEqual([a1, a2, b1]);
    expect(
      idsOf(
        await claim(
          store(),
          [
            [b, 5],
            [c, 5],
          ],
          { limit: 1 },
        ),
      ),
    ).toEqual([b2]);
    const rest = await tasks().claimDue({
      now: 1000,
      leaseUntil: 5000,
      limit: 100,
      perAccount: new Map([[a, 0]]),
      defaultPerAccount: 1,
    });
    expect(idsOf(rest)).toContain(c1);
    expect(rest.filter(({ accountId }) => accountId === a)).toEqual([]);
  });

  it('lets an account that takes no more hold up nobody', async () => {
    const [hung, fine] = [newAccount(), newAccount()];
    await dueAt(hung, ...Array.from({ length: 30 }, (_, index) => index));
    const [other] = await dueAt(fine, 999);
    expect(
      idsOf(
        await claim(
          store(),
          [
            [hung, 0],
            [fine, 1],
          ],
          { limit: 5 },
        ),
      ),
    ).toEqual([other]);
    expect(
      idsOf(
        await claim(
          store(),
          [
            [hung, 2],
            [fine, 1],
          ],
          { limit: 5 },
        ),
      ),
    ).toHaveLength(2);
  });

  it('passes over tasks that have ended', async () => {
    const account = newAccount();
    const [id] = await dueAt(account, 1);
    await tasks().advance(id!, OPEN, { state: 'FAILURE', nextCheckAt: 1 }, NONE, 2);
    expect(await claim(store(), [[account, 9]])).toEqual([]);
  });

  describe('the lease', () => {
    it('ends with the next change', async () => {
      const account = newAccount();
      const [id] = await dueAt(account, 1);
      await claim(store(), [[account, 1]]);
      await tasks().advance(id!, OPEN, { nextCheckAt: 1500 }, NONE, 1100);
      expect(await claim(store(), [[account, 1]], { now: 1499 })).toEqual([]);
      expect(await claim(store(), [[account, 1]], { now: 1500 })).toHaveLength(1);
    });

    it('is given back', async () => {
      const account = newAccount();
      const [id] = await dueAt(account, 1);
      await claim(store(), [[account, 1]]);
      await tasks().releaseLease(id!);
      expect(await claim(store(), [[account, 1]])).toHaveLength(1);
      await tasks().advance(id!, OPEN, { state: 'FAILURE' }, NONE, 1100);
      await tasks().releaseLease(id!);
      expect(await claim(store(), [[account, 1]], { now: 99_000 })).toEqual([]);
    });

    it('is not broken by a cancel, which is then next', async () => {
      const account = newAccount();
      const [id] = await dueAt(account, 60_000);
      await tasks().saveTicket(id!, {}, 900, undefined, 0);
      await claim(store(), [[account, 1]]);
      await tasks().requestCancel(newTask(), id!, 1000);
      expect(await claim(store(), [[account, 1]], { now: 1000 })).toEqual([]);
      await tasks().releaseLease(id!);
      expect(await claim(store(), [[account, 1]], { now: 1000 })).toMatchObject([{ id, cancelRequested: true }]);
    });
  });

  it('never gives one task to two replicas', async () => {
    const account = newAccount();
    const ids = await dueAt(account, ...Array.from({ length: 120 }, (_, index) => index % 7));
    const claimed: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        for (;;) {
          const got = await claim(index % 2 === 0 ? store() : replica(), [[account, 10]], { limit: 10 });
          claimed.push(...idsOf(got));
          if (got.length === 0) return;
        }
      }),
    );
    // A round that lost every row to others may end early: what is left is there for the next.
    claimed.push(...idsOf(await claim(store(), [[account, 200]], { limit: 200 })));
    expect(claimed.toSorted()).toEqual(ids.toSorted());
  });

  it('counts open tasks by account and state, and says when to look again', async () => {
    const account = newAccount();
    const [first, second, third] = await dueAt(account, -30, -20, -10);
    await tasks().advance(second!, OPEN, { state: 'IN_PROGRESS' }, NONE, 0);
    const counted = async () => (await tasks().countOpen()).filter(({ accountId }) => accountId === account);
    expect(await counted()).toEqual([
      { accountId: account, state: 'IN_PROGRESS', count: 1 },
      { accountId: account, state: 'NOT_START', count: 2 },
    ]);
    expect(await tasks().nextDue()).toBe(-30);
    await claim(store(), [[account, 1]], { now: -30, leaseUntil: -15 });
    expect(await tasks().nextDue()).toBe(-20);
    for (const id of [first, second, third]) {
      await tasks().advance(id!, OPEN, { state: 'FAILURE' }, NONE, 0);
    }
    expect(await counted()).toEqual([]);
    expect(await tasks().nextDue()).toBeGreaterThan(-30);
  });
});
