import type { BatchFormat, BatchRecord, BatchStore, NewLine, Tenant } from '@model-gateway/core';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { lineStore } from './batch-lines.ts';
import { columnsOf, endOf, toBatch } from './batch-rows.ts';
import { type Database, forUpdate, forUpdateSkipLocked, journalTransaction, transaction } from './database.ts';

/** Lines of one statement: databases take so many parameters at least. */
const LINES_AT_ONCE = 100;
const LINES_REMOVED_AT_ONCE = 500;
const OPEN = ['receiving', 'validating', 'in_progress', 'finalizing'] as const;

export function batchStore(database: Database): BatchStore {
  const { db } = database;
  return {
    ...lineStore(database),
    create: async (batch) => {
      await db.insertInto('batches').values(columnsOf(batch)).execute();
    },
    addLines: async (id, lines) => transaction(database, (tx) => addLines(tx, id, lines)),
    open: async (id, now, by) => {
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
    },
    refuse: async (id, by, faults, now) => {
      const { numUpdatedRows } = await db
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
    },
    find: async (tenant, format, id) => {
      const row = await ofTenant(database, tenant, format).where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toBatch(row);
    },
    list: async (tenant, query) => list(database, tenant, query),
    load: async ({ ownerId, mode }) => {
      const row = await db
        .selectFrom('batches')
        .select([
          sql<number | null>`cast(sum(size) as bigint)`.as('bytes'),
          sql<number | null>`cast(sum(waiting) as bigint)`.as('lines'),
        ])
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .where('removed', '=', 0)
        .executeTakeFirstOrThrow();
      return { bytes: row.bytes ?? 0, lines: row.lines ?? 0 };
    },
    cancel: async (tenant, format, id, now) => transaction(database, (tx) => cancel(tx, { tenant, format, id, now })),
    remove: async (tenant, format, id) => {
      const { numUpdatedRows } = await db
        .updateTable('batches')
        .set({ removed: 1 })
        .where('id', '=', id)
        .where('format', '=', format)
        .where('owner_id', '=', tenant.ownerId)
        .where('mode', '=', tenant.mode)
        .where('status', 'not in', OPEN)
        .where('removed', '=', 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    claimBatches: async ({ by, now, until, limit }) => {
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
    },
    renewBatch: async (id, by, until) => {
      const { numUpdatedRows } = await db
        .updateTable('batches')
        .set({ due_at: until })
        .where('id', '=', id)
        .where('claimed_by', '=', by)
        .where('due_at', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    leaveBatch: async (id, by, dueAt) => {
      await db
        .updateTable('batches')
        .set({ due_at: dueAt, claimed_by: null })
        .where('id', '=', id)
        .where('claimed_by', '=', by)
        .where('due_at', 'is not', null)
        .execute();
    },
    finishBatch: async (id, by, files, now) =>
      transaction(database, async (tx) => {
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
      }),
    removeLines: async (id) => removeAllLines(database, id),
    sweep: async (before) => sweep(database, before),
  };
}

function ofTenant({ db }: Database, { ownerId, mode }: Tenant, format: BatchFormat) {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('format', '=', format)
    .where('removed', '=', 0)
    .where('status', '<>', 'receiving');
}

async function addLines(tx: Database, id: string, lines: readonly NewLine[]): Promise<void> {
  const { created_at: dueAt } = await tx.db
    .selectFrom('batches')
    .select('created_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  let count = 0;
  let size = 0;
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const added = await tx.db
      .insertInto('batch_lines')
      .values(
        lines.slice(from, from + LINES_AT_ONCE).map(({ number, customId, model, body }) => ({
          ...{ batch_id: id, number, custom_id: customId, model, body, bytes: body.length },
          ...{ state: 'waiting' as const, submitted: 0, attempts: 0, due_at: dueAt },
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('bytes')
      .execute();
    count += added.length;
    for (const { bytes } of added) size += bytes;
  }
  await tx.db
    .updateTable('batches')
    .set((column) => ({ waiting: column('waiting', '+', count), size: column('size', '+', size) }))
    .where('id', '=', id)
    .execute();
}

async function list(
  database: Database,
  tenant: Tenant,
  { format, limit, after, before }: Parameters<BatchStore['list']>[1],
): Promise<readonly BatchRecord[]> {
  const cursor = after ?? before;
  const of = ofTenant(database, tenant, format);
  const isBefore = after === undefined && before !== undefined;
  const order = isBefore ? 'asc' : 'desc';
  const compare = isBefore ? '>' : '<';
  let query = of.orderBy('created_at', order).orderBy('id', order).limit(limit);
  if (cursor !== undefined) {
    const row = await of.where('id', '=', cursor).executeTakeFirst();
    if (row === undefined) return [];
    query = query.where((where) =>
      where.or([
        where('created_at', compare, row.created_at),
        where.and([where('created_at', '=', row.created_at), where('id', compare, row.id)]),
      ]),
    );
  }
  const found = (await query.execute()).map(toBatch);
  return isBefore ? found.toReversed() : found;
}

interface Cancellation {
  readonly tenant: Tenant;
  readonly format: BatchFormat;
  readonly id: string;
  readonly now: number;
}

async function cancel(tx: Database, { tenant, format, id, now }: Cancellation): Promise<BatchRecord | undefined> {
  const row = await forUpdate(tx, ofTenant(tx, tenant, format).where('id', '=', id)).executeTakeFirst();
  if (row === undefined) return undefined;
  const isOpen = row.status === 'validating' || row.status === 'in_progress';
  if (!isOpen || row.cancelled_at !== null) return toBatch(row);
  const change =
    row.status === 'validating'
      ? { status: 'cancelled' as const, ended_at: now, due_at: null, claimed_by: null }
      : { due_at: now, claimed_by: null };
  const changed = await tx.db
    .updateTable('batches')
    .set({ cancelled_at: now, ...change })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  // Their vendors are told at once.
  await tx.db
    .updateTable('vendor_batches')
    .set({ due_at: now })
    .where('batch_id', '=', id)
    .where('claimed_by', 'is', null)
    .where('due_at', 'is not', null)
    .execute();
  return toBatch(changed);
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
