import type { TaskEvent } from '@model-gateway/core';
import { type Insertable, type Selectable, sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import type { TaskEventRow } from './tables.ts';

/** Names the advisory lock of event rows among the database's others; any number will do. */
const EVENTS_LOCK = 7_240_001;

/**
 * Writes an event, last in its transaction. PostgreSQL gives out ids before the transactions commit, so a reader may see event 8 while 7
 * is not there yet; every writer therefore holds a shared lock until it has committed, and readers can wait for all of them (`settled`).
 */
export async function addEvent(tx: Database, event: Insertable<TaskEventRow>): Promise<void> {
  if (tx.kind === 'postgres') {
    await sql`select pg_advisory_xact_lock_shared(${sql.lit(EVENTS_LOCK)})`.execute(tx.db);
  }
  await tx.db.insertInto('task_events').values(event).execute();
}

/** Runs `read` at a moment when no event with a lower id can still appear. */
async function settled<T>(database: Database, read: (tx: Database) => Promise<T>): Promise<T> {
  return transaction(database, async (tx) => {
    if (tx.kind === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(EVENTS_LOCK)})`.execute(tx.db);
    return read(tx);
  });
}

export async function lastEventId(database: Database): Promise<number> {
  const read = async ({ db }: Database): Promise<number> => {
    const row = await db
      .selectFrom('task_events')
      .select(({ fn }) => fn.max('id').as('id'))
      .executeTakeFirst();
    return (row?.id as number | null | undefined) ?? 0;
  };
  return database.kind === 'postgres' ? settled(database, read) : read(database);
}

/** In the order of ids and without a hole: a row that is still being committed is waited for, never passed over. */
export async function eventsSince(database: Database, after: number, limit: number): Promise<readonly TaskEvent[]> {
  const read = async ({ db }: Database): Promise<readonly TaskEvent[]> =>
    (await db.selectFrom('task_events').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()).map(
      toEvent,
    );
  const events = await read(database);
  const hasHole = events.some((event, index) => event.id !== after + 1 + index);
  return hasHole && database.kind === 'postgres' ? settled(database, read) : events;
}

export async function eventsOf(database: Database, taskId: string, after: number): Promise<readonly TaskEvent[]> {
  const rows = await database.db
    .selectFrom('task_events')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('id', '>', after)
    .orderBy('id')
    .execute();
  return rows.map(toEvent);
}

function toEvent({ id, task_id, state, progress, at }: Selectable<TaskEventRow>): TaskEvent {
  return { id, taskId: task_id, state, progress, at };
}
