import { expect, it } from 'vitest';
import type { MaintenanceJobEnd } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

describeDatabases('maintenance jobs', openStore, ({ store, replica }) => {
  const queue = async (parameters = {}, createdAt = 1) =>
    store().maintenanceJobs.add({ kind: 'audit_export', parameters, actor: 'command', createdAt }, 3);
  const claim = (process: string, now = 10) =>
    replica().maintenanceJobs.claim({ process, now, leaseMs: 60_000, most: 2 });
  const end = (state: MaintenanceJobEnd['state'], at = 20): MaintenanceJobEnd => ({ state, at, expiresAt: at + 100 });
  const clear = async (): Promise<void> => {
    for (const { id } of await store().maintenanceJobs.list({ limit: 50 }))
      await store().maintenanceJobs.cancel(id, { now: 1, expiresAt: 2 });
    await store().maintenanceJobs.interruptSilent(end('interrupted', 1), true);
    for (const { id } of await store().maintenanceJobs.expiredFiles(Number.MAX_SAFE_INTEGER))
      await store().maintenanceJobs.forgetFile(id);
    await store().maintenanceJobs.removeExpired(Number.MAX_SAFE_INTEGER);
  };

  it('one of the same kind and parameters at a time, whatever their order; so many wait and no more', async () => {
    const first = await queue({ from: 'a', to: 'b' });
    expect(await queue({ to: 'b', from: 'a' })).toStrictEqual({ job: first!.job, isNew: false });
    expect(first).toMatchObject({ isNew: true, job: { state: 'queued', done: 0, parameters: { from: 'a', to: 'b' } } });
    expect([(await queue({ n: 2 }))?.isNew, (await queue({ n: 3 }))?.isNew]).toEqual([true, true]);
    expect(await queue({ n: 4 })).toBeUndefined();
    expect(await queue({ from: 'a', to: 'b' })).toMatchObject({ isNew: false });
    await clear();
    expect(await store().maintenanceJobs.list({ limit: 5 })).toEqual([]);
  });

  it('the oldest first, and no more than there are slots in all processes, also when they claim at once', async () => {
    const ids: number[] = [];
    for (const n of [1, 2, 3]) ids.push((await queue({ n }))!.job.id);
    const claimed = await Promise.all(['a', 'b', 'c', 'd'].map((process) => claim(process)));
    const begun = claimed.flatMap((job) => (job === undefined ? [] : [job.id]));
    expect(begun.sort((a, b) => a - b)).toEqual(ids.slice(0, 2));
    expect(await claim('e')).toBeUndefined();
    const owner = claimed.findIndex((job) => job?.id === ids[0]);
    const process = ['a', 'b', 'c', 'd'][owner]!;
    const alive = { now: 12, leaseMs: 60_000, done: 3, total: 9 };
    expect(await store().maintenanceJobs.keepAlive(ids[0]!, { process, ...alive })).toBe('go on');
    expect(await store().maintenanceJobs.keepAlive(ids[0]!, { process: 'x', ...alive })).toBe('lost');
    expect(await store().maintenanceJobs.end(ids[0]!, 'x', end('succeeded'))).toBe(false);
    expect(await replica().maintenanceJobs.cancel(ids[0]!, { now: 13, expiresAt: 99 })).toBe(true);
    expect(await store().maintenanceJobs.keepAlive(ids[0]!, { process, ...alive })).toBe('cancel');
    expect(await store().maintenanceJobs.get(ids[0]!)).toMatchObject({ state: 'running', done: 3, total: 9 });
    expect(await store().maintenanceJobs.end(ids[0]!, process, end('cancelled'))).toBe(true);
    expect(await store().maintenanceJobs.end(ids[0]!, process, end('succeeded'))).toBe(false);
    expect(await store().maintenanceJobs.cancel(ids[0]!, { now: 14, expiresAt: 99 })).toBe(false);
    expect((await claim('e'))?.id).toBe(ids[2]);
    await clear();
  });

  it('a job of a process that fell silent is interrupted, and one that is alive is not', async () => {
    const [silent, alive] = [(await queue({ n: 1 }))!.job.id, (await queue({ n: 2 }))!.job.id];
    await store().maintenanceJobs.claim({ process: 'dead', now: 10, leaseMs: -1000, most: 2 });
    await claim('alive');
    const over = { ...end('interrupted', 11), error: { code: 'interrupted', message: 'm' } };
    expect(await store().maintenanceJobs.interruptSilent(over)).toEqual([silent]);
    expect(await store().maintenanceJobs.get(silent)).toMatchObject({ state: 'interrupted', error: over.error });
    expect((await store().maintenanceJobs.get(alive))?.state).toBe('running');
    expect(await store().maintenanceJobs.interruptSilent(over, true)).toEqual([alive]);
    await clear();
  });

  it('a file goes when its time is over, and its row after it', async () => {
    const { id } = (await queue())!.job;
    await claim('a');
    const file = { name: 'audit.csv', mime: 'text/csv', size: 3, location: 'job-1', expiresAt: 50 };
    await store().maintenanceJobs.end(id, 'a', { ...end('succeeded'), result: { rows: 2 }, file });
    expect(await store().maintenanceJobs.get(id)).toMatchObject({ file, result: { rows: 2 }, expiresAt: 120 });
    expect(await store().maintenanceJobs.expiredFiles(49)).toEqual([]);
    await store().maintenanceJobs.removeExpired(500);
    // Whoever dies before the bytes are gone leaves them to the next one.
    for (let times = 0; times < 2; times++)
      expect(await store().maintenanceJobs.expiredFiles(50)).toEqual([{ id, location: 'job-1' }]);
    await store().maintenanceJobs.forgetFile(id);
    expect(await store().maintenanceJobs.expiredFiles(50)).toEqual([]);
    expect((await store().maintenanceJobs.get(id))?.file).toBeUndefined();
    await store().maintenanceJobs.removeExpired(119);
    expect(await store().maintenanceJobs.get(id)).toBeDefined();
    await store().maintenanceJobs.removeExpired(120);
    expect(await store().maintenanceJobs.get(id)).toBeUndefined();
  });
});
