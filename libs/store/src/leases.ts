import { GatewayError } from '@model-gateway/contracts';
import type { InterruptedRequest, LeaseGrant, LeaseRequest, LedgerStore, Payer } from '@model-gateway/core';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Available, available, insufficient, isCapped, move, requireOwner, take } from './balances.ts';
import { settleDead } from './crash-settlement.ts';
import { type Database, forUpdate, forUpdateSkipLocked, leaseTime, transaction } from './database.ts';
import { entryColumns } from './entries.ts';
import { negative } from './holds.ts';
import { checkUnits } from './rows.ts';
import { lockScopesOf, names, scopesIn, scopeText } from './scope-windows.ts';
import type { LeaseRow } from './tables.ts';

/** Expired leases closed in one go. */
const BATCH = 100;
/** Of what an owner has, leased and not, one of several keys leases at most this. */
const KEY_SHARE = 0.5;
/** With so many worst cases left nobody stands in another's way. */
const MANY = 1_000;
/** After a process died an owner's requests are written down before they begin: a second crash forgives nothing more. */
const CAREFUL_MS = 3_600_000;

type LeaseMethods = Pick<
  LedgerStore,
  'lease' | 'recallLeases' | 'recalledLeases' | 'extendLease' | 'closeLease' | 'closeExpiredLeases'
>;

export function leaseStore(database: Database): LeaseMethods {
  return {
    lease: async (payer, lease, now) => transaction(database, (tx) => openLease(tx, payer, lease, now)),
    extendLease: async (id, ttlMs, now) => {
      const lease = await database.db
        .updateTable('leases')
        .set({ expires_at: later(database, now, ttlMs) })
        .where('id', '=', id)
        .where('closed_at', 'is', null)
        .returning(['owner_id', 'amount'])
        .executeTakeFirst();
      return lease && { careful: lease.amount > 0 && (await isCareful(database, lease.owner_id, now)) };
    },
    closeLease: async (id, now) => {
      await transaction(database, (tx) => closeLease(tx, id, now));
    },
    // In the order of ids, as all leases are locked; who is in a ring with others all the same tries again.
    recallLeases: async (payer, process) => transaction(database, (tx) => recall(tx, payer, process)),
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

async function recall(tx: Database, payer: Payer, process: string): Promise<void> {
  const open = tx.db
    .selectFrom('leases')
    .select('id')
    .where((lease) =>
      lease.or([lease('owner_id', '=', payer.ownerId), ...(payer.scopes ?? []).map((each) => names('scopes', each))]),
    )
    .where('process', '<>', process)
    .where('closed_at', 'is', null)
    .where('recalled', '=', 0)
    .orderBy('id');
  const ids = (await forUpdate(tx, open).execute()).map(({ id }) => id);
  if (ids.length > 0) await tx.db.updateTable('leases').set({ recalled: 1 }).where('id', 'in', ids).execute();
}

function later(database: Database, now: number, ms: number): RawBuilder<number> {
  return sql<number>`${leaseTime(database, now)} + cast(${ms} as bigint)`;
}

async function openLease(
  tx: Database,
  payer: Payer,
  lease: LeaseRequest,
  now: number,
): Promise<LeaseGrant | undefined> {
  checkUnits(lease.want, 'want');
  checkUnits(lease.atLeast, 'atLeast');
  // The owner's row is locked from here on, so what is available stays available; `take` asks the caps once more all the same.
  const left = await available(tx, payer, now);
  const shared = left.units >= (lease.sharedFrom ?? 0);
  const risk = shared ? 0 : await riskLeft(tx, payer, lease, left);
  const funded = fundedOf(lease, left, risk);
  const share = funded === undefined ? Infinity : await shareOf(tx, payer, left, lease.atLeast, funded);
  if (share === undefined) return undefined;
  if (left.units < lease.atLeast) throw insufficient(left.bound, lease.atLeast, left.units);
  const amount = shared ? Math.min(amountOf(lease, left.units), share) : Math.min(funded ?? lease.want, left.units);
  const overdraft = shared ? 0 : Math.min(risk, Math.max(0, (lease.enough ?? 0) - amount));
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
        scopes: scopeText(payer.scopes),
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
      expires_at: later(tx, now, lease.ttlMs),
      closed_at: null,
      recalled: 0,
      created_at: now,
      at_risk_requests: null,
      at_risk: lease.ahead === true ? 0 : Math.min(lease.enough ?? 0, amount + overdraft),
      settled: 0,
      overdraft,
      scopes: scopeText(payer.scopes),
    })
    .execute();
  const careful = shared && (await isCareful(tx, payer.ownerId, now));
  return { id, amount, overdraft, available: left.units, shared, careful };
}

/**
 * How much of the declared overdraft nobody uses: neither what is owed already nor what other open leases may cost more than they hold. So
 * an owner's requests never cost more than there was and the overdraft together, nor do those under one cap.
 */
async function riskLeft(tx: Database, payer: Payer, lease: LeaseRequest, left: Available): Promise<number> {
  const { overdraft = 0, enough = 0 } = lease;
  if (overdraft === 0 || left.units < lease.atLeast || lease.atLeast >= enough) return 0;
  let most = 0;
  for (const who of [
    sql<boolean>`owner_id = ${payer.ownerId}`,
    ...(payer.scopes ?? []).map((each) => names('scopes', each)),
  ]) {
    const { risked } = await tx.db
      .selectFrom('leases')
      .select(sql<number>`coalesce(sum(overdraft), 0)`.as('risked'))
      .where(who)
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow();
    most = Math.max(most, risked);
  }
  return Math.max(0, overdraft - most);
}

/** What the lease of one request holds of its worst case: what such requests usually cost, as far as the overdraft covers the rest; else all of it. */
function fundedOf({ enough, usual = 0, atLeast }: LeaseRequest, left: Available, risk: number): number | undefined {
  if (enough === undefined || left.units + risk < enough) return enough;
  return Math.min(enough, Math.max(atLeast, usual, enough - risk));
}

function amountOf({ want, atLeast, enough, share = 1 }: LeaseRequest, left: number): number {
  return Math.max(0, Math.min(want, left, Math.max(Math.floor(left * share), enough ?? atLeast)));
}

/**
 * How much the payer may lease beside what is leased already; undefined when something of that must end first: a request that finds less
 * than its worst case left is its payer's only one, and one key of several never holds more than half of what its owner has.
 */
async function shareOf(
  tx: Database,
  payer: Payer,
  left: Available,
  atLeast: number,
  worstCase: number,
): Promise<number | undefined> {
  const { bound } = left;
  if ((bound === 'balance' || typeof bound === 'object') && left.units > MANY * worstCase) return Infinity;
  const open = await tx.db
    .selectFrom('leases')
    .select(['key_id', sql<number>`coalesce(sum(amount - spent), 0)`.as('held')])
    .where(typeof bound === 'object' ? names('scopes', bound) : sql<boolean>`owner_id = ${payer.ownerId}`)
    .where('closed_at', 'is', null)
    .groupBy('key_id')
    .execute();
  const own = open.find((row) => row.key_id === payer.keyId);
  // A cap of the key is used by that key alone.
  const isOfKey = bound !== 'balance' && typeof bound !== 'object';
  const rivals = isOfKey ? open.filter((row) => row === own) : open;
  const held = rivals.reduce((sum, row) => sum + row.held, 0);
  if (left.units < atLeast) return held > 0 && left.units + held >= atLeast ? undefined : Infinity;
  if (left.units < worstCase) return rivals.length > 0 ? undefined : Infinity;
  if (bound !== 'balance') return Infinity;
  const share = Math.floor((left.units + held) * KEY_SHARE) - (own?.held ?? 0);
  if (share >= left.units || !(await hasOtherKeys(tx, payer))) return Infinity;
  if (own === undefined) return Math.max(share, worstCase);
  return share >= worstCase ? share : undefined;
}

async function hasOtherKeys(tx: Database, { ownerId, keyId }: Payer): Promise<boolean> {
  const other = await tx.db
    .selectFrom('keys')
    .select('id')
    .where('owner_id', '=', Math.abs(ownerId))
    .where('mode', '=', ownerId < 0 ? 'test' : 'live')
    .where('id', '<>', keyId)
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

async function isCareful(tx: Database, ownerId: number, now: number): Promise<boolean> {
  const owner = await tx.db
    .selectFrom('owners')
    .select('id')
    .where('id', '=', ownerId)
    .where('careful_until', '>', leaseTime(tx, now))
    .executeTakeFirst();
  return owner !== undefined;
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

async function closeExpired(
  database: Database,
  now: number,
  survivor: string | undefined,
): ReturnType<LedgerStore['closeExpiredLeases']> {
  const all = { closed: 0, interrupted: [] as InterruptedRequest[] };
  for (;;) {
    try {
      const { closed, interrupted } = await transaction(database, (tx) => closeSomeExpired(tx, now, survivor));
      all.closed += closed;
      all.interrupted.push(...interrupted);
      if (closed < BATCH) return all;
    } catch (error) {
      // What was closed before is told: nobody else finds its requests. The rest stays for the next look.
      if (all.closed === 0) throw error;
      return all;
    }
  }
}

async function closeSomeExpired(
  tx: Database,
  now: number,
  survivor: string | undefined,
): ReturnType<LedgerStore['closeExpiredLeases']> {
  const expired = tx.db
    .selectFrom('leases')
    .select('id')
    .where('closed_at', 'is', null)
    .where((expression) =>
      survivor === undefined
        ? expression('expires_at', '<=', leaseTime(tx, now))
        : expression('process', '<>', survivor),
    )
    .orderBy('id')
    .limit(BATCH);
  const ids = (await forUpdateSkipLocked(tx, expired).execute()).map((row) => row.id);
  if (ids.length === 0) return { closed: 0, interrupted: [] };
  const rows = await tx.db
    .updateTable('leases')
    .set({ closed_at: now })
    .where('id', 'in', ids)
    .returningAll()
    .execute();
  // Owners in one order everywhere, so that two replicas never wait for each other in a ring.
  rows.sort((a, b) => a.owner_id - b.owner_id || a.key_id - b.key_id || a.id - b.id);
  await lockShared(tx, rows, now);
  const interrupted: InterruptedRequest[] = [];
  for (const row of rows) {
    const dead = await settleDead(tx, row, now);
    interrupted.push(...dead.interrupted);
    await giveBack(tx, dead.lease, now);
  }
  await carefulFromNow(tx, new Set(rows.map((row) => row.owner_id)), now);
  return { closed: ids.length, interrupted };
}

/** Where leases share caps all of their owners are locked first, as everywhere, and then the caps. */
async function lockShared(tx: Database, leases: readonly Selectable<LeaseRow>[], now: number): Promise<void> {
  const shared = leases.flatMap((lease) => {
    const scopes = scopesIn(lease.scopes);
    const payer = { ownerId: lease.owner_id, keyId: lease.key_id, limits: {} };
    return scopes === undefined ? [] : [{ payer: { ...payer, scopes }, at: lease.created_at }];
  });
  if (shared.length === 0) return;
  for (const ownerId of new Set(leases.map((lease) => lease.owner_id))) await requireOwner(tx, ownerId);
  await lockScopesOf(tx, [...shared, ...shared.map(({ payer }) => ({ payer, at: now }))]);
}

async function carefulFromNow(tx: Database, owners: ReadonlySet<number>, now: number): Promise<void> {
  if (owners.size === 0) return;
  await tx.db
    .updateTable('owners')
    .set({ careful_until: later(tx, now, CAREFUL_MS) })
    .where('id', 'in', [...owners])
    .execute();
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
    scopes: scopesIn(lease.scopes),
  });
}
