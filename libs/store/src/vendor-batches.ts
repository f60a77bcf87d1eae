import { setImmediate } from 'node:timers/promises';
import type { VendorBatchRecord, VendorBatchStore } from '@model-gateway/core';
import { sql, type Selectable } from 'kysely';
import {
  IN_NO_VENDOR_BATCH,
  Stage,
  changeSize,
  countEnded,
  endIfDone,
  settleHolds,
  withinBytes,
} from './batch-lines.ts';
import { type Database, forUpdate, forUpdateSkipLocked, transaction } from './database.ts';
import { parse, present } from './rows.ts';
import type { VendorBatchRow } from './tables.ts';

const EMPTY = new Uint8Array();
/** Lines that are put into a batch together: others have a turn between, for SQLite answers within the turn that asks it. */
const PART_LINES = 200;

export function vendorBatchStore(database: Database): VendorBatchStore {
  const { db } = database;
  return {
    plan: async (by) => plan(database, by),
    claim: async ({ by, now, until, limit }) => {
      const dueIn = (on: Database, most: number) =>
        on.db.selectFrom('vendor_batches').select('id').where('due_at', '<=', now).orderBy('due_at').limit(most);
      if ((await dueIn(database, 1).executeTakeFirst()) === undefined) return [];
      return transaction(database, async (tx) => {
        const ids = (await forUpdateSkipLocked(tx, dueIn(tx, limit)).execute()).map(({ id }) => id);
        if (ids.length === 0) return [];
        await tx.db
          .updateTable('vendor_batches')
          .set({ due_at: until, claimed_by: by })
          .where('id', 'in', ids)
          .execute();
        const rows = await tx.db
          .selectFrom('vendor_batches')
          .innerJoin('batches', 'batches.id', 'vendor_batches.batch_id')
          .selectAll('vendor_batches')
          .select('batches.cancelled_at')
          .where('vendor_batches.id', 'in', ids)
          .execute();
        return rows.map(toVendorBatch);
      });
    },
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
    hasAny: async ({ ownerId, mode }) => {
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
    },
  };
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

interface Group {
  readonly batch_id: string;
  readonly account_id: number;
  readonly vendor_model: string;
  readonly vendor_group: string;
}

type Planning = Parameters<VendorBatchStore['plan']>[0];

async function plan(database: Database, planning: Planning): Promise<number> {
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
