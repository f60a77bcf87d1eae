import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { interruptedId, keyScope, type LedgerEntry, type LedgerStore } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { addToBalance, insufficient, requireOwner, usedBy } from './balances.ts';
import { recordCharges } from './charges.ts';
import { type Database, forReports, transaction } from './database.ts';
import { entryColumns, readEntries, toEntry } from './entries.ts';
import { addHold, captureHold, releaseHold } from './holds.ts';
import { leaseStore } from './leases.ts';
import { checkUnits } from './rows.ts';
import { sweepRuns } from './runs.ts';
import { usedOf, usedOfAll, usedUnder } from './scope-windows.ts';
import type { EntryRow } from './tables.ts';
import { readMovements, readStatement } from './statement.ts';
import { readCappedKeys } from './capped-keys.ts';
import { readUsage } from './usage.ts';
import { verifyLedger } from './verify.ts';

export function ledgerStore(database: Database): LedgerStore {
  return {
    hold: async (payer, hold, now) => transaction(database, (tx) => addHold(tx, payer, hold, now)),
    capture: async (holdId, capture, now) =>
      transaction(database, async (tx) => (await captureHold(tx, holdId, capture, now)) !== undefined),
    release: async (holdId, detail, now) => transaction(database, (tx) => releaseHold(tx, holdId, detail, now)),
    topUp: async (ownerId, amount, detail, now) =>
      transaction(database, (tx) => topUp(tx, { ownerId, amount, detail, now })),
    adjust: async (ownerId, amount, detail, now) =>
      transaction(database, (tx) => adjust(tx, { ownerId, amount, detail, now })),
    waive: async (requestId, detail, now) => transaction(database, (tx) => waive(tx, requestId, detail, now)),
    ...leaseStore(database),
    record: async (charges, atRisk) => recordCharges(database, charges, atRisk),
    entries: async (filter) => readEntries(forReports(database), filter),
    spent: async (keyId, window, now) =>
      window === 'hour' || window === 'week'
        ? usedOf(database, { scope: keyScope(keyId), window }, now)
        : usedBy(database, keyId, window, now),
    spentOf: async (scopes, now) => usedOfAll(forReports(database), scopes, now),
    spentUnder: async (words, window, now, limit) => usedUnder(forReports(database), { words, window, now, limit }),
    sweepRuns: async (before, limit) => sweepRuns(database, before, limit),
    cappedKeys: async (now) => readCappedKeys(forReports(database), now),
    usage: async (filter) => readUsage(forReports(database), filter),
    statement: async (filter) => readStatement(forReports(database), filter),
    movements: async (page) => readMovements(forReports(database), page),
    verify: async (options) => verifyLedger(database, options),
  };
}

interface BalanceChange {
  readonly ownerId: number;
  readonly amount: number;
  readonly detail: JsonObject;
  readonly now: number;
}

async function topUp(tx: Database, { ownerId, amount, detail, now }: BalanceChange): Promise<LedgerEntry> {
  checkUnits(amount, 'amount', 1);
  const idempotencyKey = typeof detail['idempotencyKey'] === 'string' ? detail['idempotencyKey'] : null;
  const row = await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        owner_id: ownerId,
        kind: 'topup',
        amount,
        detail,
        idempotency_key: idempotencyKey,
        created_at: now,
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) {
    await addToBalance(tx, ownerId, amount);
    return toEntry(row);
  }
  const earlier = await tx.db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirstOrThrow();
  if (earlier.amount === amount) return toEntry(earlier);
  throw new GatewayError('conflict', `That idempotency key topped up ${earlier.amount} units before, not ${amount}.`, {
    param: 'amount',
  });
}

async function waive(tx: Database, requestId: string, detail: JsonObject, now: number): Promise<LedgerEntry> {
  const ofRequest = (): Promise<readonly Selectable<EntryRow>[]> =>
    tx.db
      .selectFrom('ledger_entries')
      .selectAll()
      .where('request_id', 'in', [requestId, interruptedId(requestId)])
      .where('kind', 'in', ['capture', 'adjust'])
      .execute();
  const [first] = await ofRequest();
  if (first === undefined)
    throw new GatewayError('not_found', `The request '${requestId.slice(0, 80)}' was charged nothing.`, {
      param: 'request_id',
    });
  // Whoever waives it at the same moment waits here, and finds nothing left.
  await requireOwner(tx, first.owner_id);
  const all = await ofRequest();
  const left = all.reduce((sum, { kind, charged, amount }) => sum + (kind === 'capture' ? charged : -amount), 0);
  if (left <= 0) throw new GatewayError('conflict', 'What this request was charged has been given back already.');
  await addToBalance(tx, first.owner_id, left);
  const row = await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        // Without its key, whose caps keep what they counted.
        ...{ owner_id: first.owner_id, kind: 'adjust', amount: left, request_id: requestId },
        ...{ model: first.model, detail, created_at: now },
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEntry(row);
}

/** An operator's correction; a negative one takes no more than the owner may owe. */
async function adjust(tx: Database, { ownerId, amount, detail, now }: BalanceChange): Promise<LedgerEntry> {
  checkUnits(Math.abs(amount), 'amount', 1);
  if (amount < 0) {
    const owner = await requireOwner(tx, ownerId);
    const left = owner.credit_limit === null ? undefined : owner.balance + owner.credit_limit;
    if (left !== undefined && left + amount < 0) throw insufficient('balance', -amount, left);
  }
  await addToBalance(tx, ownerId, amount);
  const row = await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        owner_id: ownerId,
        kind: 'adjust',
        amount,
        charged: Math.max(0, -amount),
        detail,
        created_at: now,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEntry(row);
}
