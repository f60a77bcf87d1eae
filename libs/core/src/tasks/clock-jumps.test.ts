/** A clock that is set back must not leave tasks and webhooks waiting for a time that was wrong. */
import { describe, expect, it } from 'vitest';
import { HOUR, useTwoAccounts } from './testing/two-accounts.ts';

const bench = useTwoAccounts();
const { open, create, get, inState } = bench;

describe('a clock that was an hour ahead and is set right', () => {
  it('what was due then is asked about within minutes of now', async () => {
    let elapsed = 0;
    const pass = (ms: number): void => {
      elapsed += ms;
      bench.clock.pass(ms);
    };
    bench.harness = open({ settings: { elapsed: () => elapsed } });
    const { task } = await create();
    bench.vendor.poll = { status: 'running' };
    await bench.harness.engine.runDue();
    bench.clock.pass(HOUR);
    await bench.harness.engine.runDue();
    const ahead = await get(task.id);
    expect(ahead.nextCheckAt).toBeGreaterThan(bench.clock.now());
    bench.vendor.poll = { status: 'done' };
    bench.clock.pass(-HOUR);
    pass(1_000);
    await bench.harness.engine.runDue();
    pass(60_000);
    await bench.harness.engine.runDue();
    expect(await inState(task.id, 'SUCCESS')()).toBe(true);
  });

  it('what is written down after the jump with a time of before it is found, too', async () => {
    let elapsed = 0;
    bench.harness = open({ settings: { elapsed: () => elapsed } });
    const { task } = await create();
    await bench.harness.engine.runDue();
    bench.clock.pass(HOUR);
    await bench.harness.engine.runDue();
    bench.clock.pass(-HOUR);
    await bench.harness.engine.runDue();
    await bench.store.tasks.makeDue(bench.clock.now(), bench.clock.now() + HOUR + 5_000);
    for (let round = 0; round < 10; round++) {
      elapsed += 1_000;
      bench.clock.pass(1_000);
      await bench.harness.engine.runDue();
    }
    expect(await inState(task.id, 'SUCCESS')()).toBe(true);
  });

  it('what is due later by a right clock stays so, and time that merely passes changes nothing', async () => {
    let elapsed = 0;
    bench.harness = open({ settings: { elapsed: () => elapsed } });
    const { task } = await create();
    const due = (await get(task.id)).nextCheckAt ?? 0;
    await bench.harness.engine.runDue();
    for (let round = 0; round < 3; round++) {
      elapsed += 40_000;
      // The wall clock is slowed down until the right time has caught up with it.
      bench.clock.pass(1_000);
      await bench.harness.engine.runDue();
    }
    expect((await get(task.id)).nextCheckAt).toBe(due);
  });
});
