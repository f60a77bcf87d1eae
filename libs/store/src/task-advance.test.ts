import { expect, it } from 'vitest';
import type { TaskRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { balanceOf, newPayer, newTask, unique } from './test-rows.ts';

const OPEN = ['NOT_START', 'IN_PROGRESS'] as const;
const NONE = { type: 'none' } as const;

describeDatabases('advance', openStore, ({ store, replica }) => {
  const tasks = () => store().tasks;
  const read = async (id: string): Promise<TaskRecord> => (await tasks().get(id))!;
  async function taskWithHold(amount = 100) {
    const payer = await newPayer(store(), { balance: 1000, creditLimit: 0 });
    const task = newTask({ ownerId: payer.ownerId, keyId: payer.keyId, quota: amount });
    await tasks().create(task, { payer, amount, detail: {} }, undefined, 1000);
    return { payer, id: task.id };
  }

  it('applies every field of a patch', async () => {
    const { id } = await taskWithHold();
    const patch = {
      progress: 40,
      payload: { status: 'running', n: [1, null] },
      files: [{ url: 'https://cdn.example/a.mp4', mime: 'video/mp4', expiresAt: 99 }],
      failReason: 'r',
      failCode: 'c',
      startTime: 11,
      finishTime: 12,
      nextCheckAt: 8000,
      checks: 3,
      missing: 2,
      faults: 1,
      accountId: 5,
      accountName: 'e',
      vendor: 'veo',
      upstreamModel: 'u',
    };
    expect(await tasks().advance(id, OPEN, { ...patch, state: 'IN_PROGRESS' }, NONE, 2000)).toBe(true);
    expect(await read(id)).toMatchObject({ ...patch, state: 'IN_PROGRESS', updatedAt: 2000, quota: 100 });
    await tasks().advance(id, OPEN, { payload: null, progress: 0, faults: 0 }, NONE, 3000);
    expect(await read(id)).toMatchObject({ payload: null, progress: 40, faults: 0, checks: 3, nextCheckAt: 8000 });
  });

  it('goes on sooner when the vendor has told of news since it was asked', async () => {
    const { id } = await taskWithHold();
    await tasks().saveTicket(id, { id: 'job' }, 3000, undefined, 1000);
    const claim = { now: 3000, leaseUntil: 60_000, limit: 10_000, perAccount: new Map(), defaultPerAccount: 10_000 };
    const claimed = async (now: number) =>
      (await tasks().claimDue({ ...claim, now })).find((task) => task.id === id)?.vendorWebhookAt;
    const advanced = async (since: number | undefined, now: number): Promise<number | undefined> => {
      const ifTold = { since, nextCheckAt: now + 1000 };
      expect(await tasks().advance(id, OPEN, { nextCheckAt: now + 9000, ifTold }, NONE, now)).toBe(true);
      return (await read(id)).nextCheckAt;
    };
    expect(await claimed(3000)).toBeUndefined();
    expect(await advanced(undefined, 4000)).toBe(13_000);
    expect(await claimed(13_000)).toBeUndefined();
    // By the vendor's clock, which is behind, and at another process.
    expect(await replica().tasks.noteVendorWebhook(id, { at: 50, restMs: 1000 }, 13_100)).toBe(13_000);
    expect(await advanced(undefined, 13_200)).toBe(14_200);
    expect(await claimed(14_200)).toBe(50);
    expect(await advanced(50, 14_300)).toBe(23_300);
    expect(await claimed(23_300)).toBe(50);
    await replica().tasks.noteVendorWebhook(id, { at: 51, restMs: 1000 }, 23_400);
    const ifTold = { since: 50, nextCheckAt: 25_000 };
    // Never later, and nothing of it is left at an end.
    await tasks().advance(id, OPEN, { nextCheckAt: 24_000, ifTold }, NONE, 23_500);
    expect((await read(id)).nextCheckAt).toBe(24_000);
    await tasks().advance(id, OPEN, { state: 'FAILURE', ifTold }, { type: 'release', detail: {} }, 23_600);
    expect(await read(id)).not.toHaveProperty('nextCheckAt');
  });

  it('captures at success: quota, hold, event, finish time', async () => {
    const { id, payer } = await taskWithHold(100);
    const settlement = { type: 'capture', charged: 70, priceVersion: 'v2', detail: { seconds: 5 } } as const;
    expect(await tasks().advance(id, OPEN, { state: 'SUCCESS', progress: 100 }, settlement, 9000)).toBe(true);
    const ended = await read(id);
    expect(ended).toMatchObject({ state: 'SUCCESS', progress: 100, quota: 70, finishTime: 9000 });
    expect(ended).not.toHaveProperty('nextCheckAt');
    expect(await balanceOf(store(), payer)).toBe(930);
    expect(await store().ledger.entries({ taskId: id, kind: 'capture', limit: 9 })).toMatchObject([
      { charged: 70, amount: 30, holdId: ended.holdId, accountId: 1, priceVersion: 'v2', detail: { seconds: 5 } },
    ]);
    expect((await tasks().events(id, 0)).map(({ state, progress }) => [state, progress])).toEqual([
      ['NOT_START', 0],
      ['SUCCESS', 100],
    ]);
  });

  it('releases at failure: quota 0', async () => {
    const { id, payer } = await taskWithHold(100);
    await tasks().advance(
      id,
      OPEN,
      { state: 'FAILURE', failReason: 'no', failCode: 'content_refused', finishTime: 77 },
      { type: 'release', detail: {} },
      9000,
    );
    expect(await read(id)).toMatchObject({
      state: 'FAILURE',
      quota: 0,
      failReason: 'no',
      failCode: 'content_refused',
      finishTime: 77,
    });
    expect(await balanceOf(store(), payer)).toBe(1000);
  });

  it('does nothing unless the task is in one of the states; an end state never changes', async () => {
    const { id } = await taskWithHold();
    expect(await tasks().advance(id, ['IN_PROGRESS'], { progress: 9 }, NONE, 2000)).toBe(false);
    expect(await tasks().advance('task_unknown', OPEN, { progress: 9 }, NONE, 2000)).toBe(false);
    await tasks().advance(id, OPEN, { state: 'FAILURE' }, { type: 'release', detail: {} }, 3000);
    const ended = await read(id);
    const everywhere = ['NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'] as const;
    expect(
      await tasks().advance(
        id,
        everywhere,
        { state: 'SUCCESS', progress: 100 },
        { type: 'capture', charged: 1, priceVersion: 'v', detail: {} },
        4000,
      ),
    ).toBe(false);
    expect(await read(id)).toStrictEqual(ended);
    expect(await tasks().events(id, 0)).toHaveLength(2);
  });

  it('settles once when pollers, a cancel and two replicas race', async () => {
    const { id, payer } = await taskWithHold(100);
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const { tasks: one } = index % 2 === 0 ? store() : replica();
        return index % 3 === 0
          ? one.advance(id, OPEN, { state: 'FAILURE' }, { type: 'release', detail: {} }, 2000)
          : one.advance(
              id,
              OPEN,
              { state: 'SUCCESS', progress: 100 },
              { type: 'capture', charged: 60, priceVersion: 'v', detail: {} },
              2000,
            );
      }),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    const { state, quota } = await read(id);
    expect(quota).toBe(state === 'SUCCESS' ? 60 : 0);
    expect(await balanceOf(store(), payer)).toBe(1000 - quota);
    expect(await tasks().events(id, 0)).toHaveLength(2);
  });

  it('refuses to end while money is held, and leaves all as it was', async () => {
    const { id } = await taskWithHold();
    await expect(tasks().advance(id, OPEN, { state: 'SUCCESS' }, NONE, 2000)).rejects.toMatchObject({
      code: 'internal',
    });
    expect(await read(id)).toMatchObject({ state: 'NOT_START' });
  });

  it('charges a task without a hold directly, within what its owner may owe', async () => {
    const payer = await newPayer(store(), { balance: 50, creditLimit: 0 });
    const task = newTask({ ownerId: payer.ownerId, keyId: payer.keyId });
    await tasks().create(task, undefined, undefined, 0);
    await tasks().advance(
      task.id,
      OPEN,
      { state: 'SUCCESS' },
      { type: 'capture', charged: 70, priceVersion: 'v', detail: {} },
      1,
    );
    expect(await read(task.id)).toMatchObject({ quota: 50 });
    expect(await store().ledger.entries({ taskId: task.id, limit: 9 })).toMatchObject([
      { kind: 'capture', amount: -50, charged: 50, shortfall: 20 },
    ]);
    expect(await balanceOf(store(), payer)).toBe(0);
  });

  it('writes an event when state or progress changed, and none otherwise', async () => {
    const { id } = await taskWithHold();
    await tasks().advance(id, OPEN, { checks: 1 }, NONE, 1);
    await tasks().advance(id, OPEN, { progress: 10 }, NONE, 2);
    await tasks().advance(id, OPEN, { progress: 5, checks: 2 }, NONE, 3);
    await tasks().advance(id, OPEN, { state: 'IN_PROGRESS' }, NONE, 4);
    const events = await tasks().events(id, 0);
    expect(events.map(({ state, progress, at }) => [state, progress, at])).toEqual([
      ['NOT_START', 0, 1000],
      ['NOT_START', 10, 2],
      ['IN_PROGRESS', 10, 4],
    ]);
    expect(await tasks().events(id, events[1]!.id)).toEqual([events[2]]);
  });

  it.each([
    {
      name: 'writes the webhook at an end state',
      callbackUrl: 'https://a.example/hook',
      state: 'FAILURE',
      written: 1,
    },
    { name: 'but not before', callbackUrl: 'https://a.example/hook', state: 'IN_PROGRESS', written: 0 },
    { name: 'nor without an address', callbackUrl: undefined, state: 'FAILURE', written: 0 },
  ] as const)('$name', async ({ callbackUrl, state, written }) => {
    const task = newTask({ keyId: 77, ...(callbackUrl !== undefined && { callbackUrl }) });
    await tasks().create(task, undefined, undefined, 0);
    const webhook = { id: `msg_${unique()}`, body: '{"a":1}' };
    await tasks().advance(task.id, OPEN, { state, webhook }, NONE, 5000);
    const deliveries = await store().webhooks.list({ taskId: task.id, limit: 9 });
    expect(deliveries).toEqual(
      written === 0
        ? []
        : [
            {
              ...webhook,
              taskId: task.id,
              tenant: '1 live',
              keyId: 77,
              url: callbackUrl,
              attempts: 0,
              nextAttemptAt: 5000,
              createdAt: 5000,
            },
          ],
    );
  });
});
