/** Two processes on one database: whose poll it is, and how soon the polls of a dead one are taken over. In controlled time. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeyRecord, Store, TaskRecord } from '../ports.ts';
import { LEASE_MS } from './leases.ts';
import { account, createClock, createHarness, makeKey, videoRow, type Clock, type Harness } from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';
import { startTestVendor, testAdapter, type TestVendor } from './testing/vendor.ts';

const SECOND = 1000;
let clock: Clock;
let vendor: TestVendor;
let store: Store;
let key: KeyRecord;
/** The clock is one for both; only the timers that renew leases stand still until a test lets them go on. */
let first: Harness;
let second: Harness;

const polls = (): number => vendor.asked.filter(({ method }) => method === 'GET').length;
const task = async (id: string): Promise<TaskRecord> => first.engine.get(first.caller(key), id);
/** Really waits for sockets and database, never for time. */
const until = async (done: () => boolean | Promise<boolean>): Promise<void> => {
  for (let round = 0; !(await done()); round++) {
    if (round === 500) throw new Error('it does not come to pass');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

beforeEach(async () => {
  vi.useFakeTimers({
    toNotFake: [
      'Date',
      'performance',
      'setTimeout',
      'clearTimeout',
      'setImmediate',
      'clearImmediate',
      'nextTick',
      'queueMicrotask',
      'hrtime',
    ],
  });
  clock = createClock();
  vendor = await startTestVendor();
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7 });
  const accounts = [account({ id: 1, vendor: 'plain', baseUrl: vendor.url })];
  const open = (): Harness =>
    createHarness({
      store,
      clock,
      adapters: [testAdapter('plain', [])],
      accounts,
      models: [videoRow({ code: 'm', videoShape: 'prompt', usualSeconds: 60 }, ...accounts)],
    });
  first = open();
  second = open();
});
afterEach(async () => {
  await vendor.close();
  await Promise.all([first.close(), second.close()]);
  await store.close();
  vi.useRealTimers();
});

/** A task whose poll hangs in the hands of the first process. */
async function inHand(): Promise<{ readonly id: string; readonly answer: () => void; readonly done: Promise<number> }> {
  const created = await first.engine.createVideo(
    first.caller(key),
    { model: 'm', prompt: 'A kite' },
    { endpoint: 'generations' },
  );
  const id = created.task?.id ?? '';
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => (answer = resolve));
  vendor.script = async ({ method }) => {
    if (method === 'GET' && polls() === 1) await asked;
    return undefined;
  };
  clock.pass(60 * SECOND);
  const done = first.engine.runDue();
  await until(() => polls() === 1);
  return { id, answer, done };
}

describe('the lease of a poll', () => {
  it('ends with a process that dies: another one asks after fifteen seconds, not minutes', async () => {
    const { id, answer, done } = await inHand();
    // The first process is dead: no timer of it fires.
    clock.pass(LEASE_MS - SECOND);
    expect(await second.engine.runDue()).toBe(0);
    clock.pass(SECOND);
    expect(clock.now()).toBeLessThanOrEqual((await task(id)).createdAt + 60 * SECOND + 15 * SECOND);
    expect(await second.engine.runDue()).toBe(1);
    expect(await task(id)).toMatchObject({ state: 'SUCCESS' });
    const charged = (await task(id)).quota;
    // It was only slow after all: its late answer changes nothing.
    answer();
    await done;
    expect(await task(id)).toMatchObject({ state: 'SUCCESS', quota: charged });
    expect(
      (await store.ledger.entries({ taskId: id, limit: 10 })).filter(({ kind }) => kind === 'capture').length,
    ).toBe(1);
  });

  it('is renewed while the poll runs: a slow vendor is not asked twice', async () => {
    const { id, answer, done } = await inHand();
    for (let seconds = 5; seconds <= 25; seconds += 5) {
      clock.pass(5 * SECOND);
      const due = await store.tasks.nextDue();
      vi.advanceTimersByTime(5 * SECOND);
      await until(async () => (await store.tasks.nextDue()) !== due);
      expect(await second.engine.runDue()).toBe(0);
    }
    expect(polls()).toBe(1);
    answer();
    await done;
    expect(await task(id)).toMatchObject({ state: 'SUCCESS' });
  });

  it('is not renewed once somebody else has it', async () => {
    const { id, answer, done } = await inHand();
    clock.pass(LEASE_MS);
    const [taken] = await store.tasks.claimDue({
      now: clock.now(),
      leaseUntil: clock.now() + 4 * SECOND,
      limit: 1,
      perAccount: new Map(),
      defaultPerAccount: 1,
    });
    expect(taken?.id).toBe(id);
    vi.advanceTimersByTime(5 * SECOND);
    // Its own statement comes after the late renewal's.
    expect(await store.tasks.renewLeases([id], 0, 1)).toEqual([]);
    expect(await store.tasks.nextDue()).toBe(clock.now() + 4 * SECOND);
    answer();
    await done;
  });

  it('a poll that never comes back does not hold its task for ever', async () => {
    const { done, answer } = await inHand();
    for (let seconds = 0; seconds < 60; seconds += 5) {
      clock.pass(5 * SECOND);
      vi.advanceTimersByTime(5 * SECOND);
      await store.tasks.nextDue();
    }
    expect(await second.engine.runDue()).toBe(1);
    answer();
    await done;
  });
});
