/** People whom an identity provider signed in: known again by the provider and its own name for them. */
import type { PersonRecord, PersonStore } from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import { hasInName, present } from './rows.ts';
import type { PersonRow } from './tables.ts';

export function personStore({ db }: Database): PersonStore {
  return {
    signedIn: async ({ issuer, subject, name, role, ownerId }, now) => {
      const owner_id = ownerId ?? null;
      const row = await db
        .insertInto('people')
        .values({ issuer, subject, name, role, owner_id, sign_ins: 1, first_at: now, last_at: now, blocked_at: null })
        .onConflict((conflict) =>
          conflict
            .columns(['issuer', 'subject'])
            .doUpdateSet({ name, role, owner_id, sign_ins: sql<number>`people.sign_ins + 1`, last_at: now }),
        )
        .returning('blocked_at')
        .executeTakeFirstOrThrow();
      return { blockedAt: row.blocked_at ?? undefined };
    },
    called: async ({ issuer, subject, name, role, ownerId }, now) => {
      const owner_id = ownerId ?? null;
      const row = await db
        .insertInto('people')
        .values({ issuer, subject, name, role, owner_id, sign_ins: 0, first_at: now, last_at: now, blocked_at: null })
        .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ name, owner_id, last_at: now }))
        .returning('blocked_at')
        .executeTakeFirstOrThrow();
      return { blockedAt: row.blocked_at ?? undefined };
    },
    blockedAt: async ({ issuer, subject }) => {
      const row = await db
        .selectFrom('people')
        .select('blocked_at')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row?.blocked_at ?? undefined;
    },
    get: async (id, now) => {
      const row = await withSessions(db, now).where('people.id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toPerson(row);
    },
    list: async (query) => listPeople(db, query),
    block: async (id, at) => {
      await db
        .updateTable('people')
        .set({ blocked_at: at ?? null })
        .where('id', '=', id)
        .execute();
    },
    endSessions: async ({ issuer, subject }, now) => {
      const { numUpdatedRows } = await db
        .updateTable('console_sessions')
        .set({ ended_at: now })
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
  };
}

/** With how many sessions each has open. */
function withSessions(db: Database['db'], now: number) {
  return db
    .selectFrom('people')
    .selectAll('people')
    .select((person) =>
      person
        .selectFrom('console_sessions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('console_sessions.issuer', '=', 'people.issuer')
        .whereRef('console_sessions.subject', '=', 'people.subject')
        .where('console_sessions.ended_at', 'is', null)
        .where('console_sessions.expires_at', '>', now)
        .as('open_sessions'),
    );
}

async function listPeople(
  db: Database['db'],
  { name, role, after, now, limit }: Parameters<PersonStore['list']>[0],
): Promise<readonly PersonRecord[]> {
  let query = withSessions(db, now).orderBy('people.last_at', 'desc').orderBy('people.id', 'desc').limit(limit);
  if (name !== undefined) query = query.where(hasInName(name));
  if (role !== undefined) query = query.where('people.role', '=', role);
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(people.last_at, people.id) < (select last_at, id from people as last where last.id = ${after})`,
    );
  return (await query.execute()).map(toPerson);
}

function toPerson(row: Selectable<PersonRow> & { readonly open_sessions: number | null }): PersonRecord {
  return {
    ...present({ ownerId: row.owner_id, blockedAt: row.blocked_at }),
    id: row.id,
    issuer: row.issuer,
    subject: row.subject,
    name: row.name,
    role: row.role,
    signIns: row.sign_ins,
    firstAt: row.first_at,
    lastAt: row.last_at,
    openSessions: row.open_sessions ?? 0,
  };
}
