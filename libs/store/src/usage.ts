import type { LedgerGroup, RequestIdentity, UsageFilter, UsageRow } from '@model-gateway/core';
import { sql, type RawBuilder } from 'kysely';
import type { Database } from './database.ts';

const DAY_MS = 86_400_000;
/** Columns before the groups. */
const SUMS = 4;

/** What each group is grouped by; a day is its first millisecond until it is printed. */
const GROUPS = {
  day: sql<number>`created_at - created_at % ${sql.lit(DAY_MS)}`,
  model: sql<string>`coalesce(model, '')`,
  key: sql<number>`coalesce(key_id, 0)`,
  owner: sql<number>`owner_id`,
  endpoint: sql<string>`coalesce(endpoint, '')`,
  account: sql<number>`coalesce(account_id, 0)`,
} as const satisfies Record<Exclude<LedgerGroup, Said>, unknown>;
/** What the detail of a charge says. */
type Said = 'tag' | 'project' | 'default_price' | keyof RequestIdentity;
/** Whom a request is made for. */
export const IDENTITY_MEMBERS = ['user', 'session', 'run'] as const satisfies readonly (keyof RequestIdentity)[];

/** What an entry has of a group; without it an empty text, or 0. `tag` is the name of the tag that the group `tag` stands for. */
export function groupOf(database: Database, name: LedgerGroup, tag = ''): RawBuilder<string | number> {
  return isSaid(name) ? saidOf(database, name, tag) : GROUPS[name];
}

/** The same of a group that stands in the detail. */
export function saidOf(database: Database, name: Said, tag = ''): RawBuilder<string> {
  if (name === 'tag') return tagOf(database, tag);
  if (name === 'default_price') return defaultPriceOf(database);
  return name === 'project' ? tagOf(database, name) : identityOf(database, name);
}

function isSaid(name: LedgerGroup): name is Said {
  return (
    name === 'tag' || name === 'project' || name === 'default_price' || IDENTITY_MEMBERS.some((each) => each === name)
  );
}

/** The value of a tag of the charge; most charges have no tags, and are not parsed. */
function tagOf({ kind }: Database, name: string): RawBuilder<string> {
  const value =
    kind === 'postgres'
      ? sql`cast(detail as json) -> 'tags' ->> cast(${name} as text)`
      : sql`(select value from json_each(detail, '$.tags') where key = ${name})`;
  return sql<string>`(case when detail like '%"tags":%' then coalesce(${value}, '') else '' end)`;
}

/** Whom the charge's request was made for; most say nothing of it, and are not parsed. */
function identityOf({ kind }: Database, member: keyof RequestIdentity): RawBuilder<string> {
  const value =
    kind === 'postgres'
      ? sql`cast(detail as json) -> 'identity' ->> ${sql.lit(member)}`
      : sql`json_extract(detail, ${sql.lit(`$.identity.${member}`)})`;
  return sql<string>`(case when detail like '%"identity":%' then coalesce(${value}, '') else '' end)`;
}

/** Whose default price the charge has; most have none, and are not parsed. */
function defaultPriceOf({ kind }: Database): RawBuilder<string> {
  const value =
    kind === 'postgres' ? sql`cast(detail as json) ->> 'default_price'` : sql`json_extract(detail, '$.default_price')`;
  return sql<string>`(case when detail like '%"default_price":%' then coalesce(${value}, '') else '' end)`;
}

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
      ...names.map((name) => groupOf(database, name, filter.tag).as(`by_${name}`)),
    ])
    .where('kind', '=', sql.lit('capture'))
    .where('created_at', '>=', filter.from)
    .where('created_at', '<', filter.to);
  // Test keys pay from payers below zero.
  const sign = filter.mode === 'test' ? -1 : 1;
  if (filter.mode !== undefined) query = query.where('owner_id', sign < 0 ? '<' : '>', 0);
  if (filter.ownerId !== undefined) query = query.where('owner_id', '=', sign * filter.ownerId);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  for (const [member, value] of Object.entries(filter.identity ?? {}))
    query = query.where(identityOf(database, member as keyof RequestIdentity), '=', value);
  if (filter.top !== undefined) query = query.orderBy(sql`2`, 'desc').limit(filter.top);
  // By their places: of a tag's expression PostgreSQL could not tell that it is the same one.
  for (const [at] of names.entries())
    query = query.groupBy(sql`${sql.lit(SUMS + at + 1)}`).orderBy(sql`${sql.lit(SUMS + at + 1)}`);
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

function groupValue(name: LedgerGroup, value: string | number | undefined): string | number {
  return name === 'day' ? new Date(Number(value)).toISOString().slice(0, 10) : (value ?? '');
}
