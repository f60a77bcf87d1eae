import type { ConsoleSessionRecord, ConsoleSessionStore } from '@model-gateway/core';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from './database.ts';
import { present } from './rows.ts';
import type { ConsoleSessionRow } from './tables.ts';

const MOST_REMOVED = 1_000;

export function consoleSessionStore({ db }: Database): ConsoleSessionStore {
  return {
    add: async (session) => {
      await db.insertInto('console_sessions').values(columnsOf(session)).execute();
    },
    findByHash: async (hash) => {
      const row = await db.selectFrom('console_sessions').selectAll().where('hash', '=', hash).executeTakeFirst();
      return row === undefined ? undefined : toSession(row);
    },
    findByHashes: async (hashes) =>
      (await db.selectFrom('console_sessions').selectAll().where('hash', 'in', hashes).execute()).map(toSession),
    list: async (filter) => listOpen(db, filter),
    touch: async (id, now) => {
      await db.updateTable('console_sessions').set({ last_used_at: now }).where('id', '=', id).execute();
    },
    end: async (id, now) => {
      const { numUpdatedRows } = await db
        .updateTable('console_sessions')
        .set({ ended_at: now })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    replace: async (id, now) => {
      await db
        .updateTable('console_sessions')
        .set({ ended_at: now, expires_at: now })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .execute();
    },
    keepNewest: async (whose, most) => keepNewest(db, whose, most),
    sweep: async (before, limit) => {
      const over = db.selectFrom('console_sessions').select('id').where('expires_at', '<', before).limit(limit);
      const { numDeletedRows } = await db.deleteFrom('console_sessions').where('id', 'in', over).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

async function listOpen(
  db: Database['db'],
  { of, now, limit }: Parameters<ConsoleSessionStore['list']>[0],
): Promise<readonly ConsoleSessionRecord[]> {
  const open = db
    .selectFrom('console_sessions')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(limit);
  const rows = await (
    of === 'admin'
      ? open.where((session) =>
          session.or([session('admin_key_hash', 'is not', null), session('issuer', 'is not', null)]),
        )
      : open.where('key_id', '=', of.keyId)
  ).execute();
  return rows.map(toSession);
}

async function keepNewest(
  db: Database['db'],
  { keyId, person }: Parameters<ConsoleSessionStore['keepNewest']>[0],
  most: number,
): Promise<void> {
  const older = db
    .selectFrom('console_sessions')
    .select('id')
    .where('key_id', keyId === undefined ? 'is' : '=', keyId ?? null)
    .where('issuer', person === undefined ? 'is' : '=', person?.issuer ?? null)
    .where('subject', person === undefined ? 'is' : '=', person?.subject ?? null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MOST_REMOVED)
    .offset(most);
  await db.deleteFrom('console_sessions').where('id', 'in', older).execute();
}

function columnsOf(session: ConsoleSessionRecord): Insertable<ConsoleSessionRow> {
  return {
    id: session.id,
    hash: session.hash,
    admin_key_hash: session.adminKeyHash ?? null,
    key_id: session.keyId ?? null,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
    ended_at: session.endedAt ?? null,
    address: session.address ?? null,
    client: session.client ?? null,
    issuer: session.person?.issuer ?? null,
    subject: session.person?.subject ?? null,
    person: session.person?.name ?? null,
    role: session.person?.role ?? null,
    sealed_id_token: session.person?.sealedIdToken ?? null,
  };
}

function toSession(row: Selectable<ConsoleSessionRow>): ConsoleSessionRecord {
  const person = toPerson(row);
  return {
    ...(person !== undefined && { person }),
    ...present({
      adminKeyHash: row.admin_key_hash,
      keyId: row.key_id,
      endedAt: row.ended_at,
      address: row.address,
      client: row.client,
    }),
    id: row.id,
    hash: row.hash,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}

function toPerson({
  issuer,
  subject,
  person,
  role,
  sealed_id_token,
}: Selectable<ConsoleSessionRow>): ConsoleSessionRecord['person'] {
  if (issuer === null || subject === null || role === null) return undefined;
  return { issuer, subject, name: person ?? subject, role, ...present({ sealedIdToken: sealed_id_token }) };
}
