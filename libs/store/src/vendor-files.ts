import type { VendorFileRecord, VendorFileStore } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { type Database, transaction } from './database.ts';
import type { VendorFileRow } from './tables.ts';

export function vendorFileStore(database: Database): VendorFileStore {
  const { db } = database;
  return {
    find: async (fileId, accountId, now) => {
      const row = await db
        .selectFrom('vendor_files')
        .selectAll()
        .where('file_id', '=', fileId)
        .where('account_id', '=', accountId)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row === undefined ? undefined : toVendorFile(row);
    },
    add: async ({ fileId, accountId, vendorId, name, createdAt, expiresAt }, now) =>
      transaction(database, async (tx) => {
        await tx.db
          .deleteFrom('vendor_files')
          .where('file_id', '=', fileId)
          .where('account_id', '=', accountId)
          .where('expires_at', '<=', now)
          .execute();
        const { numInsertedOrUpdatedRows } = await tx.db
          .insertInto('vendor_files')
          .values({
            ...{ file_id: fileId, account_id: accountId, vendor_id: vendorId, name },
            ...{ created_at: createdAt, expires_at: expiresAt },
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        return (numInsertedOrUpdatedRows ?? 0n) > 0n;
      }),
    remove: async ({ fileId, accountId, vendorId }) => {
      await db
        .deleteFrom('vendor_files')
        .where('file_id', '=', fileId)
        .where('account_id', '=', accountId)
        .where('vendor_id', '=', vendorId)
        .execute();
    },
    over: async (now, limit) => {
      const rows = await db
        .selectFrom('vendor_files')
        .leftJoin('files', 'files.id', 'vendor_files.file_id')
        .selectAll('vendor_files')
        .where((where) =>
          where.or([
            where('vendor_files.expires_at', '<=', now),
            where('files.id', 'is', null),
            where('files.expires_at', '<=', now),
          ]),
        )
        .orderBy('vendor_files.file_id')
        .limit(limit)
        .execute();
      return rows.map(toVendorFile);
    },
  };
}

function toVendorFile(row: Selectable<VendorFileRow>): VendorFileRecord {
  return {
    fileId: row.file_id,
    accountId: row.account_id,
    vendorId: row.vendor_id,
    name: row.name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
