/** Runs of agents: how many requests each has made, and since when. */
import type { RunStore } from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';

export function runStore({ db }: Database): RunStore {
  return {
    count: async (keyId, run, now) => {
      const row = await db
        .insertInto('runs')
        .values({ key_id: keyId, run, requests: 1, started_at: now, seen_at: now })
        .onConflict((conflict) =>
          conflict.columns(['key_id', 'run']).doUpdateSet({
            requests: sql<number>`runs.requests + 1`,
            seen_at: sql<number>`excluded.seen_at`,
          }),
        )
        .returning(['requests', 'started_at', 'last_request', 'answers'])
        .executeTakeFirstOrThrow();
      const { requests, started_at: startedAt, last_request: request, answers } = row;
      return { requests, startedAt, ...(request !== null && { answered: { request, times: answers } }) };
    },
    answered: async (keyId, run, request) => {
      await db
        .updateTable('runs')
        .set({
          last_request: request,
          answers: sql<number>`case when last_request = ${request} then answers + 1 else 1 end`,
        })
        .where('key_id', '=', keyId)
        .where('run', '=', run)
        .execute();
    },
  };
}

/** Removes runs, and windows of caps but those of a total that is no run's, that have not changed since. Tells how many. */
export async function sweepRuns({ db }: Database, before: number, limit: number): Promise<number> {
  const runs = db.selectFrom('runs').select('run').where('seen_at', '<', before).limit(limit);
  const counted = await db.deleteFrom('runs').where('run', 'in', runs).where('seen_at', '<', before).executeTakeFirst();
  const windows = db
    .selectFrom('scope_windows')
    .select('scope')
    .where('changed_at', '<', before)
    .where((row) => row.or([row('kind', '<>', 'total'), row('scope', 'like', 'run:%')]))
    .limit(limit);
  const charged = await db
    .deleteFrom('scope_windows')
    .where('scope', 'in', windows)
    .where('changed_at', '<', before)
    .where((row) => row.or([row('kind', '<>', 'total'), row('scope', 'like', 'run:%')]))
    .executeTakeFirst();
  return Number(counted.numDeletedRows + charged.numDeletedRows);
}
