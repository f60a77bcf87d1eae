/** Pictures that are drawn in the background: their rows end whatever happens, once, and tell who asked. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { ModelRow } from '../catalogue.ts';
import type { Caller } from '../parts.ts';
import type { KeyRecord, Store, TaskRecord } from '../ports.ts';
import { account, createClock, createHarness, makeKey, videoRow, type Clock, type Harness } from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';
import { testAdapter } from './testing/vendor.ts';
import type { ImageWork } from './types.ts';

const MINUTE = 60_000;
const PICTURE = { files: [{ url: 'https://media.example/a.png', mime: 'image/png' }], answer: { data: [] } };
const vendor = account({ id: 1, vendor: 'scripted', baseUrl: 'http://127.0.0.1:1' });
const row: ModelRow = { ...videoRow({ code: 'painter' }, vendor), kind: 'image' };

let clock: Clock;
let store: Store;
let key: KeyRecord;
let opened: Harness[];
let unfinished: (() => void)[];

const open = (settings = {}, parts: Partial<Harness['parts']> = {}): Harness => {
  const harness = createHarness({
    ...{ store, clock, settings, parts, adapters: [testAdapter('scripted', [])], accounts: [vendor], models: [row] },
  });
  opened.push(harness);
  return harness;
};
const draw = (harness: Harness, work: Partial<ImageWork> = {}): Promise<TaskRecord> =>
  harness.engine.createImage(harness.caller(key), {
    row,
    prompt: 'a fox',
    draw: () => Promise.resolve(PICTURE),
    ...work,
  });
const state = async ({ id }: TaskRecord): Promise<string> => (await store.tasks.get(id))?.state ?? '';

/** A picture that is drawn when it is told to be, and at the end of the test. */
function easel() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = (): void => resolve();
  unfinished.push(finish);
  return { draw: () => promise.then(() => PICTURE), finish };
}

beforeEach(async () => {
  clock = createClock();
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7, webhookSecret: `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}` });
  opened = [];
  unfinished = [];
});
afterEach(async () => {
  for (const finish of unfinished) finish();
  await Promise.all(opened.map((each) => each.close()));
  await store.close();
});

it('is under way until it is there, then has its file, its answer and its webhook', async () => {
  const harness = open();
  const { draw: slowly, finish } = easel();
  const task = await draw(harness, { draw: slowly, callbackUrl: 'https://example.com/hook' });
  expect(await state(task)).toBe('IN_PROGRESS');
  finish();
  await harness.until(async () => (await state(task)) === 'SUCCESS');
  expect(await store.tasks.get(task.id)).toMatchObject({
    files: PICTURE.files,
    payload: PICTURE.answer,
    progress: 100,
  });
  const [delivery] = await store.webhooks.list({ limit: 10 });
  expect(delivery?.body).toContain(PICTURE.files[0]?.url);
});

it('a refusal is a failure with its code; a foreign error says nothing of itself', async () => {
  const harness = open();
  const refusal = new GatewayError('content_refused', 'it was flagged');
  const refused = await draw(harness, { draw: () => Promise.reject(refusal) });
  const broken = await draw(harness, { draw: () => Promise.reject(new Error('secret path')) });
  await harness.until(async () => (await state(refused)) === 'FAILURE' && (await state(broken)) === 'FAILURE');
  expect(await store.tasks.get(refused.id)).toMatchObject({
    failCode: 'content_refused',
    failReason: 'it was flagged',
  });
  expect(await store.tasks.get(broken.id)).toMatchObject({ failCode: 'internal', failReason: 'an internal fault' });
});

it('an answer without a picture is no success', async () => {
  const harness = open();
  const task = await draw(harness, { draw: () => Promise.resolve({ files: [], answer: {} }) });
  await harness.until(async () => (await state(task)) === 'FAILURE');
});

it('a process that dies leaves a failure after half an hour, and no earlier', async () => {
  const task = await draw(open(), { draw: easel().draw });
  const other = open();
  clock.pass(29 * MINUTE);
  await store.tasks.makeDue(0, clock.now());
  await other.engine.runDue();
  expect(await state(task)).toBe('IN_PROGRESS');
  clock.pass(2 * MINUTE);
  await store.tasks.makeDue(0, clock.now());
  await other.engine.runDue();
  expect(await store.tasks.get(task.id)).toMatchObject({ state: 'FAILURE', failCode: 'submission_unknown' });
});

it('the next process ends it at once where it has the database to itself', async () => {
  const task = await draw(open(), { draw: easel().draw });
  clock.pass(1000);
  const next = open({ soleProcess: true });
  await store.tasks.takeOver(clock.now());
  await next.engine.runDue();
  expect(await state(task)).toBe('FAILURE');
});

it('one owner has sixteen under way at most', async () => {
  const harness = open();
  const { draw: slowly, finish } = easel();
  const tasks = await Promise.all(Array.from({ length: 16 }, () => draw(harness, { draw: slowly })));
  await expect(draw(harness)).rejects.toMatchObject({ code: 'rate_limited' });
  finish();
  await harness.until(async () => (await Promise.all(tasks.map(state))).every((each) => each === 'SUCCESS'));
  expect((await draw(harness)).kind).toBe('image');
});

it('a burst of one owner does not pass sixteen, and what could not be written takes no place', async () => {
  const harness = open();
  const { draw: slowly } = easel();
  vi.spyOn(store.tasks, 'create').mockRejectedValueOnce(new Error('the database is away'));
  await expect(draw(harness, { draw: slowly })).rejects.toThrow('away');
  const burst = await Promise.allSettled(Array.from({ length: 20 }, () => draw(harness, { draw: slowly })));
  expect(burst.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
});

it('what was charged is told for the request, also where the picture is lost', async () => {
  const chargedLate = vi.fn();
  const harness = open({}, { chargedLate });
  const costing =
    (units: number, end: () => Promise<typeof PICTURE>): ImageWork['draw'] =>
    (_caller, trace) => {
      trace.charged = units;
      return end();
    };
  await draw(harness, { draw: costing(40, () => Promise.resolve(PICTURE)) });
  await draw(harness, { draw: costing(7, () => Promise.reject(new GatewayError('upstream_timeout', 'lost'))) });
  await draw(harness, { draw: costing(0, () => Promise.reject(new GatewayError('content_refused', 'flagged'))) });
  await harness.until(() => Promise.resolve(chargedLate.mock.calls.length === 2));
  const of = { requestId: expect.any(String) as string, ownerId: 7, mode: key.mode };
  expect(chargedLate.mock.calls).toEqual([[{ ...of, units: 40 }], [{ ...of, units: 7 }]]);
});

it('is not begun for a line of a batch, whose money goes back with its answer', async () => {
  const harness = open();
  const paint = vi.fn(() => Promise.resolve(PICTURE));
  const line = { ...harness.caller(key), spending: {} as NonNullable<Caller['spending']> };
  const made = harness.engine.createImage(line, { row, prompt: 'a fox', draw: paint });
  await expect(made).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'async' } });
  expect(paint).not.toHaveBeenCalled();
});

it('all owners have 128 under way at most', async () => {
  const harness = open();
  const { draw: slowly } = easel();
  const owners = await Promise.all(Array.from({ length: 9 }, (_, index) => makeKey(store, { ownerId: 100 + index })));
  const asked = owners.flatMap((each) => Array.from({ length: 15 }, () => each));
  const tasks = await Promise.allSettled(
    asked.map((each) => harness.engine.createImage(harness.caller(each), { row, prompt: 'a fox', draw: slowly })),
  );
  expect(tasks.filter(({ status }) => status === 'fulfilled')).toHaveLength(128);
  const refused = tasks.find(({ status }) => status === 'rejected');
  expect(refused).toMatchObject({
    reason: { code: 'rate_limited', message: expect.stringContaining('128') as string },
  });
});

it('a model that leads to others is drawn by one of them', async () => {
  const route = {
    ...{ targets: [{ model: 'painter', priority: 1, weight: 1 }], strategy: 'weighted', fallbacks: {} },
  } as unknown as NonNullable<ModelRow['route']>;
  const harness = open();
  const task = await draw(harness, { row: { ...row, code: 'any-painter', offers: [], route } });
  expect(task).toMatchObject({ model: 'any-painter', vendor: 'scripted' });
  const none = { ...row, code: 'nobody', offers: [] };
  await expect(draw(harness, { row: none })).rejects.toMatchObject({ code: 'unavailable' });
});

it('is not cancelled, and not among the videos', async () => {
  const harness = open();
  const { draw: slowly, finish } = easel();
  const task = await draw(harness, { draw: slowly });
  await expect(harness.engine.cancel(harness.caller(key), task.id)).rejects.toMatchObject({ code: 'conflict' });
  expect((await harness.engine.list(harness.caller(key), {})).tasks).toEqual([]);
  finish();
  await harness.until(async () => (await state(task)) === 'SUCCESS');
});
