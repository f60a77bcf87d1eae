/** How lines of a batch end, and the batch with its last one. */
import type { BatchStore, LineEnd } from '@model-gateway/core';
import { present } from './rows.ts';
import {
  changeLine,
  claimedLine,
  EMPTY_BODY,
  IN_NO_VENDOR_BATCH,
  type LineName,
  settleHolds,
  Stage,
  withinBytes,
} from './batch-line-rows.ts';
import { endOf } from './batch-rows.ts';
import { type Database, forUpdateSkipLocked, journalTransaction, transaction } from './database.ts';

export function lineEnds(database: Database): Pick<BatchStore, 'ended' | 'finishLine' | 'endWaiting'> {
  return {
    ended: async (id, part) => ended(database, id, part),
    // Its mark is on the disk before: a power cut that takes the end leaves a line whose outcome is unknown, never one that runs again.
    finishLine: async (line, by, end, now) =>
      journalTransaction(database, (tx) => finishLine(tx, line, { by, end, now })),
    endWaiting: async (id, limit, now) => transaction(database, (tx) => endWaiting(tx, { id, limit, now })),
  };
}

async function ended(
  { db }: Database,
  id: string,
  { after, limit, bytes }: Parameters<BatchStore['ended']>[1],
): ReturnType<BatchStore['ended']> {
  const sizes = await db
    .selectFrom('batch_lines')
    .select(({ fn }) => ['number', fn<number | null>('length', ['result']).as('size')])
    .where('batch_id', '=', id)
    .where('number', '>', after)
    .where('state', '<>', 'waiting')
    .orderBy('number')
    .limit(limit)
    .execute();
  const numbers = withinBytes(sizes, bytes).map(({ number }) => number);
  if (numbers.length === 0) return [];
  const rows = await db
    .selectFrom('batch_lines')
    .select(['number', 'custom_id', 'state', 'request_id', 'status_code', 'result'])
    .where('batch_id', '=', id)
    .where('number', 'in', numbers)
    .orderBy('number')
    .execute();
  return rows.map((row) => ({
    ...present({ requestId: row.request_id, statusCode: row.status_code, result: row.result }),
    ...{ number: row.number, customId: row.custom_id, state: row.state },
  }));
}

async function finishLine(
  tx: Database,
  line: LineName,
  { by, end, now }: { readonly by: string; readonly end: LineEnd; readonly now: number },
): Promise<boolean> {
  const row = await claimedLine(tx, line, by);
  if (row === undefined) return false;
  await settleHolds(tx, row, end.bills, now);
  await changeLine(tx, line, {
    ...{ state: end.state, status_code: end.statusCode, result: end.result, request_id: end.requestId ?? null },
    ...{
      body: EMPTY_BODY,
      bytes: 0,
      holds: null,
      claimed_by: null,
      due_at: null,
      stage: Stage.none,
      ...IN_NO_VENDOR_BATCH,
    },
  });
  const { usage } = end;
  await tx.db
    .updateTable('batches')
    .set((column) => ({
      waiting: column('waiting', '-', 1),
      [end.state]: column(end.state, '+', 1),
      size: column('size', '+', end.result.length - row.bytes),
      input_tokens: column('input_tokens', '+', usage.inputTokens),
      cached_tokens: column('cached_tokens', '+', usage.cachedInputTokens),
      output_tokens: column('output_tokens', '+', usage.outputTokens),
      reasoning_tokens: column('reasoning_tokens', '+', usage.reasoningTokens),
    }))
    .where('id', '=', line.batchId)
    .execute();
  await endIfDone(tx, line.batchId, now);
  return true;
}

async function endWaiting(
  tx: Database,
  { id, limit, now }: { readonly id: string; readonly limit: number; readonly now: number },
): Promise<number> {
  const batch = await tx.db.selectFrom('batches').select('cancelled_at').where('id', '=', id).executeTakeFirst();
  if (batch === undefined) return 0;
  const state = batch.cancelled_at === null ? 'expired' : 'cancelled';
  const waiting = tx.db
    .selectFrom('batch_lines')
    .select(['number', 'bytes', 'holds'])
    .where('batch_id', '=', id)
    .where('due_at', 'is not', null)
    .where((where) => where.or([where('due_at', '<=', now), where('claimed_by', 'is', null)]))
    .where((where) => where.or([where('submitted', '=', 0), where('stage', '=', Stage.handedOver)]))
    .limit(limit);
  const rows = await forUpdateSkipLocked(tx, waiting).execute();
  if (rows.length > 0) {
    for (const row of rows) await settleHolds(tx, row, [], now);
    await tx.db
      .updateTable('batch_lines')
      .set({
        state,
        body: EMPTY_BODY,
        bytes: 0,
        holds: null,
        claimed_by: null,
        due_at: null,
        stage: Stage.none,
        ...IN_NO_VENDOR_BATCH,
      })
      .where('batch_id', '=', id)
      .where(
        'number',
        'in',
        rows.map(({ number }) => number),
      ) // prettier-ignore
      .execute();
    await countEnded(tx, id, state, rows);
  }
  await endIfDone(tx, id, now);
  return rows.length;
}

/** Ends a batch whose last line has ended; one with an input file has its results written first. */
export async function endIfDone(tx: Database, id: string, now: number): Promise<void> {
  const row = await tx.db
    .selectFrom('batches')
    .select(['cancelled_at', 'expired', 'input_file_id'])
    .where('id', '=', id)
    .where('waiting', '=', 0)
    .where('status', '=', 'in_progress')
    .executeTakeFirst();
  if (row === undefined) return;
  await tx.db
    .updateTable('batches')
    .set(
      row.input_file_id === null
        ? { status: endOf(row), ended_at: now, due_at: null, claimed_by: null }
        : { status: 'finalizing', finalizing_at: now, due_at: now, claimed_by: null },
    )
    .where('id', '=', id)
    .execute();
}

/** Lines that have ended without having been answered are counted as such, and take no room any more. */
export async function countEnded(
  tx: Database,
  batchId: string,
  how: 'cancelled' | 'expired',
  rows: readonly { readonly bytes: number }[],
): Promise<void> {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  await tx.db
    .updateTable('batches')
    .set((column) => ({
      waiting: column('waiting', '-', rows.length),
      [how]: column(how, '+', rows.length),
      size: column('size', '-', bytes),
    }))
    .where('id', '=', batchId)
    .execute();
}
