import { GatewayError } from '@model-gateway/contracts';
import type { BatchRecord, LineEnd, NewLine, Payer, Store, Tenant } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { expect, it } from 'vitest';
import { openStore } from './index.ts';

const DAY = 86_400_000;
const NONE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

describeDatabases('batches', openStore, ({ store, replica }) => {
  let last = 0;
  /** Of an owner of its own, so that tests do not meet. */
  const tenantOf = async (units = 1_000): Promise<Tenant & { payer: Payer }> => {
    const owner = await store().owners.create({ name: `batches ${++last}`, group: 'default', creditLimit: 0 }, 0);
    if (units > 0) await store().ledger.topUp(owner.id, units, {}, 0);
    return { ownerId: owner.id, mode: 'live', payer: { ownerId: owner.id, keyId: 1, limits: {} } };
  };
  const linesOf = (count: number): NewLine[] =>
    Array.from({ length: count }, (_, number) => ({
      ...{ number, customId: `line ${number}`, model: 'gpt', body: Buffer.from(`{"n":${number}}`) },
    }));
  const made = async (
    { ownerId, mode }: Tenant,
    count: number,
    given: Partial<BatchRecord> = {},
  ): Promise<BatchRecord> => {
    const batch: BatchRecord = {
      ...{ id: `batch_gw_${++last}`, format: 'anthropic', ownerId, mode, keyId: 1, endpoint: '/v1/messages' },
      ...{ status: 'receiving', detail: {}, usage: NONE, createdAt: 1, expiresAt: DAY, size: 0 },
      counts: { waiting: 0, succeeded: 0, errored: 0, cancelled: 0, expired: 0 },
      ...given,
    };
    await store().batches.create(batch);
    await store().batches.addLines(batch.id, linesOf(count));
    expect(await store().batches.open(batch.id, 2)).toBe(true);
    return batch;
  };
  const claim = async (of: Store, by: string, now: number, limit = 100, given: object = {}) => {
    const claimed = await of.batches.claimLines({
      ...{ by, now, until: now + 100, limit, bytes: 1e6, perTenant: 1000, running: [], exceptModels: [] },
      ...given,
    });
    return claimed;
  };
  const hold = (payer: Payer, requestId: string, most = 100, least = 1) => ({
    ...{ payer, requestId, model: 'gpt', detail: {}, need: { most, least } },
  });
  const end = (bills: LineEnd['bills'] = []): LineEnd => ({
    ...{ state: 'succeeded', requestId: 'req', statusCode: 200, bills, result: Buffer.from('{"ok":true}') },
    usage: { ...NONE, inputTokens: 3, outputTokens: 2 },
  });
  const find = async (batch: BatchRecord): Promise<BatchRecord> => {
    const found = await store().batches.find(batch, batch.format, batch.id);
    if (found === undefined) throw new Error('the batch is gone');
    return found;
  };
  const balanceOf = async ({ ownerId }: Tenant): Promise<number> => (await store().owners.get(ownerId))?.balance ?? NaN;
  /** Ends what other tests have left, so that claims find the test's own. */
  const clear = async (): Promise<void> => {
    for (const line of await claim(store(), 'clearing', 10_000))
      await store().batches.finishLine(line, 'clearing', end(), 1);
  };

  it('each line is run by one process, paid once, and the last one ends the batch', async () => {
    await clear();
    const tenant = await tenantOf();
    const batch = await made(tenant, 3);
    const [mine, other] = await Promise.all([claim(store(), 'a', 10, 2), claim(replica(), 'b', 10, 2)]);
    const numbers = [...mine, ...other].map(({ number }) => number);
    expect(new Set(numbers).size).toBe(numbers.length);
    const rest = numbers.length === 3 ? [] : await claim(store(), 'a', 11);
    const all = [...mine.map((line) => ['a', line] as const), ...other.map((line) => ['b', line] as const)];
    for (const line of rest) all.push(['a', line]);
    expect(all).toHaveLength(3);
    for (const [by, line] of all) {
      const holdId = await store().batches.submit(line, by, hold(tenant.payer, `req ${batch.id} ${line.number}`), 12);
      if (holdId === undefined) throw new Error('the claim is lost');
      const bill = { holdId, charged: 7, priceVersion: '1', detail: {} };
      expect(await store().batches.finishLine(line, by, end([bill]), 13)).toBe(true);
      expect(await store().batches.finishLine(line, by, end([bill]), 13)).toBe(false);
    }
    expect(await find(batch)).toMatchObject({
      ...{ status: 'completed', endedAt: 13, counts: { waiting: 0, succeeded: 3 } },
      usage: { inputTokens: 9, outputTokens: 6 },
    });
    expect(await balanceOf(tenant)).toBe(1_000 - 21);
    const ended = await store().batches.ended(batch.id, { after: 0, limit: 10, bytes: 1 });
    expect(ended.map(({ number, state }) => [number, state])).toEqual([[1, 'succeeded']]);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('what a dead process has submitted is found with its mark; its late end is lost, and its money goes back', async () => {
    await clear();
    const tenant = await tenantOf();
    const batch = await made(tenant, 2);
    const [first, second] = await claim(store(), 'dead', 10);
    if (first === undefined || second === undefined) throw new Error('there are two');
    const holdId = await store().batches.submit(first, 'dead', hold(tenant.payer, `req ${batch.id}`), 11);
    expect(await balanceOf(tenant)).toBe(900);
    expect(await claim(replica(), 'next', 50)).toEqual([]);
    const found = await claim(replica(), 'next', 200);
    expect(found.map(({ number, submitted }) => [number, submitted])).toEqual([
      [first.number, true],
      [second.number, false],
    ]);
    const late = end([{ holdId: holdId ?? 0, charged: 7, priceVersion: '1', detail: {} }]);
    expect(await store().batches.finishLine(first, 'dead', late, 201)).toBe(false);
    expect(await store().batches.submit(second, 'dead', hold(tenant.payer, 'req late'), 201)).toBeUndefined();
    expect(await store().batches.finishLine(first, 'next', { ...end(), state: 'errored' }, 202)).toBe(true);
    expect(await balanceOf(tenant)).toBe(1_000);
    expect(await replica().batches.renewLines([first, second], 'next', 900)).toEqual(
      new Set([`${batch.id} ${second.number}`]),
    );
    expect(await store().batches.renewLines([second], 'dead', 900)).toEqual(new Set());
    await store().batches.putBack(second, 'next', { dueAt: 300, counts: true }, 203);
    expect(await claim(store(), 'next', 299)).toEqual([]);
    expect((await claim(store(), 'next', 300)).map(({ attempts }) => attempts)).toEqual([1]);
  });

  it('sets aside what there is where that is enough, and nothing where it is not', async () => {
    await clear();
    const tenant = await tenantOf(60);
    await made(tenant, 2);
    const [first, second] = await claim(store(), 'a', 10);
    if (first === undefined || second === undefined) throw new Error('there are two');
    await store().batches.submit(first, 'a', hold(tenant.payer, `req ${++last}`, 100, 50), 11);
    expect(await balanceOf(tenant)).toBe(0);
    await expect(store().batches.submit(second, 'a', hold(tenant.payer, `req ${++last}`, 100, 50), 11)).rejects.toThrow(
      GatewayError,
    );
    await store().batches.putBack(first, 'a', { dueAt: 20, counts: false }, 12);
    expect(await balanceOf(tenant)).toBe(60);
  });

  it('cancelling ends what waits, and what runs ends the batch', async () => {
    await clear();
    const tenant = await tenantOf();
    const batch = await made(tenant, 5);
    const [running] = await claim(store(), 'a', 10, 1);
    if (running === undefined) throw new Error('there is one');
    const cancelled = await store().batches.cancel(tenant, 'anthropic', batch.id, 20);
    expect(cancelled).toMatchObject({ status: 'in_progress', cancelledAt: 20 });
    expect(await store().batches.cancel(tenant, 'anthropic', batch.id, 30)).toMatchObject({ cancelledAt: 20 });
    expect(await claim(store(), 'b', 21)).toEqual([]);
    expect(await store().batches.remove(tenant, 'anthropic', batch.id)).toBe(false);
    expect(await store().batches.endWaiting(batch.id, 3, 21)).toBe(3);
    expect(await store().batches.endWaiting(batch.id, 3, 21)).toBe(1);
    expect(await find(batch)).toMatchObject({ status: 'in_progress', counts: { waiting: 1, cancelled: 4 } });
    await store().batches.finishLine(running, 'a', end(), 22);
    expect(await find(batch)).toMatchObject({ status: 'cancelled', endedAt: 22 });
    expect(await store().batches.remove(tenant, 'anthropic', batch.id)).toBe(true);
    expect(await store().batches.find(tenant, 'anthropic', batch.id)).toBeUndefined();
    expect(await store().batches.sweep({ endedBefore: 0, receivedBefore: 0, limit: 10 })).toBe(1);
  });

  it('what has not begun expires, and lines of a file leave it to be finalized', async () => {
    await clear();
    const tenant = await tenantOf();
    const batch = await made(tenant, 2, { expiresAt: 100, inputFileId: 'file', format: 'openai' });
    const [line] = await claim(store(), 'a', 10, 1);
    if (line === undefined) throw new Error('there is one');
    await store().batches.finishLine(line, 'a', end(), 11);
    expect((await store().batches.claimBatches({ by: 'a', now: 99, until: 200, limit: 9 })).map(({ id }) => id)).not.toContain(batch.id); // prettier-ignore
    expect(await claim(store(), 'a', 100)).toEqual([]);
    expect((await store().batches.claimBatches({ by: 'a', now: 100, until: 200, limit: 9 })).map(({ id }) => id)).toContain(batch.id); // prettier-ignore
    await store().batches.endWaiting(batch.id, 10, 101);
    expect(await find(batch)).toMatchObject({ status: 'finalizing', counts: { expired: 1, succeeded: 1 } });
    await store().batches.claimBatches({ by: 'b', now: 102, until: 200, limit: 9 });
    expect(await store().batches.finishBatch(batch.id, 'a', {}, 103)).toBe(false);
    expect(await store().batches.finishBatch(batch.id, 'b', { outputFileId: 'out' }, 103)).toBe(true);
    expect(await find(batch)).toMatchObject({ status: 'expired', outputFileId: 'out' });
  });

  it('who has lost the claim of a batch neither opens, refuses nor finishes it, and its lines stay', async () => {
    await clear();
    const batch = await made(await tenantOf(), 2, { status: 'validating', inputFileId: 'file', format: 'openai' });
    const again: BatchRecord = { ...batch, id: `batch_gw_${++last}`, status: 'validating' };
    await store().batches.create(again);
    await store().batches.addLines(again.id, linesOf(2));
    const claimed = await store().batches.claimBatches({ by: 'new', now: 3, until: 50, limit: 100 });
    expect(claimed.map(({ id }) => id)).toContain(again.id);
    expect(await store().batches.open(again.id, 4, 'old')).toBe(false);
    await store().batches.refuse(again.id, 'old', [{ code: 'x', message: 'x' }], 4);
    expect(await find(again)).toMatchObject({ status: 'validating' });
    expect(await store().batches.open(again.id, 5, 'new')).toBe(true);
    const lines = (await claim(store(), 'new', 6)).filter(({ batchId }) => batchId === again.id);
    expect(lines).toHaveLength(2);
    for (const line of lines) await store().batches.finishLine(line, 'new', end(), 7);
    expect(await find(again)).toMatchObject({ status: 'finalizing' });
    await store().batches.claimBatches({ by: 'new', now: 60, until: 90, limit: 100 });
    expect(await store().batches.finishBatch(again.id, 'old', {}, 61)).toBe(false);
    expect(await store().batches.ended(again.id, { after: -1, limit: 10, bytes: 1e6 })).toHaveLength(2);
    expect(await store().batches.finishBatch(again.id, 'new', { outputFileId: 'out' }, 62)).toBe(true);
  });

  it('results that lie in files, and batches that were deleted, take no room any more', async () => {
    await clear();
    const tenant = await tenantOf();
    const inline = await made(tenant, 1);
    const filed = await made(tenant, 1, { inputFileId: 'file', format: 'openai' });
    for (const line of await claim(store(), 'a', 3)) await store().batches.finishLine(line, 'a', end(), 4);
    const { bytes } = await store().batches.load(tenant);
    await store().batches.claimBatches({ by: 'a', now: DAY, until: DAY + 9, limit: 100 });
    await store().batches.finishBatch(filed.id, 'a', { outputFileId: 'out' }, 5);
    expect(await store().batches.load(tenant)).toEqual({ bytes: bytes / 2, lines: 0 });
    expect(await store().batches.remove(tenant, inline.format, inline.id)).toBe(true);
    expect(await store().batches.load(tenant)).toEqual({ bytes: 0, lines: 0 });
  });

  it('tenants take turns, within their share and the bytes that there is room for', async () => {
    await clear();
    const [one, two] = [await tenantOf(), await tenantOf()];
    await made(one, 50);
    await made(two, 2);
    const of = (lines: readonly { readonly batch: BatchRecord }[], tenant: Tenant): number =>
      lines.filter(({ batch }) => batch.ownerId === tenant.ownerId).length;
    const claimed = await claim(store(), 'a', 10, 10, { perTenant: 6 });
    expect([of(claimed, one), of(claimed, two)]).toEqual([6, 2]);
    const more = await claim(store(), 'a', 11, 10, { perTenant: 6, running: claimed.map(({ batch }) => batch) });
    expect(more).toEqual([]);
    expect(await claim(store(), 'a', 12, 10, { exceptModels: ['gpt'] })).toEqual([]);
    expect(await claim(store(), 'a', 13, 10, { bytes: 1 })).toHaveLength(1);
    expect(await store().batches.load(one)).toMatchObject({ lines: 50 });
  });
});
