/** The work on a batch, from the moment it may begin until nothing of it is left: for whoever has it in hand. */
import { setImmediate } from 'node:timers/promises';
import type { BatchRecord, BatchStore } from '@model-gateway/core';
import { endOf, toBatch } from './batch-rows.ts';
import { type Database, forUpdate, forUpdateSkipLocked, journalTransaction, transaction } from './database.ts';

const LINES_REMOVED_AT_ONCE = 500;

type WorkMethods =
  | 'open'
  | 'refuse'
  | 'claimBatches'
  | 'renewBatch'
  | 'leaveBatch'
  | 'finishBatch'
  | 'removeLines'
  | 'sweep';

export function batchWork(database: Database): Pick<BatchStore, WorkMethods> {
  return {
    open: async (id, now, by) => open(database, id, now, by),
    refuse: async (id, by, faults, now) => refuse(database, id, by, { faults, now }),
    claimBatches: async (claim) => claimBatches(database, claim),
    renewBatch: async (id, by, until) => renewBatch(database, id, by, until),
    leaveBatch: async (id, by, dueAt) => {
      await database.db
        .updateTable('batches')
        .set({ due_at: dueAt, claimed_by: null })
        .where('id', '=', id)
        .where('claimed_by', '=', by)
        .where('due_at', 'is not', null)
        .execute();
    },
    finishBatch: async (id, by, files, now) => transaction(database, (tx) => finishBatch(tx, id, by, { files, now })),
    removeLines: async (id) => removeAllLines(database, id),
    sweep: async (before) => sweep(database, before),
  };
}

async function open({ db }: Database, id: string, now: number, by: string | undefined): Promise<boolean> {
  let opened = db
    .updateTable('batches')
    .set((column) => ({
      status: 'in_progress',
      started_at: now,
      due_at: column.ref('expires_at'),
      claimed_by: null,
    }))
    .where('id', '=', id)
    .where('status', 'in', ['receiving', 'validating'])
    .where('cancelled_at', 'is', null);
  if (by !== undefined) opened = opened.where('claimed_by', '=', by);
  const { numUpdatedRows } = await opened.executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function refuse(
  database: Database,
  id: string,
  by: string,
  { faults, now }: { readonly faults: Parameters<BatchStore['refuse']>[2]; readonly now: number },
): Promise<void> {
  const { numUpdatedRows } = await database.db
    .updateTable('batches')
    .set({
      ...{ status: 'failed', faults: JSON.stringify(faults), ended_at: now, due_at: null, claimed_by: null },
      ...{ waiting: 0, size: 0 },
    })
    .where('id', '=', id)
    .where('claimed_by', '=', by)
    .where('status', 'in', ['receiving', 'validating'])
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await removeAllLines(database, id);
}

async function claimBatches(
  database: Database,
  { by, now, until, limit }: Parameters<BatchStore['claimBatches']>[0],
): Promise<readonly BatchRecord[]> {
  const dueIn = (on: Database, most: number) =>
    on.db.selectFrom('batches').select('id').where('due_at', '<=', now).orderBy('due_at').limit(most);
  // A look is taken after every line that ends: mostly nothing is due, and no transaction is needed to see that.
  if ((await dueIn(database, 1).executeTakeFirst()) === undefined) return [];
  return journalTransaction(database, async (tx) => {
    const due = dueIn(tx, limit);
    const ids = (await forUpdateSkipLocked(tx, due).execute()).map(({ id }) => id);
    if (ids.length === 0) return [];
    const rows = await tx.db
      .updateTable('batches')
      .set({ due_at: until, claimed_by: by })
      .where('id', 'in', ids)
      .returningAll()
      .execute();
    return rows.map(toBatch);
  });
}

async function renewBatch({ db }: Database, id: string, by: string, until: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('batches')
    .set({ due_at: until })
    .where('id', '=', id)
    .where('claimed_by', '=', by)
    .where('due_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function finishBatch(
  tx: Database,
  id: string,
  by: string,
  { files, now }: { readonly files: Parameters<BatchStore['finishBatch']>[2]; readonly now: number },
): Promise<boolean> {
  const row = await forUpdate(
    tx,
    tx.db.selectFrom('batches').selectAll().where('id', '=', id).where('claimed_by', '=', by),
  ).executeTakeFirst();
  if (row?.status !== 'finalizing') return false;
  await tx.db
    .updateTable('batches')
    .set({
      status: endOf(row),
      // The results are in files from now on, which have a bound of their own.
      ...{ ended_at: now, due_at: null, claimed_by: null, size: 0 },
      output_file_id: files.outputFileId ?? null,
      error_file_id: files.errorFileId ?? null,
    })
    .where('id', '=', id)
    .execute();
  return true;
}

/** Others have a turn between: SQLite answers within the turn that asks it. */
async function removeAllLines(database: Database, id: string): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await database.db
      .deleteFrom('batch_lines')
      .where('batch_id', '=', id)
      .where('number', 'in', (query) =>
        query.selectFrom('batch_lines').select('number').where('batch_id', '=', id).limit(LINES_REMOVED_AT_ONCE),
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) return;
    await setImmediate();
  }
}

async function sweep(
  database: Database,
  { endedBefore, receivedBefore, limit }: Parameters<BatchStore['sweep']>[0],
): Promise<number> {
  const rows = await database.db
    .selectFrom('batches')
    .select('id')
    .where((where) =>
      where.or([
        where('removed', '=', 1),
        where.and([where('ended_at', 'is not', null), where('ended_at', '<', endedBefore)]),
        where.and([where('status', '=', 'receiving'), where('created_at', '<', receivedBefore)]),
      ]),
    )
    .limit(limit)
    .execute();
  for (const { id } of rows) {
    await removeAllLines(database, id);
    await database.db.deleteFrom('vendor_batches').where('batch_id', '=', id).execute();
    await database.db.deleteFrom('batches').where('id', '=', id).execute();
  }
  return rows.length;
}
