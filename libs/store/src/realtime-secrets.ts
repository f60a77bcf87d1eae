import type { RealtimeSecretStore } from '@model-gateway/core';
import type { Database } from './database.ts';

const MOST_REMOVED = 1_000;

export function realtimeSecretStore({ db }: Database): RealtimeSecretStore {
  return {
    add: async ({ hash, keyId, sealedSession, createdAt, expiresAt }, most) => {
      await db
        .insertInto('realtime_secrets')
        .values({ hash, key_id: keyId, sealed_session: sealedSession, created_at: createdAt, expires_at: expiresAt })
        .execute();
      const older = db
        .selectFrom('realtime_secrets')
        .select('hash')
        .where('key_id', '=', keyId)
        .orderBy('created_at', 'desc')
        .orderBy('hash')
        .limit(MOST_REMOVED)
        .offset(most);
      await db.deleteFrom('realtime_secrets').where('hash', 'in', older).execute();
    },
    findByHash: async (wanted) => {
      const row = await db.selectFrom('realtime_secrets').selectAll().where('hash', '=', wanted).executeTakeFirst();
      if (row === undefined) return undefined;
      const { hash, key_id: keyId, sealed_session: sealedSession, created_at: createdAt, expires_at: expiresAt } = row;
      return { hash, keyId, sealedSession, createdAt, expiresAt };
    },
    sweep: async (before, limit) => {
      const over = db.selectFrom('realtime_secrets').select('hash').where('expires_at', '<', before).limit(limit);
      const { numDeletedRows } = await db.deleteFrom('realtime_secrets').where('hash', 'in', over).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
