import type { CachedContentRecord, CachedContentStore } from '@model-gateway/core';
import type { JsonObject } from '@model-gateway/contracts';
import type { Database } from './database.ts';
import type { CachedContentRow } from './tables.ts';

export function cachedContentStore({ db }: Database): CachedContentStore {
  return {
    add: async ({ name, ownerId, mode, keyId, accountId, model, tokens, about, createdAt, expiresAt }) => {
      await db
        .insertInto('cached_contents')
        .values({
          name,
          owner_id: ownerId,
          mode,
          key_id: keyId,
          account_id: accountId,
          model,
          tokens,
          about: JSON.stringify(about),
          created_at: createdAt,
          expires_at: expiresAt,
        })
        .execute();
    },
    find: async ({ ownerId, mode }, name, now) => {
      const row = await db
        .selectFrom('cached_contents')
        .selectAll()
        .where('name', '=', name)
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row && recordOf(row);
    },
    list: async ({ ownerId, mode }, { now, limit, after }) => {
      const all = db
        .selectFrom('cached_contents')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .where('expires_at', '>', now);
      const page = after === undefined ? all : all.where('name', '>', after);
      return (await page.orderBy('name').limit(limit).execute()).map(recordOf);
    },
    update: async ({ name, about, expiresAt }) => {
      await db
        .updateTable('cached_contents')
        .set({ about: JSON.stringify(about), expires_at: expiresAt })
        .where('name', '=', name)
        .execute();
    },
    remove: async (name) => {
      await db.deleteFrom('cached_contents').where('name', '=', name).execute();
    },
    sweep: async (before, limit) => {
      const over = db.selectFrom('cached_contents').select('name').where('expires_at', '<', before).limit(limit);
      const { numDeletedRows } = await db.deleteFrom('cached_contents').where('name', 'in', over).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function recordOf(row: CachedContentRow): CachedContentRecord {
  return {
    name: row.name,
    ownerId: row.owner_id,
    mode: row.mode,
    keyId: row.key_id,
    accountId: row.account_id,
    model: row.model,
    tokens: row.tokens,
    about: JSON.parse(row.about) as JsonObject,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
