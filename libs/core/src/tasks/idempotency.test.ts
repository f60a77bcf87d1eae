import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { KeyRecord, Store } from '../ports.ts';
import {
  account,
  createClock,
  createHarness,
  HOLD,
  makeKey,
  videoRow,
  type Clock,
  type Harness,
  type HarnessOptions,
} from './testing/harness.ts';
import { once, printed } from './testing/printing.ts';
import { openTestStore } from './testing/store.ts';
import { startTestVendor, testAdapter, type TestVendor } from './testing/vendor.ts';
import type { Created } from './types.ts';

let clock: Clock;
let vendor: TestVendor;
let store: Store;
let key: KeyRecord;
let opened: Harness[];
let harness: Harness;

const open = (over: Partial<HarnessOptions> = {}): Harness => {
  const one = account({ id: 1, vendor: 'plain', baseUrl: vendor.url });
  const made = createHarness({
    store,
    clock,
    adapters: [testAdapter('plain', ['reconcile'])],
    accounts: [one],
    models: [videoRow({ code: 'm', videoShape: 'prompt' }, one)],
    ...over,
  });
  opened.push(made);
  return made;
};
beforeEach(async () => {
  clock = createClock();
  vendor = await startTestVendor();
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7, balance: 100_000 });
  opened = [];
  harness = open();
});
afterEach(async () => {
  await vendor.close();
  await Promise.all(opened.map((each) => each.close()));
  await store.close();
});

const create = (by = harness, fingerprint = 'f', more: JsonObject = {}): Promise<Created> =>
  by.engine.createVideo(
    by.caller(key),
    { model: 'm', prompt: 'A kite', ...more },
    {
      endpoint: 'generations',
      idempotency: once('k-1', fingerprint),
    },
  );
/** An engine that is held up before it writes its task, until `goOn`; `held` resolves when it has come there. */
const openHeldUp = (more: Partial<Store> = {}) => {
  const gate = Promise.withResolvers<undefined>();
  const held = Promise.withResolvers<undefined>();
  const engine = open({
    store: {
      ...store,
      ...more,
      tasks: {
        ...store.tasks,
        create: async (...intent) => {
          held.resolve(undefined);
          await gate.promise;
          return store.tasks.create(...intent);
        },
      },
    },
  });
  return { engine, held: held.promise, goOn: () => gate.resolve(undefined) };
};
const post = (asked: { method: string }): boolean => asked.method === 'POST';
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
const printedOf = (created: Created | undefined): string =>
  created?.task === undefined ? 'nothing new' : printed(created.task);
const tasks = () => store.tasks.list({ limit: 100 });

describe('an Idempotency-Key', () => {
  it('gives the same bytes again, for a day, and starts one job', async () => {
    const first = await create(harness, 'f', { seed: 5 });
    const again = await create(harness, 'f', { seed: 5 });
    expect(text(again.replayed?.body)).toBe(printedOf(first));
    expect(again.replayed?.status).toBe(200);
    expect(vendor.jobs.size).toBe(1);
    clock.pass(23 * 3_600_000);
    expect((await create()).replayed).toBeDefined();
    clock.pass(2 * 3_600_000);
    expect((await create()).replayed).toBeUndefined();
    expect(vendor.jobs.size).toBe(2);
  });

  it('with another body is a conflict', async () => {
    await create();
    await expect(create(harness, 'other')).rejects.toMatchObject({
      code: 'conflict',
      details: { param: 'Idempotency-Key' },
    });
  });

  it('of another key of ours is another key', async () => {
    await create();
    const other = await makeKey(store, { ownerId: 7, balance: 0, name: 'other' });
    const created = await harness.engine.createVideo(
      harness.caller(other),
      { model: 'm', prompt: 'A kite' },
      {
        endpoint: 'generations',
        idempotency: once('k-1', 'f'),
      },
    );
    expect(created.replayed).toBeUndefined();
  });

  it.each([
    { name: 'in one process', processes: 1 },
    { name: 'in several processes', processes: 4 },
  ])('used twenty times at once $name starts one job and gives one answer', async ({ processes }) => {
    vendor.script = async (asked) => {
      if (post(asked)) await new Promise((resolve) => setTimeout(resolve, 50));
      return undefined;
    };
    const engines = Array.from({ length: processes }, () => open());
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => create(engines[index % processes])));
    const bodies = all.map((each) => (each.replayed === undefined ? printedOf(each) : text(each.replayed.body)));
    expect(new Set(bodies).size).toBe(1);
    expect(all.filter(({ replayed }) => replayed === undefined)).toHaveLength(1);
    expect(vendor.jobs.size).toBe(1);
    expect((await store.owners.get(7))?.balance).toBe(100_000 - HOLD);
  });

  it('is free again when nothing was paid: refused input, refused media, no account', async () => {
    vendor.script = (asked) => (post(asked) ? { status: 400, json: { error: 'odd' } } : undefined);
    await expect(create()).rejects.toMatchObject({ code: 'invalid_request' });
    vendor.script = (asked) => (post(asked) ? { status: 429 } : undefined);
    await expect(create()).rejects.toMatchObject({ code: 'upstream_rate_limited' });
    vendor.script = () => undefined;
    clock.pass(600_000);
    expect((await create()).task?.ticket).toBeDefined();
  });

  it('is free again when there was no money for the task', async () => {
    const poor = await makeKey(store, { ownerId: 9, balance: HOLD - 1 });
    const ask = (): Promise<Created> =>
      harness.engine.createVideo(
        harness.caller(poor),
        { model: 'm', prompt: 'A kite' },
        { endpoint: 'generations', idempotency: once('k-2', 'f') },
      );
    await expect(ask()).rejects.toMatchObject({ code: 'insufficient_quota' });
    await store.ledger.topUp(9, HOLD, {}, clock.now());
    expect((await ask()).task?.ticket).toBeDefined();
  });

  it('joined by a second request that outlives the refusal of the first: the second one does the work', async () => {
    let answers = 0;
    vendor.script = async (asked) => {
      if (!post(asked)) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 30));
      return answers++ === 0 ? { status: 400, json: { error: 'odd' } } : undefined;
    };
    const [one, two] = await Promise.allSettled([create(), create()]);
    expect([one.status, two.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(vendor.jobs.size).toBe(1);
  });

  it('of a process that died after the ticket is answered from the row', async () => {
    const dying = open({
      store: {
        ...store,
        tasks: {
          ...store.tasks,
          // The ticket is kept, its answer is not: as if a leftover had been reconciled.
          saveTicket: async (id, ticket, next, _answer, now) => {
            await store.tasks.saveTicket(id, ticket, next, undefined, now);
            return new Promise(() => undefined);
          },
        },
      },
    });
    void create(dying).catch(() => undefined);
    while ((await tasks())[0]?.ticket === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    const again = await create();
    expect(JSON.parse(text(again.replayed?.body))).toMatchObject({ id: (await tasks())[0]?.id, status: 'queued' });
    expect(text((await create()).replayed?.body)).toBe(text(again.replayed?.body));
    expect(vendor.jobs.size).toBe(1);
  });

  it('of a process that died before its ticket says so, and starts nothing', async () => {
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create(dying).catch(() => undefined);
    while (vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.pass(3_600_000);
    await harness.engine.runDue();
    await expect(create()).rejects.toMatchObject({ code: 'submission_unknown' });
    expect(vendor.jobs.size).toBe(1);
  });

  it('of a process that died while asking is told so within seconds, and when to repeat', async () => {
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    // It hears nothing more of its claim.
    vi.useFakeTimers({
      toNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'performance', 'Date'],
    });
    void create(dying).catch(() => undefined);
    while (vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    vi.useRealTimers();
    const [task] = await tasks();
    const repetition = create();
    clock.pass(8_000);
    await expect(repetition).rejects.toMatchObject({
      code: 'unavailable',
      details: {
        param: 'Idempotency-Key',
        retryAfterSeconds: Math.min(60, Math.ceil(((task?.nextCheckAt ?? 0) - clock.now()) / 1000)),
      },
    });
    expect(vendor.jobs.size).toBe(1);
  });

  it('of a process that died before the vendor was asked is free again: a repetition starts the one job', async () => {
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, markSubmitted: () => new Promise(() => undefined) } },
    });
    void create(dying).catch(() => undefined);
    while ((await tasks()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.pass(3_600_000);
    await harness.engine.runDue();
    expect(await tasks()).toMatchObject([{ state: 'FAILURE', failCode: 'unavailable' }]);
    const repeated = await Promise.all([create(), create(open()), create()]);
    const made = repeated.filter(({ task }) => task !== undefined);
    expect(made).toHaveLength(1);
    for (const { replayed } of repeated.filter((each) => each.task === undefined))
      expect(text(replayed.body)).toBe(printedOf(made[0]));
    expect(vendor.jobs.size).toBe(1);
    expect((await store.owners.get(7))?.balance).toBe(100_000 - HOLD);
  });

  it('freed and taken by a repetition is not freed again by the one who was too slow', async () => {
    let goOn = (): void => undefined;
    const slow = open({
      store: {
        ...store,
        tasks: {
          ...store.tasks,
          markSubmitted: async (...mark) => {
            await new Promise<void>((resolve) => (goOn = resolve));
            return store.tasks.markSubmitted(...mark);
          },
        },
      },
    });
    const late = create(slow).catch((error: unknown) => error);
    while ((await tasks()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.pass(3_600_000);
    await harness.engine.runDue();
    let answer = (): void => undefined;
    vendor.script = async (asked) => {
      if (post(asked)) await new Promise<void>((resolve) => (answer = resolve));
      return undefined;
    };
    const winning = create();
    while (vendor.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    goOn();
    expect(await late).toMatchObject({ code: 'unavailable' });
    const third = create(open());
    answer();
    vendor.script = () => undefined;
    expect(text((await third).replayed?.body)).toBe(printedOf(await winning));
    expect(vendor.jobs.size).toBe(1);
  });

  it('of a task that ran out of time without its ticket stays an unknown submission', async () => {
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create(dying).catch(() => undefined);
    while (vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The account leaves the configuration, and the deadline passes.
    const without = open({ accounts: [] });
    clock.pass(25 * 3_600_000);
    await without.engine.runDue();
    expect((await tasks())[0]).toMatchObject({ state: 'FAILURE', failCode: 'upstream_timeout', submitted: true });
    clock.pass(-2 * 3_600_000);
    await expect(create()).rejects.toMatchObject({ code: 'submission_unknown' });
    expect(vendor.jobs.size).toBe(1);
  });

  it('of a process that died before its row is taken over after eight seconds, by a repetition that waits already, too', async () => {
    const claim = { keyId: key.id, idempotencyKey: 'k-1', fingerprint: 'f', expiresAt: clock.now() + 86_400_000 };
    await store.idempotency.claim(claim, 60_000, clock.now());
    let looks = 0;
    const read: Store['idempotency']['read'] = (...asked) => {
      looks++;
      return store.idempotency.read(...asked);
    };
    const waiting = open({ store: { ...store, idempotency: { ...store.idempotency, read } } });
    const repetitions = [create(waiting), create(waiting)];
    clock.pass(7_900);
    const seen = looks;
    while (looks < seen + 3) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await tasks()).toEqual([]);
    clock.pass(100);
    const [one, two] = await Promise.all(repetitions);
    expect([one, two].filter((created) => created?.task?.ticket !== undefined)).toHaveLength(1);
    expect(vendor.jobs.size).toBe(1);
  });

  it('stays with a process that lives and takes long to fetch media', async () => {
    vi.useFakeTimers({
      toNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'performance', 'Date'],
    });
    try {
      let renewals = 0;
      const { engine, held, goOn } = openHeldUp({
        idempotency: {
          ...store.idempotency,
          renew: async (...given) => {
            await store.idempotency.renew(...given);
            renewals++;
          },
        },
      });
      const first = create(engine);
      await held;
      for (let seconds = 2; seconds <= 20; seconds += 2) {
        clock.pass(2_000);
        vi.advanceTimersByTime(2_000);
        while (renewals < seconds / 2) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const repetition = create();
      goOn();
      expect(text((await repetition).replayed?.body)).toBe(printedOf(await first));
      expect(vendor.jobs.size).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('names in its answer what the vendor could not take', async () => {
    const one = account({ id: 1, vendor: 'plain', baseUrl: vendor.url });
    const by = open({ models: [videoRow({ code: 'm', videoShape: 'image-urls' }, one)] });
    const first = await create(by, 'f', { seed: 5 });
    expect(first.dropped).toEqual(['seed']);
    expect((await create(by, 'f', { seed: 5 })).replayed?.headers).toMatchObject({ 'x-gateway-dropped': 'seed' });
  });

  it('that went stale and was taken over stays with the one who took it', async () => {
    const { engine, held, goOn } = openHeldUp();
    const late = create(engine).catch((error: unknown) => error);
    await held;
    clock.pass(61_000);
    let answer = (): void => undefined;
    vendor.script = async (asked) => {
      if (post(asked)) await new Promise<void>((resolve) => (answer = resolve));
      return undefined;
    };
    const winning = create();
    while (vendor.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The one who lost the key fails while the winner is still at it.
    goOn();
    expect(await late).toMatchObject({ code: 'conflict' });
    answer();
    const winner = await winning;
    vendor.script = () => undefined;
    expect(text((await create()).replayed?.body)).toBe(printedOf(winner));
    expect(vendor.jobs.size).toBe(1);
    expect((await store.owners.get(7))?.balance).toBe(100_000 - HOLD);
  });
});
