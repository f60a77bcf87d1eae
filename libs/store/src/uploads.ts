/** Uploads: files that come in parts, and are put together when all are there. */
import type { Tenant, UploadedFileStore, UploadRecord } from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import { present } from './rows.ts';
import type { UploadRow } from './tables.ts';

type UploadMethods = 'createUpload' | 'findUpload' | 'finishPart' | 'parts' | 'endUpload';

export function uploadStore(database: Database): Pick<UploadedFileStore, UploadMethods> {
  return {
    createUpload: async (upload, most) => transaction(database, (tx) => createUpload(tx, upload, most)),
    findUpload: async ({ ownerId, mode }, id) => {
      const row = await database.db
        .selectFrom('uploads')
        .selectAll()
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .executeTakeFirst();
      return row === undefined ? undefined : toUpload(row);
    },
    finishPart: async (part) => finishPart(database, part),
    parts: async (uploadId, now) => partsOf(database, uploadId, now),
    endUpload: async (id, end, now) => transaction(database, (tx) => endUpload(tx, id, end, now)),
  };
}

/** Two files that come at once must not take the same room; SQLite's transactions are alone anyway. */
export async function lockFilesOf({ kind, db }: Database, { ownerId, mode }: Tenant): Promise<void> {
  if (kind === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtextextended(${`files ${ownerId} ${mode}`}, 0))`.execute(db);
}

async function createUpload(tx: Database, upload: UploadRecord, most: number): Promise<boolean> {
  await lockFilesOf(tx, upload);
  const { open } = await tx.db
    .selectFrom('uploads')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('owner_id', '=', upload.ownerId)
    .where('mode', '=', upload.mode)
    .where('status', '=', 'pending')
    .where('expires_at', '>', upload.createdAt)
    .executeTakeFirstOrThrow();
  if (open >= most) return false;
  await tx.db
    .insertInto('uploads')
    .values({
      id: upload.id,
      owner_id: upload.ownerId,
      mode: upload.mode,
      filename: upload.filename,
      purpose: upload.purpose,
      mime: upload.mime,
      size: upload.size ?? null,
      status: upload.status,
      file_id: upload.fileId ?? null,
      keep_seconds: upload.keepSeconds ?? null,
      created_at: upload.createdAt,
      expires_at: upload.expiresAt,
    })
    .execute();
  return true;
}

async function finishPart(
  database: Database,
  { id, uploadId, size, position }: Parameters<UploadedFileStore['finishPart']>[0],
): Promise<boolean> {
  const { numUpdatedRows } = await database.db
    .updateTable('files')
    .set({ size, upload_id: uploadId, filename: position })
    .where('id', '=', id)
    .where('arriving', '=', 1)
    .where((where) =>
      where.exists(where.selectFrom('uploads').select('id').where('id', '=', uploadId).where('status', '=', 'pending')),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function partsOf(database: Database, uploadId: string, now: number): ReturnType<UploadedFileStore['parts']> {
  const rows = await database.db
    .selectFrom('files')
    .select(['id', 'size', 'location', 'created_at', 'filename'])
    .where('upload_id', '=', uploadId)
    .where('expires_at', '>', now)
    .orderBy('filename')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ created_at: createdAt, filename, ...row }) => ({
    ...row,
    createdAt,
    position: filename ?? '',
  }));
}

async function endUpload(
  tx: Database,
  id: string,
  { status, fileId }: Parameters<UploadedFileStore['endUpload']>[1],
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('uploads')
    .set({ status, ...(fileId !== undefined && { file_id: fileId }) })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await tx.db.updateTable('files').set({ expires_at: now }).where('upload_id', '=', id).execute();
  return true;
}

function toUpload(row: Selectable<UploadRow>): UploadRecord {
  return {
    ...present({ size: row.size, fileId: row.file_id, keepSeconds: row.keep_seconds }),
    id: row.id,
    ownerId: row.owner_id,
    mode: row.mode,
    filename: row.filename,
    purpose: row.purpose,
    mime: row.mime,
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
