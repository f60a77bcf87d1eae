import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DroppedCount, PromptReading, RequestLogStore, RequestRow, RequestTotal, TotalOf } from '../ports.ts';
import { readOverview } from './overview.ts';
import { binOf, percentileOf } from './percentiles.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';

/** The database is the edge here: what it does on SQLite and PostgreSQL its own tests say. */
function memoryStore() {
  const rows: RequestRow[] = [];
  const totals: (TotalOf & RequestTotal)[] = [];
  const dropped: DroppedCount[] = [];
  const state = { isAway: false, writes: 0, swept: [] as number[] };
  const store: RequestLogStore = {
    add: async (added) => {
      state.writes++;
      if (state.isAway) throw new Error('away');
      rows.push(...added);
    },
    get: async ({ id }) => rows.find((row) => row.id === id),
    charge: async ({ id }, units) => {
      if (state.isAway) throw new Error('away');
      const at = rows.findIndex((row) => row.id === id);
      const known = rows[at];
      if (known !== undefined) rows[at] = { ...known, charged: known.charged + units };
      return known !== undefined;
    },
    list: async () => ({ rows }),
    addTotals: async (added) => {
      if (state.isAway) throw new Error('away');
      totals.push(...added);
    },
    totals: async (of, from, to) =>
      totals.filter(
        (each) =>
          each.ownerId === of.ownerId &&
          each.mode === of.mode &&
          each.size === of.size &&
          each.start >= from &&
          each.start < to,
      ),
    sweep: async (before, limit) => {
      state.swept.push(before);
      return state.swept.length < 4 ? limit : 0;
    },
    sweepTotals: async () => undefined,
    addContents: async () => undefined,
    content: async () => undefined,
    sweepContents: async () => 0,
    addDropped: async (added) => {
      if (state.isAway) throw new Error('away');
      dropped.push(...added);
    },
    dropped: async () => [],
    sweepDays: async () => undefined,
    addCacheTurns: async () => undefined,
    cacheTurn: async () => undefined,
    cacheTurns: async () => [],
    cacheDays: async () => [],
    sweepCacheTurns: async () => 0,
  };
  return { store, rows, totals, dropped, state };
}

const row = (id: string, given: Partial<RequestRow> = {}): RequestRow => ({
  ...{ id, at: 61_000, ownerId: 3, mode: 'live', keyId: 1, operation: 'createChatCompletion', status: 200 },
  ...{ aborted: false, streamed: true, ms: 100, firstByteMs: 50, attempts: 1, charged: 5, outputTokens: 2 },
  ...given,
});

let memory: ReturnType<typeof memoryStore>;
let requests: RequestLog;
const counted: string[] = [];
const warned: string[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toNotFake: ['setImmediate'] });
  memory = memoryStore();
  counted.length = 0;
  warned.length = 0;
  requests = createRequestLog({
    store: memory.store,
    now: () => 1_000_000,
    log: { warn: (_: unknown, text: string) => warned.push(text) } as never,
    meter: { count: (name) => counted.push(name), observe: () => undefined, series: () => () => undefined },
    keepMs: 400_000,
    promptSecret: 'secret',
    timeOf: (id) => (id.startsWith('req_') ? 61_000 : undefined),
    most: 3_000,
  });
});
afterEach(async () => {
  memory.state.isAway = false;
  await requests.close();
  vi.useRealTimers();
});

/** As many turns of the event loop as a write of everything takes. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const idsTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `req_${index}`);

it('rows are written together, once a second, and what is left at the end', async () => {
  for (let index = 0; index < 249; index++) requests.add(row(`req_${index}`));
  await turns();
  await vi.advanceTimersByTimeAsync(999);
  expect(memory.rows).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(memory.rows.map(({ id }) => id)).toEqual(idsTo(249));
  expect(memory.state.writes).toBe(1);
  requests.add(row('last'));
  await requests.close();
  expect(memory.rows.at(-1)?.id).toBe('last');
});

it('250 rows are written at once, each in turn, and those beside them with the next second', async () => {
  const sizes: number[] = [];
  const { add } = memory.store;
  memory.store.add = (added) => {
    sizes.push(added.length);
    return add(added);
  };
  for (let index = 0; index < 2_600; index++) requests.add(row(`req_${index}`));
  expect(memory.rows).toHaveLength(0);
  await turns();
  expect(sizes).toEqual(Array<number>(10).fill(250));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sizes.slice(10)).toEqual([100]);
  expect(memory.rows.map(({ id }) => id)).toEqual(idsTo(2_600));
});

it('behind 500 rows that wait for the database, rows wait without their prompts', async () => {
  memory.state.isAway = true;
  const prompt = { chain: { blocks: [], markedBlock: -1, isLong: false } } as unknown as RequestRow['prompt'];
  for (let index = 0; index < 600; index++) requests.add(row(`req_${index}`, { prompt }));
  await turns();
  memory.state.isAway = false;
  await requests.flush();
  expect(memory.rows.map(({ id }) => id)).toEqual(idsTo(600));
  expect(memory.rows.map((each) => each.prompt !== undefined)).toEqual([
    ...Array<boolean>(500).fill(true),
    ...Array<boolean>(100).fill(false),
  ]);
});

it('a row waits for what is left to read of its prompt, and a close for both; beyond 16 rows go without', async () => {
  const prompt = { inputTokens: 5 } as unknown as NonNullable<RequestRow['prompt']>;
  function* reading(): PromptReading {
    yield;
    yield;
    return prompt;
  }
  for (let index = 0; index < 17; index++) requests.add(row(`req_${index}`), reading());
  await requests.close();
  const without = memory.rows.filter((each) => each.prompt === undefined).map(({ id }) => id);
  expect([memory.rows.length, without]).toEqual([17, ['req_16']]);
});

it('rows that come while others are written wait until they are many again', async () => {
  const sizes: number[] = [];
  const { add } = memory.store;
  memory.store.add = async (added) => {
    sizes.push(added.length);
    await add(added);
    for (let index = 0; index < 10; index++) requests.add(row(`late_${sizes.length}_${index}`));
  };
  for (let index = 0; index < 500; index++) requests.add(row(`req_${index}`));
  await turns();
  expect(sizes).toEqual([250, 250]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sizes).toEqual([250, 250, 20]);
});

it('a database that is away is asked once a second, however many rows come', async () => {
  memory.state.isAway = true;
  for (let index = 0; index < 300; index++) requests.add(row(`req_${index}`));
  await turns();
  expect(memory.state.writes).toBe(1);
  for (let index = 300; index < 1_000; index++) requests.add(row(`req_${index}`));
  await turns();
  expect(memory.state.writes).toBe(1);
  memory.state.isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await turns();
  expect(memory.rows.map(({ id }) => id)).toEqual(idsTo(1_000));
});

it('a database that is away loses nothing that there was room for, and is told of once', async () => {
  memory.state.isAway = true;
  for (let index = 0; index < 3_010; index++) requests.add(row(`req_${index}`));
  expect(counted).toEqual(Array<string>(10).fill('gateway_request_log_dropped_total'));
  await requests.flush();
  await requests.flush();
  expect(warned).toEqual(['the log of requests cannot be written']);
  memory.state.isAway = false;
  await requests.flush();
  expect(memory.rows).toHaveLength(3_000);
  const [total] = memory.totals.filter(({ ownerId, size }) => ownerId === 3 && size === 'hour');
  expect(total).toMatchObject({ start: 0, requests: 3_000, charged: 15_000, ms: new Map([[binOf(100), 3_000]]) });
});

it('sums are written every five seconds, and every ten where there are many requests', async () => {
  requests.add(row('one'));
  await vi.advanceTimersByTimeAsync(4_000);
  expect(memory.totals).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(memory.totals).toHaveLength(4);
  for (let second = 1; second <= 9; second++) {
    for (let index = 0; index < 300; index++) requests.add(row(`req_${second}_${index}`));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  // The first five seconds had too many already.
  expect(memory.totals).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(memory.totals.slice(4)).toHaveLength(4);
  expect(memory.totals[4]).toMatchObject({ requests: 9 * 300 });
});

it('sums that could not be written are written later, once', async () => {
  requests.add(row('one', { status: 500 }));
  const { addTotals } = memory.store;
  memory.store.addTotals = () => Promise.reject(new Error('away'));
  await requests.flush();
  memory.store.addTotals = addTotals;
  requests.add(row('two', { inputTokens: 7 }));
  await requests.flush();
  const mine = memory.totals.filter(({ ownerId, size }) => ownerId === 0 && size === 'minute');
  expect(mine).toEqual([
    expect.objectContaining({ start: 60_000, requests: 2, errors: 1, inputTokens: 7, outputTokens: 4, charged: 10 }),
  ]);
});

it('what is out of date goes in steps until there is none', async () => {
  await requests.sweep();
  expect(memory.state.swept).toEqual([600_000, 600_000, 600_000, 600_000]);
});

it('percentiles are right within 10 %', () => {
  for (const ms of [2, 3, 17, 99, 480, 12_345, 3_600_000])
    expect(Math.abs((percentileOf(new Map([[binOf(ms), 4]]), 0.5) ?? 0) / ms - 1)).toBeLessThan(ms < 10 ? 0.34 : 0.1);
  const bins = new Map([[binOf(1000), 1], [binOf(10), 99]]); // prettier-ignore
  expect(percentileOf(bins, 0.99)).toBeLessThan(12);
  expect(percentileOf(bins, 0.995)).toBeGreaterThan(900);
  expect(percentileOf(new Map(), 0.5)).toBeUndefined();
  expect([binOf(0), binOf(1), binOf(2), binOf(4)]).toEqual([0, 0, 4, 8]);
});

it('an overview has every step of its time, empty ones too, and the time before beside it', async () => {
  requests.add(row('before', { at: 59_000 }));
  requests.add(row('in', { at: 61_000 }));
  requests.add(row('late', { at: 200_000, status: 429, streamed: false }));
  requests.add(row('other', { ownerId: 4 }));
  requests.add(row('test', { mode: 'test' }));
  await requests.flush();
  const question = { ownerId: 3, mode: 'live', from: 65_000, to: 240_000, stepMs: 60_000 } as const;
  const overview = await readOverview(memory.store, question);
  expect(overview.steps.map(({ start, requests: n, errors }) => [start, n, errors])).toEqual([
    [60_000, 1, 0],
    [120_000, 0, 0],
    [180_000, 1, 1],
  ]);
  expect(overview.total).toMatchObject({ requests: 2, firstByteMs: new Map([[binOf(50), 1]]) });
  expect(await overview.previous()).toMatchObject({ requests: 1 });
  const everybody = await readOverview(memory.store, { ...question, ownerId: 0 });
  expect(everybody.total.requests).toBe(3);
});

it.each([
  [{ from: 10, to: 10 }, 'from must be before the end'],
  [{ from: 0, to: 400 * 86_400_000 + 1 }, 'from may be 400 days before the end at most'],
  [{ to: 86_400_000, stepMs: 90_000 }, 'step must be a multiple of 60 seconds'],
  [{ from: 0, to: 86_400_000, stepMs: 60_000 }, 'step makes 1440 steps of this time; at most 500 are told'],
])('%j is refused', async (asked, says) => {
  await expect(readOverview(memory.store, { ownerId: 0, mode: 'live', ...asked })).rejects.toThrow(says);
});

it('what is charged later is in the row and in the sums, once, whoever was first and whatever the database does', async () => {
  const owner = { ownerId: 3, mode: 'live' } as const;
  requests.add(row('req_task', { charged: 0 }));
  // The task ends before the row is written, and another one's row is written by another process, later.
  requests.charge({ ...owner, requestId: 'req_task', units: 40 });
  requests.charge({ ...owner, requestId: 'req_elsewhere', units: 7 });
  memory.state.isAway = true;
  await vi.advanceTimersByTimeAsync(3_000);
  memory.state.isAway = false;
  await vi.advanceTimersByTimeAsync(3_000);
  memory.rows.push(row('req_elsewhere', { charged: 0 }));
  await vi.advanceTimersByTimeAsync(60_000);
  await requests.flush();
  expect(memory.rows.map(({ id, charged }) => [id, charged])).toEqual([
    ['req_task', 40],
    ['req_elsewhere', 7],
  ]);
  const sums = await memory.store.totals({ ...owner, size: 'hour' }, 0, 10_000_000);
  expect(sums.reduce((sum, { charged }) => sum + charged, 0)).toBe(47);
  expect(sums.reduce((sum, { requests: count }) => sum + count, 0)).toBe(1);
});

it('writes counts of dropped parameters once, when the database is back', async () => {
  const lost = [{ parameter: 'seed', reason: 'no such setting' }];
  requests.add(row('req_lost', { model: 'm', lost }));
  await requests.flush();
  memory.state.isAway = true;
  requests.add(row('req_away', { model: 'm', lost }));
  await requests.flush();
  expect(memory.dropped).toMatchObject([{ keyId: 1, model: 'm', parameter: 'seed', requests: 1 }]);
  memory.state.isAway = false;
  await requests.flush();
  await requests.flush();
  expect(memory.dropped.map((each) => each.requests)).toEqual([1, 1]);
});
