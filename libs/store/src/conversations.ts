import type { ConversationItem, ResponseRecord, ResponseStore, Tenant } from '@model-gateway/core';
import { type Database, forUpdate, transaction } from './database.ts';

type ConversationStore = Pick<
  ResponseStore,
  | 'createConversation'
  | 'findConversation'
  | 'updateConversation'
  | 'removeConversation'
  | 'conversationItems'
  | 'addItems'
  | 'removeItem'
>;

/** Conversations: a list of items that responses add to. */
export function conversationStore(database: Database): ConversationStore {
  return {
    createConversation: async (conversation, items) =>
      transaction(database, async (tx) => {
        const { id, ownerId, mode, createdAt, expiresAt, sealed } = conversation;
        await tx.db
          .insertInto('conversations')
          .values({
            id,
            owner_id: ownerId,
            mode,
            created_at: createdAt,
            expires_at: expiresAt,
            size: sealed.length,
            sealed,
          })
          .execute();
        await addItems(tx, { tenant: conversation, id, items, expiresAt });
      }),
    findConversation: async (tenant, id, now) => {
      const row = await ofTenant(database, tenant, id).where('expires_at', '>', now).executeTakeFirst();
      if (row === undefined) return undefined;
      const { owner_id: ownerId, mode, created_at: createdAt, expires_at: expiresAt, sealed } = row;
      return { id, ownerId, mode, createdAt, expiresAt, sealed };
    },
    updateConversation: async ({ ownerId, mode }, id, sealed, expiresAt) => {
      const { numUpdatedRows } = await database.db
        .updateTable('conversations')
        .set({ sealed, expires_at: expiresAt })
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    removeConversation: async (tenant, id) =>
      transaction(database, async (tx) => {
        const row = await forUpdate(tx, ofTenant(tx, tenant, id)).executeTakeFirst();
        if (row === undefined) return false;
        await tx.db.deleteFrom('conversation_items').where('conversation_id', '=', id).execute();
        await tx.db.deleteFrom('conversations').where('id', '=', id).execute();
        return true;
      }),
    conversationItems: async (id) =>
      database.db
        .selectFrom('conversation_items')
        .select(['id', 'sealed'])
        .where('conversation_id', '=', id)
        .orderBy('position')
        .execute(),
    addItems: async (tenant, id, items, expiresAt) =>
      transaction(database, (tx) => addItems(tx, { tenant, id, items, expiresAt })),
    removeItem: async (tenant, id, itemId) =>
      transaction(database, async (tx) => {
        const row = await forUpdate(tx, ofTenant(tx, tenant, id)).executeTakeFirst();
        if (row === undefined) return false;
        const gone = await tx.db
          .deleteFrom('conversation_items')
          .where('conversation_id', '=', id)
          .where('id', '=', itemId)
          .returning('sealed')
          .execute();
        const bytes = gone.reduce((sum, { sealed }) => sum + sealed.length, 0);
        await tx.db
          .updateTable('conversations')
          .set({ size: row.size - bytes })
          .where('id', '=', id)
          .execute();
        return gone.length > 0;
      }),
  };
}

function ofTenant(tx: Database, { ownerId, mode }: Tenant, id: string) {
  return tx.db
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode);
}

interface Addition {
  readonly tenant: Tenant;
  readonly id: string;
  readonly items: readonly ConversationItem[];
  readonly expiresAt: number;
}

/** Appends in the caller's transaction; false where the tenant has no such conversation. */
async function addItems(tx: Database, { tenant, id, items, expiresAt }: Addition): Promise<boolean> {
  const row = await forUpdate(tx, ofTenant(tx, tenant, id)).executeTakeFirst();
  if (row === undefined) return false;
  const last = await tx.db
    .selectFrom('conversation_items')
    .select('position')
    .where('conversation_id', '=', id)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  const from = (last?.position ?? 0) + 1;
  // One by one: a statement takes a bounded number of parameters, and items are few.
  for (const [index, item] of items.entries())
    await tx.db
      .insertInto('conversation_items')
      .values({ conversation_id: id, position: from + index, id: item.id, sealed: item.sealed })
      .execute();
  const bytes = items.reduce((sum, { sealed }) => sum + sealed.length, 0);
  await tx.db
    .updateTable('conversations')
    .set({ size: row.size + bytes, expires_at: Math.max(row.expires_at, expiresAt) })
    .where('id', '=', id)
    .execute();
  return true;
}

/** What a response brings to its conversation; nothing where that is gone. */
export async function addToConversation(
  tx: Database,
  { conversationId, ownerId, mode, expiresAt }: ResponseRecord,
  items: Parameters<ResponseStore['addItems']>[2],
): Promise<void> {
  if (conversationId === undefined) return;
  await addItems(tx, { tenant: { ownerId, mode }, id: conversationId, items, expiresAt });
}
