/** Tasks whose account, ticket or process is gone end with their money where it belongs. */
import { describe, expect, it } from 'vitest';
import { account, HOLD, PRICE } from './testing/harness.ts';
import { BALANCE, HOUR, errorOf, post, useTwoAccounts } from './testing/two-accounts.ts';
import { testAdapter } from './testing/vendor.ts';

const bench = useTwoAccounts();
const { open, create, get, inState, balance, tasks } = bench;

describe('W3: a missing account or ticket never loses money', () => {
  it('tasks of an account that was taken out of the configuration stay, and finish when it is back', async () => {
    bench.vendor.poll = { status: 'working' };
    const { task } = await create();
    const without = open({ accounts: [], models: [] });
    bench.clock.pass(HOUR);
    await without.engine.runDue();
    expect(await get(task.id)).toMatchObject({ state: 'NOT_START', faults: 1 });
    expect(await balance()).toBe(BALANCE - HOLD);
    bench.vendor.poll = { status: 'done' };
    await bench.harness.until(inState(task.id, 'SUCCESS'));
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it('if it never comes back, the deadline ends them and gives the money back', async () => {
    const { task } = await create();
    const without = open({ accounts: [], models: [] });
    await without.until(inState(task.id, 'FAILURE'), 5000);
    expect(await balance()).toBe(BALANCE);
    expect(bench.clock.now() - task.createdAt).toBeLessThan(24 * HOUR + 60_000);
  });

  it('a process that died before the vendor was asked leaves a row that ends, and money that returns', async () => {
    const dying = open({
      store: { ...bench.store, tasks: { ...bench.store.tasks, markSubmitted: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while ((await tasks()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await balance()).toBe(BALANCE - HOLD);
    const [task] = await tasks();
    await bench.harness.until(inState(task?.id ?? '', 'FAILURE'));
    expect(await balance()).toBe(BALANCE);
    expect(bench.vendor.asked).toHaveLength(0);
  });

  it('a process that died while asking: the job is looked up by its dedupe key, adopted and charged', async () => {
    bench.accounts = [account({ id: 1, vendor: 'scripted', baseUrl: bench.vendor.url })];
    const dying = open({
      store: { ...bench.store, tasks: { ...bench.store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while (bench.vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const next = open();
    const [task] = await tasks();
    await next.until(inState(task?.id ?? '', 'SUCCESS'));
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it('a process that died while asking a vendor without one: submission unknown, money back, no second job', async () => {
    const dying = open({
      store: { ...bench.store, tasks: { ...bench.store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while (bench.vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const [task] = await tasks();
    await bench.harness.until(inState(task?.id ?? '', 'FAILURE'));
    expect(await get(task?.id ?? '')).toMatchObject({ failCode: 'submission_unknown' });
    expect(await balance()).toBe(BALANCE);
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
  });

  it('a ticket that comes back after its row was taken for a leftover is not acknowledged, and its job is cancelled', async () => {
    bench.accounts = [account({ id: 1, vendor: 'scripted', baseUrl: bench.vendor.url })];
    const adapter = testAdapter('scripted', ['reconcile']);
    const slow = open({ adapters: [adapter], accounts: bench.accounts });
    let answer = (): void => undefined;
    bench.vendor.script = async (asked) => {
      if (post(asked)) await new Promise<void>((resolve) => (answer = resolve));
      return undefined;
    };
    const pending = errorOf(create({}, {}, slow));
    while (bench.vendor.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    bench.clock.pass(HOUR);
    const other = open({ adapters: [adapter], accounts: bench.accounts });
    await other.engine.runDue();
    answer();
    expect((await pending).code).toBe('submission_unknown');
    expect(bench.vendor.jobs.get('job-1')).toMatchObject({ cancelled: true });
    expect(await balance()).toBe(BALANCE);
    expect(await bench.store.ledger.verify()).toEqual([]);
  });

  it('the only process on a database settles leftovers at once when it starts', async () => {
    const dying = open({
      store: { ...bench.store, tasks: { ...bench.store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while (bench.vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    bench.clock.pass(1);
    const next = open({ settings: { soleProcess: true } });
    next.engine.start();
    const [task] = await tasks();
    while (!(await inState(task?.id ?? '', 'FAILURE')())) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await balance()).toBe(BALANCE);
  });
});
