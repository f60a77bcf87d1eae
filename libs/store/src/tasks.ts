import type { TaskFilter, TaskRecord, TaskStore, Tenant } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import { expireFilesOf } from './files.ts';
import { advanceTask } from './task-advance.ts';
import { eventsOf, eventsSince, lastEventId } from './task-events.ts';
import { taskLeases } from './task-leases.ts';
import { OPEN_STATES, toTask } from './task-rows.ts';
import { taskSubmissions } from './task-submissions.ts';
import { noteVendorWebhook } from './vendor-webhooks.ts';

export function taskStore(database: Database): TaskStore {
  return {
    ...taskSubmissions(database),
    ...taskLeases(database),
    advance: async (id, from, patch, settlement, now) =>
      transaction(database, (tx) => advanceTask(tx, { id, from, patch, settlement, now })),
    noteVendorWebhook: async (id, webhook, now) => noteVendorWebhook(database, id, webhook, now),
    requestCancel: async (tenant, id, now) => requestCancel(database, tenant, id, now),
    get: async (id) => {
      const row = await database.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toTask(row);
    },
    find: async ({ ownerId, mode }, id) => {
      const row = await database.db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return row === undefined ? undefined : toTask(row);
    },
    list: async (filter) => listTasks(database, filter, undefined),
    listOf: async (tenant, filter) => listTasks(database, filter, tenant),
    markDeleted: async (tenant, id, now) => transaction(database, (tx) => markDeleted(tx, tenant, id, now)),
    saveFiles: async (id, files) => {
      await database.db
        .updateTable('tasks')
        .set({ files: JSON.stringify(files) })
        .where('id', '=', id)
        .execute();
    },
    events: async (taskId, after) => eventsOf(database, taskId, after),
    lastEventId: async () => lastEventId(database),
    eventsSince: async (after, limit) => eventsSince(database, after, limit),
    countOpen: async () => countOpen(database),
  };
}

/** A task that the vendor knows is checked at once, unless a poller has it in hand. */
async function requestCancel(database: Database, { ownerId, mode }: Tenant, id: string, now: number): Promise<void> {
  const soon = sql`ticket is not null and next_check_at > cast(${now} as bigint)`;
  await database.db
    .updateTable('tasks')
    .set({
      cancel_requested: 1,
      updated_at: now,
      // A lease shows as a due_at that is not next_check_at: it is left alone.
      due_at: sql<number>`case when ${soon} and due_at = next_check_at then cast(${now} as bigint) else due_at end`,
      next_check_at: sql<number>`case when ${soon} then cast(${now} as bigint) else next_check_at end`,
    })
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('state', 'in', OPEN_STATES)
    .execute();
}

async function listTasks(
  database: Database,
  filter: TaskFilter,
  tenant: Tenant | undefined,
): Promise<readonly TaskRecord[]> {
  const oldest = filter.order === 'oldest';
  let query = database.db
    .selectFrom('tasks')
    .selectAll()
    .orderBy('number', oldest ? 'asc' : 'desc')
    .limit(filter.limit);
  if (tenant !== undefined)
    query = query
      .where('owner_id', '=', tenant.ownerId)
      .where('mode', '=', tenant.mode)
      // A tenant does not see what it deleted; the operator does.
      .where('deleted_at', 'is', null);
  if (filter.ownerId !== undefined) query = query.where('owner_id', '=', filter.ownerId);
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.after !== undefined) {
    query = query.where('number', oldest ? '>' : '<', (row) => {
      const last = row
        .selectFrom('tasks as last')
        .select('last.number')
        .where('last.id', '=', filter.after ?? '');
      // The id of somebody else's task is no place in this list.
      return tenant === undefined
        ? last
        : last.where('last.owner_id', '=', tenant.ownerId).where('last.mode', '=', tenant.mode);
    });
  }
  return (await query.execute()).map(toTask);
}

async function markDeleted(tx: Database, { ownerId, mode }: Tenant, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('tasks')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('state', 'not in', OPEN_STATES)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await expireFilesOf(tx, id, now);
  return true;
}

async function countOpen(database: Database): ReturnType<TaskStore['countOpen']> {
  const rows = await database.db
    .selectFrom('tasks')
    .select(['account_id', 'state', sql<number>`count(*)`.as('count')])
    .where('due_at', 'is not', null)
    .groupBy(['account_id', 'state'])
    .orderBy('account_id')
    .orderBy('state')
    .execute();
  return rows.map((row) => ({ accountId: row.account_id, state: row.state, count: row.count }));
}
