import { describe, expect, it } from 'vitest';
import type { IdempotencyClaim } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newTask, unique } from './test-rows.ts';

const STALE = 1000;

describeDatabases('idempotency', openStore, ({ store, replica }) => {
  const keys = () => store().idempotency;
  const claimOf = (given: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
    keyId: unique(),
    idempotencyKey: 'once',
    fingerprint: 'f',
    expiresAt: 100_000,
    ...given,
  });
  const answerTo = ({ keyId, idempotencyKey }: IdempotencyClaim, text = 'hello') => ({
    keyId,
    idempotencyKey,
    status: 201,
    headers: { 'content-type': 'text/plain' },
    body: new Uint8Array(Buffer.from(text)),
  });

  it('is claimed, runs, and answers the same bytes for good', async () => {
    const claim = claimOf();
    expect(await keys().read(claim.keyId, 'once', 0)).toBeUndefined();
    expect(await keys().claim(claim, STALE, 0)).toEqual({ state: 'claimed' });
    expect(await keys().claim(claim, STALE, 500)).toEqual({ state: 'running', claimedAt: 0 });
    const answer = { ...answerTo(claim), body: new Uint8Array([0, 1, 254, 255]) };
    await keys().answer(answer);
    await keys().answer(answerTo(claim, 'another'));
    await keys().forget(claim.keyId, 'once');
    expect(await replica().idempotency.claim(claim, STALE, 99_999)).toStrictEqual({ state: 'answered', answer });
    expect(await keys().read(claim.keyId, 'once', 99_999)).toStrictEqual({ state: 'answered', answer });
  });

  it('answers nothing as nothing', async () => {
    const claim = claimOf();
    await keys().claim(claim, STALE, 0);
    await keys().answer({ ...answerTo(claim, ''), headers: {} });
    expect(await keys().read(claim.keyId, 'once', 0)).toMatchObject({
      state: 'answered',
      answer: { body: new Uint8Array() },
    });
  });

  it('is a conflict with another body, while running and afterwards, and of one key only', async () => {
    const claim = claimOf();
    await keys().claim(claim, STALE, 0);
    const other = { ...claim, fingerprint: 'g' };
    expect(await keys().claim(other, STALE, 0)).toEqual({ state: 'conflict' });
    await keys().answer(answerTo(claim));
    expect(await keys().claim(other, STALE, 99_999)).toEqual({ state: 'conflict' });
    expect(await keys().claim({ ...other, keyId: unique() }, STALE, 0)).toEqual({ state: 'claimed' });
    expect(await keys().claim({ ...other, idempotencyKey: 'twice' }, STALE, 0)).toEqual({ state: 'claimed' });
  });

  it('is free again when forgotten or expired', async () => {
    const claim = claimOf({ expiresAt: 5000 });
    await keys().claim(claim, STALE, 0);
    await keys().forget(claim.keyId, 'once');
    expect(await keys().read(claim.keyId, 'once', 0)).toBeUndefined();
    await keys().claim(claim, STALE, 0);
    await keys().answer(answerTo(claim));
    expect(await keys().claim(claim, STALE, 4999)).toMatchObject({ state: 'answered' });
    expect(await keys().read(claim.keyId, 'once', 5000)).toBeUndefined();
    const next = { ...claim, fingerprint: 'g', expiresAt: 9000 };
    expect(await keys().claim(next, STALE, 5000)).toEqual({ state: 'claimed' });
    expect(await keys().read(claim.keyId, 'once', 5000)).toEqual({ state: 'running', claimedAt: 5000 });
  });

  it('passes on when its process died, but never once a task is bound to it', async () => {
    const claim = claimOf();
    await keys().claim(claim, STALE, 0);
    expect(await keys().claim(claim, STALE, 999)).toEqual({ state: 'running', claimedAt: 0 });
    expect(await keys().claim(claim, STALE, 1000)).toEqual({ state: 'claimed' });
    expect(await keys().claim(claim, STALE, 1999)).toEqual({ state: 'running', claimedAt: 1000 });
    expect(await keys().claim({ ...claim, fingerprint: 'g' }, STALE, 9000)).toEqual({ state: 'conflict' });
    const task = newTask();
    await store().tasks.create(task, undefined, claim, 2000);
    expect(await keys().claim(claim, STALE, 90_000)).toMatchObject({ state: 'running', taskId: task.id });
    await keys().forget(claim.keyId, 'once');
    await keys().forget(claim.keyId, 'once', newTask().id);
    expect(await keys().claim(claim, STALE, 90_000)).toMatchObject({ state: 'running', taskId: task.id });
    await keys().forget(claim.keyId, 'once', task.id);
    expect(await keys().claim(claim, STALE, 90_000)).toEqual({ state: 'claimed' });
    // A task that could not be written leaves its claim unbound.
    await keys().forget(claim.keyId, 'once', newTask().id);
    expect(await keys().claim(claim, STALE, 90_000)).toEqual({ state: 'claimed' });
  });

  it('stays with a process that is heard of, and an answer is not touched by that', async () => {
    const claim = claimOf();
    await keys().claim(claim, STALE, 0);
    await keys().renew(claim.keyId, 'once', 900);
    expect(await replica().idempotency.claim(claim, STALE, 1800)).toEqual({ state: 'running', claimedAt: 900 });
    await keys().answer(answerTo(claim));
    await keys().renew(claim.keyId, 'once', 1900);
    expect(await keys().read(claim.keyId, 'once', 1900)).toMatchObject({ state: 'answered' });
  });

  it('lets the slow first claimer make no second task after it was passed on', async () => {
    const claim = claimOf();
    await keys().claim(claim, STALE, 0);
    await replica().idempotency.claim(claim, STALE, 5000);
    await replica().tasks.create(newTask(), undefined, claim, 5001);
    await expect(store().tasks.create(newTask(), undefined, claim, 5002)).rejects.toMatchObject({ code: 'conflict' });
  });

  describe.each([
    { name: 'a new key', prepare: async () => undefined, now: 0 },
    { name: 'a stale claim', prepare: async (claim: IdempotencyClaim) => keys().claim(claim, STALE, 0), now: 5000 },
    {
      name: 'an expired answer',
      prepare: async (claim: IdempotencyClaim) => {
        await keys().claim({ ...claim, expiresAt: 4000 }, STALE, 0);
        await keys().answer(answerTo(claim));
      },
      now: 5000,
    },
  ])('64 that race for $name', ({ prepare, now }) => {
    it('are one that claims and 63 that wait', async () => {
      const claim = claimOf();
      await prepare(claim);
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, async (_, index) =>
          (index % 2 === 0 ? store() : replica()).idempotency.claim(claim, STALE, now),
        ),
      );
      expect(outcomes.filter(({ state }) => state === 'claimed')).toHaveLength(1);
      expect(outcomes.filter(({ state }) => state === 'running')).toHaveLength(63);
    });
  });

  it('deletes what has expired', async () => {
    const [old, young] = [claimOf({ expiresAt: 20 }), claimOf({ expiresAt: 200_000 })];
    for (const claim of [old, young]) await keys().claim(claim, STALE, 0);
    expect(await keys().deleteExpired(19)).toBe(0);
    expect(await keys().deleteExpired(20)).toBe(1);
    expect(await keys().read(old.keyId, 'once', 0)).toBeUndefined();
    expect(await keys().read(young.keyId, 'once', 0)).toBeDefined();
  });
});
