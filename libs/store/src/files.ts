import type { FileRecord, FileStore, Tenant } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { type Database, transaction } from './database.ts';
import { present } from './rows.ts';
import type { FileRow } from './tables.ts';

/** Databases take so many parameters at least. */
const IDS_AT_ONCE = 500;

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
    endOldest: async (tenant, bytes, now) => endOldest(database, tenant, bytes, now),
    expired: async (now, limit, after) => transaction(database, (tx) => expired(tx, now, limit, after)),
    forget: async (ids) => {
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
        await database.db
          .deleteFrom('files')
          .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
          .execute();
    },
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

async function endOldest(database: Database, tenant: Tenant, bytes: number, now: number): Promise<number> {
  const files = await database.db
    .selectFrom('files')
    .select(['id', 'size', 'created_at'])
    .where('owner_id', '=', tenant.ownerId)
    .where('mode', '=', tenant.mode)
    .where('task_id', 'is', null)
    .where('purpose', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  let left = 0;
  const kept = files.findIndex(({ size }) => {
    if (left + size > bytes) return true;
    left += size;
    return false;
  });
  const oldest = kept === -1 ? [] : files.slice(kept);
  for (let from = 0; from < oldest.length; from += IDS_AT_ONCE) {
    const ids = oldest.slice(from, from + IDS_AT_ONCE).map(({ id }) => id);
    await database.db.updateTable('files').set({ expires_at: now }).where('id', 'in', ids).execute();
  }
  return left;
}

/** Of `files.arriving`: its bytes are taken away, so that it can no longer be finished. */
const GIVEN_UP = 2;

async function expired(
  tx: Database,
  now: number,
  limit: number,
  after: Parameters<FileStore['expired']>[2],
): Promise<readonly FileRecord[]> {
  const over = tx.db.selectFrom('uploads').select('id').where('expires_at', '<=', now).limit(limit);
  await tx.db.deleteFrom('uploads').where('id', 'in', over).execute();
  await tx.db
    .updateTable('files')
    .set({ arriving: GIVEN_UP })
    .where('arriving', '=', 1)
    .where('expires_at', '<=', now)
    .execute();
  let due = tx.db
    .selectFrom('files')
    .selectAll()
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit);
  if (after !== undefined) {
    const { expiresAt, id } = after;
    due = due
      .where('expires_at', '>=', expiresAt)
      .where((where) => where.or([where('expires_at', '>', expiresAt), where('id', '>', id)]));
  }
  const rows = await due.execute();
  return rows.filter(({ arriving }) => arriving !== 1).map(toFile);
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
