import type { SettingsStore } from '@model-gateway/core';
import type { Database } from './database.ts';

export function settingsStore(database: Database): SettingsStore {
  return {
    first: async (name, value) => {
      await database.db
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await database.db
        .selectFrom('settings')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return row.value;
    },
    read: async (name) => {
      const row = await database.db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
      return row?.value;
    },
    replace: async (name, value) => {
      await database.db
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
