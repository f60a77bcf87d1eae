import { expect, it } from 'vitest';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newPayer, newTask } from './test-rows.ts';

const open = (url: string) => openStore(url, { leaseClock: 'caller' });

describeDatabases('backlog', open, ({ store, kind }) => {
  it('is what waits: open and overdue tasks, webhooks, leases; and nothing that has ended', async () => {
    expect(await store().backlog(1_000)).toEqual({
      openTasks: [],
      waitingTasks: [],
      dueTasks: { count: 0, oldestAt: undefined },
      webhooks: { count: 0, oldestAt: undefined },
      leases: { count: 0, units: 0, expired: 0 },
    });
    const { tasks, webhooks, ledger } = store();
    const due = await tasks.create(
      newTask({ nextCheckAt: 500, callbackUrl: 'https://a.example' }),
      undefined,
      undefined,
      0,
    );
    await tasks.create(newTask({ nextCheckAt: 2_000, vendor: 'kling' }), undefined, undefined, 0);
    const payer = await newPayer(store(), { balance: 1_000, creditLimit: 0 });
    await ledger.lease(payer, { process: 'p', ttlMs: 100, want: 300, atLeast: 1 }, 1_000);

    expect(await store().backlog(1_000)).toMatchObject({
      openTasks: [
        { vendor: 'ark', state: 'NOT_START', count: 1 },
        { vendor: 'kling', state: 'NOT_START', count: 1 },
      ],
      dueTasks: { count: 1, oldestAt: 500 },
      leases: { count: 1, units: 300, expired: 0 },
    });
    expect((await store().backlog(1_200)).leases.expired).toBe(1);

    await tasks.advance(
      due.id,
      ['NOT_START'],
      { state: 'FAILURE', webhook: { id: 'msg_1', body: '{}' } },
      { type: 'none' },
      1_500,
    );
    expect(await store().backlog(1_700)).toMatchObject({
      openTasks: [{ vendor: 'kling', state: 'NOT_START', count: 1 }],
      dueTasks: { count: 0, oldestAt: undefined },
      webhooks: { count: 1, oldestAt: 1_500 },
    });
    await webhooks.saveAttempt('msg_1', { deliveredAt: 1_800 });
    expect((await store().backlog(1_900)).webhooks).toEqual({ count: 0, oldestAt: undefined });
  });

  it('connections are those of PostgreSQL', () => {
    const state = store().pool();
    if (kind === 'sqlite') expect(state).toBeUndefined();
    else expect(state).toMatchObject({ waiting: 0 });
  });
});
