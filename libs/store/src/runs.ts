/** Runs of agents: how many requests each has made, and since when. */
import type { RunStore } from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Rows that one sweep removes of each table. */
const SWEPT_AT_ONCE = 5_000;

export function runStore({ db }: Database): RunStore {
  return {
    count: async (keyId, run, now) => {
      const { requests, started_at: startedAt } = await db
        .insertInto('runs')
        .values({ key_id: keyId, run, requests: 1, started_at: now, seen_at: now })
        .onConflict((conflict) =>
          conflict.columns(['key_id', 'run']).doUpdateSet({
            requests: sql<number>`runs.requests + 1`,
            seen_at: sql<number>`excluded.seen_at`,
          }),
        )
        .returning(['requests', 'started_at'])
        .executeTakeFirstOrThrow();
      return { requests, startedAt };
    },
  };
}

/** Removes runs, and windows of caps but those of a total that is no run's, that have not changed since. */
export async function sweepRuns({ db }: Database, before: number): Promise<void> {
  const runs = db.selectFrom('runs').select('run').where('seen_at', '<', before).limit(SWEPT_AT_ONCE);
  await db.deleteFrom('runs').where('run', 'in', runs).where('seen_at', '<', before).execute();
  const windows = db
    .selectFrom('scope_windows')
    .select('scope')
    .where('changed_at', '<', before)
    .where((row) => row.or([row('kind', '<>', 'total'), row('scope', 'like', 'run:%')]))
    .limit(SWEPT_AT_ONCE);
  await db
    .deleteFrom('scope_windows')
    .where('scope', 'in', windows)
    .where('changed_at', '<', before)
    .where((row) => row.or([row('kind', '<>', 'total'), row('scope', 'like', 'run:%')]))
    .execute();
}
