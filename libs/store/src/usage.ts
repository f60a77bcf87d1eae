import type { UsageFilter, UsageRow } from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';

const DAY_MS = 86_400_000;

/** What each group is grouped by; a day is its first millisecond until it is printed. */
const GROUPS = {
  day: sql<number>`created_at - created_at % ${sql.lit(DAY_MS)}`,
  model: sql<string>`coalesce(model, '')`,
  key: sql<number>`coalesce(key_id, 0)`,
  owner: sql<number>`owner_id`,
  endpoint: sql<string>`coalesce(endpoint, '')`,
  account: sql<number>`coalesce(account_id, 0)`,
} as const satisfies Record<UsageFilter['groupBy'][number], unknown>;

/** Sums the captures of `from` ≤ time < `to`; days are UTC, `2026-11-21`. */
export async function readUsage(database: Database, filter: UsageFilter): Promise<readonly UsageRow[]> {
  const names = [...new Set(filter.groupBy)];
  let query = database.db
    .selectFrom('ledger_entries')
    .select([
      sql<number>`count(*)`.as('requests'),
      sql<number>`coalesce(sum(charged), 0)`.as('charged'),
      sql<number>`coalesce(sum(input_tokens), 0)`.as('inputTokens'),
      sql<number>`coalesce(sum(output_tokens), 0)`.as('outputTokens'),
      ...names.map((name) => sql<string | number>`${GROUPS[name]}`.as(`by_${name}`)),
    ])
    .where('kind', '=', sql.lit('capture'))
    .where('created_at', '>=', filter.from)
    .where('created_at', '<', filter.to);
  // Test keys pay from payers below zero.
  const sign = filter.mode === 'test' ? -1 : 1;
  if (filter.mode !== undefined) query = query.where('owner_id', sign < 0 ? '<' : '>', 0);
  if (filter.ownerId !== undefined) query = query.where('owner_id', '=', sign * filter.ownerId);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  for (const name of names) query = query.groupBy(sql`${GROUPS[name]}`).orderBy(sql`${GROUPS[name]}`);
  const rows: readonly Record<string, string | number>[] = await query.execute();
  return rows
    .filter((row) => Number(row['requests']) > 0)
    .map((row) => ({
      group: Object.fromEntries(names.map((name) => [name, groupValue(name, row[`by_${name}`])])),
      requests: Number(row['requests']),
      charged: Number(row['charged']),
      inputTokens: Number(row['inputTokens']),
      outputTokens: Number(row['outputTokens']),
    }));
}

function groupValue(name: keyof typeof GROUPS, value: string | number | undefined): string | number {
  return name === 'day' ? new Date(Number(value)).toISOString().slice(0, 10) : (value ?? '');
}
