import type { VendorBatchRecord, VendorBatchStore } from '@model-gateway/core';
import { sql, type Selectable } from 'kysely';
import { countEnded, endIfDone } from './batch-line-ends.ts';
import { changeSize, IN_NO_VENDOR_BATCH, settleHolds, Stage, withinBytes } from './batch-line-rows.ts';
import { type Database, forUpdate, forUpdateSkipLocked, transaction } from './database.ts';
import { parse, present } from './rows.ts';
import type { VendorBatchRow } from './tables.ts';
import { planBatches } from './vendor-batch-plan.ts';

const EMPTY = new Uint8Array();

export function vendorBatchStore(database: Database): VendorBatchStore {
  const { db } = database;
  return {
    plan: async (planning) => planBatches(database, planning),
    claim: async (due) => claim(database, due),
    renew: async (id, by, until) => {
      const { numUpdatedRows } = await db
        .updateTable('vendor_batches')
        .set({ due_at: until })
        .where('id', '=', id)
        .where('claimed_by', '=', by)
        .where('due_at', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    save: async (id, by, { state, ticket, attempts, askedAt, isCancelTold }) => {
      const { numUpdatedRows } = await db
        .updateTable('vendor_batches')
        .set({
          ...{ state, attempts, ticket: JSON.stringify(ticket) },
          ...(askedAt !== undefined && { asked_at: askedAt }),
          ...(isCancelTold === true && { cancel_told: 1 }),
          ...(state === 'done' && { due_at: null, claimed_by: null }),
        })
        .where('id', '=', id)
        .where('claimed_by', '=', by)
        .where('due_at', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    leave: async (id, by, dueAt) => {
      await db
        .updateTable('vendor_batches')
        .set({ due_at: dueAt, claimed_by: null })
        .where('id', '=', id)
        .where('claimed_by', '=', by)
        .where('due_at', 'is not', null)
        .execute();
    },
    lines: async (id, { after, limit, bytes }) => lines(database, id, { after, limit, bytes }),
    answer: async (id, answers, now) => transaction(database, (tx) => answer(tx, id, answers, now)),
    giveBack: async (id, by, what, now) =>
      transaction(database, async (tx) => ((await isHeld(tx, id, by)) ? giveBack(tx, id, what, now) : 0)),
    tickets: async (accountId) => {
      const rows = await db.selectFrom('vendor_batches').select('ticket').where('account_id', '=', accountId).execute();
      return rows.map(({ ticket }) => parse(ticket));
    },
    hasAny: async (tenant) => hasAny(database, tenant),
  };
}

async function claim(
  database: Database,
  { by, now, until, limit }: Parameters<VendorBatchStore['claim']>[0],
): Promise<readonly VendorBatchRecord[]> {
  const dueIn = (on: Database, most: number) =>
    on.db.selectFrom('vendor_batches').select('id').where('due_at', '<=', now).orderBy('due_at').limit(most);
  if ((await dueIn(database, 1).executeTakeFirst()) === undefined) return [];
  return transaction(database, async (tx) => {
    const ids = (await forUpdateSkipLocked(tx, dueIn(tx, limit)).execute()).map(({ id }) => id);
    if (ids.length === 0) return [];
    await tx.db.updateTable('vendor_batches').set({ due_at: until, claimed_by: by }).where('id', 'in', ids).execute();
    const rows = await tx.db
      .selectFrom('vendor_batches')
      .innerJoin('batches', 'batches.id', 'vendor_batches.batch_id')
      .selectAll('vendor_batches')
      .select('batches.cancelled_at')
      .where('vendor_batches.id', 'in', ids)
      .execute();
    return rows.map(toVendorBatch);
  });
}

async function lines(
  { db }: Database,
  id: string,
  { after, limit, bytes }: Parameters<VendorBatchStore['lines']>[1],
): Promise<Awaited<ReturnType<VendorBatchStore['lines']>>> {
  const sizes = await db
    .selectFrom('batch_lines')
    .select(['number', 'exchange_bytes as size'])
    .where('vendor_batch', '=', id)
    .where('stage', '=', sql.lit(Stage.atVendor))
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  const last = withinBytes(sizes, bytes).at(-1)?.number;
  if (last === undefined) return [];
  const rows = await db
    .selectFrom('batch_lines')
    .select(['number', 'exchange'])
    .where('vendor_batch', '=', id)
    .where('stage', '=', sql.lit(Stage.atVendor))
    .where('number', '>', after)
    .where('number', '<=', last)
    .orderBy('number')
    .execute();
  return rows.map(({ number, exchange }) => ({ number, body: exchange ?? EMPTY }));
}

async function answer(
  tx: Database,
  id: string,
  answers: Parameters<VendorBatchStore['answer']>[1],
  now: number,
): Promise<void> {
  let grown = 0;
  let batchId: string | undefined;
  for (const { number, status, body } of answers) {
    const row = await tx.db
      .selectFrom('batch_lines')
      .select(['batch_id', 'exchange_bytes'])
      .where('vendor_batch', '=', id)
      .where('number', '=', number)
      .where('stage', '=', sql.lit(Stage.atVendor))
      .executeTakeFirst();
    if (row === undefined) continue;
    const more = body.length - row.exchange_bytes;
    await tx.db
      .updateTable('batch_lines')
      .set((column) => ({
        ...{ stage: Stage.answered, exchange: body, exchange_bytes: body.length, vendor_status: status },
        ...{ bytes: column('bytes', '+', more), due_at: now, claimed_by: null },
      }))
      .where('batch_id', '=', row.batch_id)
      .where('number', '=', number)
      .execute();
    grown += more;
    batchId = row.batch_id;
  }
  if (batchId !== undefined) await changeSize(tx, batchId, grown);
}

/** Whether it is this claimant's; nobody takes it until the transaction ends. */
async function isHeld(tx: Database, id: string, by: string): Promise<boolean> {
  const held = tx.db
    .selectFrom('vendor_batches')
    .select('id')
    .where('id', '=', id)
    .where('claimed_by', '=', by)
    .where('due_at', 'is not', null);
  return (await forUpdate(tx, held).executeTakeFirst()) !== undefined;
}

async function giveBack(
  tx: Database,
  id: string,
  { how, numbers, limit }: Parameters<VendorBatchStore['giveBack']>[2],
  now: number,
): Promise<number> {
  let left = tx.db
    .selectFrom('batch_lines')
    .select(['batch_id', 'number', 'holds', 'bytes', 'exchange_bytes'])
    .where('vendor_batch', '=', id)
    .where('stage', '=', sql.lit(Stage.atVendor))
    .limit(limit);
  if (numbers !== undefined) left = left.where('number', 'in', numbers);
  const rows = await forUpdate(tx, left).execute();
  const batchId = rows[0]?.batch_id;
  if (batchId === undefined) return 0;
  for (const row of rows) await settleHolds(tx, row, [], now);
  await tx.db
    .updateTable('batch_lines')
    .set((column) => ({
      ...{ ...IN_NO_VENDOR_BATCH, holds: null, claimed_by: null },
      ...(how === 'alone'
        ? {
            ...{ stage: Stage.alone, submitted: 0, request_id: null, due_at: now },
            bytes: column('bytes', '-', column.ref('exchange_bytes')),
          }
        : { stage: Stage.none, state: how, body: EMPTY, bytes: 0, due_at: null }),
    }))
    .where('batch_id', '=', batchId)
    .where(
      'number',
      'in',
      rows.map(({ number }) => number),
    ) // prettier-ignore
    .execute();
  if (how === 'alone') await changeSize(tx, batchId, -rows.reduce((sum, row) => sum + row.exchange_bytes, 0));
  else await countEnded(tx, batchId, how, rows);
  await endIfDone(tx, batchId, now);
  return rows.length;
}

async function hasAny(
  { db }: Database,
  { ownerId, mode }: Parameters<VendorBatchStore['hasAny']>[0],
): Promise<boolean> {
  const row = await db
    .selectFrom('batches')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode as 'live' | 'test')
    .where('status', '=', 'in_progress')
    .where((where) =>
      where.or([
        where.exists(
          where
            .selectFrom('vendor_batches')
            .select('vendor_batches.id')
            .whereRef('vendor_batches.batch_id', '=', 'batches.id')
            .where('vendor_batches.state', '<>', 'done'),
        ),
        where.exists(
          where
            .selectFrom('batch_lines')
            .select('batch_lines.number')
            .whereRef('batch_lines.batch_id', '=', 'batches.id')
            .where('batch_lines.stage', '=', sql.lit(Stage.handedOver)),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function toVendorBatch(row: Selectable<VendorBatchRow> & { readonly cancelled_at: number | null }): VendorBatchRecord {
  return {
    ...present({ askedAt: row.asked_at }),
    ...{ id: row.id, batchId: row.batch_id, accountId: row.account_id, vendorModel: row.vendor_model },
    ...{ group: row.vendor_group, state: row.state, lines: row.lines, bytes: row.bytes, ticket: parse(row.ticket) },
    ...{ createdAt: row.created_at, attempts: row.attempts },
    ...{ isCancelled: row.cancelled_at !== null, isCancelTold: row.cancel_told === 1 },
  };
}
