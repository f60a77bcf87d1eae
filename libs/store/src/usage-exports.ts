import type { UsageEntry, UsageExportStore } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import { toEntry } from './entries.ts';

const HOUR_MS = 3_600_000;

export function usageExportStore(database: Database): UsageExportStore {
  return {
    outdated: (from, to) => outdated(database, from, to),
    firstHour: async () => {
      const row = await database.db
        .selectFrom('usage_exports')
        .select(sql<number | null>`min(hour)`.as('hour'))
        .executeTakeFirst();
      return row?.hour ?? undefined;
    },
    claim: (hour, claim) => transaction(database, async (tx) => claimHour(tx, hour, claim)),
    entries: (hour, after, limit) => readHour(database, hour, { after, limit }),
    finish: async (hour, process, { rows, lastEntry }, now) => {
      const { numUpdatedRows } = await database.db
        .updateTable('usage_exports')
        .set({ row_count: rows, last_entry: lastEntry, claimed_by: null, claimed_until: null, exported_at: now })
        .where('hour', '=', hour)
        .where('claimed_by', '=', process)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    release: async (hour, process) => {
      await database.db
        .updateTable('usage_exports')
        .set({ claimed_by: null, claimed_until: null })
        .where('hour', '=', hour)
        .where('claimed_by', '=', process)
        .execute();
    },
  };
}

/** Charges are only ever added: a file with as many rows and the same last one is the whole hour. */
async function outdated({ db }: Database, from: number, to: number): Promise<readonly number[]> {
  const hour = sql<number>`created_at - created_at % ${sql.lit(HOUR_MS)}`;
  const [now, written] = await Promise.all([
    db
      .selectFrom('ledger_entries')
      .select([hour.as('hour'), sql<number>`count(*)`.as('rows'), sql<number>`max(id)`.as('lastEntry')])
      .where('kind', '=', sql.lit('capture'))
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
      .groupBy(hour)
      .execute(),
    db
      .selectFrom('usage_exports')
      .select(['hour', 'row_count', 'last_entry'])
      .where('hour', '>=', from)
      .where('hour', '<', to)
      .execute(),
  ]);
  const files = new Map(written.map((file) => [file.hour, `${file.row_count} ${file.last_entry}`]));
  return now
    .filter((found) => files.get(found.hour) !== `${found.rows} ${found.lastEntry}`)
    .map((found) => found.hour)
    .sort((a, b) => a - b);
}

async function claimHour(
  { db }: Database,
  hour: number,
  { process, until, now }: Parameters<UsageExportStore['claim']>[1],
): Promise<boolean> {
  await db
    .insertInto('usage_exports')
    .values({ hour, row_count: 0, last_entry: 0, claimed_by: null, claimed_until: null, exported_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('usage_exports')
    .set({ claimed_by: process, claimed_until: until })
    .where('hour', '=', hour)
    .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function readHour(
  { db }: Database,
  hour: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly UsageEntry[]> {
  const rows = await db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('kind', '=', sql.lit('capture'))
    .where('created_at', '>=', hour)
    .where('created_at', '<', hour + HOUR_MS)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...toEntry(row),
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
  }));
}
