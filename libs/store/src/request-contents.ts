import type { RequestContentRecord, RequestPlace } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, journalTransaction } from './database.ts';

/** One statement for each: it is there whole or not at all, whenever the process is killed. */
export async function addContents(database: Database, contents: readonly RequestContentRecord[]): Promise<void> {
  const bytes = sql.raw(database.kind === 'sqlite' ? 'blob' : 'bytea');
  await journalTransaction(database, async (tx) => {
    for (const { at, id, ownerId, mode, sealed } of contents)
      await sql`insert into request_contents (at, id, owner_id, mode, sealed)
        select cast(${at} as bigint), cast(${id} as text), owners.id, cast(${mode} as text), cast(${sealed} as ${bytes}) from owners where owners.id = ${ownerId}
        on conflict do nothing`.execute(tx.db);
  });
}

export async function readContent(
  { db }: Database,
  { at, id }: RequestPlace,
): Promise<RequestContentRecord | undefined> {
  const row = await db
    .selectFrom('request_contents')
    .selectAll()
    .where('at', '=', at)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { at: row.at, id: row.id, ownerId: row.owner_id, mode: row.mode, sealed: row.sealed };
}

export async function sweepContents(database: Database, before: number, limit: number): Promise<number> {
  const over = database.db
    .selectFrom('request_contents')
    .select('id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(limit);
  const { numDeletedRows } = await database.db
    .deleteFrom('request_contents')
    .where('at', '<', before)
    .where('id', 'in', over)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
