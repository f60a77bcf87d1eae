import type { CompletionsQuery, ResponseRecord, ResponseStore, Tenant } from '@model-gateway/core';
import { sql } from 'kysely';
import { addToConversation, conversationStore } from './conversations.ts';
import { type Database, forUpdate, forUpdateSkipLocked, transaction } from './database.ts';
import { responseEvents } from './response-events.ts';
import { responseQueue } from './response-queue.ts';
import { columnsOf, IDS_AT_ONCE, ofTenant, toResponse } from './response-rows.ts';

export function responseStore(database: Database): ResponseStore {
  return {
    ...conversationStore(database),
    ...responseQueue(database),
    ...responseEvents(database),
    keep: async (response, items, marks = []) =>
      transaction(database, async (tx) => {
        await tx.db.insertInto('responses').values(columnsOf(response)).execute();
        await addToConversation(tx, response, items);
        await addMarks(tx, response.id, marks);
      }),
    completions: async (tenant, query, now) => listCompletions(database, { tenant, query, now }),
    updateReply: async (tenant, id, reply, marks) =>
      transaction(database, (tx) => updateReply(tx, { tenant, id, reply, marks })),
    find: async (tenant, id, now) => {
      const row = await ofTenant(database, tenant, id).where('expires_at', '>', now).executeTakeFirst();
      return row === undefined ? undefined : toResponse(row);
    },
    chain: async (tenant, id, most, now) => readChain(database, { tenant, id, most, now }),
    recent: async (tenant, page, now) => listRecent(database, tenant, page, now),
    prolong: async (ids, expiresAt) => prolong(database, ids, expiresAt),
    remove: async (tenant, id) =>
      transaction(database, async (tx) => {
        const row = await forUpdate(tx, ofTenant(tx, tenant, id)).executeTakeFirst();
        if (row === undefined || row.due_at !== null) return false;
        await removeAll(tx, [id]);
        return true;
      }),
    trim: async (tenant, bytes) => trim(database, tenant, bytes),
    sweep: async (now, limit) => sweep(database, now, limit),
  };
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

interface NewReply {
  readonly tenant: Tenant;
  readonly id: string;
  readonly reply: Uint8Array;
  readonly marks: readonly string[];
}

async function updateReply(tx: Database, { tenant, id, reply, marks }: NewReply): Promise<boolean> {
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

async function listRecent(
  { db }: Database,
  { ownerId, mode }: Tenant,
  { from, limit }: Parameters<ResponseStore['recent']>[1],
  now: number,
): Promise<readonly ResponseRecord[]> {
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
}

async function prolong({ db }: Database, ids: readonly string[], expiresAt: number): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
    await db
      .updateTable('responses')
      .set({ expires_at: expiresAt })
      .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
      .where('expires_at', '<', expiresAt)
      .execute();
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
