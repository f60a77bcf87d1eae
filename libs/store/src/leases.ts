import { GatewayError } from '@model-gateway/contracts';
import type { LedgerStore, Payer } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { available, insufficient, isCapped, move, take } from './balances.ts';
import { type Database, forUpdateSkipLocked, transaction } from './database.ts';
import { entryColumns } from './entries.ts';
import { negative } from './holds.ts';
import { checkUnits } from './rows.ts';
import type { LeaseRow } from './tables.ts';

/** Expired leases closed in one go. */
const BATCH = 100;

type LeaseMethods = Pick<
  LedgerStore,
  'lease' | 'recallLeases' | 'recalledLeases' | 'extendLease' | 'closeLease' | 'closeExpiredLeases'
>;

export function leaseStore(database: Database): LeaseMethods {
  return {
    lease: async (payer, lease, now) => transaction(database, (tx) => openLease(tx, payer, lease, now)),
    extendLease: async (id, expiresAt) => {
      const { numUpdatedRows } = await database.db
        .updateTable('leases')
        .set({ expires_at: expiresAt })
        .where('id', '=', id)
        .where('closed_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    closeLease: async (id, now) => {
      await transaction(database, (tx) => closeLease(tx, id, now));
    },
    recallLeases: async (ownerId, process) => {
      await database.db
        .updateTable('leases')
        .set({ recalled: 1 })
        .where('owner_id', '=', ownerId)
        .where('process', '<>', process)
        .where('closed_at', 'is', null)
        .where('recalled', '=', 0)
        .execute();
    },
    recalledLeases: async (process) => {
      const rows = await database.db
        .selectFrom('leases')
        .select('id')
        .where('process', '=', process)
        .where('closed_at', 'is', null)
        .where('recalled', '=', 1)
        .execute();
      return rows.map((row) => row.id);
    },
    closeExpiredLeases: async (now, onlySurvivor) => closeExpired(database, now, onlySurvivor?.process),
  };
}

async function openLease(
  tx: Database,
  payer: Payer,
  lease: Parameters<LedgerStore['lease']>[1],
  now: number,
): Promise<{ readonly id: number; readonly amount: number }> {
  checkUnits(lease.want, 'want');
  checkUnits(lease.atLeast, 'atLeast');
  // The owner's row is locked from here on, so what is available stays available; `take` asks the caps once more all the same.
  const left = await available(tx, payer, now);
  if (left.units < lease.atLeast) throw insufficient(left.bound, lease.atLeast, left.units);
  const share = Math.floor(left.units * (lease.share ?? 1));
  const amount = Math.max(0, Math.min(lease.want, left.units, Math.max(share, lease.enough ?? lease.atLeast)));
  await take(tx, payer, amount, now);
  const { id } = await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        owner_id: payer.ownerId,
        key_id: payer.keyId,
        kind: 'hold',
        amount: negative(amount),
        capped: isCapped(payer.limits) ? 1 : 0,
        detail: { lease: true, process: lease.process },
        created_at: now,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.db
    .insertInto('leases')
    .values({
      id,
      owner_id: payer.ownerId,
      key_id: payer.keyId,
      amount,
      spent: 0,
      process: lease.process,
      expires_at: lease.expiresAt,
      closed_at: null,
      recalled: 0,
      created_at: now,
    })
    .execute();
  return { id, amount };
}

/** False when it was closed before; throws `not_found` for an id that never was a lease. */
async function closeLease(tx: Database, id: number, now: number): Promise<boolean> {
  const lease = await tx.db
    .updateTable('leases')
    .set({ closed_at: now })
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (lease !== undefined) {
    await giveBack(tx, lease, now);
    return true;
  }
  const known = await tx.db.selectFrom('leases').select('id').where('id', '=', id).executeTakeFirst();
  if (known === undefined) throw new GatewayError('not_found', `There is no lease ${id}.`);
  return false;
}

async function closeExpired(database: Database, now: number, survivor: string | undefined): Promise<number> {
  let closed = 0;
  for (;;) {
    const leases = await transaction(database, async (tx) => {
      const expired = tx.db
        .selectFrom('leases')
        .select('id')
        .where('closed_at', 'is', null)
        .where((expression) =>
          survivor === undefined ? expression('expires_at', '<=', now) : expression('process', '<>', survivor),
        )
        .orderBy('id')
        .limit(BATCH);
      const ids = (await forUpdateSkipLocked(tx, expired).execute()).map((row) => row.id);
      if (ids.length === 0) return [];
      const rows = await tx.db
        .updateTable('leases')
        .set({ closed_at: now })
        .where('id', 'in', ids)
        .returningAll()
        .execute();
      // Owners in one order everywhere, so that two replicas never wait for each other in a ring.
      rows.sort((a, b) => a.owner_id - b.owner_id || a.key_id - b.key_id || a.id - b.id);
      for (const lease of rows) await giveBack(tx, lease, now);
      return rows;
    });
    closed += leases.length;
    if (leases.length < BATCH) return closed;
  }
}

async function giveBack(tx: Database, lease: Selectable<LeaseRow>, now: number): Promise<void> {
  const left = lease.amount - lease.spent;
  await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        owner_id: lease.owner_id,
        key_id: lease.key_id,
        kind: 'release',
        amount: left,
        hold_id: lease.id,
        closes: 1,
        detail: { lease: true, process: lease.process, spent: lease.spent },
        created_at: now,
      }),
    )
    .execute();
  await move(tx, {
    ownerId: lease.owner_id,
    keyId: lease.key_id,
    balance: left,
    used: negative(left),
    at: lease.created_at,
  });
}
