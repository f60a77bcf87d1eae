import type {
  BatchRecord,
  BatchStore,
  ClaimedLine,
  HandedLine,
  LineBill,
  LineEnd,
  LineHold,
  LineReply,
  Tenant,
} from '@model-gateway/core';
import { sql, type Selectable } from 'kysely';
import { endOf, toBatch } from './batch-rows.ts';
import { available } from './balances.ts';
import { type Database, forUpdate, forUpdateSkipLocked, journalTransaction, transaction } from './database.ts';
import { addHold, captureHold, releaseHold } from './holds.ts';
import { parse, present } from './rows.ts';
import type { BatchLineRow } from './tables.ts';

const EMPTY = new Uint8Array();
/** Of lines whose turn is somebody else's to say. */
const NEVER = Number.MAX_SAFE_INTEGER;
/** What a line that has nothing to do with a vendor's batch any more does not have. */
export const IN_NO_VENDOR_BATCH = {
  exchange: null,
  exchange_bytes: 0,
  vendor_batch: null,
  vendor_status: null,
} as const;
/** Batches that one look for lines reads. */
const BATCHES_AT_ONCE = 500;

type LineMethods =
  | 'ended'
  | 'claimLines'
  | 'renewLines'
  | 'submit'
  | 'handOver'
  | 'putBack'
  | 'finishLine'
  | 'endWaiting';

export function lineStore(database: Database): Pick<BatchStore, LineMethods> {
  const { db } = database;
  return {
    ended: async (id, { after, limit, bytes }) => {
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
    },
    claimLines: async (claim) => claimLines(database, claim),
    renewLines: async (lines, by, until) => {
      const held = new Set<string>();
      for (const [batchId, ofBatch] of Map.groupBy(lines, ({ batchId }) => batchId)) {
        const rows = await db
          .updateTable('batch_lines')
          .set({ due_at: until })
          .where('batch_id', '=', batchId)
          .where(
            'number',
            'in',
            ofBatch.map(({ number }) => number),
          ) // prettier-ignore
          .where('claimed_by', '=', by)
          .where('due_at', 'is not', null)
          .returning('number')
          .execute();
        for (const { number } of rows) held.add(`${batchId} ${number}`);
      }
      return held;
    },
    submit: async (line, by, hold, now) =>
      transaction(database, async (tx) => {
        const row = await claimed(tx, line, by);
        if (row === undefined) return undefined;
        const holdId = await addHold(tx, hold.payer, { ...hold, amount: await amountOf(tx, hold, now) }, now);
        const holds = JSON.stringify([...holdsOf(row), holdId]);
        await changeLine(tx, line, { submitted: 1, request_id: hold.requestId, holds });
        return holdId;
      }),
    handOver: async (line, by, handed, now) => transaction(database, (tx) => handOver(tx, line, by, { handed, now })),
    putBack: async (line, by, again, now) => transaction(database, (tx) => putBack(tx, line, by, { again, now })),
    // Its mark is on the disk before: a power cut that takes the end leaves a line whose outcome is unknown, never one that runs again.
    finishLine: async (line, by, end, now) =>
      journalTransaction(database, (tx) => finishLine(tx, line, { by, end, now })),
    endWaiting: async (id, limit, now) => transaction(database, (tx) => endWaiting(tx, { id, limit, now })),
  };
}

export function withinBytes<Sized extends { readonly size: number | null }>(
  rows: readonly Sized[],
  most: number,
): Sized[] {
  let bytes = 0;
  return rows.filter(({ size }, index) => (bytes += size ?? 0) <= most || index === 0);
}

async function claimLines(
  database: Database,
  claim: Parameters<BatchStore['claimLines']>[0],
): Promise<readonly (ClaimedLine & { readonly batch: BatchRecord })[]> {
  const rows = await database.db
    .selectFrom('batches')
    .selectAll()
    .where('status', '=', 'in_progress')
    .orderBy('created_at')
    .limit(BATCHES_AT_ONCE)
    .execute();
  const nameOf = ({ ownerId, mode }: Tenant): string => `${ownerId} ${mode}`;
  const runs = new Map<string, number>();
  for (const tenant of claim.running) runs.set(nameOf(tenant), (runs.get(nameOf(tenant)) ?? 0) + 1);
  const tenants = [...Map.groupBy(rows.map(toBatch), nameOf)].toSorted(
    ([a], [b]) => (runs.get(a) ?? 0) - (runs.get(b) ?? 0),
  );
  const taken: (ClaimedLine & { readonly batch: BatchRecord })[] = [];
  let { bytes } = claim;
  // An equal share for each tenant, then what others have left over.
  for (const isShared of [true, false]) {
    for (const [index, [name, batches]] of tenants.entries()) {
      const free = claim.limit - taken.length;
      const share = isShared ? Math.ceil(free / (tenants.length - index)) : free;
      let room = Math.min(share, claim.perTenant - (runs.get(name) ?? 0));
      for (const batch of batches) {
        if (room <= 0 || bytes <= 0) break;
        const lines = await claimOf(database, batch, { ...claim, limit: room, bytes });
        for (const { bytes: size, ...line } of lines) {
          taken.push({ ...line, batch });
          bytes -= size;
        }
        room -= lines.length;
        runs.set(name, (runs.get(name) ?? 0) + lines.length);
      }
    }
    if (tenants.length < 2) break;
  }
  return taken;
}

async function claimOf(
  database: Database,
  batch: BatchRecord,
  { by, now, until, limit, bytes, exceptModels }: Parameters<BatchStore['claimLines']>[0],
): Promise<readonly (ClaimedLine & { readonly bytes: number })[]> {
  return journalTransaction(database, async (tx) => {
    let due = tx.db
      .selectFrom('batch_lines')
      .select(['number', 'bytes as size'])
      .where('batch_id', '=', batch.id)
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('number')
      .limit(limit);
    // What a dead process has submitted is ended even where nothing begins any more. Written out: an index has these rows alone.
    if (batch.cancelledAt !== undefined || batch.expiresAt <= now) due = due.where('submitted', '=', sql.lit(1));
    if (exceptModels.length > 0) due = due.where('model', 'not in', exceptModels);
    const found = withinBytes(await forUpdateSkipLocked(tx, due).execute(), bytes);
    if (found.length === 0) return [];
    const rows = await tx.db
      .updateTable('batch_lines')
      .set({ due_at: until, claimed_by: by })
      .where('batch_id', '=', batch.id)
      .where(
        'number',
        'in',
        found.map(({ number }) => number),
      ) // prettier-ignore
      .returningAll()
      .execute();
    return rows.map((row) => ({
      ...{ batchId: row.batch_id, number: row.number, customId: row.custom_id, model: row.model },
      ...{ body: row.body, bytes: row.bytes, submitted: row.submitted === 1, attempts: row.attempts },
      ...{ isAlone: row.stage === Stage.alone, ...(row.stage === Stage.answered && { answer: answerOf(row) }) },
    }));
  });
}

/** Of a payer who has less left than a request may cost all of it is set aside: what runs then runs alone. */
async function amountOf(tx: Database, { payer, need: { most, least } }: LineHold, now: number): Promise<number> {
  const { units } = await available(tx, payer, now);
  return units < most && units > 0 && units >= least ? units : most;
}

/** Where a line stands that is sent in a vendor's batch. */
export const Stage = { none: 0, handedOver: 1, atVendor: 2, answered: 3, alone: 4 } as const;

function answerOf(row: Selectable<BatchLineRow>): LineReply {
  return {
    ...{ accountId: row.account_id ?? 0, vendorModel: row.vendor_model ?? '', holdId: holdsOf(row)[0] ?? 0 },
    ...{ status: row.vendor_status ?? 0, body: row.exchange ?? EMPTY },
  };
}

async function handOver(
  tx: Database,
  line: LineName,
  by: string,
  {
    handed: { hold, accountId, vendorModel, group, body },
    now,
  }: { readonly handed: HandedLine & { readonly hold: LineHold }; readonly now: number },
): Promise<boolean> {
  const row = await claimed(tx, line, by);
  if (row === undefined) return false;
  const holdId = await addHold(tx, hold.payer, { ...hold, amount: await amountOf(tx, hold, now) }, now);
  await changeLine(tx, line, {
    ...{ stage: Stage.handedOver, handed_at: now, account_id: accountId, vendor_model: vendorModel },
    ...{ vendor_group: group, exchange: body, exchange_bytes: body.length, bytes: row.bytes + body.length },
    // Its money belongs to it: as of a line that was sent.
    ...{ submitted: 1, request_id: hold.requestId, holds: JSON.stringify([holdId]) },
    ...{ claimed_by: null, due_at: NEVER },
  });
  await changeSize(tx, line.batchId, body.length);
  return true;
}

async function putBack(
  tx: Database,
  line: LineName,
  by: string,
  { again, now }: { readonly again: Parameters<BatchStore['putBack']>[2]; readonly now: number },
): Promise<void> {
  const row = await claimed(tx, line, by);
  if (row === undefined) return;
  const attempts = row.attempts + Number(again.counts);
  const free = { attempts, claimed_by: null, due_at: again.dueAt };
  if (row.stage === Stage.answered && again.keepsAnswer === true) {
    await changeLine(tx, line, free);
    return;
  }
  await settleHolds(tx, row, [], now);
  const isApart = row.stage === Stage.answered;
  await changeLine(tx, line, {
    ...{ ...free, submitted: 0, request_id: null, holds: null },
    ...(again.isAlone === true && { stage: Stage.alone }),
    ...(isApart && { ...IN_NO_VENDOR_BATCH, stage: Stage.alone, bytes: row.bytes - row.exchange_bytes }),
  });
  if (isApart) await changeSize(tx, line.batchId, -row.exchange_bytes);
}

export async function changeSize(tx: Database, batchId: string, bytes: number): Promise<void> {
  await tx.db
    .updateTable('batches')
    .set((column) => ({ size: column('size', '+', bytes) }))
    .where('id', '=', batchId)
    .execute();
}

type LineName = Pick<ClaimedLine, 'batchId' | 'number'>;

async function claimed(tx: Database, { batchId, number }: LineName, by: string) {
  const query = tx.db
    .selectFrom('batch_lines')
    .select(['attempts', 'holds', 'bytes', 'stage', 'exchange_bytes'])
    .where('batch_id', '=', batchId)
    .where('number', '=', number)
    .where('claimed_by', '=', by)
    .where('due_at', 'is not', null);
  return forUpdate(tx, query).executeTakeFirst();
}

async function changeLine(
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

function holdsOf({ holds }: Pick<BatchLineRow, 'holds'>): readonly number[] {
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

async function finishLine(
  tx: Database,
  line: LineName,
  { by, end, now }: { readonly by: string; readonly end: LineEnd; readonly now: number },
): Promise<boolean> {
  const row = await claimed(tx, line, by);
  if (row === undefined) return false;
  await settleHolds(tx, row, end.bills, now);
  await changeLine(tx, line, {
    ...{ state: end.state, status_code: end.statusCode, result: end.result, request_id: end.requestId ?? null },
    ...{ body: EMPTY, bytes: 0, holds: null, claimed_by: null, due_at: null, stage: Stage.none, ...IN_NO_VENDOR_BATCH },
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
        body: EMPTY,
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
