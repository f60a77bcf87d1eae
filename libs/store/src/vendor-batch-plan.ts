/** Which lines go to their vendor together: as many as it takes at once, of one batch and one model. */
import { setImmediate } from 'node:timers/promises';
import type { VendorBatchRecord, VendorBatchStore } from '@model-gateway/core';
import { sql } from 'kysely';
import { Stage, withinBytes } from './batch-line-rows.ts';
import { type Database, forUpdate, transaction } from './database.ts';

/** Lines that are put into a batch together: others have a turn between, for SQLite answers within the turn that asks it. */
const PART_LINES = 200;

interface Group {
  readonly batch_id: string;
  readonly account_id: number;
  readonly vendor_model: string;
  readonly vendor_group: string;
}

type Planning = Parameters<VendorBatchStore['plan']>[0];

export async function planBatches(database: Database, planning: Planning): Promise<number> {
  const { db } = database;
  let made = await finishPlanned(database, planning);
  const groups = await db
    .selectFrom('batch_lines')
    .select(['batch_id', 'account_id', 'vendor_model', 'vendor_group'])
    .select(({ fn }) => [
      fn.countAll<number>().as('lines'),
      sql<number>`cast(sum(exchange_bytes) as bigint)`.as('bytes'),
      fn.min('handed_at').as('since'),
    ])
    .where('stage', '=', sql.lit(Stage.handedOver))
    .groupBy(['batch_id', 'account_id', 'vendor_model', 'vendor_group'])
    .execute();
  for (const { account_id: account, vendor_model: model, vendor_group: name, ...group } of groups) {
    if (account === null || model === null || name === null) continue;
    const limits = planning.limitsOf(account);
    const own: Group = { batch_id: group.batch_id, account_id: account, vendor_model: model, vendor_group: name };
    let [lines, bytes] = [group.lines, group.bytes];
    const isWhole =
      (group.since ?? 0) <= planning.waitedSince || !(await hasMoreToHandOver(database, group.batch_id, planning));
    while (lines > 0 && (isWhole || lines >= limits.lines || bytes >= limits.bytes)) {
      const taken = await planOne(database, own, planning.newId(), planning);
      if (taken.lines === 0) break;
      made++;
      lines -= taken.lines;
      bytes -= taken.bytes;
    }
  }
  return made;
}

/** Lines of it that are about to be handed over. One that waits longer than the others would wait for it, for money for instance, is not. */
async function hasMoreToHandOver({ db }: Database, batchId: string, { now, waitedSince }: Planning): Promise<boolean> {
  const row = await db
    .selectFrom('batch_lines')
    .select('number')
    .where('batch_id', '=', batchId)
    .where('due_at', '<=', now + (now - waitedSince))
    .where('stage', '=', Stage.none)
    .where('submitted', '=', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Taken = Pick<VendorBatchRecord, 'lines' | 'bytes'>;

/** Those of a process that died, or that another one is filling: whoever comes helps. */
async function finishPlanned(database: Database, planning: Planning): Promise<number> {
  const rows = await database.db
    .selectFrom('vendor_batches')
    .select(['id', 'batch_id', 'account_id', 'vendor_model', 'vendor_group'])
    .where('state', '=', sql.lit('planned'))
    .where('due_at', 'is', null)
    .execute();
  for (const { id, ...group } of rows) await planOne(database, group, id, planning);
  return rows.length;
}

/** The first lines of a group, as many as a vendor takes at once. It is due, and nobody's before, when it has all of them. */
async function planOne(database: Database, group: Group, id: string, planning: Planning): Promise<Taken> {
  let [lines, bytes] = [0, 0];
  for (;;) {
    const part = await transaction(database, (tx) => planPart(tx, group, id, planning));
    lines += part.lines;
    bytes += part.bytes;
    if (part.isLast) return { lines, bytes };
    await setImmediate();
  }
}

async function planPart(
  tx: Database,
  group: Group,
  id: string,
  { limitsOf, now }: Planning,
): Promise<Taken & { readonly isLast: boolean }> {
  const limits = limitsOf(group.account_id);
  // One at a time: who plans the same lines waits here.
  await forUpdate(tx, tx.db.selectFrom('batches').select('id').where('id', '=', group.batch_id)).execute();
  const known = await tx.db
    .selectFrom('vendor_batches')
    .select(['lines', 'bytes', 'state', 'due_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  // Another process has put the last ones in.
  if (known !== undefined && (known.state !== 'planned' || known.due_at !== null))
    return { lines: 0, bytes: 0, isLast: true };
  const { lines, bytes } = known ?? { lines: 0, bytes: 0 };
  const most = Math.max(0, Math.min(PART_LINES, limits.lines - lines));
  const rows = await tx.db
    .selectFrom('batch_lines')
    .select(['number', 'exchange_bytes as size'])
    .where('batch_id', '=', group.batch_id)
    .where('account_id', '=', group.account_id)
    .where('vendor_model', '=', group.vendor_model)
    .where('vendor_group', '=', group.vendor_group)
    .where('stage', '=', sql.lit(Stage.handedOver))
    .orderBy('number')
    .limit(most + 1)
    .execute();
  const fitting = withinBytes(rows.slice(0, most), limits.bytes - bytes);
  // One that is too large goes by itself.
  const isFull = bytes > 0 && bytes + (fitting[0]?.size ?? 0) > limits.bytes;
  const last = fitting.at(-1)?.number;
  const taken = isFull || last === undefined ? [] : await take(tx, group, id, last);
  const all = { lines: lines + taken.length, bytes: bytes + taken.reduce((sum, row) => sum + row.exchange_bytes, 0) };
  const isLast = isFull || fitting.length < PART_LINES || rows.length <= fitting.length || all.lines >= limits.lines;
  const values = { ...all, due_at: isLast ? now : null };
  if (known !== undefined) await tx.db.updateTable('vendor_batches').set(values).where('id', '=', id).execute();
  else if (all.lines > 0)
    await tx.db
      .insertInto('vendor_batches')
      .values({
        ...{ id, ...group, ...values, state: 'planned', ticket: '{}' },
        ...{ created_at: now, attempts: 0, cancel_told: 0 },
      })
      .execute();
  return { lines: taken.length, bytes: all.bytes - bytes, isLast };
}

/** Puts the lines of a group into a batch, those up to a number. */
function take(tx: Database, group: Group, id: string, last: number) {
  return tx.db
    .updateTable('batch_lines')
    .set({ stage: Stage.atVendor, vendor_batch: id })
    .where('batch_id', '=', group.batch_id)
    .where('account_id', '=', group.account_id)
    .where('vendor_model', '=', group.vendor_model)
    .where('vendor_group', '=', group.vendor_group)
    .where('stage', '=', sql.lit(Stage.handedOver))
    .where('number', '<=', last)
    .returning('exchange_bytes')
    .execute();
}
