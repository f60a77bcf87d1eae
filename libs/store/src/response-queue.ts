/** Responses that are written in the background: who has them in hand, and how they end. */
import type { EventBatch, ResponseEnd, ResponseRecord, ResponseStore, Tenant } from '@model-gateway/core';
import { sql } from 'kysely';
import { addToConversation } from './conversations.ts';
import { type Database, forUpdate, forUpdateSkipLocked, transaction } from './database.ts';
import { addHold, captureHold, releaseHold } from './holds.ts';
import { addEvents } from './response-events.ts';
import { columnsOf, ofTenant, toResponse } from './response-rows.ts';

const OPEN = ['queued', 'in_progress'] as const;

type QueueMethods = 'enqueue' | 'claimDue' | 'renewClaims' | 'markSubmitted' | 'finish' | 'cancel' | 'nextDue';

export function responseQueue(database: Database): Pick<ResponseStore, QueueMethods> {
  return {
    enqueue: async (response, event, hold, now) =>
      transaction(database, (tx) => enqueue(tx, { response, event, hold, now })),
    claimDue: async (claim) => claimDue(database, claim),
    renewClaims: async (ids, by, until) => (ids.length === 0 ? [] : renewClaims(database, ids, by, until)),
    markSubmitted: async (id, by, reply) => markSubmitted(database, id, by, reply),
    finish: async (id, by, end, now) => transaction(database, (tx) => finish(tx, { id, by, end, now })),
    cancel: async (tenant, id, end, now) => transaction(database, (tx) => cancel(tx, { tenant, id, end, now })),
    nextDue: async () => nextDue(database),
  };
}

interface Queued {
  readonly response: ResponseRecord;
  readonly event: EventBatch;
  readonly hold: Parameters<ResponseStore['enqueue']>[2];
  readonly now: number;
}

async function enqueue(tx: Database, { response, event, hold, now }: Queued): Promise<void> {
  const { requestId, model } = response;
  const held = hold === undefined ? undefined : await addHold(tx, hold.payer, { ...hold, requestId, model }, now);
  await tx.db
    .insertInto('responses')
    .values({ ...columnsOf(response), hold_id: held ?? null, due_at: now })
    .execute();
  await addEvents(tx, response.id, event);
}

/** One of each tenant before the second of any. */
async function claimDue(
  database: Database,
  { by, now, until, limit, except }: Parameters<ResponseStore['claimDue']>[0],
): Promise<readonly ResponseRecord[]> {
  let due = database.db
    .selectFrom('responses')
    .select([
      'id',
      'due_at',
      sql<number>`row_number() over (partition by owner_id, mode order by due_at, created_at)`.as('turn'),
    ])
    .where('due_at', '<=', now);
  for (const { ownerId, mode } of except)
    due = due.where((row) => row.not(row.and([row('owner_id', '=', ownerId), row('mode', '=', mode)])));
  const ids = (
    await database.db.selectFrom(due.as('due')).select('id').orderBy('turn').orderBy('due_at').limit(limit).execute()
  ).map(({ id }) => id);
  if (ids.length === 0) return [];
  const free = database.db.selectFrom('responses').select('id').where('id', 'in', ids).where('due_at', '<=', now);
  const rows = await database.db
    .updateTable('responses')
    .set({ due_at: until, claimed_by: by })
    .where('id', 'in', forUpdateSkipLocked(database, free))
    .returningAll()
    .execute();
  return rows.map(toResponse).toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

async function renewClaims(
  { db }: Database,
  ids: readonly string[],
  by: string,
  until: number,
): Promise<readonly { readonly id: string; readonly cancelRequested: boolean }[]> {
  const rows = await db
    .updateTable('responses')
    .set({ due_at: until })
    .where('id', 'in', ids)
    .where('claimed_by', '=', by)
    .where('due_at', 'is not', null)
    .returning(['id', 'cancel_requested'])
    .execute();
  return rows.map((row) => ({ id: row.id, cancelRequested: row.cancel_requested === 1 }));
}

async function markSubmitted({ db }: Database, id: string, by: string, reply: Uint8Array): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('responses')
    .set({ submitted: 1, status: 'in_progress', reply })
    .where('id', '=', id)
    .where('claimed_by', '=', by)
    .where('due_at', 'is not', null)
    .where('submitted', '=', 0)
    .where('status', 'in', OPEN)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface Finish {
  readonly id: string;
  readonly by: string;
  readonly end: ResponseEnd;
  readonly now: number;
}

async function finish(tx: Database, { id, by, end, now }: Finish): Promise<'done' | 'lost' | 'cancelled'> {
  const open = tx.db
    .selectFrom('responses')
    .selectAll()
    .where('id', '=', id)
    .where('claimed_by', '=', by)
    .where('due_at', 'is not', null);
  const row = await forUpdate(tx, open).executeTakeFirst();
  if (row === undefined) return 'lost';
  if (row.status === 'cancelled' && end.status !== 'cancelled') return 'cancelled';
  await addEvents(tx, id, end.event);
  await tx.db
    .updateTable('responses')
    .set((column) => ({
      due_at: null,
      claimed_by: null,
      status: end.status,
      reply: end.reply,
      size: column('size', '+', end.reply.length - row.reply.length),
    }))
    .where('id', '=', id)
    .execute();
  if (row.hold_id !== null) {
    if (end.bill === undefined) await releaseHold(tx, row.hold_id, { reason: end.status }, now);
    else await captureHold(tx, row.hold_id, end.bill, now);
  }
  await addToConversation(tx, toResponse(row), end.items);
  return 'done';
}

interface Cancellation {
  readonly tenant: Tenant;
  readonly id: string;
  readonly end: Pick<ResponseEnd, 'reply' | 'event'>;
  readonly now: number;
}

async function cancel(tx: Database, { tenant, id, end, now }: Cancellation): Promise<ResponseRecord | undefined> {
  const row = await forUpdate(tx, ofTenant(tx, tenant, id)).executeTakeFirst();
  if (row === undefined || row.expires_at <= now) return undefined;
  if (row.status !== 'queued' && row.status !== 'in_progress') return toResponse(row);
  const isIdle = row.submitted === 0;
  if (isIdle) await addEvents(tx, id, end.event);
  const changed = await tx.db
    .updateTable('responses')
    .set((column) => ({
      status: 'cancelled' as const,
      cancel_requested: 1,
      reply: end.reply,
      size: column('size', '+', end.reply.length - row.reply.length),
      ...(isIdle && { due_at: null, claimed_by: null }),
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (isIdle && row.hold_id !== null) await releaseHold(tx, row.hold_id, { reason: 'cancelled' }, now);
  return toResponse(changed);
}

async function nextDue({ db }: Database): Promise<number | undefined> {
  const row = await db
    .selectFrom('responses')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}
