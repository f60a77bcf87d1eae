/** The end of a task: state, money, event and payload change in one step and agree. */
import { describe, expect, it } from 'vitest';
import { HOLD, makeKey, PRICE } from './testing/harness.ts';
import { BALANCE, HOUR, useTwoAccounts } from './testing/two-accounts.ts';

const bench = useTwoAccounts();
const { open, create, get, inState, balance, entriesOf, closings } = bench;

describe('W5: state, money, event and webhook are one step', () => {
  it('if the webhook row cannot be written, nothing has happened; the next poll settles once', async () => {
    const withSecret = await makeKey(bench.store, {
      ownerId: 7,
      balance: 0,
      name: 'hooked',
      webhookSecret: `whsec_${'a'.repeat(32)}`,
    });
    let fixed: string | undefined = 'samesamesamesamesame';
    let serial = 0;
    const by = open({ parts: { randomId: () => fixed ?? `free${++serial}`.padEnd(24, '0') } });
    const start = async (): Promise<string> => {
      const ids = fixed;
      fixed = undefined;
      const created = await by.engine.createVideo(
        by.caller(withSecret),
        { model: 'm', prompt: 'x', callback_url: `${bench.vendor.url}/hook` },
        { endpoint: 'generations' },
      );
      fixed = ids;
      return created.task?.id ?? '';
    };
    const ids = [await start(), await start()];
    bench.clock.pass(HOUR);
    await by.engine.runDue();
    const states = await Promise.all(ids.map(async (id) => (await bench.store.tasks.get(id))?.state));
    // One delivery id for two tasks: the second transaction is rolled back as a whole.
    expect(states.sort()).toEqual(['NOT_START', 'SUCCESS']);
    expect(await balance()).toBe(BALANCE - PRICE - HOLD);
    expect(await closings()).toHaveLength(1);
    fixed = undefined;
    bench.clock.pass(HOUR);
    await by.engine.runDue();
    expect(await balance()).toBe(BALANCE - 2 * PRICE);
    expect(await closings()).toHaveLength(2);
    expect(await bench.store.ledger.verify()).toEqual([]);
  });

  it('pollers and cancels at the same moment settle every task exactly once', async () => {
    bench.accounts = bench.accounts.map((each) => ({ ...each, vendor: 'scripted' }));
    const engines = [open(), open(), open()];
    const ids: string[] = [];
    for (let count = 0; count < 30; count++) ids.push((await create({}, {}, engines[0])).task.id);
    bench.clock.pass(HOUR);
    await Promise.all([
      ...engines.map((each) => each.engine.runDue()),
      ...ids.map((id, index) => {
        const by = engines[index % 3] ?? bench.harness;
        return by.engine.cancel(by.caller(bench.key), id).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'conflict' });
        });
      }),
    ]);
    for (const id of ids) {
      const task = await get(id);
      expect(['SUCCESS', 'FAILURE']).toContain(task.state);
      const closed = (await entriesOf(id)).filter(({ kind }) => kind === 'capture' || kind === 'release');
      expect(closed.map(({ kind }) => kind)).toEqual([task.state === 'SUCCESS' ? 'capture' : 'release']);
    }
    const told = engines.flatMap(({ counted }) =>
      [...counted].filter(([name]) => name.startsWith('gateway_tasks_ended_total')),
    );
    expect(told.reduce((sum, [, count]) => sum + count, 0)).toBe(30);
    expect(await bench.store.ledger.verify()).toEqual([]);
  });
});

describe('W14: an ended row does not contradict itself', () => {
  it('a task that ran out of time has no payload that says running', async () => {
    bench.vendor.poll = { status: 'working' };
    bench.harness = open({ settings: { deadlineHours: 2 } });
    const { task } = await create();
    await bench.harness.until(inState(task.id, 'IN_PROGRESS'));
    await bench.harness.until(inState(task.id, 'FAILURE'), 5000);
    expect(await get(task.id)).toMatchObject({
      state: 'FAILURE',
      failReason: 'the task was not finished within 2 hours',
      payload: null,
      files: [],
      quota: 0,
    });
  });

  it('a cancelled task says so in the payload too, or nothing', async () => {
    bench.accounts = bench.accounts.map((each) => ({ ...each, vendor: 'scripted' }));
    const by = open();
    bench.vendor.poll = { status: 'waiting' };
    const { task } = await create({}, {}, by);
    bench.clock.pass(10_000);
    await by.engine.runDue();
    expect(await get(task.id)).toMatchObject({ payload: { status: 'waiting' } });
    const cancelled = await by.engine.cancel(by.caller(bench.key), task.id);
    expect(cancelled).toMatchObject({
      state: 'FAILURE',
      failReason: 'task cancelled',
      payload: { status: 'cancelled' },
      quota: 0,
    });
    expect(await balance()).toBe(BALANCE);
  });
});
