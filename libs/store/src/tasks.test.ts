import { describe, expect, it } from 'vitest';
import type { IdempotencyClaim, TaskFilter, TaskRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { balanceOf, newPayer, newTask, unique } from './test-rows.ts';

const OPEN = ['NOT_START', 'IN_PROGRESS'] as const;
const NONE = { type: 'none' } as const;

describeDatabases('tasks', openStore, ({ store, replica }) => {
  const tasks = () => store().tasks;
  const read = async (id: string): Promise<TaskRecord> => (await tasks().get(id))!;
  const claimOf = (given: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
    keyId: unique(),
    idempotencyKey: 'once',
    fingerprint: 'f',
    expiresAt: 100_000,
    ...given,
  });
  describe('create', () => {
    it('writes row, first event, hold and idempotency record', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const task = newTask({
        ownerId: payer.ownerId,
        keyId: payer.keyId,
        quota: 300,
        callbackUrl: 'https://a.example/hook',
      });
      const claim = claimOf();
      const created = await tasks().create(task, { payer, amount: 300, detail: { estimate: 1 } }, claim, 1500);
      const { priceVersion, ...fields } = task;
      expect(created).toStrictEqual({
        ...fields,
        number: created.number,
        holdId: created.holdId,
        state: 'NOT_START',
        progress: 0,
        failReason: '',
        failCode: '',
        submitted: false,
        files: [],
        updatedAt: 1500,
        checks: 0,
        missing: 0,
        faults: 0,
        cancelRequested: false,
      });
      expect(await read(task.id)).toStrictEqual(created);
      expect(await store().ledger.entries({ taskId: task.id, limit: 9 })).toMatchObject([
        {
          id: created.holdId,
          kind: 'hold',
          amount: -300,
          requestId: task.requestId,
          model: task.model,
          priceVersion,
          detail: { estimate: 1 },
        },
      ]);
      expect(await store().idempotency.read(claim.keyId, 'once', 1500)).toEqual({
        state: 'running',
        taskId: task.id,
        claimedAt: 1500,
      });
      expect(await tasks().events(task.id, 0)).toMatchObject([
        { taskId: task.id, state: 'NOT_START', progress: 0, at: 1500 },
      ]);
    });

    it('leaves nothing behind when the money is not there', async () => {
      const payer = await newPayer(store(), { balance: 10, creditLimit: 0 });
      const task = newTask({ ownerId: payer.ownerId, keyId: payer.keyId });
      const claim = claimOf();
      await expect(tasks().create(task, { payer, amount: 11, detail: {} }, claim, 0)).rejects.toMatchObject({
        code: 'insufficient_quota',
      });
      expect(await tasks().get(task.id)).toBeUndefined();
      expect(await store().idempotency.read(claim.keyId, 'once', 0)).toBeUndefined();
      expect(await store().ledger.entries({ taskId: task.id, limit: 9 })).toEqual([]);
      expect(await tasks().events(task.id, 0)).toEqual([]);
    });

    it('binds a claim the caller holds, and refuses one that is bound, answered or of another body', async () => {
      const claim = claimOf();
      await store().idempotency.claim(claim, 1000, 0);
      const task = newTask();
      await tasks().create(task, undefined, claim, 0);
      expect(await store().idempotency.read(claim.keyId, 'once', 0)).toEqual({
        state: 'running',
        taskId: task.id,
        claimedAt: 0,
      });
      const second = newTask();
      await expect(tasks().create(second, undefined, claim, 0)).rejects.toMatchObject({ code: 'conflict' });
      expect(await tasks().get(second.id)).toBeUndefined();

      const answered = claimOf();
      await store().idempotency.claim(answered, 1000, 0);
      await store().idempotency.answer({ ...answered, status: 200, headers: {}, body: new Uint8Array() });
      await expect(tasks().create(newTask(), undefined, answered, 0)).rejects.toMatchObject({ code: 'conflict' });

      const other = claimOf();
      await store().idempotency.claim(other, 1000, 0);
      await expect(tasks().create(newTask(), undefined, { ...other, fingerprint: 'g' }, 0)).rejects.toMatchObject({
        code: 'conflict',
      });
      // Once expired, the key is anybody's.
      await tasks().create(newTask(), undefined, { ...claim, fingerprint: 'h', expiresAt: 300_000 }, claim.expiresAt);
    });

    it('makes one task for one idempotency key, whoever races', async () => {
      const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
      const claim = claimOf();
      const answers = await Promise.allSettled(
        Array.from({ length: 32 }, async (_, index) =>
          (index % 2 === 0 ? store() : replica()).tasks.create(
            newTask({ ownerId: payer.ownerId, keyId: payer.keyId }),
            { payer, amount: 10, detail: {} },
            claim,
            0,
          ),
        ),
      );
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await balanceOf(store(), payer)).toBe(990);
      expect(await tasks().list({ ownerId: payer.ownerId, limit: 99 })).toHaveLength(1);
    });
  });

  describe('submission', () => {
    it('is marked, taken back, marked again, and ends with the ticket and the answer', async () => {
      const claim = claimOf();
      const task = newTask();
      await tasks().create(task, undefined, claim, 0);
      await tasks().markSubmitted(task.id, { accountId: 2, accountName: 'b', nextCheckAt: 5000 }, 100);
      expect(await read(task.id)).toMatchObject({
        submitted: true,
        submitTime: 100,
        accountId: 2,
        accountName: 'b',
        vendor: 'ark',
        nextCheckAt: 5000,
      });
      await tasks().unmarkSubmitted(task.id);
      const back = await read(task.id);
      expect(back.submitted).toBe(false);
      expect(back).not.toHaveProperty('submitTime');
      await tasks().markSubmitted(task.id, { vendor: 'kling', upstreamModel: 'v2' }, 200);
      const answer = {
        keyId: claim.keyId,
        idempotencyKey: 'once',
        status: 200,
        headers: { a: 'b' },
        body: Buffer.from([0, 255]),
      };
      expect(await tasks().saveTicket(task.id, { taskId: 'cgt-1' }, 7000, answer, 300)).toBe(true);
      expect(await read(task.id)).toMatchObject({
        ticket: { taskId: 'cgt-1' },
        vendor: 'kling',
        upstreamModel: 'v2',
        submitTime: 200,
        nextCheckAt: 7000,
        updatedAt: 300,
        state: 'NOT_START',
      });
      expect(await store().idempotency.read(claim.keyId, 'once', 0)).toEqual({
        state: 'answered',
        answer: { ...answer, body: new Uint8Array([0, 255]) },
      });
      await tasks().unmarkSubmitted(task.id);
      expect(await read(task.id)).toMatchObject({ submitted: true });
    });

    it('changes nothing on a task that ended meanwhile', async () => {
      const claim = claimOf();
      const task = newTask();
      await tasks().create(task, undefined, claim, 0);
      await tasks().markSubmitted(task.id, {}, 100);
      await tasks().advance(task.id, OPEN, { state: 'FAILURE' }, NONE, 200);
      const before = await read(task.id);
      const answer = { keyId: claim.keyId, idempotencyKey: 'once', status: 200, headers: {}, body: new Uint8Array() };
      expect(await tasks().saveTicket(task.id, { taskId: 'late' }, 7000, answer, 300)).toBe(false);
      await expect(tasks().markSubmitted(task.id, {}, 300)).rejects.toMatchObject({ code: 'unavailable' });
      await tasks().unmarkSubmitted(task.id);
      expect(await read(task.id)).toStrictEqual(before);
      expect(await store().idempotency.read(claim.keyId, 'once', 0)).toEqual({
        state: 'running',
        taskId: task.id,
        claimedAt: 0,
      });
      expect(await tasks().saveTicket('task_unknown', {}, 0, undefined, 0)).toBe(false);
    });
  });

  it('asks for a cancel: open tasks the vendor knows are looked at now', async () => {
    const [known, submitting, ended] = [newTask(), newTask(), newTask()];
    for (const task of [known, submitting, ended]) await tasks().create(task, undefined, undefined, 0);
    await tasks().saveTicket(known.id, {}, 50_000, undefined, 0);
    await tasks().advance(ended.id, OPEN, { state: 'FAILURE' }, NONE, 0);
    for (const task of [known, submitting, ended]) await tasks().requestCancel(task, task.id, 400);
    expect(await read(known.id)).toMatchObject({ cancelRequested: true, nextCheckAt: 400 });
    expect(await read(submitting.id)).toMatchObject({ cancelRequested: true, nextCheckAt: 60_000 });
    expect(await read(ended.id)).toMatchObject({ cancelRequested: false });
  });

  it('lists by owner, kind, state and model, newest or oldest first, page after page', async () => {
    const ownerId = unique() + 5000;
    const given = [{ model: 'a' }, { model: 'b' }, { model: 'a', kind: 'subject' as const }, { model: 'a' }];
    const ids: string[] = [];
    for (const one of given) ids.push((await tasks().create(newTask({ ownerId, ...one }), undefined, undefined, 0)).id);
    await tasks().advance(ids[3]!, OPEN, { state: 'FAILURE' }, NONE, 0);
    const list = async (filter: Partial<TaskFilter>): Promise<number[]> =>
      (await tasks().list({ ownerId, limit: 99, ...filter })).map(({ id }) => ids.indexOf(id));
    expect(await list({})).toEqual([3, 2, 1, 0]);
    expect(await list({ order: 'oldest' })).toEqual([0, 1, 2, 3]);
    expect(await list({ limit: 2 })).toEqual([3, 2]);
    expect(await list({ limit: 2, after: ids[2]! })).toEqual([1, 0]);
    expect(await list({ order: 'oldest', after: ids[2]! })).toEqual([3]);
    expect(await list({ kind: 'video', model: 'a' })).toEqual([3, 0]);
    expect(await list({ state: 'FAILURE' })).toEqual([3]);
    expect(await list({ ownerId: 987_654 })).toEqual([]);
  });

  it('hides what its owner deleted; only what has ended can be deleted', async () => {
    const ownerId = unique() + 5000;
    const task = newTask({ ownerId });
    await tasks().create(task, undefined, undefined, 0);
    expect(await tasks().markDeleted(task, task.id, 5)).toBe(false);
    await tasks().advance(task.id, OPEN, { state: 'FAILURE' }, NONE, 6);
    expect(await tasks().markDeleted(task, task.id, 7)).toBe(true);
    expect(await tasks().markDeleted(task, task.id, 8)).toBe(false);
    expect(await tasks().markDeleted(task, 'task_unknown', 8)).toBe(false);
    expect(await tasks().listOf(task, { limit: 9 })).toEqual([]);
    expect(await tasks().find(task, task.id)).toBeUndefined();
    expect(await read(task.id)).toMatchObject({ deletedAt: 7 });
    expect((await tasks().list({ limit: 1 }))[0]!.id).toBe(task.id);
  });

  it('owner and mode separate everything: another tenant finds, lists, cancels and deletes nothing', async () => {
    const ownerId = unique() + 5000;
    const mine = { ownerId, mode: 'live' as const };
    const open = await tasks().create(newTask(mine), undefined, undefined, 0);
    const ended = await tasks().create(newTask(mine), undefined, undefined, 0);
    await tasks().saveTicket(open.id, { job: 1 }, 900, undefined, 0);
    await tasks().advance(ended.id, OPEN, { state: 'FAILURE' }, NONE, 6);
    const others = [
      { ownerId, mode: 'test' as const },
      { ownerId: ownerId + 1, mode: 'live' as const },
    ];
    for (const other of others) {
      const theirs = await tasks().create(newTask(other), undefined, undefined, 0);
      expect(await tasks().find(other, open.id)).toBeUndefined();
      expect((await tasks().listOf(other, { limit: 9 })).map(({ id }) => id)).toEqual([theirs.id]);
      expect(await tasks().listOf(other, { limit: 9, after: ended.id })).toEqual([]);
      await tasks().requestCancel(other, open.id, 400);
      expect(await tasks().markDeleted(other, ended.id, 400)).toBe(false);
    }
    expect(await tasks().find(mine, open.id)).toMatchObject({ cancelRequested: false, nextCheckAt: 900 });
    expect((await tasks().listOf(mine, { limit: 9 })).map(({ id }) => id)).toEqual([ended.id, open.id]);
  });

  it('keeps refreshed links', async () => {
    const task = newTask();
    await tasks().create(task, undefined, undefined, 0);
    const files = [
      { url: 'https://cdn.example/b.mp4', mime: 'video/mp4', credentialed: true, fileId: 'f', width: 1, height: 2 },
    ];
    await tasks().saveFiles(task.id, files);
    expect((await read(task.id)).files).toEqual(files);
  });

  describe('events', () => {
    it('come in the order of ids, with a bound', async () => {
      const last = await tasks().lastEventId();
      const ids = [newTask(), newTask(), newTask()];
      for (const task of ids) await tasks().create(task, undefined, undefined, 0);
      const events = await tasks().eventsSince(last, 99);
      expect(events.map(({ taskId }) => taskId)).toEqual(ids.map(({ id }) => id));
      expect(await tasks().eventsSince(last, 2)).toEqual(events.slice(0, 2));
      expect(await tasks().lastEventId()).toBe(events[2]!.id);
      expect(await tasks().eventsSince(events[2]!.id, 9)).toEqual([]);
    });

    it('reach a reader that follows by id, every one, while many write', async () => {
      const start = await tasks().lastEventId();
      const seen = new Set<string>();
      const total = 240;
      const writing = Promise.all(
        Array.from({ length: 12 }, async (_, writer) => {
          for (let turn = 0; turn < total / 12; turn += 1) {
            await (writer % 2 === 0 ? store() : replica()).tasks.create(newTask(), undefined, undefined, 0);
          }
        }),
      );
      const progress = { isOver: false };
      void writing.then(() => (progress.isOver = true));
      let after = start;
      for (;;) {
        const wasOver = progress.isOver;
        const events = await replica().tasks.eventsSince(after, 50);
        for (const event of events) seen.add(event.taskId);
        after = events.at(-1)?.id ?? after;
        if (wasOver && events.length === 0) break;
      }
      await writing;
      expect(seen.size).toBe(total);
    });
  });
});
