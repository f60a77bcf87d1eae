/** What a response that is written in the background has said so far, for readers who come later. */
import type { EventBatch, ResponseStore } from '@model-gateway/core';
import { type Database, transaction } from './database.ts';

export function responseEvents(database: Database): Pick<ResponseStore, 'appendEvents' | 'lastEvent' | 'events'> {
  return {
    appendEvents: async (id, { last, sealed }) => transaction(database, (tx) => addEvents(tx, id, { last, sealed })),
    lastEvent: async (id) => lastEvent(database, id),
    events: async (id, after, limit) => eventsBehind(database, id, after, limit),
  };
}

export async function addEvents(tx: Database, id: string, { last, sealed }: EventBatch): Promise<void> {
  await tx.db
    .insertInto('response_events')
    .values({ response_id: id, last_number: last, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx.db
    .updateTable('responses')
    .set((column) => ({ size: column('size', '+', sealed.length) }))
    .where('id', '=', id)
    .execute();
}

async function lastEvent({ db }: Database, id: string): Promise<number> {
  const row = await db
    .selectFrom('response_events')
    .select('last_number')
    .where('response_id', '=', id)
    .orderBy('last_number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.last_number ?? -1;
}

async function eventsBehind(
  { db }: Database,
  id: string,
  after: number,
  limit: number,
): Promise<readonly EventBatch[]> {
  const rows = await db
    .selectFrom('response_events')
    .select(['last_number', 'sealed'])
    .where('response_id', '=', id)
    .where('last_number', '>', after)
    .orderBy('last_number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ last: row.last_number, sealed: row.sealed }));
}
