import type { FileRecord, FileStore } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { type Database, forUpdateSkipLocked, transaction } from './database.ts';
import { present } from './rows.ts';
import type { FileRow } from './tables.ts';

export function fileStore(database: Database): FileStore {
  return {
    create: async (file) => {
      await database.db
        .insertInto('files')
        .values({
          id: file.id,
          owner_id: file.ownerId,
          mode: file.mode,
          task_id: file.taskId ?? null,
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
    takeExpired: async (now, limit) => transaction(database, (tx) => takeExpired(tx, now, limit)),
  };
}

/** The kept files of a task are over at once; the next sweep removes their bytes. */
export async function expireFilesOf(tx: Database, taskId: string, now: number): Promise<void> {
  await tx.db
    .updateTable('files')
    .set({ expires_at: now })
    .where('task_id', '=', taskId)
    .where('expires_at', '>', now)
    .execute();
}

async function takeExpired(tx: Database, now: number, limit: number): Promise<readonly FileRecord[]> {
  const expired = tx.db
    .selectFrom('files')
    .select('id')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  // Two statements: PostgreSQL may run a subquery with a limit and a lock more than once.
  const ids = (await forUpdateSkipLocked(tx, expired).execute()).map((row) => row.id);
  if (ids.length === 0) return [];
  const rows = await tx.db.deleteFrom('files').where('id', 'in', ids).returningAll().execute();
  return rows.map(toFile);
}

function toFile(row: Selectable<FileRow>): FileRecord {
  return {
    ...present({ taskId: row.task_id }),
    id: row.id,
    ownerId: row.owner_id,
    mode: row.mode,
    mime: row.mime,
    size: row.size,
    location: row.location,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
