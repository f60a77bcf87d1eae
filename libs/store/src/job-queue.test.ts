import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Admission, ChooseTurns, JobPlace, Store, TaskRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newPayer, newTask, unique } from './test-rows.ts';

const RELEASE = { type: 'release', detail: {} } as const;
/** In the order of owners' numbers, all of each. */
const all: ChooseTurns = (_turn, waiting, room) => ({
  turn: { ownerId: 1, left: 0 },
  owners: waiting.flatMap(({ ownerId, count }) => Array.from({ length: count }, () => ownerId)).slice(0, room),
});

describeDatabases('the queue of jobs', openStore, ({ store, replica }) => {
  const newAccount = (): number => unique() + 50_000;
  const placeAt = (accountId: number, maxJobs?: number): JobPlace => ({
    task: { accountId, accountName: 'a', vendor: 'v', upstreamModel: 'm', nextCheckAt: 60_000 },
    ...(maxJobs !== undefined && { maxJobs }),
  });
  const admission = (places: readonly JobPlace[], over: Partial<Admission['entry']> = {}): Admission => ({
    places,
    entry: { input: { prompt: 'x' }, priority: 0, weight: 1, expiresAt: 500_000, ...over },
    answer: () => undefined,
  });
  const create = (one: Store, places: readonly JobPlace[], over: Partial<Admission['entry']> = {}, ownerId = 1) =>
    one.tasks.create(newTask({ ownerId }), undefined, undefined, 1000, admission(places, over));
  const pick = (one: Store, accountId: number, maxJobs: number | undefined, limit = 100) =>
    one.jobQueue.pick({ accountId, maxJobs, limit, nextCheckAt: 60_000, now: 2000, choose: all });
  const end = (one: Store, { id }: TaskRecord) =>
    one.tasks.advance(id, ['NOT_START'], { state: 'FAILURE' }, RELEASE, 3000);

  it('lets tasks in as far as there is room, and lets the others wait', async () => {
    const account = newAccount();
    const made = [];
    for (let at = 0; at < 3; at++) made.push(await create(store(), [placeAt(account, 2)]));
    expect(made.map(({ waiting = false }) => waiting)).toEqual([false, false, true]);
    expect(made[2]).toMatchObject({ queuedAt: 1000, queueTurn: 0, nextCheckAt: 500_000, deadlineAt: 1_499_000 });
    expect(made[0]).not.toHaveProperty('queuedAt');
    expect(await store().jobQueue.accounts()).toContain(account);
    expect(await pick(store(), account, 2)).toEqual([]);
    await end(store(), made[0] ?? never());
    expect(await pick(store(), account, 2)).toMatchObject([
      { task: { id: made[2]?.id, queueTurn: 1, waiting: false }, input: { prompt: 'x' } },
    ]);
    expect(await store().jobQueue.accounts()).not.toContain(account);
  });

  it('never lets in more than there is room for, whoever asks at the same time', async () => {
    const account = newAccount();
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, at) => create(at % 2 === 0 ? store() : replica(), [placeAt(account, 3)])),
    );
    expect(made.filter(({ waiting }) => waiting !== true)).toHaveLength(3);
    for (const task of made.filter(({ waiting }) => waiting !== true).slice(0, 2)) await end(store(), task);
    const picked = await Promise.all([
      pick(store(), account, 3),
      pick(replica(), account, 3),
      pick(store(), account, 3),
    ]);
    const ids = picked.flat().map(({ task }) => task.id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it('takes the first place with room, and lets nobody overtake', async () => {
    const [one, two] = [newAccount(), newAccount()];
    const both = [placeAt(one, 1), placeAt(two, 1)];
    const made = [];
    for (let at = 0; at < 3; at++) made.push(await create(store(), both));
    expect(made.map(({ accountId, waiting = false }) => [accountId, waiting])).toEqual([
      [one, false],
      [two, false],
      [one, true],
    ]);
    await end(store(), made[0] ?? never());
    expect(await create(store(), [placeAt(one, 1)])).toMatchObject({ waiting: true });
    expect(await create(store(), [placeAt(one, 1), placeAt(newAccount())])).not.toHaveProperty('waiting');
  });

  it('goes within an owner by priority, then by age', async () => {
    const account = newAccount();
    await create(store(), [placeAt(account, 1)]);
    const [low, high, late] = [
      await create(store(), [placeAt(account, 1)]),
      await create(store(), [placeAt(account, 1)], { priority: 5 }),
      await create(store(), [placeAt(account, 1)]),
    ];
    expect(await store().jobQueue.waitingOf(account, 1, 10)).toEqual([high.id, low.id, late.id]);
    expect(await store().jobQueue.look(account)).toEqual({
      turn: undefined,
      waiting: [{ ownerId: 1, weight: 1, count: 3 }],
    });
    expect((await pick(store(), account, 3)).map(({ task }) => task.id)).toEqual([high.id, low.id]);
    expect((await store().jobQueue.look(account)).turn).toEqual({ ownerId: 1, left: 0 });
  });

  describe('a task that left the queue', () => {
    async function picked(account: number): Promise<TaskRecord> {
      await create(store(), [placeAt(account, 1)]);
      await create(store(), [placeAt(account, 1)]);
      const [job] = await pick(store(), account, 2);
      return job?.task ?? never();
    }

    it('is put back once, at its place, only by who had it last', async () => {
      const account = newAccount();
      const { id } = await picked(account);
      const later = await create(store(), [placeAt(account, 1)]);
      expect(await store().jobQueue.putBack(id, 0, 3000)).toBe(false);
      expect(await store().jobQueue.putBack(id, 1, 3000)).toBe(true);
      expect(await store().jobQueue.waitingOf(account, 1, 9)).toEqual([id, later.id]);
      await expect(store().tasks.markSubmitted(id, { accountId: account, ifTurn: 1 }, 3000)).rejects.toMatchObject({
        code: 'unavailable',
      });
    });

    it('is not put back when its vendor may have been asked, or its time is over', async () => {
      const account = newAccount();
      const { id } = await picked(account);
      expect(await store().jobQueue.putBack(id, 1, 500_000)).toBe(false);
      await store().tasks.markSubmitted(id, { accountId: account, ifTurn: 1, maxJobs: 2 }, 3000);
      expect(await store().jobQueue.putBack(id, 1, 3000)).toBe(false);
      expect(await store().tasks.saveTicket(id, { id: 'job' }, 9000, undefined, 4000)).toBe(true);
      expect(await store().jobQueue.putBack(id, 1, 4000)).toBe(false);
    });

    it('is ended by who knows its turn', async () => {
      const { id } = await picked(newAccount());
      const patch = { state: 'FAILURE' } as const;
      expect(await store().tasks.advance(id, ['NOT_START'], { ...patch, ifTurn: 0 }, RELEASE, 3000)).toBe(false);
      expect(await store().tasks.advance(id, ['NOT_START'], { ...patch, ifTurn: 1 }, RELEASE, 3000)).toBe(true);
    });
  });

  it('asks a vendor only within its room', async () => {
    const account = newAccount();
    await create(store(), [placeAt(account, 1)]);
    const other = await create(store(), [placeAt(newAccount(), 1)]);
    await expect(store().tasks.markSubmitted(other.id, { accountId: account, maxJobs: 1 }, 2000)).rejects.toMatchObject(
      { code: 'unavailable', details: { taken: 'no' } },
    );
    await store().tasks.markSubmitted(other.id, { accountId: account, maxJobs: 2 }, 2000);
    expect(await store().tasks.get(other.id)).toMatchObject({ accountId: account, submitted: true });
  });

  it('leaves what waits alone when a new gateway takes over, and makes what was being handed over due', async () => {
    const account = newAccount();
    const made = [];
    for (let at = 0; at < 3; at++) made.push(await create(store(), [placeAt(account, 2)]));
    const [asked, answered, waiting] = made.map(({ id }) => id);
    const { saveTicket, get, takeOver } = store().tasks;
    await saveTicket(answered ?? '', { id: 'job' }, 70_000, undefined, 1500);
    // What is made while it starts is its own.
    await takeOver(1000);
    expect(await get(asked ?? '')).toMatchObject({ nextCheckAt: 60_000 });
    await takeOver(2000);
    const after = await Promise.all([asked, answered, waiting].map((id) => get(id ?? '')));
    expect(after.map((task) => task?.nextCheckAt)).toEqual([2000, 70_000, 500_000]);
  });

  it('gives the money back of what is cancelled while it waits, and forgets its input', async () => {
    const account = newAccount();
    const payer = await newPayer(store(), { balance: 1000 });
    await create(store(), [placeAt(account, 1)]);
    const task = await store().tasks.create(
      newTask({ ownerId: payer.ownerId, keyId: payer.keyId }),
      { payer, amount: 400, detail: {} },
      undefined,
      1000,
      admission([placeAt(account, 1)]),
    );
    expect((await store().owners.get(payer.ownerId))?.balance).toBe(600);
    expect(await store().tasks.advance(task.id, ['NOT_START'], { state: 'FAILURE', ifTurn: 0 }, RELEASE, 2000)).toBe(
      true,
    );
    expect((await store().owners.get(payer.ownerId))?.balance).toBe(1000);
    expect(await store().jobQueue.waitingOf(account, payer.ownerId, 9)).toEqual([]);
    expect(await pick(store(), account, 9)).toEqual([]);
  });
});

function never(): never {
  throw new Error('there is one');
}

it('never lets in more than there is room for, whichever worker asks, in one SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'job-queue-'));
  const url = `sqlite:${join(folder, 'gateway.db')}`;
  const primary = await openStore(url);
  // As the workers of one gateway have it: connections of their own, each waiting for the others' transactions.
  const workers = await Promise.all([1, 2, 3].map(() => openStore(url, { worker: true })));
  try {
    const place = {
      task: { accountId: 5, accountName: 'a', vendor: 'v', upstreamModel: 'm', nextCheckAt: 9 },
      maxJobs: 4,
    };
    const entry = { input: {}, priority: 0, weight: 1, expiresAt: 500_000 };
    const admission: Admission = { places: [place], entry, answer: () => undefined };
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (workers[at % 3] ?? primary).tasks.create(newTask(), undefined, undefined, 1000, admission),
      ),
    );
    expect(made.filter((task) => task.waiting !== true)).toHaveLength(4);
    for (const task of made.filter((each) => each.waiting !== true).slice(0, 3))
      await primary.tasks.advance(task.id, ['NOT_START'], { state: 'FAILURE' }, RELEASE, 2000);
    const picked = await Promise.all(
      [...workers, ...workers].map(({ jobQueue }) =>
        jobQueue.pick({ accountId: 5, maxJobs: 4, limit: 9, nextCheckAt: 9, now: 2000, choose: all }),
      ),
    );
    expect(new Set(picked.flat().map(({ task }) => task.id)).size).toBe(3);
    expect(picked.flat()).toHaveLength(3);
  } finally {
    for (const each of [...workers, primary]) await each.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
