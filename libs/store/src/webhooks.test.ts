import { describe, expect, it } from 'vitest';
import type { WebhookClaim } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newTask, unique } from './test-rows.ts';

describeDatabases('webhooks', openStore, ({ store, replica }) => {
  const webhooks = () => store().webhooks;
  async function deliveryDueAt(
    at: number,
    ownerId = 1,
    mode: 'live' | 'test' = 'live',
  ): Promise<{ readonly id: string; readonly taskId: string }> {
    const task = newTask({ ownerId, mode, callbackUrl: 'https://a.example/hook' });
    const id = `msg_${unique()}`;
    await store().tasks.create(task, undefined, undefined, 0);
    await store().tasks.advance(
      task.id,
      ['NOT_START'],
      { state: 'FAILURE', webhook: { id, body: '{}' } },
      { type: 'none' },
      at,
    );
    return { id, taskId: task.id };
  }
  const roomy = { perTenant: 1000, busy: new Map<string, number>(), reserved: 0 };
  const claimDue = (now: number, leaseUntil: number, limit: number, more: Partial<WebhookClaim> = {}) =>
    webhooks().claimDue({ ...roomy, now, leaseUntil, limit, ...more });
  const read = async (taskId: string) => (await webhooks().list({ taskId, limit: 1 }))[0]!;
  /** Everything due is claimed away, so that the next test sees its own only. */
  const drain = async (now: number): Promise<void> => {
    for (const { id } of await claimDue(now, now + 1, 1000)) await webhooks().saveAttempt(id, { deliveredAt: now });
  };

  it('hands out what is due, soonest first, once until the lease ends', async () => {
    const [second, future, first] = [await deliveryDueAt(900), await deliveryDueAt(1001), await deliveryDueAt(800)];
    const ids = async (now: number, limit = 9): Promise<string[]> =>
      (await claimDue(now, now + 500, limit)).map(({ id }) => id);
    expect(await ids(1000, 1)).toEqual([first.id]);
    expect(await ids(1000)).toEqual([second.id]);
    expect(await ids(1000)).toEqual([]);
    expect(await ids(1499)).toEqual([future.id]);
    expect(await ids(1500)).toEqual([first.id, second.id]);
    await drain(99_000);
  });

  it('counts attempts, keeps the last outcome, and stops when delivered or given up', async () => {
    const { id, taskId } = await deliveryDueAt(0);
    await claimDue(0, 1000, 9);
    await webhooks().saveAttempt(id, { nextAttemptAt: 300, lastStatus: 500, lastError: 'no' });
    expect(await read(taskId)).toMatchObject({ attempts: 1, nextAttemptAt: 300, lastStatus: 500, lastError: 'no' });
    expect(await claimDue(299, 1000, 9)).toEqual([]);
    expect(await claimDue(300, 1000, 9)).toMatchObject([{ id, attempts: 1, body: '{}' }]);
    await webhooks().saveAttempt(id, { deliveredAt: 301, lastStatus: 204 });
    const delivered = await read(taskId);
    expect(delivered).toMatchObject({ attempts: 2, deliveredAt: 301, lastStatus: 204 });
    expect(delivered).not.toHaveProperty('lastError');
    expect(delivered).not.toHaveProperty('nextAttemptAt');
    expect(await claimDue(99_000, 99_001, 9)).toEqual([]);
  });

  it('is replayed from the start, now', async () => {
    const { id } = await deliveryDueAt(0);
    await webhooks().saveAttempt(id, { lastStatus: 410 });
    expect(await claimDue(5000, 6000, 9)).toEqual([]);
    const replayed = await webhooks().replay(id, 7000);
    expect(replayed).toMatchObject({ id, attempts: 0, nextAttemptAt: 7000 });
    expect(await claimDue(7000, 8000, 9)).toMatchObject([{ id }]);
    expect(await webhooks().replay('msg_unknown', 0)).toBeUndefined();
    await drain(99_000);
  });

  it('lists newest first, page after page, pending or not', async () => {
    const [a, b, c] = [await deliveryDueAt(0), await deliveryDueAt(0), await deliveryDueAt(0)];
    await webhooks().saveAttempt(b.id, { deliveredAt: 1 });
    const ids = async (filter: object): Promise<string[]> =>
      (await webhooks().list({ limit: 2, ...filter })).map(({ id }) => id);
    expect(await ids({})).toEqual([c.id, b.id]);
    expect(await ids({ after: b.id, limit: 1 })).toEqual([a.id]);
    expect(await ids({ pending: true })).toEqual([c.id, a.id]);
    expect((await ids({ pending: false }))[0]).toBe(b.id);
    await drain(99_000);
  });

  it('gives each delivery to one of two replicas', async () => {
    const made = [];
    for (let index = 0; index < 40; index += 1) made.push(await deliveryDueAt(0));
    const claimed = await Promise.all(
      Array.from({ length: 8 }, async (_, index) =>
        (index % 2 === 0 ? store() : replica()).webhooks.claimDue({ ...roomy, now: 10, leaseUntil: 20, limit: 10 }),
      ),
    );
    const ids = claimed.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = (await claimDue(10, 20, 100)).map(({ id }) => id);
    expect([...ids, ...rest].toSorted()).toEqual(made.map(({ id }) => id).toSorted());
  });

  describe('among tenants', () => {
    /** `count` deliveries of an owner, all due before anybody else's. */
    const flood = async (ownerId: number, count: number, mode: 'live' | 'test' = 'live'): Promise<void> => {
      for (let index = 0; index < count; index += 1) await deliveryDueAt(0, ownerId, mode);
    };
    const tenantsOf = async (claim: Promise<readonly { readonly tenant: string }[]>): Promise<string[]> =>
      (await claim).map(({ tenant }) => tenant);

    it('takes turns: one of each before the second of any, owner and mode apart', async () => {
      await flood(1, 20);
      await flood(1, 2, 'test');
      await deliveryDueAt(5, 2);
      const first = await tenantsOf(claimDue(10, 20, 6));
      expect(first.slice(0, 3)).toEqual(['1 live', '1 test', '2 live']);
      expect(first.slice(3)).toEqual(['1 live', '1 test', '1 live']);
      await drain(99_000);
    });

    it('no tenant has more than its places, with those it has under way; a full one hides nobody', async () => {
      await flood(1, 20);
      await deliveryDueAt(5, 2);
      expect(await tenantsOf(claimDue(10, 20, 64, { perTenant: 4 }))).toEqual([
        '1 live',
        '2 live',
        ...Array<string>(3).fill('1 live'),
      ]);
      const busy = new Map([['1 live', 4]]);
      expect(await claimDue(10, 20, 64, { perTenant: 4, busy })).toEqual([]);
      await deliveryDueAt(7, 3);
      expect(await tenantsOf(claimDue(10, 20, 1, { perTenant: 4, busy }))).toEqual(['3 live']);
      await drain(99_000);
    });

    it('keeps the reserved places for tenants with nothing under way', async () => {
      for (const owner of [1, 2, 3]) await flood(owner, 5);
      const busy = new Map([
        ['1 live', 1],
        ['2 live', 1],
      ]);
      expect(await tenantsOf(claimDue(10, 20, 3, { perTenant: 9, busy, reserved: 3 }))).toEqual(['3 live']);
      expect(await tenantsOf(claimDue(10, 20, 2, { perTenant: 9, busy, reserved: 1 }))).toEqual(['3 live']);
      await drain(99_000);
    });

    it('what is not due yet, and what is under a lease, keeps no turn', async () => {
      await deliveryDueAt(100, 1);
      await flood(2, 2);
      expect(await tenantsOf(claimDue(10, 50, 9))).toEqual(['2 live', '2 live']);
      expect(await claimDue(10, 50, 9)).toEqual([]);
      expect(await tenantsOf(claimDue(100, 150, 9))).toEqual(['2 live', '1 live', '2 live']);
      await drain(99_000);
    });
  });
});
