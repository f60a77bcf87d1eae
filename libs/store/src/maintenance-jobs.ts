/** Maintenance jobs: whoever has a free slot begins the oldest one that waits, and keeps it alive under a lease. */
import type { MaintenanceJob, MaintenanceJobEnd, MaintenanceJobFile, MaintenanceJobStore } from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import { type Database, isUniqueViolation, leaseTime } from './database.ts';
import { parse, present } from './rows.ts';
import type { MaintenanceJobRow } from './tables.ts';

export function maintenanceJobStore(database: Database): MaintenanceJobStore {
  const { db } = database;
  return {
    add: (job, mostQueued) => addJob(database, job, mostQueued),
    get: async (id) => {
      const row = await db.selectFrom('maintenance_jobs').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toJob(row);
    },
    list: async ({ kind, state, after, limit }) => {
      let query = db.selectFrom('maintenance_jobs').selectAll().orderBy('id', 'desc').limit(limit);
      if (kind !== undefined) query = query.where('kind', '=', kind);
      if (state !== undefined) query = query.where('state', '=', state);
      if (after !== undefined) query = query.where('id', '<', after);
      return (await query.execute()).map(toJob);
    },
    claim: (claim) => claimJob(database, claim),
    keepAlive: async (id, { process, now, leaseMs, done, total = null }) => {
      const row = await db
        .updateTable('maintenance_jobs')
        .set({ done, total, alive_until: sql<number>`${leaseTime(database, now)} + ${sql.lit(leaseMs)}` })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where('process', '=', process)
        .returning('cancel_requested_at')
        .executeTakeFirst();
      if (row === undefined) return 'lost';
      return row.cancel_requested_at === null ? 'go on' : 'cancel';
    },
    end: async (id, process, end) => {
      const { numUpdatedRows } = await db
        .updateTable('maintenance_jobs')
        .set(endColumns(end))
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where('process', '=', process)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    cancel: (id, at) => cancelJob(database, id, at),
    interruptSilent: async (end, isAlone = false) => {
      let query = db
        .updateTable('maintenance_jobs')
        .set(endColumns(end))
        // By the index of those that run.
        .where('slot', 'is not', null)
        .returning('id');
      if (!isAlone) query = query.where('alive_until', '<', leaseTime(database, end.at));
      return (await query.execute()).map(({ id }) => id);
    },
    expiredFiles: async (now) => {
      const over = await db
        .selectFrom('maintenance_jobs')
        .select(['id', 'file'])
        .where('file_expires_at', '<=', now)
        .execute();
      return over.flatMap(({ id, file }) =>
        file === null ? [] : [{ id, location: parse<MaintenanceJobFile>(file).location }],
      );
    },
    forgetFile: async (id) => {
      await db
        .updateTable('maintenance_jobs')
        .set({ file: null, file_expires_at: null })
        .where('id', '=', id)
        .execute();
    },
    removeExpired: async (now) => {
      await db
        .deleteFrom('maintenance_jobs')
        .where('expires_at', '<=', now)
        .where('file_expires_at', 'is', null)
        .execute();
    },
  };
}

async function addJob(
  { db }: Database,
  { kind, parameters, actor, createdAt }: Parameters<MaintenanceJobStore['add']>[0],
  mostQueued: number,
): ReturnType<MaintenanceJobStore['add']> {
  const openAs = JSON.stringify([kind, Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))]);
  const { count } = await db
    .selectFrom('maintenance_jobs')
    .select(sql<number>`count(*)`.as('count'))
    .where('open_as', 'is not', null)
    .where('state', '=', 'queued')
    .executeTakeFirstOrThrow();
  if (count < mostQueued) {
    const row = await db
      .insertInto('maintenance_jobs')
      .values({
        ...{ kind, actor, state: 'queued', done: 0, open_as: openAs, created_at: createdAt },
        parameters: JSON.stringify(parameters),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) return { job: toJob(row), isNew: true };
  }
  const same = await db.selectFrom('maintenance_jobs').selectAll().where('open_as', '=', openAs).executeTakeFirst();
  return same === undefined ? undefined : { job: toJob(same), isNew: false };
}

async function claimJob(
  database: Database,
  { process, now, leaseMs, most }: Parameters<MaintenanceJobStore['claim']>[0],
): Promise<MaintenanceJob | undefined> {
  const { db } = database;
  const taken = await db.selectFrom('maintenance_jobs').select('slot').where('slot', 'is not', null).execute();
  const slots = new Set(taken.map(({ slot }) => slot));
  for (let slot = 1; slot <= most; slot++) {
    if (slots.has(slot)) continue;
    try {
      const row = await db
        .updateTable('maintenance_jobs')
        .set({
          ...{ state: 'running', slot, process, started_at: now },
          alive_until: sql<number>`${leaseTime(database, now)} + ${sql.lit(leaseMs)}`,
        })
        .where('state', '=', 'queued')
        .where('id', '=', (query) =>
          query
            .selectFrom('maintenance_jobs')
            .select(sql<number>`min(id)`.as('id'))
            .where('open_as', 'is not', null)
            .where('state', '=', 'queued'),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toJob(row);
    } catch (error) {
      // Another process was quicker with this slot.
      if (!isUniqueViolation(error)) throw error;
    }
  }
  return undefined;
}

async function cancelJob(
  { db }: Database,
  id: number,
  { now, expiresAt }: Parameters<MaintenanceJobStore['cancel']>[1],
): Promise<boolean> {
  const waiting = await db
    .updateTable('maintenance_jobs')
    .set({ ...endColumns({ state: 'cancelled', at: now, expiresAt }), cancel_requested_at: now })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  if (waiting.numUpdatedRows > 0n) return true;
  const running = await db
    .updateTable('maintenance_jobs')
    .set({ cancel_requested_at: sql<number>`coalesce(cancel_requested_at, cast(${now} as bigint))` })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return running.numUpdatedRows > 0n;
}

function endColumns({ state, at, expiresAt, done, total, error, result, file }: MaintenanceJobEnd) {
  return {
    ...{ state, ended_at: at, expires_at: expiresAt, open_as: null, slot: null, alive_until: null },
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
    ...(error !== undefined && { error: JSON.stringify(error) }),
    ...(result !== undefined && { result: JSON.stringify(result) }),
    ...(file !== undefined && { file: JSON.stringify(file), file_expires_at: file.expiresAt }),
  };
}

function toJob(row: Selectable<MaintenanceJobRow>): MaintenanceJob {
  const { id, kind, state, actor, done, error, result, file } = row;
  return {
    ...{ id, kind, state, actor, done, parameters: parse(row.parameters), createdAt: row.created_at },
    ...present({
      total: row.total,
      cancelRequestedAt: row.cancel_requested_at,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      expiresAt: row.expires_at,
    }),
    ...(error !== null && { error: parse<NonNullable<MaintenanceJob['error']>>(error) }),
    ...(result !== null && { result: parse<NonNullable<MaintenanceJob['result']>>(result) }),
    ...(file !== null && { file: parse<MaintenanceJobFile>(file) }),
  };
}
