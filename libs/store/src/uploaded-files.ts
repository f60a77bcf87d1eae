import type {
  ArrivingFile,
  FileRoom,
  RoomFault,
  Tenant,
  UploadedFileQuery,
  UploadedFileRecord,
  UploadedFileStore,
} from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import type { FileRow } from './tables.ts';
import { lockFilesOf, uploadStore } from './uploads.ts';

export function uploadedFileStore(database: Database): UploadedFileStore {
  return {
    ...uploadStore(database),
    begin: async (file, room, now) => transaction(database, (tx) => begin(tx, file, room, now)),
    grow: async (file, room, now) => transaction(database, (tx) => grow(tx, file, room, now)),
    finish: async (file) => finish(database, file),
    discard: async (id, now) => {
      await database.db
        .updateTable('files')
        .set({ expires_at: now })
        .where('id', '=', id)
        .where('arriving', '=', 1)
        .execute();
    },
    find: async (tenant, id, now) => {
      const row = await wholeOf(database, tenant, now).where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toUploadedFile(row);
    },
    list: async (tenant, query, now) => list(database, tenant, query, now),
    end: async (tenant, id, now) =>
      transaction(database, async (tx) => {
        const row = await wholeOf(tx, tenant, now).where('id', '=', id).executeTakeFirst();
        if (row === undefined) return undefined;
        await tx.db.updateTable('files').set({ expires_at: now }).where('id', '=', id).execute();
        return toUploadedFile(row);
      }),
  };
}

/** What the tenant has: files, parts, and what is set aside for those that come. */
async function used(tx: Database, { ownerId, mode }: Tenant, now: number): Promise<FileRoom> {
  const { files, bytes } = await tx.db
    .selectFrom('files')
    .select(({ fn }) => [fn.countAll<number>().as('files'), fn.sum<number | null>('size').as('bytes')])
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('purpose', 'is not', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return { files, bytes: bytes ?? 0 };
}

async function begin(tx: Database, file: ArrivingFile, room: FileRoom, now: number): Promise<RoomFault | undefined> {
  await lockFilesOf(tx, file);
  const { files, bytes } = await used(tx, file, now);
  if (files >= room.files) return 'files';
  if (bytes + file.size > room.bytes) return 'bytes';
  await tx.db
    .insertInto('files')
    .values({
      id: file.id,
      owner_id: file.ownerId,
      mode: file.mode,
      mime: '',
      size: file.size,
      location: file.location,
      created_at: file.createdAt,
      expires_at: file.expiresAt,
      purpose: '',
      arriving: 1,
      ...(file.uploadId !== undefined && { upload_id: file.uploadId }),
    })
    .execute();
  return undefined;
}

async function grow(
  tx: Database,
  { id, size, expiresAt, ...tenant }: Omit<ArrivingFile, 'location' | 'createdAt'>,
  room: FileRoom,
  now: number,
): Promise<RoomFault | undefined> {
  await lockFilesOf(tx, tenant);
  const row = await tx.db.selectFrom('files').select('size').where('id', '=', id).executeTakeFirst();
  // Swept meanwhile: `finish` says so.
  if (row === undefined) return undefined;
  const { bytes } = await used(tx, tenant, now);
  if (size > row.size && bytes - row.size + size > room.bytes) return 'bytes';
  await tx.db.updateTable('files').set({ size, expires_at: expiresAt }).where('id', '=', id).execute();
  return undefined;
}

async function finish(database: Database, file: Parameters<UploadedFileStore['finish']>[0]): Promise<boolean> {
  const { numUpdatedRows } = await database.db
    .updateTable('files')
    .set({
      arriving: 0,
      purpose: file.purpose,
      filename: file.filename,
      digest: file.digest,
      mime: file.mime,
      size: file.size,
      location: file.location,
      expires_at: file.expiresAt,
    })
    .where('id', '=', file.id)
    .where('arriving', '=', 1)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function wholeOf({ db }: Database, { ownerId, mode }: Tenant, now: number) {
  return db
    .selectFrom('files')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('purpose', 'is not', null)
    .where('arriving', '=', 0)
    .where('expires_at', '>', now);
}

async function list(
  database: Database,
  tenant: Tenant,
  { purpose, order, after, before, limit }: UploadedFileQuery,
  now: number,
): Promise<readonly UploadedFileRecord[] | undefined> {
  let query = wholeOf(database, tenant, now);
  if (purpose !== undefined) query = query.where('purpose', '=', purpose);
  for (const [id, isAfter] of [[after, true] as const, [before, false] as const]) {
    if (id === undefined) continue;
    const from = await wholeOf(database, tenant, now).where('id', '=', id).executeTakeFirst();
    if (from === undefined) return undefined;
    const sign = sql.raw((order === 'asc') === isAfter ? '>' : '<');
    query = query.where(
      sql<boolean>`(created_at, id) ${sign} (cast(${from.created_at} as bigint), cast(${from.id} as text))`,
    );
  }
  // The page before a file is its last ones: read from that end, and turned round.
  const isBackwards = before !== undefined && after === undefined;
  const direction = (order === 'asc') === !isBackwards ? 'asc' : 'desc';
  const rows = await query
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit + 1)
    .execute();
  const found = rows.map(toUploadedFile);
  return isBackwards ? found.toReversed() : found;
}

function toUploadedFile(row: Selectable<FileRow>): UploadedFileRecord {
  return {
    id: row.id,
    ownerId: row.owner_id,
    mode: row.mode,
    filename: row.filename ?? '',
    purpose: row.purpose ?? '',
    digest: row.digest ?? '',
    mime: row.mime,
    size: row.size,
    location: row.location,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
