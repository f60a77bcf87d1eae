import type { CacheDay, CacheTurn, DayFilter, RequestLogStore, RequestPlace } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, forReports, journalTransaction } from './database.ts';
import { daysWanted, inDayOrder } from './dropped-parameters.ts';
import { parse, rowsTogether } from './rows.ts';
import { addSums, type SumTable } from './sums.ts';

const SUMS = ['requests', 'input_tokens', 'read_tokens', 'lost_tokens', 'lost_units', 'charged'] as const;
const DAYS: SumTable = {
  name: 'cache_days',
  keys: ['day', 'key_id', 'model', 'cause'],
  facts: ['owner_id', 'mode'],
  sums: SUMS,
};

/** What is kept of prompt caches, beside the log of requests. */
export function promptCacheStore(
  database: Database,
): Pick<RequestLogStore, 'addCacheTurns' | 'cacheTurn' | 'cacheTurns' | 'cacheDays' | 'sweepCacheTurns'> {
  return {
    addCacheTurns: (turns, days) =>
      journalTransaction(database, async (tx) => {
        await addTurns(tx, turns);
        await addDays(tx, days);
      }),
    cacheTurn: async ({ at, id }: RequestPlace) => {
      const row = await database.db
        .selectFrom('cache_turns')
        .select('detail')
        .where('at', '=', at)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : parse<CacheTurn>(row.detail);
    },
    cacheTurns: async ({ keyId, from, to, limit }) => {
      const rows = await database.db
        .selectFrom('cache_turns')
        .select('detail')
        .where('key_id', '=', keyId)
        .where('at', '>=', from)
        .where('at', '<', to)
        .orderBy('at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ detail }) => parse<CacheTurn>(detail));
    },
    cacheDays: (filter) => readDays(forReports(database), filter),
    sweepCacheTurns: async (before, limit) => {
      const over = database.db
        .selectFrom('cache_turns')
        .select('id')
        .where('at', '<', before)
        .orderBy('at')
        .limit(limit);
      const { numDeletedRows } = await database.db
        .deleteFrom('cache_turns')
        .where('at', '<', before)
        .where('id', 'in', over)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

async function addTurns(tx: Database, turns: readonly CacheTurn[]): Promise<void> {
  const rows = turns.map((turn) => ({ at: turn.at, id: turn.id, key_id: turn.keyId, detail: JSON.stringify(turn) }));
  for (const some of rowsTogether(rows))
    await tx.db
      .insertInto('cache_turns')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

async function addDays(tx: Database, days: readonly CacheDay[]): Promise<void> {
  const rows = inDayOrder(days, ({ cause }) => cause).map((each) => [
    ...[each.day, each.keyId, each.model, each.cause, each.ownerId, each.mode],
    ...[each.requests, each.inputTokens, each.readTokens, each.lostTokens, each.lostUnits, each.charged],
  ]);
  await addSums(tx, DAYS, rows);
}

interface DaySum {
  readonly key_id: number;
  readonly owner_id: number;
  readonly mode: 'live' | 'test';
  readonly cause: CacheDay['cause'];
  readonly requests: number;
  readonly input_tokens: number;
  readonly read_tokens: number;
  readonly lost_tokens: number;
  readonly lost_units: number;
  readonly charged: number;
}

async function readDays({ db }: Database, filter: DayFilter): Promise<readonly Omit<CacheDay, 'day' | 'model'>[]> {
  const sums = SUMS.map((name) => `cast(sum(${name}) as bigint) as ${name}`).join(', ');
  const { rows } = await sql<DaySum>`select key_id, owner_id, mode, cause, ${sql.raw(sums)}
    from cache_days where ${daysWanted(filter)} group by key_id, owner_id, mode, cause
    order by lost_units desc, input_tokens desc, key_id limit ${filter.limit}`.execute(db);
  return rows.map((row) => ({
    ...{ keyId: row.key_id, ownerId: row.owner_id, mode: row.mode, cause: row.cause, requests: row.requests },
    ...{ inputTokens: row.input_tokens, readTokens: row.read_tokens, lostTokens: row.lost_tokens },
    ...{ lostUnits: row.lost_units, charged: row.charged },
  }));
}
