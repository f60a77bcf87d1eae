/** Jobs in two processes on one database: places, cancelling from elsewhere, what is left of a process that ended. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { until } from '@model-gateway/testing';
import type { Store } from '../ports.ts';
import type { BlobStore } from '../tasks/types.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import { MaintenanceJobs, type JobContext } from './maintenance-jobs.ts';

let store: Store;
let now = 1_000_000;
let kept: Map<string, string>;
let counted: string[];
/** Contexts of the jobs that wait for a word, by their numbers. */
let held: Map<number, { readonly context: JobContext; readonly go: (result: JsonObject) => void }>;
const opened: MaintenanceJobs[] = [];

const blobs: BlobStore = {
  locate: (name) => name,
  put: async (name, _mime, body) => {
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    kept.set(name, text);
    return { location: name, size: text.length };
  },
  open: () => Promise.reject(new Error('not read here')),
  remove: async (name) => void kept.delete(name),
};

function processNamed(name: string): MaintenanceJobs {
  const silent = (): void => undefined;
  const jobs = new MaintenanceJobs({
    jobs: store.maintenanceJobs,
    works: {
      held: (context) => new Promise((go) => held.set(context.id, { context, go })),
      broken: () => Promise.reject(new Error('secret words')),
      file: async ({ keepFile }) => {
        await keepFile('a.csv', 'text/csv', oneChunk());
        return { rows: 1 };
      },
    },
    blobs,
    process: name,
    soleProcess: false,
    now: () => now,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    meter: { count: (_name, labels) => void counted.push(`${labels['kind']} ${labels['state']}`) },
  });
  opened.push(jobs);
  return jobs;
}

async function* oneChunk() {
  yield Buffer.from('a,b\r\n');
}

async function queue(jobs: MaintenanceJobs, kind: string, parameters: JsonObject = {}): Promise<number> {
  const { job } = await jobs.add(store.maintenanceJobs, { kind, parameters, actor: 'command' });
  return job.id;
}

const stateOf = async (id: number) => (await store.maintenanceJobs.get(id))?.state;

beforeEach(async () => {
  store = await openTestStore();
  kept = new Map();
  counted = [];
  held = new Map();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((jobs) => jobs.stop()));
  await store.close();
});

describe('maintenance jobs', () => {
  it('two at a time in all processes; the third begins where a place is free', async () => {
    const [a, b] = [processNamed('a'), processNamed('b')];
    const ids: number[] = [];
    for (const n of [1, 2, 3]) ids.push(await queue(a, 'held', { n }));
    await Promise.all([a.begin(), b.begin()]);
    expect(await Promise.all(ids.map(stateOf))).toEqual(['running', 'running', 'queued']);
    held.get(ids[0]!)!.context.tell(3, 9);
    held.get(ids[0]!)!.go({ rows: 3 });
    await until(async () => (await stateOf(ids[0]!)) === 'succeeded');
    expect(await store.maintenanceJobs.get(ids[0]!)).toMatchObject({ done: 3, total: 9, result: { rows: 3 } });
    await until(async () => (await stateOf(ids[2]!)) === 'running');
    expect(counted).toEqual(['held succeeded']);
  });

  it('is cancelled from another process within a second, however long its work still takes', async () => {
    const [a, b] = [processNamed('a'), processNamed('b')];
    const id = await queue(a, 'held');
    await a.begin();
    const began = performance.now();
    expect(await b.cancel(id)).toBe(true);
    await until(async () => (await stateOf(id)) === 'cancelled');
    expect(performance.now() - began).toBeLessThan(1000);
    expect(held.get(id)!.context.signal.aborted).toBe(true);
    // What comes after the end is thrown away.
    await expect(held.get(id)!.context.keepFile('late.csv', 'text/csv', oneChunk())).rejects.toThrow();
    expect(kept.size).toBe(0);
    held.get(id)!.go({ rows: 1 });
    await a.idle();
    expect([await stateOf(id), await a.cancel(id), counted]).toEqual(['cancelled', false, ['held cancelled']]);
  });

  it('a process that stops interrupts its jobs; one that was killed is found out by its silence', async () => {
    const [a, b] = [processNamed('a'), processNamed('b')];
    const stopped = await queue(a, 'held', { n: 1 });
    await a.begin();
    await a.stop();
    expect(await store.maintenanceJobs.get(stopped)).toMatchObject({
      state: 'interrupted',
      error: { code: 'interrupted' },
    });
    const killed = await queue(b, 'held', { n: 2 });
    await store.maintenanceJobs.claim({ process: 'killed', now, leaseMs: 60_000, most: 2 });
    kept.set(`job-${killed}`, 'half of it');
    now += 59_000;
    await b.tend();
    expect(await stateOf(killed)).toBe('running');
    now += 2_000;
    await b.tend();
    expect([await stateOf(killed), kept.size]).toEqual(['interrupted', 0]);
  });

  it('a fault of ours is said without its words; a file is removed when its day is over', async () => {
    const jobs = processNamed('a');
    const broken = await queue(jobs, 'broken');
    const file = await queue(jobs, 'file');
    await jobs.begin();
    await jobs.idle();
    const failed = await store.maintenanceJobs.get(broken);
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'internal' } });
    expect(JSON.stringify(failed)).not.toContain('secret words');
    expect(await store.maintenanceJobs.get(file)).toMatchObject({
      state: 'succeeded',
      file: { name: 'a.csv', size: 5 },
    });
    now += 25 * 3_600_000;
    await jobs.tend();
    expect([kept.size, (await store.maintenanceJobs.get(file))?.file]).toEqual([0, undefined]);
    now += 30 * 24 * 3_600_000;
    await jobs.tend();
    expect(await store.maintenanceJobs.list({ limit: 9 })).toEqual([]);
  });

  it('says when too many wait', async () => {
    const jobs = processNamed('a');
    for (let n = 0; n < 20; n++) await queue(jobs, 'held', { n });
    await expect(queue(jobs, 'held', { n: 20 })).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
