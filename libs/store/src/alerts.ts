/** Alerts: names that are raised once, and the messages that are sent until they arrive. */
import type { AlertMessage, AlertStore } from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import { parse, present, rowsTogether } from './rows.ts';
import type { AlertMessageRow } from './tables.ts';

/** A turn that ends later than this from now was taken by a clock that was wrong. */
const LONGEST_TURN_MS = 600_000;
const MOST_NAMES = 10_000;

export function alertStore(database: Database): AlertStore {
  const { db } = database;
  return {
    ...alertNames(database),
    ...alertMessages(database),
    raise: async (alert) => transaction(database, (tx) => raise(tx, alert)),
    leased: async () => leased(database),
    removeOld: async ({ messages, names }) => {
      await db.deleteFrom('alert_messages').where('created_at', '<', messages).execute();
      await db.deleteFrom('alert_names').where('at', '<', names).execute();
    },
  };
}

function alertNames(database: Database): Pick<AlertStore, 'takeTurn' | 'raised' | 'forget'> {
  const { db } = database;
  return {
    takeTurn: async (name, turn) => takeTurn(database, name, turn),
    raised: async (prefix) => {
      const rows = await db
        .selectFrom('alert_names')
        .select('name')
        // Not by their order, which is that of a language in most databases.
        .where(sql<boolean>`substr(name, 1, ${sql.lit(prefix.length)}) = ${prefix}`)
        .orderBy('name')
        .limit(MOST_NAMES)
        .execute();
      return rows.map(({ name }) => name);
    },
    forget: async (names) => {
      for (const some of rowsTogether(names)) await db.deleteFrom('alert_names').where('name', 'in', some).execute();
    },
  };
}

async function takeTurn(
  { db }: Database,
  name: string,
  { process, now, until }: Parameters<AlertStore['takeTurn']>[1],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('alert_names')
    .values({ name, at: until, process })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ at: until, process })
        .where((row) =>
          row.or([
            row('alert_names.at', '<=', now),
            row('alert_names.process', '=', process),
            row('alert_names.at', '>', now + LONGEST_TURN_MS),
          ]),
        ),
    )
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

async function raise(
  tx: Database,
  { name, implied, channels, at, ...message }: Parameters<AlertStore['raise']>[0],
): Promise<boolean> {
  const noted = await tx.db
    .insertInto('alert_names')
    .values({ name, at, process: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  if (noted === undefined) return false;
  if (implied.length > 0)
    await tx.db
      .insertInto('alert_names')
      .values(implied.toSorted().map((each) => ({ name: each, at, process: null })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const text = { type: message.type, text: message.text, data: JSON.stringify(message.data) };
  const state = { attempts: 0, created_at: at, due_at: at, sent_at: null, sent_as: null, last_error: null };
  if (channels.length > 0)
    await tx.db
      .insertInto('alert_messages')
      .values(channels.map((channel) => ({ channel, ...text, ...state })))
      .execute();
  return true;
}

type MessageMethods = 'due' | 'sentSince' | 'saveSent' | 'saveFailed' | 'list';

function alertMessages({ db }: Database): Pick<AlertStore, MessageMethods> {
  return {
    due: async (channel, now, limit) => {
      const rows = await db
        .selectFrom('alert_messages')
        .selectAll()
        .where('channel', '=', channel)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toMessage);
    },
    sentSince: async (channel, since) => {
      const { count } = await db
        .selectFrom('alert_messages')
        .select(sql<number>`count(distinct sent_as)`.as('count'))
        .where('channel', '=', channel)
        .where('sent_at', '>', since)
        .executeTakeFirstOrThrow();
      return count;
    },
    saveSent: async (ids, at) => {
      const [first] = ids;
      if (first === undefined) return;
      await db
        .updateTable('alert_messages')
        .set({ attempts: sql<number>`attempts + 1`, due_at: null, sent_at: at, sent_as: first, last_error: null })
        .where('id', 'in', ids)
        .execute();
    },
    saveFailed: async (ids, { error, nextAt }) => {
      if (ids.length === 0) return;
      await db
        .updateTable('alert_messages')
        .set({ attempts: sql<number>`attempts + 1`, due_at: nextAt ?? null, last_error: error })
        .where('id', 'in', ids)
        .execute();
    },
    list: async ({ channel, after, limit }) => {
      let query = db.selectFrom('alert_messages').selectAll().orderBy('id', 'desc').limit(limit);
      if (channel !== undefined) query = query.where('channel', '=', channel);
      if (after !== undefined) query = query.where('id', '<', after);
      return (await query.execute()).map(toMessage);
    },
  };
}

function toMessage(row: Selectable<AlertMessageRow>): AlertMessage {
  return {
    ...present({ dueAt: row.due_at, sentAt: row.sent_at, lastError: row.last_error }),
    id: row.id,
    channel: row.channel,
    type: row.type,
    text: row.text,
    data: parse<AlertMessage['data']>(row.data),
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}

async function leased({ db }: Database): ReturnType<AlertStore['leased']> {
  const rows = await db
    .selectFrom('leases')
    .select(['owner_id', 'key_id', sql<number>`sum(amount - spent)`.as('units')])
    .where('closed_at', 'is', null)
    .groupBy(['owner_id', 'key_id'])
    .execute();
  return rows.map((row) => ({ ownerId: row.owner_id, keyId: row.key_id, units: row.units }));
}
