import { GatewayError, UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { windowStart, type Payer, type SpendScope } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, forUpdate } from './database.ts';
import { lockScopes, moveScopes, takeScopes, usedOf } from './scope-windows.ts';
import type { WindowKind } from './tables.ts';

const NO_CAP = Number.MAX_SAFE_INTEGER;
const KINDS = ['day', 'month', 'total'] as const satisfies readonly WindowKind[];

/** What sets the bound of what a payer can spend. */
export type Bound = 'balance' | WindowKind | SpendScope;

function caps(limits: Payer['limits']): Record<WindowKind, number> {
  return {
    day: limits.spendPerDay ?? NO_CAP,
    month: limits.spendPerMonth ?? NO_CAP,
    total: limits.spendTotal ?? NO_CAP,
  };
}

export function isCapped(limits: Payer['limits']): boolean {
  return KINDS.some((kind) => caps(limits)[kind] !== NO_CAP);
}

/**
 * Takes `amount` from the payer's balance, into the key's windows and into those of its scopes, each by one conditional statement; throws
 * `insufficient_quota` naming the cap that would be passed (the transaction must then be rolled back). The owner's row is always locked
 * first: every other change of that owner's money waits for it.
 */
export async function take(tx: Database, payer: Payer, amount: number, at: number): Promise<void> {
  if (amount === 0) return;
  const refused = await tryTake(tx, payer, amount, at);
  if (refused === undefined) return;
  throw await refusal(tx, { payer, amount, at, refused });
}

async function tryTake(tx: Database, payer: Payer, amount: number, at: number): Promise<Bound | undefined> {
  const change = sql<number>`cast(${amount} as bigint)`;
  const { numUpdatedRows } = await tx.db
    .updateTable('owners')
    .set({ balance: sql<number>`balance - ${change}` })
    .where('id', '=', payer.ownerId)
    .where(sql<boolean>`(credit_limit is null or balance - ${change} >= -credit_limit)`)
    .where(sql<boolean>`balance - ${change} >= ${sql.lit(-NO_CAP)}`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return 'balance';
  const refused = await useWindows(tx, payer, amount, at);
  if (refused !== undefined || payer.scopes === undefined) return refused;
  return takeScopes(tx, payer.scopes, amount, at);
}

/** Adds to the three windows in one statement; answers the first window that would be passed, if any. */
async function useWindows(tx: Database, payer: Payer, amount: number, at: number): Promise<WindowKind | undefined> {
  const most = caps(payer.limits);
  const tooMuch = KINDS.find((kind) => amount > most[kind]);
  if (tooMuch !== undefined) return tooMuch;
  const cap = sql<number>`case key_windows.kind when 'day' then cast(${most.day} as bigint) when 'month' then cast(${most.month} as bigint) else cast(${most.total} as bigint) end`;
  const written = await tx.db
    .insertInto('key_windows')
    .values(KINDS.map((kind) => ({ key_id: payer.keyId, kind, start: windowStart(kind, at), used: amount })))
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'kind', 'start'])
        .doUpdateSet({ used: sql<number>`key_windows.used + excluded.used` })
        .where(sql<boolean>`key_windows.used + excluded.used <= ${cap}`),
    )
    .returning('kind')
    .execute();
  return KINDS.find((kind) => !written.some((row) => row.kind === kind));
}

/** Changes the balance by `change.balance` and the windows of `change.at` by `change.used`, without asking any cap. */
export async function move(
  tx: Database,
  change: {
    readonly ownerId: number;
    readonly keyId: number | null;
    readonly balance: number;
    readonly used: number;
    readonly at: number;
    readonly scopes: readonly SpendScope[] | undefined;
  },
): Promise<void> {
  if (change.balance !== 0) await addToBalance(tx, change.ownerId, change.balance);
  if (change.used === 0 || change.keyId === null) return;
  const { keyId, used, at, scopes } = change;
  await tx.db
    .insertInto('key_windows')
    .values(KINDS.map((kind) => ({ key_id: keyId, kind, start: windowStart(kind, at), used })))
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'kind', 'start'])
        .doUpdateSet({ used: sql<number>`key_windows.used + excluded.used` }),
    )
    .execute();
  if (scopes !== undefined) await moveScopes(tx, scopes, used, at);
}

/** Throws `not_found` for an unknown owner, `invalid_request` when the sum would no longer be exact. */
export async function addToBalance(tx: Database, ownerId: number, amount: number): Promise<void> {
  const sum = sql<number>`balance + cast(${amount} as bigint)`;
  const { numUpdatedRows } = await tx.db
    .updateTable('owners')
    .set({ balance: sum })
    .where('id', '=', ownerId)
    .where(sql<boolean>`${sum} between ${sql.lit(-NO_CAP)} and ${sql.lit(NO_CAP)}`)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await requireOwner(tx, ownerId);
  throw new GatewayError('invalid_request', `The balance of owner ${ownerId} would be too large to be kept exactly.`, {
    param: 'amount',
  });
}

export interface Available {
  readonly units: number;
  /** What sets that bound. */
  readonly bound: Bound;
}

/** What the payer could spend now; nobody else spends that owner's money, or of the payer's scopes, until the transaction ends. */
export async function available(tx: Database, payer: Payer, at: number): Promise<Available> {
  const owner = await requireOwner(tx, payer.ownerId);
  let least: Available = {
    units: owner.credit_limit === null ? NO_CAP : owner.balance + owner.credit_limit,
    bound: 'balance',
  };
  const most = caps(payer.limits);
  for (const kind of KINDS) {
    if (most[kind] === NO_CAP) continue;
    const units = most[kind] - (await usedBy(tx, payer.keyId, kind, at));
    if (units < least.units) least = { units, bound: kind };
  }
  if (payer.scopes === undefined) return least;
  const used = await lockScopes(tx, payer.scopes, at);
  for (const [index, scope] of payer.scopes.entries()) {
    const units = scope.cap - (used[index] ?? 0);
    if (units < least.units) least = { units, bound: scope };
  }
  return least;
}

/** What a window of a key has charged and set aside. */
export async function usedBy(tx: Database, keyId: number, kind: WindowKind, at: number): Promise<number> {
  const row = await tx.db
    .selectFrom('key_windows')
    .select('used')
    .where('key_id', '=', keyId)
    .where('kind', '=', kind)
    .where('start', '=', windowStart(kind, at))
    .executeTakeFirst();
  return row?.used ?? 0;
}

/** Reads an owner's row and, on PostgreSQL, locks it until the transaction ends. */
export async function requireOwner(
  tx: Database,
  ownerId: number,
): Promise<{ readonly balance: number; readonly credit_limit: number | null }> {
  const query = tx.db.selectFrom('owners').select(['balance', 'credit_limit']).where('id', '=', ownerId);
  const owner = await forUpdate(tx, query).executeTakeFirst();
  if (owner === undefined) {
    throw new GatewayError('not_found', `There is no owner ${ownerId}: create it before it spends.`, {
      param: 'owner_id',
    });
  }
  return owner;
}

async function refusal(
  tx: Database,
  attempt: { readonly payer: Payer; readonly amount: number; readonly at: number; readonly refused: Bound },
): Promise<GatewayError> {
  const { payer, amount, at, refused } = attempt;
  if (refused === 'balance') {
    const owner = await requireOwner(tx, payer.ownerId);
    return insufficient(refused, amount, owner.balance + (owner.credit_limit ?? 0));
  }
  if (typeof refused === 'object') {
    const used = await usedOf(tx, refused, at);
    return insufficient(refused, amount, refused.cap - used);
  }
  return insufficient(refused, amount, caps(payer.limits)[refused] - (await usedBy(tx, payer.keyId, refused, at)));
}

const CAP_NAMES: Record<'balance' | WindowKind, string> = {
  balance: 'the balance',
  day: "the key's spend_per_day limit",
  month: "the key's spend_per_month limit",
  total: "the key's spend_total limit",
};

const LIMITS: Record<'balance' | WindowKind, string> = {
  balance: 'balance',
  day: 'spend_per_day',
  month: 'spend_per_month',
  total: 'spend_total',
};

/** `insufficient_quota` (`run_limit_reached` for the cap of a run, whose model is told to stop), naming the cap and both sums in US dollars. */
export function insufficient(bound: Bound, needed: number, left: number): GatewayError {
  const isScope = typeof bound === 'object';
  const limit = isScope ? bound.limit : LIMITS[bound];
  if (isScope && bound.isOfRun === true) {
    const more = left > 0 ? `, and the next request may cost up to ${price(needed)}` : '';
    return new GatewayError(
      'run_limit_reached',
      `The budget of this run is used: ${price(bound.cap - left)} of ${price(bound.cap)}${more}. Stop and report what you have.`,
      { limit },
    );
  }
  const cap = isScope ? bound.name : CAP_NAMES[bound];
  return new GatewayError(
    'insufficient_quota',
    `This request may cost up to ${dollars(needed)}, and ${cap} leaves ${dollars(Math.max(0, left))}.`,
    { limit },
  );
}

/** With cents: `$2.00`, `$0.0003`. */
function price(units: number): string {
  const text = dollars(units);
  const [, cents = ''] = text.split('.');
  return cents.length >= 2 ? text : `$${(units / UNITS_PER_DOLLAR).toFixed(2)}`;
}

function dollars(units: number): string {
  return `$${(units / UNITS_PER_DOLLAR).toFixed(6).replace(/\.?0+$/, '')}`;
}
