import type { BatchFormat, BatchRecord, BatchStore, NewLine, Tenant } from '@model-gateway/core';
import { sql } from 'kysely';
import { lineClaims } from './batch-line-claims.ts';
import { lineEnds } from './batch-line-ends.ts';
import { heldLines } from './batch-lines.ts';
import { columnsOf, toBatch } from './batch-rows.ts';
import { batchWork } from './batch-work.ts';
import { type Database, forUpdate, transaction } from './database.ts';

/** Lines of one statement: databases take so many parameters at least. */
const LINES_AT_ONCE = 100;
const OPEN = ['receiving', 'validating', 'in_progress', 'finalizing'] as const;

export function batchStore(database: Database): BatchStore {
  return {
    ...batchWork(database),
    ...lineClaims(database),
    ...heldLines(database),
    ...lineEnds(database),
    create: async (batch) => {
      await database.db.insertInto('batches').values(columnsOf(batch)).execute();
    },
    addLines: async (id, lines) => transaction(database, (tx) => addLines(tx, id, lines)),
    find: async (tenant, format, id) => {
      const row = await ofTenant(database, tenant, format).where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toBatch(row);
    },
    list: async (tenant, query) => list(database, tenant, query),
    load: async (tenant) => load(database, tenant),
    cancel: async (tenant, format, id, now) => transaction(database, (tx) => cancel(tx, { tenant, format, id, now })),
    remove: async (tenant, format, id) => remove(database, tenant, format, id),
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

async function load(
  { db }: Database,
  { ownerId, mode }: Tenant,
): Promise<{ readonly bytes: number; readonly lines: number }> {
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

async function remove({ db }: Database, { ownerId, mode }: Tenant, format: BatchFormat, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('batches')
    .set({ removed: 1 })
    .where('id', '=', id)
    .where('format', '=', format)
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('status', 'not in', OPEN)
    .where('removed', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
