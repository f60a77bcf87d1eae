import { GatewayError } from '@model-gateway/contracts';
import { isMoneyRefusal, type AtRisk, type ChargeRecord } from '@model-gateway/core';
import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import { available, move, requireOwner, take } from './balances.ts';
import { type Database, forUpdate, journalTransaction } from './database.ts';
import { lockScopesOf, scopeText } from './scope-windows.ts';
import { insertCharges } from './charge-rows.ts';
import { changeLeases } from './lease-rows.ts';
import { entryColumns } from './entries.ts';
import { negative } from './holds.ts';
import { checkUnits } from './rows.ts';
import type { EntryRow } from './tables.ts';

/** Thrown to roll back the quick way: a charge was there before, a lease was closed or overdrawn, or a cap stood in the way. */
class NotCovered extends Error {}

const NOTHING: ReadonlyMap<number, AtRisk> = new Map();

/**
 * Journals charges, all or none. The usual way is one insert and one update per lease and payer; if any of them is refused (a charge
 * that was journalled before, a lease that somebody closed after its process fell silent, a cap) everything is rolled back and the
 * charges go one by one, each paid by what its lease and then its caps leave, the rest being the house's shortfall.
 */
export async function recordCharges(
  database: Database,
  charges: readonly ChargeRecord[],
  atRisk: ReadonlyMap<number, AtRisk> = NOTHING,
): Promise<void> {
  if (charges.length === 0 && atRisk.size === 0) return;
  for (const charge of charges) {
    checkUnits(charge.charged, 'charged');
    checkUnits(charge.shortfall, 'shortfall');
    checkUnits(charge.beyondLease ?? 0, 'beyondLease');
  }
  const covered = charges.filter(isCovered);
  const beyond = charges.filter((charge) => !isCovered(charge));
  try {
    await journalTransaction(database, async (tx) => {
      await writeLeases(tx, atRisk, covered);
      await recordTogether(tx, covered);
      await recordOneByOne(tx, beyond);
    });
  } catch (error) {
    if (!(error instanceof NotCovered)) throw error;
    await journalTransaction(database, async (tx) => {
      await writeLeases(tx, atRisk, []);
      await recordOneByOne(tx, charges);
    });
  }
}

/** The quick way knows no scopes: who has them pays from leases, which have taken from them, or pays nothing. */
function isCovered({ beyondLease, leaseId, payer, charged }: ChargeRecord): boolean {
  return beyondLease === undefined && (leaseId !== undefined || payer.scopes === undefined || charged === 0);
}

/** What is in flight, and what is spent of it. A lease of the charges that is closed, or has too little left, sends them the slow way. */
async function writeLeases(
  tx: Database,
  atRisk: ReadonlyMap<number, AtRisk>,
  charges: readonly ChargeRecord[],
): Promise<void> {
  const changes = new Map<number, { atRisk?: AtRisk; draw: number }>();
  for (const [id, risk] of atRisk) changes.set(id, { atRisk: risk, draw: 0 });
  const needed = new Set<number>();
  for (const { leaseId, tabId, charged } of charges) {
    const id = leaseId ?? tabId;
    if (id === undefined) continue;
    const change = changes.get(id);
    if (change !== undefined || leaseId !== undefined) needed.add(id);
    if (leaseId === undefined) continue;
    if (change === undefined) changes.set(id, { draw: charged });
    else change.draw += charged;
  }
  if (changes.size === 0) return;
  const changed = await changeLeases(tx, changes);
  for (const id of needed) if (!changed.has(id)) throw new NotCovered();
}

async function recordTogether(tx: Database, charges: readonly ChargeRecord[]): Promise<void> {
  if (charges.length === 0) return;
  if ((await insertCharges(tx, charges)) !== charges.length) throw new NotCovered();
  await takeDirectly(tx, charges);
}

async function takeDirectly(tx: Database, charges: readonly ChargeRecord[]): Promise<void> {
  // One sum per payer and day: the smallest window, so every window of the sum is that of its charges.
  const sums = new Map<string, { readonly charge: ChargeRecord; amount: number }>();
  for (const charge of charges) {
    if (charge.leaseId !== undefined || charge.charged === 0) continue;
    const { ownerId, keyId } = charge.payer;
    const name = `${ownerId} ${keyId} ${Math.floor(charge.at / 86_400_000)}`;
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { charge, amount: charge.charged });
    else sum.amount += charge.charged;
  }
  const inOrder = [...sums.values()].sort(
    (a, b) => a.charge.payer.ownerId - b.charge.payer.ownerId || a.charge.payer.keyId - b.charge.payer.keyId,
  );
  for (const { charge, amount } of inOrder) {
    try {
      await take(tx, charge.payer, amount, charge.at);
    } catch (error) {
      throw error instanceof GatewayError && isMoneyRefusal(error.code) ? new NotCovered() : error;
    }
  }
}

async function recordOneByOne(tx: Database, charges: readonly ChargeRecord[]): Promise<void> {
  if (charges.length === 0) return;
  // Locks in the order everybody takes them: leases, then owners.
  const { left: leases, settled, overdrafts } = await lockLeases(tx, charges);
  for (const ownerId of [...new Set(charges.map((charge) => charge.payer.ownerId))].sort((a, b) => a - b)) {
    await requireOwner(tx, ownerId);
  }
  await lockScopesOf(tx, charges);
  for (const charge of charges) {
    // A process that was taken for dead: what was charged for its crash has paid for this.
    const leaseId = charge.leaseId ?? charge.tabId ?? 0;
    const paidBefore = Math.min(charge.charged, settled.get(leaseId) ?? 0);
    const due = charge.charged - paidBefore;
    const fromLease = Math.min(Math.max(0, due - (charge.beyondLease ?? 0)), leases.get(charge.leaseId ?? 0) ?? 0);
    const left = await available(tx, charge.payer, charge.at);
    const direct = Math.min(due - fromLease, Math.max(0, left.units));
    // What its lease may cost more than it holds is owed.
    const owed = Math.min(due - fromLease - direct, overdrafts.get(charge.leaseId ?? 0) ?? 0);
    const unpaid = due - fromLease - direct - owed;
    const detail = paidBefore > 0 ? { ...charge.detail, paidByCrashSettlement: paidBefore } : charge.detail;
    const entry = await tx.db
      .insertInto('ledger_entries')
      .values({
        ...chargeColumns({ ...charge, detail }, direct + owed, charge.shortfall + unpaid),
        charged: fromLease + direct + owed,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (entry === undefined) continue;
    if (paidBefore > 0) {
      settled.set(leaseId, (settled.get(leaseId) ?? 0) - paidBefore);
      await useSettlement(tx, leaseId, paidBefore);
    }
    if (charge.leaseId !== undefined && fromLease > 0) {
      leases.set(charge.leaseId, (leases.get(charge.leaseId) ?? 0) - fromLease);
      const changed = await changeLeases(tx, new Map([[charge.leaseId, { draw: fromLease }]]));
      if (changed.size === 0) throw new NotCovered();
    }
    await take(tx, charge.payer, direct, charge.at);
    if (owed > 0) {
      const { ownerId, keyId, scopes } = charge.payer;
      overdrafts.set(leaseId, (overdrafts.get(leaseId) ?? 0) - owed);
      await move(tx, { ownerId, keyId, balance: negative(owed), used: owed, at: charge.at, scopes });
      await tx.db
        .updateTable('leases')
        .set({ overdraft: sql<number>`overdraft - cast(${owed} as bigint)` })
        .where('id', '=', leaseId)
        .execute();
    }
  }
}

async function useSettlement(tx: Database, id: number, units: number): Promise<void> {
  await tx.db
    .updateTable('leases')
    .set({ settled: sql<number>`settled - cast(${units} as bigint)` })
    .where('id', '=', id)
    .execute();
}

/** What each open lease has left, how much more it may cost, and what of a crash's settlement no charge has made up for yet. */
async function lockLeases(
  tx: Database,
  charges: readonly ChargeRecord[],
): Promise<Record<'left' | 'settled' | 'overdrafts', Map<number, number>>> {
  const ids = [...new Set(charges.flatMap(({ leaseId, tabId }) => leaseId ?? tabId ?? []))];
  if (ids.length === 0) return { left: new Map(), settled: new Map(), overdrafts: new Map() };
  const query = tx.db
    .selectFrom('leases')
    .select(['id', 'amount', 'spent', 'settled', 'closed_at', 'overdraft'])
    .where('id', 'in', ids)
    .orderBy('id');
  const rows = await forUpdate(tx, query).execute();
  return {
    left: new Map(rows.map((row) => [row.id, row.closed_at === null ? row.amount - row.spent : 0])),
    settled: new Map(rows.map((row) => [row.id, row.settled])),
    overdrafts: new Map(rows.map((row) => [row.id, row.closed_at === null ? row.overdraft : 0])),
  };
}

function chargeColumns(charge: ChargeRecord, direct: number, shortfall: number): Insertable<EntryRow> {
  return entryColumns({
    owner_id: charge.payer.ownerId,
    key_id: charge.payer.keyId,
    kind: 'capture',
    amount: negative(direct),
    scopes: direct === 0 ? null : scopeText(charge.payer.scopes),
    charged: charge.charged,
    shortfall,
    hold_id: charge.leaseId ?? null,
    request_id: charge.requestId,
    model: charge.model,
    endpoint: charge.endpoint,
    account_id: charge.accountId ?? null,
    price_version: charge.priceVersion,
    detail: charge.detail,
    created_at: charge.at,
  });
}
