import type { BatchRecord, Payer, Tenant, VendorBatchRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { describe, expect, it } from 'vitest';
import { openStore } from './index.ts';

const DAY = 86_400_000;
const NONE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
const LIMITS = { lines: 100, bytes: 1e6 };
const BODY = Buffer.from('{"sent":true}');

describeDatabases('batches at vendors', openStore, ({ store, replica }) => {
  let last = 0;
  const tenantOf = async (): Promise<Tenant & { payer: Payer }> => {
    const owner = await store().owners.create({ name: `vendor ${++last}`, group: 'default', creditLimit: 0 }, 0);
    await store().ledger.topUp(owner.id, 1_000, {}, 0);
    return { ownerId: owner.id, mode: 'live', payer: { ownerId: owner.id, keyId: 1, limits: {} } };
  };
  const made = async ({ ownerId, mode }: Tenant, count: number): Promise<BatchRecord> => {
    const batch: BatchRecord = {
      ...{ id: `batch_gw_v${++last}`, format: 'anthropic', ownerId, mode, keyId: 1, endpoint: '/v1/messages' },
      ...{ status: 'receiving', detail: {}, usage: NONE, createdAt: 1, expiresAt: DAY, size: 0 },
      counts: { waiting: 0, succeeded: 0, errored: 0, cancelled: 0, expired: 0 },
    };
    await store().batches.create(batch);
    await store().batches.addLines(
      batch.id,
      Array.from({ length: count }, (_, number) => ({
        ...{ number, customId: `line ${number}`, model: 'gpt', body: Buffer.from(`{"n":${number}}`) },
      })),
    );
    await store().batches.open(batch.id, 2);
    return batch;
  };
  const claim = (now = 10, by = 'a') =>
    store().batches.claimLines({
      ...{ by, now, until: now + 100, limit: 100, bytes: 1e6, perTenant: 1000, running: [], exceptModels: [] },
    });
  /** Claims lines and hands them over, as many as are said. */
  const handOver = async (batch: BatchRecord, payer: Payer, count = Infinity, vendorModel = 'm'): Promise<void> => {
    const lines = (await claim()).filter(({ batchId }) => batchId === batch.id);
    for (const line of lines.slice(0, count))
      expect(
        await store().batches.handOver(
          line,
          'a',
          {
            ...{ accountId: 1, vendorModel, group: '/v1/chat', body: BODY },
            hold: {
              ...{ payer, requestId: `req ${batch.id} ${line.number}`, model: 'gpt', detail: {} },
              need: { most: 100, least: 1 },
            },
          },
          11,
        ),
      ).toBe(true);
    for (const line of lines.slice(count)) await store().batches.putBack(line, 'a', { dueAt: 10, counts: false }, 11);
  };
  const plan = (limits = LIMITS, waitedSince = 0, of = store()) =>
    of.vendorBatches.plan({ limitsOf: () => limits, newId: () => `gw-${++last}`, waitedSince, now: 20 });
  const claimed = async (by = 'w'): Promise<readonly VendorBatchRecord[]> =>
    store().vendorBatches.claim({ by, now: 30, until: 130, limit: 10 });
  const planned = async (batch: BatchRecord, limits = LIMITS): Promise<VendorBatchRecord> => {
    await plan(limits);
    const found = (await claimed()).find(({ batchId }) => batchId === batch.id);
    if (found === undefined) throw new Error('nothing was planned');
    return found;
  };
  const find = async (batch: BatchRecord): Promise<BatchRecord> => {
    const found = await store().batches.find(batch, batch.format, batch.id);
    if (found === undefined) throw new Error('the batch is gone');
    return found;
  };
  const balanceOf = async ({ ownerId }: Tenant): Promise<number> => (await store().owners.get(ownerId))?.balance ?? NaN;

  it('lines wait for those of their batch that are still to come, for as long as is said', async () => {
    const tenant = await tenantOf();
    const batch = await made(tenant, 3);
    await handOver(batch, tenant.payer, 2);
    expect(await balanceOf(tenant)).toBe(800);
    expect(await plan()).toBe(0);
    expect(await store().vendorBatches.hasAny(tenant)).toBe(true);
    expect(await plan(LIMITS, 11)).toBe(1);
    const [record] = await claimed();
    expect(record).toMatchObject({ batchId: batch.id, state: 'planned', lines: 2, bytes: 2 * BODY.length });
    await handOver(batch, tenant.payer);
    expect(await plan()).toBe(1);
    // What is handed over is nobody's to claim, and a line that is at a vendor's does not expire with its batch.
    expect((await claim(DAY)).filter(({ batchId }) => batchId === batch.id)).toEqual([]);
    await store().batches.cancel(batch, 'anthropic', batch.id, 30);
    expect(await store().batches.endWaiting(batch.id, 100, 41)).toBe(0);
    for (const each of [record, ...(await claimed())])
      if (each !== undefined) await store().vendorBatches.giveBack(each.id, 'w', { how: 'cancelled', limit: 100 }, 42);
    expect(await find(batch)).toMatchObject({ status: 'cancelled', counts: { waiting: 0, cancelled: 3 }, size: 0 });
    expect(await balanceOf(tenant)).toBe(1_000);
  });

  it('many lines are several batches, within the limits; two processes never plan a line twice', async () => {
    const tenant = await tenantOf();
    const batch = await made(tenant, 7);
    await handOver(batch, tenant.payer);
    const made2 = await Promise.all([plan({ lines: 3, bytes: 1e6 }), plan({ lines: 3, bytes: 1e6 }, 0, replica())]);
    expect(made2[0] + made2[1]).toBe(3);
    const records = await claimed();
    expect(records.map(({ lines }) => lines).sort()).toEqual([1, 3, 3]);
    const numbers: number[] = [];
    for (const { id } of records)
      for (const { number, body } of await store().vendorBatches.lines(id, { after: -1, limit: 10, bytes: 1e6 })) {
        expect(Buffer.from(body).toString()).toBe('{"sent":true}');
        numbers.push(number);
      }
    expect(numbers.sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const { id } of records) await store().vendorBatches.giveBack(id, 'w', { how: 'expired', limit: 100 }, 42);
    expect(await find(batch)).toMatchObject({ status: 'expired', counts: { expired: 7 } });
  });

  describe('a batch of many lines is planned in parts', () => {
    const MANY = 250;
    /** A process that dies between the first part and the second. */
    const dying = (batch: BatchRecord) => {
      let parts = 0;
      const limitsOf = () => {
        if (++parts > 2) throw new Error(`gone while ${batch.id} is planned`);
        return { lines: MANY - 10, bytes: 1e6 };
      };
      return store().vendorBatches.plan({ limitsOf, newId: () => `gw-${++last}`, waitedSince: 0, now: 20 });
    };
    const ofBatch = async ({ id }: BatchRecord) => (await claimed()).filter(({ batchId }) => batchId === id);
    const manyHandedOver = async (tenant: Tenant & { payer: Payer }): Promise<BatchRecord> => {
      await store().ledger.topUp(tenant.ownerId, MANY * 100, {}, 0);
      const batch = await made(tenant, MANY);
      for (let lines = 0; lines < MANY; lines += 100) await handOver(batch, tenant.payer);
      return batch;
    };

    it('and is nobody to work on before it is whole; whoever plans next finishes it', async () => {
      const tenant = await tenantOf();
      const batch = await manyHandedOver(tenant);
      await expect(dying(batch)).rejects.toThrow('gone while');
      expect(await ofBatch(batch)).toEqual([]);
      expect(await store().vendorBatches.hasAny(tenant)).toBe(true);
      const limits = { lines: MANY - 10, bytes: 1e6 };
      const plans = await Promise.all([plan(limits, 20), plan(limits, 20, replica())]);
      expect(plans[0] + plans[1]).toBeGreaterThanOrEqual(2);
      const records = (await ofBatch(batch)).toSorted((a, b) => b.lines - a.lines);
      expect(records.map(({ lines, bytes }) => [lines, bytes / BODY.length])).toEqual([
        [MANY - 10, MANY - 10],
        [10, 10],
      ]);
      expect(await plan(limits, 20)).toBe(0);
    });

    it('and ends as what it is when its batch is cancelled meanwhile', async () => {
      const batch = await manyHandedOver(await tenantOf());
      await expect(dying(batch)).rejects.toThrow('gone while');
      await store().batches.cancel(batch, 'anthropic', batch.id, 30);
      await store().batches.endWaiting(batch.id, MANY, 41);
      expect(await plan()).toBe(1);
      const [record] = await ofBatch(batch);
      expect(record).toMatchObject({ lines: 200, isCancelled: true });
      await store().vendorBatches.giveBack(record?.id ?? '', 'w', { how: 'cancelled', limit: MANY }, 42);
      expect(await find(batch)).toMatchObject({ status: 'cancelled', counts: { cancelled: MANY }, size: 0 });
    });

    it('and has no more bytes than are allowed', async () => {
      const batch = await manyHandedOver(await tenantOf());
      expect(await plan({ lines: 1_000, bytes: 220 * BODY.length }, 20)).toBe(2);
      expect((await ofBatch(batch)).map(({ lines }) => lines).sort()).toEqual([220, 30]);
    });
  });

  it('an answer is given once, and its money stays set aside until it is billed', async () => {
    const tenant = await tenantOf();
    const batch = await made(tenant, 2);
    await handOver(batch, tenant.payer);
    const { id } = await planned(batch);
    const answers = [0, 1].map((number) => ({ number, status: 200, body: Buffer.from(`{"answer":${number}}`) }));
    await store().vendorBatches.answer(id, answers.slice(0, 1), 50);
    await store().vendorBatches.answer(id, [{ ...answers[0]!, body: Buffer.from('{}') }, answers[1]!], 50);
    const lines = (await claim(60, 'b')).filter(({ batchId }) => batchId === batch.id);
    expect(lines.map(({ answer }) => Buffer.from(answer?.body ?? '').toString())).toEqual([
      '{"answer":0}',
      '{"answer":1}',
    ]);
    const [first, second] = lines;
    if (first?.answer === undefined || second === undefined) throw new Error('no answers');
    await store().batches.putBack(first, 'b', { dueAt: 61, counts: false, keepsAnswer: true }, 60);
    const again = (await claim(62, 'c')).find(({ batchId, number }) => batchId === batch.id && number === 0);
    expect(again?.answer).toEqual(first.answer);
    const bill = { holdId: first.answer.holdId, charged: 7, priceVersion: '1', detail: {} };
    const end = { state: 'succeeded' as const, statusCode: 200, usage: NONE, result: Buffer.from('{}'), bills: [bill] };
    expect(await store().batches.finishLine(first, 'c', end, 63)).toBe(true);
    // The other one failed for now: it is sent by itself, and not in a batch again.
    await store().batches.putBack(second, 'b', { dueAt: 64, counts: true, keepsAnswer: false }, 63);
    const alone = (await claim(65, 'd')).find(({ batchId }) => batchId === batch.id);
    expect(alone).toMatchObject({ number: 1, isAlone: true, submitted: false, attempts: 1 });
    expect(alone?.answer).toBeUndefined();
    expect(await balanceOf(tenant)).toBe(993);
    expect((await find(batch)).size).toBe(2 + 7);
    await store().batches.finishLine({ batchId: batch.id, number: 1 }, 'd', { ...end, bills: [] }, 66);
    expect((await find(batch)).status).toBe('completed');
  });

  it('a step is written down by who has the claim, and a cancelled batch is due at once', async () => {
    const tenant = await tenantOf();
    const batch = await made(tenant, 1);
    await handOver(batch, tenant.payer);
    const { id } = await planned(batch);
    const step = { state: 'asked' as const, ticket: { file: 'f' }, attempts: 1, askedAt: 31 };
    expect(await store().vendorBatches.save(id, 'somebody', step)).toBe(false);
    expect(await store().vendorBatches.save(id, 'w', step)).toBe(true);
    expect(await store().vendorBatches.renew(id, 'somebody', 99)).toBe(false);
    await store().vendorBatches.leave(id, 'w', DAY);
    await store().batches.cancel(batch, 'anthropic', batch.id, 30);
    // Whoever has it no longer gives nothing back.
    const left = { how: 'expired' as const, limit: 10 };
    expect(await store().vendorBatches.giveBack(id, 'w', left, 50)).toBe(0);
    const [found] = await claimed('x');
    expect(await store().vendorBatches.giveBack(id, 'w', left, 50)).toBe(0);
    expect((await find(batch)).counts.waiting).toBe(1);
    expect(found).toMatchObject({ id, ...step, isCancelled: true, isCancelTold: false });
    expect(await store().vendorBatches.tickets(1)).toContainEqual({ file: 'f' });
    await store().vendorBatches.giveBack(id, 'x', { how: 'cancelled', numbers: [0], limit: 10 }, 50);
    await store().vendorBatches.save(id, 'x', { ...step, state: 'done' });
    expect(await claimed('y')).toEqual([]);
    expect(await store().vendorBatches.hasAny(tenant)).toBe(false);
  });
});
