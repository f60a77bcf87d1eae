import type { ConfigChange, ConfigEntry, ConfigEntryStore, KeptRow } from '@model-gateway/core';
import type { Selectable } from 'kysely';
import { type Database, transaction } from './database.ts';
import { parse, present } from './rows.ts';
import type { ConfigChangeRow } from './tables.ts';

export function configEntryStore(database: Database): ConfigEntryStore {
  const { db } = database;
  const version = async (): Promise<number> => {
    const row = await db.selectFrom('counters').select('value').where('name', '=', 'config').executeTakeFirstOrThrow();
    return row.value;
  };
  return {
    version,
    all: async () => {
      // Before the rows: a change that comes between is seen by its rows, and refused or looked for by its number.
      const counted = await version();
      const rows = await db.selectFrom('config_entries').selectAll().orderBy('section').orderBy('name').execute();
      const entries = rows.map(({ kept, ...rest }): ConfigEntry => ({ ...rest, row: parse<KeptRow>(kept) }));
      return { version: counted, entries };
    },
    change: async (change, over) => transaction(database, (tx) => makeChange(tx, change, over)),
    getChange: async (id) => {
      const row = await db.selectFrom('config_changes').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toChange(row);
    },
    changes: async ({ section, name, after, limit }) => {
      let query = db.selectFrom('config_changes').selectAll().orderBy('id', 'desc').limit(limit);
      if (section !== undefined) query = query.where('section', '=', section);
      if (name !== undefined) query = query.where('name', '=', name);
      if (after !== undefined) query = query.where('id', '<', after);
      return (await query.execute()).map(toChange);
    },
  };
}

async function makeChange(tx: Database, change: Omit<ConfigChange, 'id'>, over: number): Promise<number | undefined> {
  const id = over + 1;
  // First: it also makes changes wait for each other.
  const { numUpdatedRows } = await tx.db
    .updateTable('counters')
    .set({ value: id })
    .where('name', '=', 'config')
    .where('value', '=', over)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return undefined;
  const { section, name, before, after } = change;
  if (after === undefined) {
    await tx.db.deleteFrom('config_entries').where('section', '=', section).where('name', '=', name).execute();
  } else {
    const kept = JSON.stringify(after);
    await tx.db
      .insertInto('config_entries')
      .values({ section, name, kept, version: id })
      .onConflict((conflict) => conflict.columns(['section', 'name']).doUpdateSet({ kept, version: id }))
      .execute();
  }
  await tx.db
    .insertInto('config_changes')
    .values({
      id,
      at: change.at,
      actor: change.actor,
      request_id: change.requestId ?? null,
      section,
      name,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
      undoes: change.undoes ?? null,
    })
    .execute();
  return id;
}

function toChange(row: Selectable<ConfigChangeRow>): ConfigChange {
  const { id, at, actor, section, name, before, after } = row;
  return {
    ...present({ requestId: row.request_id, undoes: row.undoes }),
    ...(before !== null && { before: parse<KeptRow>(before) }),
    ...(after !== null && { after: parse<KeptRow>(after) }),
    ...{ id, at, actor, section, name },
  };
}
