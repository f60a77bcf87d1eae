import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import * as arkVendor from '@model-gateway/provider-ark';
import { startVendorTwin, type TwinFault, type VendorTwin } from '@model-gateway/vendor-twin';
import type { GatewayAccount } from '../catalogue.ts';
import type { KeyRecord, Store, TaskRecord } from '../ports.ts';
import {
  account,
  createClock,
  createHarness,
  HOLD,
  makeKey,
  PRICE,
  START,
  videoRow,
  type Clock,
  type Harness,
  type HarnessOptions,
} from './testing/harness.ts';
import { bitmap, dataUrl } from './testing/media.ts';
import { openTestStore } from './testing/store.ts';
import type { NewlyCreated } from './types.ts';

const ark = await arkVendor.ark.load();

const body = (text = 'A paper boat', more: JsonObject = {}): JsonObject => ({
  model: 'seedance',
  content: [{ type: 'text', text }],
  ...more,
});

let clock: Clock;
let twin: VendorTwin;
let store: Store;
let key: KeyRecord;
let first: GatewayAccount;
let second: GatewayAccount;
let harness: Harness;

const open = (over: Partial<HarnessOptions> = {}): Harness =>
  createHarness({
    store,
    clock,
    adapters: [ark],
    accounts: [first, second],
    models: [videoRow({ code: 'seedance', videoShape: 'content', usualSeconds: 60 }, first, second)],
    ...over,
  });

beforeEach(async () => {
  clock = createClock();
  twin = await startVendorTwin({ clock: clock.now, media: 'tiny', seconds: { video: 60 } });
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7, balance: 100_000 });
  first = account({ id: 1, vendor: 'ark', baseUrl: twin.baseUrl('ark'), credentials: twin.credentials('ark') });
  second = account({ id: 2, vendor: 'ark', baseUrl: twin.baseUrl('ark'), credentials: twin.credentials('ark') });
  harness = open();
});
afterEach(async () => {
  await harness.close();
  await store.close();
  await twin.close();
});

const create = async (request = body()): Promise<NewlyCreated> => {
  const created = await harness.engine.createVideo(harness.caller(key), request, { endpoint: 'generations' });
  if (created.replayed !== undefined) throw new Error('not new');
  return created;
};
const ended = async (id: string): Promise<boolean> => {
  const task = await harness.engine.get(harness.caller(key), id);
  return task.state === 'SUCCESS' || task.state === 'FAILURE';
};

const balance = async (): Promise<number> => (await store.owners.get(7))?.balance ?? 0;
const get = (id: string, by = key): Promise<TaskRecord> => harness.engine.get(harness.caller(by), id);
const polls = (): number => twin.requests.list().filter(({ operation }) => operation === 'poll').length;

describe('a video task', () => {
  it('goes from its creation to its end, and is charged once', async () => {
    const { task } = await create();
    expect(task).toMatchObject({ kind: 'video', model: 'seedance', state: 'NOT_START', createdAt: START });
    expect(task.id).toMatch(/^task_[a-z0-9]+$/);
    expect(await balance()).toBe(100_000 - HOLD);

    await harness.until(async () => (await get(task.id)).state === 'IN_PROGRESS');
    const seen = await get(task.id);
    expect(seen).toMatchObject({ progress: 50, quota: HOLD });
    expect(seen.finishTime).toBeUndefined();
    expect(harness.engine.resultUrl(seen)).toBe('');
    await harness.until(() => ended(task.id));
    const record = await get(task.id);
    expect(record).toMatchObject({
      number: task.number,
      vendor: 'ark',
      ownerId: 7,
      group: 'default',
      accountId: 1,
      upstreamModel: 'vendor-seedance',
      quota: PRICE,
      state: 'SUCCESS',
      progress: 100,
      failReason: '',
      createdAt: START,
      submitTime: START,
      input: { prompt: 'A paper boat', family: 'content' },
      payload: { status: 'succeeded', execution_expires_after: 172_800 },
    });
    const payload = record.payload as { content: { video_url: string } };
    expect(harness.engine.resultUrl(record)).toBe(payload.content.video_url);
    const { startTime = 0, finishTime = 0 } = record;
    expect(finishTime - START).toBeGreaterThanOrEqual(60_000);
    expect(finishTime - START).toBeLessThan(66_000);
    expect(startTime).toBeGreaterThan(START);
    expect(startTime).toBeLessThan(finishTime);
    expect(await balance()).toBe(100_000 - PRICE);
    expect(await store.ledger.verify()).toEqual([]);
    expect(twin.ledger.jobs('ark')).toHaveLength(1);
  });

  it.each<{ name: string; prompt: string; reason: RegExp }>([
    { name: 'moderation after acceptance', prompt: '[[twin:moderation]]', reason: /Sensitive/ },
    { name: 'a failure', prompt: '[[twin:fail]]', reason: /./ },
  ])('$name ends in FAILURE with the money back', async ({ prompt, reason }) => {
    const { task } = await create(body(prompt));
    await harness.until(() => ended(task.id));
    const failed = await get(task.id);
    expect(failed).toMatchObject({ state: 'FAILURE', progress: 100, quota: 0, payload: { status: 'failed' } });
    expect(failed.failReason).toMatch(reason);
    expect(await balance()).toBe(100_000);
  });

  it('a vendor that never finishes is ended by the deadline', async () => {
    await harness.close();
    harness = open({ settings: { deadlineHours: 2 } });
    const { task } = await create(body('[[twin:never]]'));
    await harness.until(() => ended(task.id), 3000);
    expect(await get(task.id)).toMatchObject({ state: 'FAILURE', failCode: 'upstream_timeout', payload: null });
  });

  it('429 on the first account: the second one makes it', async () => {
    twin.faults.next('ark', 'create', { kind: 'status', status: 429, headers: { 'retry-after': '3' } });
    const { task, attempts } = await create();
    expect({ attempts, account: task.accountId }).toEqual({ attempts: 2, account: 2 });
    expect(twin.ledger.jobs('ark')).toHaveLength(1);
  });

  it.each<{ name: string; fault: TwinFault }>([
    { name: '429', fault: { kind: 'status', status: 429, headers: { 'retry-after': '3' } } },
    { name: '500', fault: { kind: 'status', status: 500 } },
    { name: 'torn JSON', fault: { kind: 'torn-json' } },
    { name: 'noise', fault: { kind: 'malformed' } },
    { name: 'a cut connection', fault: { kind: 'reset' } },
    { name: 'an unknown word', fault: { kind: 'unknown-status', word: 'dreaming' } },
  ])('$name on polls is lived through', async ({ fault }) => {
    const { task } = await create();
    twin.faults.next('ark', 'poll', fault, 3);
    await harness.until(() => ended(task.id));
    expect((await get(task.id)).state).toBe('SUCCESS');
    expect(await balance()).toBe(100_000 - PRICE);
    expect(twin.faults.pending('ark')).toBe(0);
  });

  it('a model without a price is held and charged at zero', async () => {
    const free = open({
      parts: {
        money: {
          ...harness.parts.money,
          quote: () => ({ amount: 0, detail: {} }),
          settle: () => ({ charged: 0, priceVersion: 'test', detail: {}, usage: {}, isBelieved: true }),
        },
      },
    });
    const poor = await makeKey(store, { ownerId: 9, balance: 0 });
    const { task } = await free.engine.createVideo(free.caller(poor), body(), { endpoint: 'generations' });
    await free.until(async () => (await store.tasks.get(task?.id ?? ''))?.state === 'SUCCESS');
    expect(await store.ledger.verify()).toEqual([]);
    await free.close();
  });

  it('asks less often than every five seconds', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 16; count++) ids.push((await create()).task.id);
    for (const id of ids) await harness.until(() => ended(id));
    expect(polls()).toBeLessThan((16 * 60) / 5);
  });
});

describe('what is refused leaves nothing behind', () => {
  const nothing = async (): Promise<void> => {
    expect(await store.tasks.list({ limit: 10 })).toEqual([]);
    expect(await balance()).toBe(100_000);
    expect(twin.ledger.jobs()).toEqual([]);
  };

  it.each<{ name: string; request: JsonObject; code: string; param: string }>([
    { name: 'no model', request: { content: [] }, code: 'invalid_request', param: 'model' },
    { name: 'an unknown model', request: body('x', { model: 'nobody' }), code: 'model_not_found', param: 'model' },
    { name: 'a wrong type', request: body('x', { duration: '5' }), code: 'invalid_request', param: 'duration' },
    {
      name: 'a picture outside the limits',
      request: { model: 'seedance', content: [{ type: 'image_url', image_url: { url: dataUrl(bitmap(100, 100)) } }] },
      code: 'invalid_request',
      param: 'content[0].image_url.url',
    },
  ])('$name', async ({ request, code, param }) => {
    await expect(create(request)).rejects.toMatchObject({ code, details: { param } });
    await nothing();
  });

  it('no money', async () => {
    const poor = await makeKey(store, { ownerId: 9, balance: HOLD - 1 });
    await expect(
      harness.engine.createVideo(harness.caller(poor), body(), { endpoint: 'generations' }),
    ).rejects.toMatchObject({ code: 'insufficient_quota' });
    await nothing();
  });

  it('a vendor that refuses the input: the caller hears why, the money is back', async () => {
    const error: unknown = await create(body('x', { resolution: '9000p' })).catch((reason: unknown) => reason);
    if (error instanceof GatewayError) expect(error.status()).toBe(400);
    expect(await balance()).toBe(error instanceof GatewayError ? 100_000 : 100_000 - HOLD);
  });
});

describe('whose a task is', () => {
  it('all keys of its owner see it, nobody else does', async () => {
    const { task } = await create();
    const sibling = await makeKey(store, { ownerId: 7, balance: 0, name: 'sibling' });
    const foreigner = await makeKey(store, { ownerId: 8 });
    expect((await get(task.id, sibling)).id).toBe(task.id);
    const caller = harness.caller(foreigner);
    for (const work of [
      () => harness.engine.get(caller, task.id),
      () => harness.engine.cancel(caller, task.id),
      () => harness.engine.remove(caller, task.id),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: 'task_not_exist' });
    }
    expect((await harness.engine.list(caller, {})).tasks).toEqual([]);
    await expect(get('task_unknown')).rejects.toMatchObject({ code: 'task_not_exist' });
  });

  it('lists pages, newest first, by state and model', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.unshift((await create()).task.id);
      clock.pass(1000);
    }
    const caller = harness.caller(key);
    const first = await harness.engine.list(caller, { limit: 2 });
    expect(first.tasks.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.hasMore).toBe(true);
    const rest = await harness.engine.list(caller, { limit: 10, after: ids[1] ?? '' });
    expect(rest.tasks.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(rest.hasMore).toBe(false);
    const oldest = await harness.engine.list(caller, { order: 'oldest', limit: 1 });
    expect(oldest.tasks[0]?.id).toBe(ids[4]);
    expect((await harness.engine.list(caller, { status: 'SUCCESS' })).tasks).toEqual([]);
    expect((await harness.engine.list(caller, { model: 'other' })).tasks).toEqual([]);
    expect((await harness.engine.list(caller, { limit: 100_000 })).tasks).toHaveLength(5);
  });

  it('an ended task can be removed, an open one not', async () => {
    const { task } = await create();
    const caller = harness.caller(key);
    await expect(harness.engine.remove(caller, task.id)).rejects.toMatchObject({ code: 'conflict' });
    await harness.until(() => ended(task.id));
    await harness.engine.remove(caller, task.id);
    await expect(get(task.id)).rejects.toMatchObject({ code: 'task_not_exist' });
    expect((await harness.engine.list(caller, {})).tasks).toEqual([]);
    expect(await store.ledger.verify()).toEqual([]);
  });

  it("a test key's task goes to the twin's account, and a live key's does not", async () => {
    const pretend = { ...first, id: 3, twin: true };
    const rows = [videoRow({ code: 'seedance', videoShape: 'content' }, first, pretend)];
    const both = open({ accounts: [first, pretend], models: rows });
    const test = await makeKey(store, { ownerId: 7, balance: 0, name: 'test', mode: 'test' });
    const one = await both.engine.createVideo(both.caller(test), body(), { endpoint: 'generations' });
    const two = await both.engine.createVideo(both.caller(key), body(), { endpoint: 'generations' });
    expect([one.task?.accountId, two.task?.accountId]).toEqual([3, 1]);
    expect(one.task?.mode).toBe('test');
    await both.close();
  });
});

describe('cancelling', () => {
  it('a job that still waits is stopped, and its money is back', async () => {
    const { task } = await create();
    const cancelled = await harness.engine.cancel(harness.caller(key), task.id);
    expect(cancelled).toMatchObject({
      state: 'FAILURE',
      failReason: 'task cancelled',
      quota: 0,
      payload: { status: 'cancelled' },
    });
    expect(await balance()).toBe(100_000);
    expect(twin.ledger.jobs('ark')[0]?.state).not.toBe('succeeded');
  });

  it.each([
    { name: 'it runs', wait: 20_000 },
    { name: 'it has ended', wait: 120_000 },
  ])('is too late when $name', async ({ wait }) => {
    const { task } = await create();
    clock.pass(wait);
    await harness.engine.runDue();
    await expect(harness.engine.cancel(harness.caller(key), task.id)).rejects.toMatchObject({ code: 'conflict' });
    await harness.until(() => ended(task.id));
    expect((await get(task.id)).state).toBe('SUCCESS');
    expect(await balance()).toBe(100_000 - PRICE);
  });
});

describe('family F and the OpenAI view', () => {
  it('has its own identifier, and keeps what its views show', async () => {
    const rows = [
      videoRow({ code: 'film', videoShape: 'seconds', limits: { durations: { min: 4, max: 12, default: 4 } } }, first),
    ];
    const films = open({ models: rows });
    const make = (more: JsonObject) =>
      films.engine.createVideo(films.caller(key), { model: 'film', prompt: 'A kite', ...more }, { endpoint: 'videos' });
    const { task } = await make({ seconds: '8', size: '1280x720' });
    expect(task?.id).toMatch(/^video_/);
    expect(task?.input).toMatchObject({ family: 'seconds', prompt: 'A kite', duration: 8, size: '1280x720' });
    const { task: unsized } = await make({});
    expect(unsized?.input).toMatchObject({ family: 'seconds', default_duration: 4 });
    expect(unsized?.input).not.toHaveProperty('size');
    await films.until(() => ended(task?.id ?? ''));
    const done = await get(task?.id ?? '');
    expect(done.files[0]?.expiresAt).toEqual(expect.any(Number));
    expect(films.engine.resultUrl(done)).toMatch(/^http/);
    await films.close();
  });

  it('another family through /v1/videos stays what it is', async () => {
    const request = { model: 'seedance', prompt: 'A kite', seconds: '5', size: '1280x720' };
    const { task } = await harness.engine.createVideo(harness.caller(key), request, { endpoint: 'videos' });
    expect(task).toMatchObject({ id: expect.stringMatching(/^task_/), input: { family: 'content' } });
    expect(twin.ledger.jobs('ark')[0]).toMatchObject({ prompt: 'A kite' });
  });
});

describe('waiting and following', () => {
  /** Sweeps until the task has ended. */
  const finish = (id: string) => harness.until(async () => (await store.tasks.get(id))?.state === 'SUCCESS');

  it('a waiter hears of the end at once, and sees the task as it is after its time', async () => {
    const { task } = await create();
    expect(await harness.engine.waitForEnd(harness.caller(key), task.id, 30)).toMatchObject({ state: 'NOT_START' });
    const waiting = harness.engine.waitForEnd(harness.caller(key), task.id, 10_000);
    await finish(task.id);
    const asked = performance.now();
    expect(await waiting).toMatchObject({ id: task.id, state: 'SUCCESS' });
    expect(await harness.engine.waitForEnd(harness.caller(key), task.id, 10_000)).toMatchObject({ state: 'SUCCESS' });
    expect(performance.now() - asked).toBeLessThan(8_000);
  });

  it("hears of another process's changes too", async () => {
    const { task } = await create();
    const other = open();
    const waiting = other.engine.waitForEnd(other.caller(key), task.id, 10_000);
    await finish(task.id);
    const asked = performance.now();
    expect(await waiting).toMatchObject({ state: 'SUCCESS' });
    expect(performance.now() - asked).toBeLessThan(8_000);
    await other.close();
  });

  it('stops waiting when the caller has gone', async () => {
    const { task } = await create();
    const hangUp = new AbortController();
    const waiting = harness.engine.waitForEnd(harness.caller(key, hangUp.signal), task.id, 10_000);
    hangUp.abort();
    expect(await waiting).toMatchObject({ state: 'NOT_START' });
  });

  it('follows a task from its present state to its end, and resumes where it was cut', async () => {
    const { task } = await create();
    const seen: { id: number; state: string }[] = [];
    const following = (async () => {
      for await (const change of harness.engine.follow(harness.caller(key), task.id)) {
        seen.push({ id: change.eventId, state: change.task.state });
      }
    })();
    for (const [index, wait] of [0, 20_000, 60_000].entries()) {
      clock.pass(wait);
      await harness.engine.runDue();
      while (seen.length <= index) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await following;
    expect(seen.map(({ state }) => state)).toEqual(['NOT_START', 'IN_PROGRESS', 'SUCCESS']);
    const resumed: string[] = [];
    for await (const { task: now } of harness.engine.follow(harness.caller(key), task.id, seen[1]?.id))
      resumed.push(now.state);
    expect(resumed).toEqual(['SUCCESS']);
    for await (const change of harness.engine.follow(harness.caller(key), task.id, seen[2]?.id)) {
      throw new Error(`unexpected ${change.task.state}`);
    }
  });
});

describe('the running engine', () => {
  it('finishes tasks by itself, woken by new ones', async () => {
    const quick = await startVendorTwin({ media: 'tiny', seconds: { video: 0.3 } });
    const wall = createClock();
    const one = { ...first, baseUrl: quick.baseUrl('ark') };
    const running = open({
      clock: { ...wall, now: () => Math.floor(performance.timeOrigin + performance.now()) },
      accounts: [one],
      models: [videoRow({ code: 'seedance', videoShape: 'content' }, one)],
      settings: { pollSeconds: 0.5 },
    });
    running.engine.start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { task } = await running.engine.createVideo(running.caller(key), body(), { endpoint: 'generations' });
    const begun = performance.now();
    while (!(await ended(task?.id ?? ''))) {
      expect(performance.now() - begun).toBeLessThan(90_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await running.close();
    await quick.close();
  });
});
