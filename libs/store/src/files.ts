import type { FileRecord, FileStore } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { type Database, forUpdateSkipLocked } from './database.ts';
import type { FileRow } from './tables.ts';

export function fileStore(database: Database): FileStore {
  return {
    create: async (file) => {
      await database.db
        .insertInto('files')
        .values({
          id: file.id,
          owner_id: file.ownerId,
          mime: file.mime,
          size: file.size,
          location: file.location,
          created_at: file.createdAt,
          expires_at: file.expiresAt,
        })
        .execute();
    },
    get: async (id) => {
      const row = await database.db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toFile(row);
    },
    takeExpired: async (now, limit) => {
      const expired = database.db
        .selectFrom('files')
        .select('id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit);
      const rows = await database.db
        .deleteFrom('files')
        .where('id', 'in', forUpdateSkipLocked(database, expired))
        .returningAll()
        .execute();
      return rows.map(toFile);
    },
  };
}

function toFile(row: Selectable<FileRow>): FileRecord {
  return {
    id: row.id,
    ownerId: row.owner_id,
    mime: row.mime,
    size: row.size,
    location: row.location,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
