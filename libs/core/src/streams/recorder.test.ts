import { afterEach, expect, it } from 'vitest';
import type { StreamLogStore, StreamUpdate } from '../ports.ts';
import { LARGEST_STREAM, LARGEST_TENANT, READ_ON_MS, StreamRecorder } from './recorder.ts';

/** A store that has the hand at its writes. */
function held() {
  const written: StreamUpdate[][] = [];
  const removed: string[] = [];
  let failures = 0;
  const streamLogs: StreamLogStore = {
    open: async (_log, { running }) => running > 0,
    append: async (updates) => {
      if (failures-- > 0) throw new Error('the database is away');
      written.push([...updates]);
    },
    read: async () => undefined,
    remove: async (id) => void removed.push(id),
    loseAll: async () => undefined,
    sweep: async () => 0,
  };
  return { streamLogs, written, removed, fail: (times: number) => (failures = times) };
}

let now = 1_790_000_000_000;
let recorder: StreamRecorder;
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let last = 0;
function recorderOver(store: ReturnType<typeof held>, maxRunning = 9): StreamRecorder {
  recorder = new StreamRecorder({ store, now: () => now, log: quiet, randomId: () => String(++last), maxRunning });
  return recorder;
}
/** A recorder over a store that counts what runs, with room for one. */
function createEnds(store: ReturnType<typeof held>): StreamRecorder {
  const open = new Set<string>();
  const { append } = store.streamLogs;
  store.streamLogs.open = async ({ id }, { running }) => open.size < running && open.add(id).size > 0;
  store.streamLogs.append = async (updates, life, at) => {
    await append(updates, life, at);
    for (const { id, row } of updates) if (row?.state === 'ended') open.delete(id);
  };
  return recorderOver(store, 1);
}
const stream = (gone = new AbortController()) => ({
  tenant: { ownerId: 1, mode: 'live' } as const,
  format: 'openai-chat',
  gone: gone.signal,
});
const bytesOf = (updates: readonly StreamUpdate[][]): string =>
  updates
    .flat()
    .map(({ batch }) => Buffer.from(batch?.bytes ?? []).toString())
    .join('');
afterEach(() => recorder.stop());

it('what all streams said is written together, each event once and in its order', async () => {
  const store = held();
  const [one, two] = [await recorderOver(store).open(stream()), await recorder.open(stream())];
  expect(one.write('data: a\n\n').toString()).toBe('id: 1\ndata: a\n\n');
  one.write(Buffer.from('data: b\n\ndata: c\n\n'));
  two.write('data: x\n\n');
  one.end();
  await recorder.catchUp(one.id);
  expect(store.written).toHaveLength(1);
  expect(store.written[0]).toMatchObject([
    { id: one.id, row: { state: 'ended', events: 3 }, batch: { first: 1, last: 3 } },
    { id: two.id, batch: { first: 1, last: 1 } },
  ]);
  two.write('data: y\n\n');
  two.end();
  await recorder.catchUp(two.id);
  expect(store.written[1]).toMatchObject([
    { id: two.id, row: { state: 'ended', events: 2 }, batch: { first: 2, last: 2 } },
  ]);
  expect(bytesOf(store.written)).toBe(
    'id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\nid: 1\ndata: x\n\nid: 2\ndata: y\n\n',
  );
});

it('what the database did not take is written with what came since, in its order', async () => {
  const store = held();
  const one = await recorderOver(store).open(stream());
  one.write('data: a\n\n');
  store.fail(1);
  await recorder.tend().catch(() => undefined);
  expect(store.written).toEqual([]);
  one.write('data: b\n\n');
  one.end();
  await recorder.catchUp(one.id);
  expect(store.written).toMatchObject([[{ row: { state: 'ended', events: 2 }, batch: { first: 1, last: 2 } }]]);
  expect(bytesOf(store.written)).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\n');
});

it('quiet streams are told alive; ended ones never open again', async () => {
  const store = held();
  const one = await recorderOver(store).open(stream());
  await recorder.tend();
  expect(store.written).toMatchObject([[{ id: one.id, row: { state: 'open', events: 0 } }]]);
  one.end();
  await Promise.all([recorder.catchUp(one.id), recorder.tend()]);
  await recorder.tend();
  expect(store.written.flat().map(({ row }) => row?.state)).toEqual(['open', 'ended']);
});

it('a caller who leaves before the stream begins ends it; later it is read on, for a while', async () => {
  const [early, late] = [new AbortController(), new AbortController()];
  const [one, two] = [await recorderOver(held()).open(stream(early)), await recorder.open(stream(late))];
  two.begin();
  early.abort();
  late.abort();
  expect([one.signal.aborted, two.signal.aborted]).toEqual([true, false]);
  now += READ_ON_MS - 1;
  await recorder.tend();
  expect(two.signal.aborted).toBe(false);
  now += 1;
  await recorder.tend();
  expect(two.signal.aborted).toBe(true);
  two.end();
  await one.discard();
});

it.each(['before', 'after'])(
  'too large for one that nobody listens to, %s its caller left: it is let go',
  async (when) => {
    const gone = new AbortController();
    const store = held();
    const one = await recorderOver(store).open(stream(gone));
    one.begin();
    if (when === 'after') gone.abort();
    one.write('data: a\n\n');
    expect(one.write(`data: ${'x'.repeat(LARGEST_STREAM)}\n\n`).length).toBeGreaterThan(LARGEST_STREAM);
    expect(one.signal.aborted).toBe(when === 'after');
    gone.abort();
    expect(one.signal.aborted).toBe(true);
    // Nothing behind the gap is kept, however small.
    expect(one.write('data: c\n\n').toString()).toBe('id: 3\ndata: c\n\n');
    one.end();
    await recorder.catchUp(one.id);
    expect(store.written.flat()).toMatchObject([{ row: { state: 'cut', events: 1 }, batch: { first: 1, last: 1 } }]);
  },
);

it('what runs when the process stops is lost at once', async () => {
  const store = held();
  const one = await recorderOver(store).open(stream());
  one.begin();
  one.write('data: a\n\n');
  const stopping = recorder.stop(0);
  await stopping;
  expect(one.signal.aborted).toBe(true);
  expect(store.written.flat()).toMatchObject([{ row: { state: 'lost', events: 1 } }]);
});

it('those that ended a moment ago make room for the next one', async () => {
  const store = held();
  const ends = createEnds(store);
  const one = await ends.open(stream());
  await expect(ends.open(stream())).rejects.toMatchObject({ code: 'rate_limited' });
  expect(store.written).toEqual([]);
  one.end();
  const next = await ends.open(stream());
  expect(store.written).toMatchObject([[{ id: one.id, row: { state: 'ended' } }]]);
  await next.discard();
});

it('who could not be told alive is told so with the next that is written', async () => {
  const store = held();
  const [quiet, one] = [await recorderOver(store).open(stream()), await recorder.open(stream())];
  store.fail(1);
  await recorder.tend().catch(() => undefined);
  one.write('data: a\n\n');
  await recorder.catchUp(one.id);
  expect(store.written.flat()).toMatchObject([{ id: quiet.id, row: { state: 'open' } }, { id: one.id }]);
  await Promise.all([quiet.discard(), one.discard()]);
});

it('what never began is removed, and what is refused never begins', async () => {
  const store = held();
  const one = await recorderOver(store).open(stream());
  await one.discard();
  await recorder.tend();
  expect([store.removed, store.written]).toEqual([[one.id], []]);
  await expect(recorderOver(store, 0).open(stream())).rejects.toMatchObject({ code: 'rate_limited' });
});

it('what a tenant keeps is added up at its first stream in five seconds, and at no other', async () => {
  const store = held();
  const asked: string[] = [];
  store.streamLogs.open = async ({ ownerId, mode }, { bytes }) => asked.push(`${ownerId} ${mode} ${bytes}`) > 0;
  recorderOver(store);
  const open = (mode: 'live' | 'test') => recorder.open({ ...stream(), tenant: { ownerId: 1, mode } });
  await open('live');
  await open('live');
  await open('test');
  now += 4_999;
  await recorder.tend();
  await open('live');
  now += 1;
  await open('live');
  await open('live');
  expect(asked).toEqual([
    `1 live ${LARGEST_TENANT}`,
    '1 live undefined',
    `1 test ${LARGEST_TENANT}`,
    '1 live undefined',
    `1 live ${LARGEST_TENANT}`,
    '1 live undefined',
  ]);
});

it('nor later than when the size of one stream has ended since', async () => {
  const store = held();
  const asked: (number | undefined)[] = [];
  store.streamLogs.open = async (_log, { bytes }) => asked.push(bytes) > 0;
  recorderOver(store);
  const piece = `data: ${'x'.repeat(LARGEST_STREAM / 4)}\n\n`;
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 4; count++) {
      const one = await recorder.open(stream());
      one.write(piece);
      one.end();
    }
  }
  const four = [LARGEST_TENANT, undefined, undefined, undefined];
  expect(asked).toEqual([...four, ...four, ...four]);
});
