import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { Payer } from '@model-gateway/core';
import type { Insertable, Selectable } from 'kysely';
import { available, isCapped, move, take } from './balances.ts';
import type { Database } from './database.ts';
import { entryColumns } from './entries.ts';
import { checkUnits, parse } from './rows.ts';
import { scopesIn, scopeText } from './scope-windows.ts';
import type { EntryRow } from './tables.ts';

export interface NewHold {
  readonly amount: number;
  readonly requestId?: string;
  readonly taskId?: string;
  readonly model?: string;
  readonly priceVersion?: string;
  readonly detail: JsonObject;
}

/** Sets money aside inside the caller's transaction; the id is that of the hold entry. Throws `insufficient_quota`. */
export async function addHold(tx: Database, payer: Payer, hold: NewHold, now: number): Promise<number> {
  checkUnits(hold.amount, 'amount');
  await take(tx, payer, hold.amount, now);
  const entry = await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        owner_id: payer.ownerId,
        key_id: payer.keyId,
        kind: 'hold',
        amount: negative(hold.amount),
        capped: isCapped(payer.limits) ? 1 : 0,
        scopes: scopeText(payer.scopes),
        request_id: hold.requestId ?? null,
        task_id: hold.taskId ?? null,
        model: hold.model ?? null,
        price_version: hold.priceVersion ?? null,
        detail: hold.detail,
        created_at: now,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return entry.id;
}

export interface Capture {
  readonly charged: number;
  readonly accountId?: number;
  readonly priceVersion?: string;
  readonly detail: JsonObject;
}

/**
 * Closes a hold by charging; answers what was really charged, or undefined when the hold was closed before. What a bill is beyond its hold is
 * taken from the balance as far as the owner's credit and the key's caps go; only what they do not leave is the house's shortfall.
 */
export async function captureHold(
  tx: Database,
  holdId: number,
  capture: Capture,
  now: number,
): Promise<number | undefined> {
  checkUnits(capture.charged, 'charged');
  const hold = await readHold(tx, holdId);
  const held = -hold.amount;
  const beyond = Math.max(0, capture.charged - held);
  const shortfall = beyond === 0 ? 0 : beyond - Math.min(beyond, await availableBeyond(tx, hold));
  const charged = capture.charged - shortfall;
  const closed = await closeHold(tx, hold, {
    kind: 'capture',
    amount: held - charged,
    charged,
    shortfall,
    account_id: capture.accountId ?? null,
    price_version: capture.priceVersion ?? hold.price_version,
    detail: capture.detail,
    created_at: now,
  });
  return closed ? charged : undefined;
}

/** Closes a hold by giving it back; false when it was closed before. */
export async function releaseHold(tx: Database, holdId: number, detail: JsonObject, now: number): Promise<boolean> {
  const hold = await readHold(tx, holdId);
  return closeHold(tx, hold, {
    kind: 'release',
    amount: negative(hold.amount),
    price_version: hold.price_version,
    detail,
    created_at: now,
  });
}

/** Charges without a hold: all of it to a payer without limits, otherwise what the caps leave; the rest is shortfall. Answers what was charged. */
export async function chargeDirectly(
  tx: Database,
  payer: Payer,
  charge: Capture & { readonly requestId: string; readonly taskId?: string; readonly model?: string },
  now: number,
): Promise<number> {
  checkUnits(charge.charged, 'charged');
  const left = await available(tx, payer, now);
  const charged = Math.min(charge.charged, Math.max(0, left.units));
  const entry = await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        owner_id: payer.ownerId,
        key_id: payer.keyId,
        kind: 'capture',
        amount: negative(charged),
        scopes: charged === 0 ? null : scopeText(payer.scopes),
        charged,
        shortfall: charge.charged - charged,
        request_id: charge.requestId,
        task_id: charge.taskId ?? null,
        model: charge.model ?? null,
        account_id: charge.accountId ?? null,
        price_version: charge.priceVersion ?? null,
        detail: charge.detail,
        created_at: now,
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (entry !== undefined) await take(tx, payer, charged, now);
  return charged;
}

type HoldRow = Selectable<EntryRow>;

async function readHold(tx: Database, holdId: number): Promise<HoldRow> {
  const hold = await tx.db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('id', '=', holdId)
    .where('kind', '=', 'hold')
    .where('id', 'not in', (query) => query.selectFrom('leases').select('leases.id').where('leases.id', '=', holdId))
    .executeTakeFirst();
  if (hold === undefined) throw new GatewayError('not_found', `There is no hold ${holdId}.`);
  return hold;
}

/**
 * What the payer of a hold could spend besides it, by the caps that its key has now and the further ones of then, in the windows of the hold's time. The owner's row
 * is locked from here on: it is still there when the hold is closed.
 */
async function availableBeyond(tx: Database, hold: HoldRow): Promise<number> {
  const keyId = hold.key_id ?? 0;
  const key = await tx.db.selectFrom('keys').select('limits').where('id', '=', keyId).executeTakeFirst();
  const limits = key === undefined ? {} : parse<Payer['limits']>(key.limits);
  const scopes = scopesIn(hold.scopes);
  const payer: Payer = { ownerId: hold.owner_id, keyId, limits, ...(scopes !== undefined && { scopes }) };
  const { units } = await available(tx, payer, hold.created_at);
  // Its caps were known when it was made, and nobody can say any more what they were.
  if (key === undefined && hold.capped === 1) return 0;
  return Math.max(0, units);
}

/** The unique index on the closing entry decides who closes; only the one who does moves money. */
async function closeHold(
  tx: Database,
  hold: HoldRow,
  closing: Pick<Insertable<EntryRow>, 'kind' | 'amount' | 'created_at' | 'price_version'> &
    Partial<Pick<EntryRow, 'charged' | 'shortfall' | 'account_id'>> & { readonly detail: JsonObject },
): Promise<boolean> {
  const { detail, price_version, ...columns } = closing;
  const entry = await tx.db
    .insertInto('ledger_entries')
    .values(
      entryColumns({
        ...columns,
        price_version: price_version ?? null,
        owner_id: hold.owner_id,
        key_id: hold.key_id,
        hold_id: hold.id,
        closes: 1,
        request_id: hold.request_id,
        task_id: hold.task_id,
        model: hold.model,
        detail: withTagsOf(hold, detail),
        ...(hold.endpoint !== null && { endpoint: hold.endpoint }),
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (entry === undefined) return false;
  await move(tx, {
    ownerId: hold.owner_id,
    keyId: hold.key_id,
    balance: closing.amount,
    used: negative(closing.amount),
    at: hold.created_at,
    scopes: scopesIn(hold.scopes),
  });
  return true;
}

/** The tags of the request, and whom it was made for, stand in its hold: whoever closes it may know nothing of the request. */
function withTagsOf(hold: HoldRow, detail: JsonObject): JsonObject {
  if (!hold.detail.includes('"tags":') && !hold.detail.includes('"identity":')) return detail;
  const { tags, identity } = parse<JsonObject>(hold.detail);
  return { ...detail, ...(tags !== undefined && { tags }), ...(identity !== undefined && { identity }) };
}

/** Minus zero is a number JSON and SQLite print in their own ways: keep it out. */
export function negative(value: number): number {
  return value === 0 ? 0 : -value;
}
