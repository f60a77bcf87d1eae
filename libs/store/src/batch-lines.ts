/** What is done with a line while a worker has it: it is sent alone, handed over for a vendor's batch, or put back. */
import type { BatchStore, HandedLine, LineHold } from '@model-gateway/core';
import { available } from './balances.ts';
import {
  changeLine,
  changeSize,
  claimedLine,
  holdsOf,
  IN_NO_VENDOR_BATCH,
  type LineName,
  settleHolds,
  Stage,
} from './batch-line-rows.ts';
import { type Database, transaction } from './database.ts';
import { addHold } from './holds.ts';

/** Of lines whose turn is somebody else's to say. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function heldLines(database: Database): Pick<BatchStore, 'submit' | 'handOver' | 'putBack'> {
  return {
    submit: async (line, by, hold, now) => transaction(database, (tx) => submit(tx, line, by, { hold, now })),
    handOver: async (line, by, handed, now) => transaction(database, (tx) => handOver(tx, line, by, { handed, now })),
    putBack: async (line, by, again, now) => transaction(database, (tx) => putBack(tx, line, by, { again, now })),
  };
}

async function submit(
  tx: Database,
  line: LineName,
  by: string,
  { hold, now }: { readonly hold: LineHold; readonly now: number },
): Promise<number | undefined> {
  const row = await claimedLine(tx, line, by);
  if (row === undefined) return undefined;
  const holdId = await addHold(tx, hold.payer, { ...hold, amount: await amountOf(tx, hold, now) }, now);
  const holds = JSON.stringify([...holdsOf(row), holdId]);
  await changeLine(tx, line, { submitted: 1, request_id: hold.requestId, holds });
  return holdId;
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
  const row = await claimedLine(tx, line, by);
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
  const row = await claimedLine(tx, line, by);
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

/** Of a payer who has less left than a request may cost all of it is set aside: what runs then runs alone. */
async function amountOf(tx: Database, { payer, need: { most, least } }: LineHold, now: number): Promise<number> {
  const { units } = await available(tx, payer, now);
  return units < most && units > 0 && units >= least ? units : most;
}
