import type { VendorIdStore } from '@model-gateway/core';
import type { Database } from './database.ts';

export function vendorIdStore({ db }: Database): VendorIdStore {
  return {
    remember: async (ids) => {
      if (ids.length === 0) return;
      const rows = ids.map(({ hash, ownerId, mode, accountId, expiresAt }) => ({
        hash,
        owner_id: ownerId,
        mode,
        account_id: accountId,
        expires_at: expiresAt,
      }));
      await db
        .insertInto('vendor_ids')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    find: async (hashes) => {
      if (hashes.length === 0) return [];
      const rows = await db.selectFrom('vendor_ids').selectAll().where('hash', 'in', hashes).execute();
      return rows.map((row) => ({
        hash: row.hash,
        ownerId: row.owner_id,
        mode: row.mode,
        accountId: row.account_id,
        expiresAt: row.expires_at,
      }));
    },
    sweep: async (now, limit) => {
      const over = db.selectFrom('vendor_ids').select('hash').where('expires_at', '<=', now).limit(limit);
      const { numDeletedRows } = await db.deleteFrom('vendor_ids').where('hash', 'in', over).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
