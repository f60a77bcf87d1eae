/** Lines of batches as they lie in the database: where they stand, what they hold, and what changes with them. */
import type { ClaimedLine, LineBill, LineReply } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { type Database, forUpdate } from './database.ts';
import { captureHold, releaseHold } from './holds.ts';
import { parse } from './rows.ts';
import type { BatchLineRow } from './tables.ts';

export const EMPTY_BODY = new Uint8Array();

/** Where a line stands that is sent in a vendor's batch. */
export const Stage = { none: 0, handedOver: 1, atVendor: 2, answered: 3, alone: 4 } as const;

/** What a line that has nothing to do with a vendor's batch any more does not have. */
export const IN_NO_VENDOR_BATCH = {
  exchange: null,
  exchange_bytes: 0,
  vendor_batch: null,
  vendor_status: null,
} as const;

export type LineName = Pick<ClaimedLine, 'batchId' | 'number'>;

export function withinBytes<Sized extends { readonly size: number | null }>(
  rows: readonly Sized[],
  most: number,
): Sized[] {
  let bytes = 0;
  return rows.filter(({ size }, index) => (bytes += size ?? 0) <= most || index === 0);
}

export async function claimedLine(tx: Database, { batchId, number }: LineName, by: string) {
  const query = tx.db
    .selectFrom('batch_lines')
    .select(['attempts', 'holds', 'bytes', 'stage', 'exchange_bytes'])
    .where('batch_id', '=', batchId)
    .where('number', '=', number)
    .where('claimed_by', '=', by)
    .where('due_at', 'is not', null);
  return forUpdate(tx, query).executeTakeFirst();
}

export async function changeLine(
  tx: Database,
  { batchId, number }: LineName,
  change: Partial<Selectable<BatchLineRow>>,
): Promise<void> {
  await tx.db
    .updateTable('batch_lines')
    .set(change)
    .where('batch_id', '=', batchId)
    .where('number', '=', number)
    .execute();
}

export async function changeSize(tx: Database, batchId: string, bytes: number): Promise<void> {
  await tx.db
    .updateTable('batches')
    .set((column) => ({ size: column('size', '+', bytes) }))
    .where('id', '=', batchId)
    .execute();
}

export function holdsOf({ holds }: Pick<BatchLineRow, 'holds'>): readonly number[] {
  return holds === null ? [] : parse<number[]>(holds);
}

export async function settleHolds(
  tx: Database,
  row: Pick<BatchLineRow, 'holds'>,
  bills: readonly LineBill[],
  now: number,
): Promise<void> {
  for (const holdId of holdsOf(row)) {
    const bill = bills.find((each) => each.holdId === holdId);
    if (bill === undefined) await releaseHold(tx, holdId, { reason: 'batch line' }, now);
    else await captureHold(tx, holdId, bill, now);
  }
}

export function answerOf(row: Selectable<BatchLineRow>): LineReply {
  return {
    ...{ accountId: row.account_id ?? 0, vendorModel: row.vendor_model ?? '', holdId: holdsOf(row)[0] ?? 0 },
    ...{ status: row.vendor_status ?? 0, body: row.exchange ?? EMPTY_BODY },
  };
}
