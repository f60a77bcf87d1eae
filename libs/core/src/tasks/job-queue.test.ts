/** Tasks beyond `max_jobs`: they wait in rows, fairly, and are submitted when there is room (docs/decisions/0018-a-queue-for-jobs.md). */
import { beforeEach, describe, expect, it } from 'vitest';
import type { KeyRecord, TaskRecord } from '../ports.ts';
import { account, HOLD, makeKey, PRICE, START, type Harness } from './testing/harness.ts';
import { once } from './testing/printing.ts';
import { BALANCE, errorOf, post, useTwoAccounts } from './testing/two-accounts.ts';

const bench = useTwoAccounts();
const MINUTE = 60_000;
const ENDS = ['SUCCESS', 'FAILURE'];

/** One account that takes so many jobs; the vendor works until it is told to finish. */
function limited(maxJobs: number, settings: Parameters<typeof bench.open>[0] = {}): Harness {
  bench.accounts = [account({ id: 1, vendor: 'plain', baseUrl: bench.vendor.url, maxJobs })];
  bench.vendor.poll = { status: 'working' };
  return (bench.harness = bench.open(settings));
}
const posted = (): string[] => bench.vendor.asked.filter(post).map(({ json }) => String(json['prompt']));
const create = async (by: Harness, key: KeyRecord, prompt: string): Promise<TaskRecord> => {
  const body = { model: 'm', prompt };
  const created = await by.engine.createVideo(by.caller(key), body, { endpoint: 'generations' });
  if (created.task === undefined) throw new Error('replayed');
  return created.task;
};
const waitingNow = async (): Promise<number> => (await bench.tasks()).filter(({ waiting }) => waiting === true).length;
/** Jobs that the vendor has and that have not ended, as the rows say. */
const atWork = async (): Promise<number> =>
  (await bench.tasks()).filter(({ state, waiting }) => !ENDS.includes(state) && waiting !== true).length;
/** The job ends, and nobody has looked at the queue yet. */
const fail = ({ id }: TaskRecord): Promise<boolean> =>
  bench.store.tasks.advance(
    id,
    ['NOT_START'],
    { state: 'FAILURE' },
    { type: 'release', detail: {} },
    bench.clock.now(),
  );
/** All that are at work end well, and the next ones are submitted. */
async function finish({ engine }: Harness): Promise<void> {
  bench.vendor.poll = { status: 'done' };
  bench.clock.pass(10 * MINUTE);
  await engine.runDue();
}

describe('a task beyond the room of its account', () => {
  beforeEach(() => void limited(1));

  it('is acknowledged, waits, and is submitted when there is room', async () => {
    const { harness } = bench;
    const first = await create(harness, bench.key, 'one');
    expect(first.ticket).toBeDefined();
    const second = await create(harness, bench.key, 'two');
    expect(second).toMatchObject({ state: 'NOT_START', waiting: true, submitted: false, quota: HOLD });
    expect(second.ticket).toBeUndefined();
    expect(posted()).toEqual(['one']);
    await harness.engine.runDue();
    expect(posted()).toEqual(['one']);

    await harness.until(async () => {
      bench.vendor.poll = { status: 'done' };
      return (await bench.get(first.id)).state === 'SUCCESS';
    });
    await harness.engine.runDue();
    expect(posted()).toEqual(['one', 'two']);
    await harness.until(bench.inState(second.id, 'SUCCESS'));
    expect(await bench.balance()).toBe(BALANCE - 2 * PRICE);
  });

  it('is told its place and when it is expected to begin', async () => {
    const { harness } = bench;
    await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    const third = await create(harness, bench.key, 'three');
    expect((await bench.get(second.id)).place).toEqual({ position: 1, expectedStart: START + MINUTE });
    expect((await bench.get(third.id)).place).toEqual({ position: 2, expectedStart: START + 2 * MINUTE });
    const { tasks } = await harness.engine.list(harness.caller(bench.key), {});
    expect(tasks.map(({ place }) => place?.position)).toEqual([2, 1, undefined]);
    await harness.engine.cancel(harness.caller(bench.key), second.id);
    expect((await bench.get(third.id)).place?.position).toBe(1);
  });

  it('is cancelled for nothing while it waits', async () => {
    const { harness } = bench;
    await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    expect(await bench.balance()).toBe(BALANCE - 2 * HOLD);
    const cancelled = await harness.engine.cancel(harness.caller(bench.key), second.id);
    expect(cancelled).toMatchObject({ state: 'FAILURE', failCode: 'conflict', quota: 0 });
    expect(await bench.balance()).toBe(BALANCE - HOLD);
    await finish(harness);
    await harness.engine.runDue();
    expect(posted()).toEqual(['one']);
    expect((await bench.entriesOf(second.id)).map(({ kind }) => kind).sort()).toEqual(['hold', 'release']);
  });

  it('is cancelled or submitted, never both', async () => {
    const { harness } = bench;
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const first = await create(harness, bench.key, 'one');
      const second = await create(harness, bench.key, `waits ${round}`);
      await fail(first);
      const cancelling = (): Promise<TaskRecord> => harness.engine.cancel(harness.caller(bench.key), second.id);
      const submitting = harness.engine.runDue();
      for (let turn = 0; turn < round; turn++) await Promise.resolve();
      const [cancelled] = await Promise.allSettled([cancelling(), submitting]);
      expect(posted().includes(`waits ${round}`)).toBe(cancelled.status === 'rejected');
      outcomes.add(cancelled.status);
      await finish(harness);
    }
    // Either may win; what must not be is both.
    expect(outcomes.size).toBeGreaterThan(0);
    const open = (await bench.tasks()).filter(({ state }) => !ENDS.includes(state));
    expect(open).toEqual([]);
  });

  it('ends when its time in the queue is over, for nothing', async () => {
    const harness = limited(1, { settings: { queueSeconds: 600 } });
    await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    bench.clock.pass(599_000);
    await harness.engine.runDue();
    expect((await bench.get(second.id)).state).toBe('NOT_START');
    bench.clock.pass(1_000);
    await harness.engine.runDue();
    expect(await bench.get(second.id)).toMatchObject({ state: 'FAILURE', failCode: 'unavailable', quota: 0 });
    expect(await bench.balance()).toBe(BALANCE - HOLD);
  });

  it('has one answer for its Idempotency-Key', async () => {
    const { harness } = bench;
    await create(harness, bench.key, 'one');
    const idempotency = once('k', 'f');
    const second = await bench.create({ prompt: 'two' }, { idempotency });
    expect(second.task.waiting).toBe(true);
    const again = await harness.engine.createVideo(
      harness.caller(bench.key),
      { model: 'm', prompt: 'two' },
      { endpoint: 'generations', idempotency },
    );
    expect(again.replayed?.status).toBe(200);
    expect(await bench.tasks()).toHaveLength(2);
  });

  it('waits again when the vendor refuses for reasons that pass, and fails when it is the input', async () => {
    const { harness } = bench;
    const first = await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    bench.vendor.script = (asked) =>
      post(asked) ? { status: 429, headers: { 'retry-after': '120' }, json: { error: 'slow down' } } : undefined;
    await finish(harness);
    await harness.engine.runDue();
    expect((await bench.get(first.id)).state).toBe('SUCCESS');
    expect(await bench.get(second.id)).toMatchObject({ state: 'NOT_START', waiting: true, submitted: false });
    expect(posted()).toEqual(['one', 'two']);
    await harness.engine.runDue();
    expect(posted()).toEqual(['one', 'two']);

    bench.vendor.script = (asked) => (post(asked) ? { status: 400, json: { error: 'no kites' } } : undefined);
    bench.clock.pass(121_000);
    await harness.engine.runDue();
    expect(await bench.get(second.id)).toMatchObject({ state: 'FAILURE', failCode: 'invalid_request', quota: 0 });
    expect(await bench.balance()).toBe(BALANCE - PRICE);
  });

  it('does not overtake those who wait already', async () => {
    const { harness } = bench;
    const first = await create(harness, bench.key, 'one');
    await create(harness, bench.key, 'two');
    await fail(first);
    expect((await create(harness, bench.key, 'three')).waiting).toBe(true);
    await harness.engine.runDue();
    expect(posted()).toEqual(['one', 'two']);
  });

  it('goes to another account that has room', async () => {
    bench.accounts = [1, 2].map((id) => account({ id, vendor: 'plain', baseUrl: bench.vendor.url, maxJobs: 1 }));
    const harness = (bench.harness = bench.open());
    const places = [];
    for (const prompt of ['one', 'two', 'three']) places.push(await create(harness, bench.key, prompt));
    expect(places.map(({ accountId, waiting = false }) => [accountId, waiting])).toEqual([
      [1, false],
      [2, false],
      [1, true],
    ]);
  });

  it('goes to another account when its own has gone', async () => {
    const { harness } = bench;
    await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    const [own] = bench.accounts;
    if (own === undefined) throw new Error('no account');
    const other = account({ id: 2, vendor: 'plain', baseUrl: bench.vendor.url, maxJobs: 1 });
    bench.accounts = [{ ...own, on: false }, other];
    const reloaded = (bench.harness = bench.open());
    await reloaded.engine.runDue();
    expect((await bench.get(second.id)).accountId).toBe(2);
    expect(posted()).toEqual(['one', 'two']);
  });
});

it('without the setting nothing waits', async () => {
  bench.vendor.poll = { status: 'working' };
  for (let task = 0; task < 5; task++) await bench.create({ prompt: `task ${task}` });
  expect(await waitingNow()).toBe(0);
  expect(posted()).toHaveLength(5);
});

describe('several processes on one database', () => {
  it('never give an account more jobs than it takes, and lose none', async () => {
    const replicas = [limited(3), bench.open(), bench.open()];
    const owners = [bench.key, await makeKey(bench.store, { ownerId: 8 }), await makeKey(bench.store, { ownerId: 9 })];
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const [replica, key] = [replicas[index % 3], owners[Math.floor(index / 3) % 3]];
        if (replica === undefined || key === undefined) throw new Error('none');
        return create(replica, key, `task ${index}`);
      }),
    );
    let most = await atWork();
    // As the vendor sees it, too: a job that comes while others are not known to have ended.
    let mostAtVendor = posted().length;
    bench.vendor.script = async (asked) => {
      if (!post(asked)) return undefined;
      const ended = (await bench.tasks()).filter(({ state }) => ENDS.includes(state)).length;
      mostAtVendor = Math.max(mostAtVendor, posted().length - ended);
      return undefined;
    };
    for (let round = 0; round < 40 && (await atWork()) > 0; round++) {
      bench.vendor.poll = { status: 'done' };
      bench.clock.pass(5 * MINUTE);
      await Promise.all(replicas.map(({ engine }) => engine.runDue()));
      most = Math.max(most, await atWork());
    }
    expect(most).toBe(3);
    expect(mostAtVendor).toBe(3);
    const tasks = await bench.tasks();
    expect(tasks.filter(({ state }) => state === 'SUCCESS')).toHaveLength(made.length);
    expect(new Set(posted()).size).toBe(30);
    expect(posted()).toHaveLength(30);
  });

  it('share an account among owners within 10 % while all have something to submit', async () => {
    const replicas = [limited(4, { parts: {} }), bench.open()];
    const keys = [];
    for (const ownerId of [21, 22, 23]) keys.push(await makeKey(bench.store, { ownerId }));
    // The first owner has come early with ten times as many.
    for (const [at, key] of keys.entries())
      for (let task = 0; task < (at === 0 ? 200 : 20); task++)
        await create(replicas[task % 2] ?? bench.harness, key, `owner ${key.ownerId}`);
    const before = posted().length;
    while (posted().length < before + 48) {
      bench.vendor.poll = { status: 'done' };
      bench.clock.pass(2 * MINUTE);
      await replicas[0]?.engine.runDue();
    }
    const served = Map.groupBy(posted().slice(before, before + 48), (prompt) => prompt);
    for (const { ownerId } of keys)
      expect(Math.abs((served.get(`owner ${ownerId}`)?.length ?? 0) - 16)).toBeLessThanOrEqual(1.6);
  });
});

describe('a process that dies', () => {
  /** Stops for good where it says so. */
  const dying = (at: string): Partial<Parameters<typeof bench.open>[0]> => ({
    parts: {
      step: (label) => {
        if (label === at) throw new Error(`killed at ${label}`);
      },
    },
  });

  it('after it took a task out of the queue: another one puts it back and submits it once', async () => {
    const harness = limited(1);
    const first = await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    await fail(first);
    const [picked] = await bench.store.jobQueue.pick({
      accountId: 1,
      maxJobs: 1,
      limit: 5,
      nextCheckAt: bench.clock.now() + MINUTE,
      now: bench.clock.now(),
      choose: (turn, waiting) => ({ turn, owners: waiting.map(({ ownerId }) => ownerId) }),
    });
    expect(picked?.task.id).toBe(second.id);
    await harness.engine.runDue();
    expect(posted()).toEqual(['one']);
    bench.clock.pass(2 * MINUTE);
    await harness.engine.runDue();
    expect(posted()).toEqual(['one', 'two']);
    expect((await bench.get(second.id)).queueTurn).toBe(2);
    // Whoever had it before and wakes up late asks nobody.
    const late = errorOf(bench.store.tasks.markSubmitted(second.id, { accountId: 1, ifTurn: 1 }, bench.clock.now()));
    expect((await late).code).toBe('unavailable');
  });

  it('after it asked the vendor: the job is not sent again', async () => {
    const harness = limited(1);
    const first = await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    const doomed = bench.open(dying('submit.asked'));
    await fail(first);
    await doomed.engine.runDue();
    bench.clock.pass(30 * MINUTE);
    await harness.engine.runDue();
    expect(posted()).toEqual(['one', 'two']);
    expect((await bench.get(second.id)).failCode).toBe('submission_unknown');
    expect(await bench.balance()).toBe(BALANCE);
  });

  it('while tasks wait: another one on the same rows submits them with all they came with', async () => {
    const harness = limited(1);
    await create(harness, bench.key, 'one');
    const second = await create(harness, bench.key, 'two');
    await harness.engine.stop();
    const next = (bench.harness = bench.open({ settings: { soleProcess: true } }));
    await finish(next);
    await next.engine.runDue();
    expect(posted()).toEqual(['one', 'two']);
    const asked = bench.vendor.asked.filter(post).at(-1);
    expect(asked?.json).toEqual({ prompt: 'two', key: second.id.slice(0, 40) });
  });
});

it('owners in a group of more weight have longer turns', async () => {
  const harness = limited(1);
  const catalogue = { ...harness.parts.catalogue(), groupWeights: { large: 3 } };
  const weighty = bench.open({ parts: { catalogue: () => catalogue } });
  const large = await makeKey(bench.store, { ownerId: 31, group: 'large' });
  const small = await makeKey(bench.store, { ownerId: 32 });
  await create(weighty, bench.key, 'first');
  for (let task = 0; task < 12; task++) {
    await create(weighty, large, 'large');
    await create(weighty, small, 'small');
  }
  while (posted().length < 9) {
    bench.vendor.poll = { status: 'done' };
    bench.clock.pass(2 * MINUTE);
    await weighty.engine.runDue();
  }
  expect(posted().slice(1, 9)).toEqual(['large', 'large', 'large', 'small', 'large', 'large', 'large', 'small']);
});
