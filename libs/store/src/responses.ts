import type {
  CompletionsQuery,
  EventBatch,
  ResponseEnd,
  ResponseRecord,
  ResponseStore,
  Tenant,
} from '@model-gateway/core';
import { type Insertable, type Selectable, sql } from 'kysely';
import { addItems, conversationStore } from './conversations.ts';
import { type Database, forUpdate, forUpdateSkipLocked, transaction } from './database.ts';
import { addHold, captureHold, releaseHold } from './holds.ts';
import { present } from './rows.ts';
import type { ResponseRow } from './tables.ts';

/** Databases take so many parameters at least. */
const IDS_AT_ONCE = 500;
const OPEN = ['queued', 'in_progress'] as const;

export function responseStore(database: Database): ResponseStore {
  const { db } = database;
  return {
    ...conversationStore(database),
    keep: async (response, items, marks = []) =>
      transaction(database, async (tx) => {
        await tx.db.insertInto('responses').values(columnsOf(response)).execute();
        await appendTo(tx, response, items);
        await addMarks(tx, response.id, marks);
      }),
    completions: async (tenant, query, now) => listCompletions(database, { tenant, query, now }),
    updateReply: async (tenant, id, reply, marks) =>
      transaction(database, async (tx) => {
        const row = await forUpdate(tx, ofTenant(tx, tenant, id)).executeTakeFirst();
        if (row === undefined) return false;
        await tx.db
          .updateTable('responses')
          .set({ reply, size: row.size + reply.length - row.reply.length })
          .where('id', '=', id)
          .execute();
        await tx.db.deleteFrom('response_marks').where('response_id', '=', id).execute();
        await addMarks(tx, id, marks);
        return true;
      }),
    enqueue: async (response, event, hold, now) =>
      transaction(database, async (tx) => {
        const { requestId, model } = response;
        const held = hold === undefined ? undefined : await addHold(tx, hold.payer, { ...hold, requestId, model }, now);
        await tx.db
          .insertInto('responses')
          .values({ ...columnsOf(response), hold_id: held ?? null, due_at: now })
          .execute();
        await addEvents(tx, response.id, event);
      }),
    find: async (tenant, id, now) => {
      const row = await ofTenant(database, tenant, id).where('expires_at', '>', now).executeTakeFirst();
      return row === undefined ? undefined : toResponse(row);
    },
    chain: async (tenant, id, most, now) => readChain(database, { tenant, id, most, now }),
    recent: async ({ ownerId, mode }, { from, limit }, now) => {
      const rows = await db
        .selectFrom('responses')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .where('kind', '=', 'response')
        .where('expires_at', '>', now)
        .orderBy('expires_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(from)
        .execute();
      return rows.map(toResponse);
    },
    prolong: async (ids, expiresAt) => {
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
        await db
          .updateTable('responses')
          .set({ expires_at: expiresAt })
          .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
          .where('expires_at', '<', expiresAt)
          .execute();
    },
    remove: async (tenant, id) =>
      transaction(database, async (tx) => {
        const row = await forUpdate(tx, ofTenant(tx, tenant, id)).executeTakeFirst();
        if (row === undefined || row.due_at !== null) return false;
        await removeAll(tx, [id]);
        return true;
      }),
    claimDue: async (claim) => claimDue(database, claim),
    renewClaims: async (ids, by, until) => {
      if (ids.length === 0) return [];
      const rows = await db
        .updateTable('responses')
        .set({ due_at: until })
        .where('id', 'in', ids)
        .where('claimed_by', '=', by)
        .where('due_at', 'is not', null)
        .returning(['id', 'cancel_requested'])
        .execute();
      return rows.map((row) => ({ id: row.id, cancelRequested: row.cancel_requested === 1 }));
    },
    markSubmitted: async (id, by, reply) => {
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
    },
    finish: async (id, by, end, now) => transaction(database, (tx) => finish(tx, { id, by, end, now })),
    cancel: async (tenant, id, end, now) => transaction(database, (tx) => cancel(tx, { tenant, id, end, now })),
    nextDue: async () => {
      const row = await db
        .selectFrom('responses')
        .select('due_at')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.due_at ?? undefined;
    },
    appendEvents: async (id, { last, sealed }) => transaction(database, (tx) => addEvents(tx, id, { last, sealed })),
    lastEvent: async (id) => {
      const row = await db
        .selectFrom('response_events')
        .select('last_number')
        .where('response_id', '=', id)
        .orderBy('last_number', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.last_number ?? -1;
    },
    events: async (id, after, limit) => {
      const rows = await db
        .selectFrom('response_events')
        .select(['last_number', 'sealed'])
        .where('response_id', '=', id)
        .where('last_number', '>', after)
        .orderBy('last_number')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ last: row.last_number, sealed: row.sealed }));
    },
    trim: async (tenant, bytes) => trim(database, tenant, bytes),
    sweep: async (now, limit) => sweep(database, now, limit),
  };
}

function ofTenant(tx: Database, { ownerId, mode }: Tenant, id: string) {
  return tx.db
    .selectFrom('responses')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode);
}

interface Listing {
  readonly tenant: Tenant;
  readonly query: CompletionsQuery;
  readonly now: number;
}

async function listCompletions(
  { db }: Database,
  { tenant: { ownerId, mode }, query: { limit, order, after, model, marks }, now }: Listing,
): Promise<readonly { readonly id: string; readonly size: number }[]> {
  let rows = db
    .selectFrom('responses')
    .select(['id', 'size'])
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('kind', '=', 'chat-completion')
    .where('expires_at', '>', now);
  if (model !== undefined) rows = rows.where('model', '=', model);
  for (const each of marks)
    rows = rows.where('id', 'in', db.selectFrom('response_marks').select('response_id').where('mark', 'in', each));
  if (after !== undefined) {
    const behind = order === 'asc' ? '>' : '<';
    rows = rows.where((row) =>
      row.or([
        row('created_at', behind, after.createdAt),
        row.and([row('created_at', '=', after.createdAt), row('id', behind, after.id)]),
      ]),
    );
  }
  return rows.orderBy('created_at', order).orderBy('id', order).limit(limit).execute();
}

async function addMarks(tx: Database, id: string, marks: readonly string[]): Promise<void> {
  if (marks.length === 0) return;
  await tx.db
    .insertInto('response_marks')
    .values(marks.map((mark) => ({ mark, response_id: id })))
    .execute();
}

interface Chain {
  readonly tenant: Tenant;
  readonly id: string;
  readonly most: number;
  readonly now: number;
}

async function readChain(database: Database, { tenant, id, most, now }: Chain): Promise<readonly ResponseRecord[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive chain (id, previous_id, depth) as (
      select id, previous_id, 1 from responses
      where id = ${id} and owner_id = ${tenant.ownerId} and mode = ${tenant.mode} and expires_at > cast(${now} as bigint)
      union all
      select before.id, before.previous_id, chain.depth + 1 from chain
      join responses as before on before.id = chain.previous_id
      where chain.depth < cast(${most} as integer) and before.owner_id = ${tenant.ownerId} and before.mode = ${tenant.mode}
        and before.expires_at > cast(${now} as bigint)
    )
    select id from chain order by depth`.execute(database.db);
  const found = new Map<string, ResponseRecord>();
  const ids = rows.map((row) => row.id);
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const part = await database.db
      .selectFrom('responses')
      .selectAll()
      .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
      .execute();
    for (const row of part) found.set(row.id, toResponse(row));
  }
  return ids.flatMap((each) => found.get(each) ?? []);
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
  await appendTo(tx, toResponse(row), end.items);
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

async function addEvents(tx: Database, id: string, { last, sealed }: EventBatch): Promise<void> {
  await tx.db
    .insertInto('response_events')
    .values({ response_id: id, last_number: last, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx.db
    .updateTable('responses')
    .set((column) => ({ size: column('size', '+', sealed.length) }))
    .where('id', '=', id)
    .execute();
}

/** Nothing where its conversation is gone. */
async function appendTo(
  tx: Database,
  { conversationId, ownerId, mode, expiresAt }: ResponseRecord,
  items: Parameters<ResponseStore['addItems']>[2],
): Promise<void> {
  if (conversationId === undefined) return;
  await addItems(tx, { tenant: { ownerId, mode }, id: conversationId, items, expiresAt });
}

async function removeAll(tx: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.db.deleteFrom('response_events').where('response_id', 'in', ids).execute();
  await tx.db.deleteFrom('response_marks').where('response_id', 'in', ids).execute();
  await tx.db.deleteFrom('responses').where('id', 'in', ids).execute();
}

async function removeConversations(tx: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.db.deleteFrom('conversation_items').where('conversation_id', 'in', ids).execute();
  await tx.db.deleteFrom('conversations').where('id', 'in', ids).execute();
}

async function trim(database: Database, { ownerId, mode }: Tenant, bytes: number): Promise<number> {
  const sized = (table: 'responses' | 'conversations') =>
    database.db
      .selectFrom(table)
      .select(['id', 'size', 'expires_at as expiresAt'])
      .where('owner_id', '=', ownerId)
      .where('mode', '=', mode);
  const rows = [
    ...(await sized('responses').where('due_at', 'is', null).execute()).map((row) => ({ ...row, of: 'response' })),
    ...(await sized('conversations').execute()).map((row) => ({ ...row, of: 'conversation' })),
  ].toSorted((a, b) => b.expiresAt - a.expiresAt);
  let left = 0;
  const kept = rows.findIndex(({ size }) => {
    left += size;
    return left > bytes;
  });
  const over = kept === -1 ? [] : rows.slice(kept);
  for (let from = 0; from < over.length; from += IDS_AT_ONCE) {
    const part = over.slice(from, from + IDS_AT_ONCE);
    const idsOf = (of: string): string[] => part.filter((each) => each.of === of).map(({ id }) => id);
    await transaction(database, async (tx) => {
      await removeAll(tx, idsOf('response'));
      await removeConversations(tx, idsOf('conversation'));
    });
  }
  return over.length;
}

async function sweep(database: Database, now: number, limit: number): Promise<number> {
  return transaction(database, async (tx) => {
    const responses = tx.db
      .selectFrom('responses')
      .select('id')
      .where('expires_at', '<=', now)
      .where('due_at', 'is', null)
      .limit(limit);
    // Two statements: PostgreSQL may run a subquery with a limit and a lock more than once.
    const gone = (await forUpdateSkipLocked(tx, responses).execute()).map(({ id }) => id);
    const conversations = tx.db.selectFrom('conversations').select('id').where('expires_at', '<=', now).limit(limit);
    const over = (await forUpdateSkipLocked(tx, conversations).execute()).map(({ id }) => id);
    await removeAll(tx, gone);
    await removeConversations(tx, over);
    return gone.length + over.length;
  });
}

function columnsOf(response: ResponseRecord): Insertable<ResponseRow> {
  return {
    id: response.id,
    kind: response.kind,
    owner_id: response.ownerId,
    mode: response.mode,
    key_id: response.keyId,
    model: response.model,
    status: response.status,
    background: Number(response.background),
    previous_id: response.previousId ?? null,
    conversation_id: response.conversationId ?? null,
    request_id: response.requestId,
    created_at: response.createdAt,
    expires_at: response.expiresAt,
    size: response.asked.length + response.reply.length,
    asked: response.asked,
    reply: response.reply,
    hold_id: response.holdId ?? null,
    submitted: Number(response.submitted),
    cancel_requested: Number(response.cancelRequested),
    claimed_by: null,
    due_at: null,
  };
}

function toResponse(row: Selectable<ResponseRow>): ResponseRecord {
  return {
    ...present({ previousId: row.previous_id, conversationId: row.conversation_id, holdId: row.hold_id }),
    id: row.id,
    kind: row.kind,
    ownerId: row.owner_id,
    mode: row.mode,
    keyId: row.key_id,
    model: row.model,
    status: row.status,
    background: row.background === 1,
    requestId: row.request_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    asked: row.asked,
    reply: row.reply,
    submitted: row.submitted === 1,
    cancelRequested: row.cancel_requested === 1,
    isOpen: row.due_at !== null,
  };
}
