import { GatewayError } from '@model-gateway/contracts';
import type { IdempotencyAnswer, NewTask, TaskFilter, TaskRecord, TaskStore, Tenant } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import { expireFilesOf } from './files.ts';
import { addHold } from './holds.ts';
import { attachTask, saveAnswer } from './idempotency.ts';
import { addToQueue, leaveQueue, placeOf, requireRoom } from './job-queue.ts';
import { advanceTask } from './task-advance.ts';
import { claimDueTasks } from './task-claims.ts';
import { addEvent, eventsOf, eventsSince, lastEventId } from './task-events.ts';
import { newTaskColumns, OPEN_STATES, patchColumns, toTask } from './task-rows.ts';
import { noteVendorWebhook } from './vendor-webhooks.ts';

export function taskStore(database: Database): TaskStore {
  return {
    create: async (task, hold, idempotency, now, admission) =>
      transaction(database, (tx) => createTask(tx, { task, hold, idempotency, now, admission })),
    markSubmitted: async (id, patch, now) => {
      const { maxJobs, accountId } = patch;
      if (maxJobs === undefined || accountId === undefined) return markSubmitted(database, id, patch, now);
      return transaction(database, async (tx) => {
        await requireRoom(tx, id, accountId, maxJobs);
        await markSubmitted(tx, id, patch, now);
      });
    },
    unmarkSubmitted: async (id) => {
      await database.db
        .updateTable('tasks')
        .set({ submitted: 0, submit_time: null })
        .where('id', '=', id)
        .where('ticket', 'is', null)
        .where('state', 'in', OPEN_STATES)
        .execute();
    },
    saveTicket: async (id, ticket, nextCheckAt, answer, now) =>
      transaction(database, (tx) => saveTicket(tx, { id, ticket: JSON.stringify(ticket), nextCheckAt, answer, now })),
    claimDue: async (claim) => claimDueTasks(database, claim),
    advance: async (id, from, patch, settlement, now) =>
      transaction(database, (tx) => advanceTask(tx, { id, from, patch, settlement, now })),
    renewLeases: async (ids, from, until) => {
      const rows = await database.db
        .updateTable('tasks')
        .set({ due_at: until })
        .where('id', 'in', ids)
        // Whoever claimed it since has another end in the row.
        .where('due_at', '=', from)
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    releaseLease: async (id) => {
      await database.db
        .updateTable('tasks')
        .set((expression) => ({ due_at: expression.ref('next_check_at') }))
        .where('id', '=', id)
        .where('due_at', 'is not', null)
        .execute();
    },
    noteVendorWebhook: async (id, webhook, now) => noteVendorWebhook(database, id, webhook, now),
    makeDue: async (dueAfter, now) => {
      await database.db
        .updateTable('tasks')
        .set({ due_at: now, next_check_at: now })
        .where('due_at', '>', dueAfter)
        .execute();
    },
    takeOver: async (now) => {
      await database.db
        .updateTable('tasks')
        .set((expression) => ({ due_at: expression.ref('next_check_at') }))
        .where('due_at', 'is not', null)
        .whereRef('due_at', '>', 'next_check_at')
        .execute();
      const waiting = database.db.selectFrom('queued_tasks').select('task_id').where('waiting', '=', 1);
      await database.db
        .updateTable('tasks')
        .set({ due_at: now, next_check_at: now })
        .where('due_at', '>', now)
        .where('created_at', '<', now)
        // Under way without a ticket are pictures, which the process drew that is no more.
        .where('state', 'in', ['NOT_START', 'IN_PROGRESS'])
        .where('ticket', 'is', null)
        .where('id', 'not in', waiting)
        .execute();
    },
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
    countOpen: async () => {
      const rows = await database.db
        .selectFrom('tasks')
        .select(['account_id', 'state', sql<number>`count(*)`.as('count')])
        .where('due_at', 'is not', null)
        .groupBy(['account_id', 'state'])
        .orderBy('account_id')
        .orderBy('state')
        .execute();
      return rows.map((row) => ({ accountId: row.account_id, state: row.state, count: row.count }));
    },
    nextDue: async () => {
      const row = await database.db
        .selectFrom('tasks')
        .select('due_at')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.due_at ?? undefined;
    },
  };
}

async function markSubmitted(
  database: Database,
  id: string,
  patch: Parameters<TaskStore['markSubmitted']>[1],
  now: number,
): Promise<void> {
  let query = database.db
    .updateTable('tasks')
    .set({
      ...patchColumns(patch),
      ...(patch.nextCheckAt !== undefined && { next_check_at: patch.nextCheckAt, due_at: patch.nextCheckAt }),
      submitted: 1,
      submit_time: now,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('state', 'in', OPEN_STATES);
  if (patch.ifTurn !== undefined) query = query.where('queue_turn', '=', patch.ifTurn).where('waiting', '=', 0);
  const { numUpdatedRows } = await query.executeTakeFirst();
  if (numUpdatedRows === 0n) throw new GatewayError('unavailable', `Task ${id} was ended before the vendor was asked.`);
}

interface Creation {
  readonly task: NewTask;
  readonly hold: Parameters<TaskStore['create']>[1];
  readonly idempotency: Parameters<TaskStore['create']>[2];
  readonly now: number;
  readonly admission: Parameters<TaskStore['create']>[4];
}

async function createTask(tx: Database, creation: Creation): Promise<TaskRecord> {
  const { task, hold, idempotency, now, admission } = creation;
  const admitted = admission === undefined ? undefined : await placeOf(tx, admission);
  const waits = admitted?.waits === true && admission !== undefined ? admission : undefined;
  if (idempotency !== undefined) await attachTask(tx, { ...idempotency, taskId: task.id }, now);
  const holdId =
    hold === undefined
      ? undefined
      : await addHold(
          tx,
          hold.payer,
          {
            amount: hold.amount,
            requestId: task.requestId,
            taskId: task.id,
            model: task.model,
            priceVersion: task.priceVersion,
            detail: hold.detail,
          },
          now,
        );
  const row = await tx.db
    .insertInto('tasks')
    .values({
      ...newTaskColumns({ ...task, ...admitted?.place.task }, holdId, now),
      ...(waits !== undefined && {
        queued_at: now,
        waiting: 1,
        // The time in the queue is none of the vendor's.
        deadline_at: task.deadlineAt + waits.entry.expiresAt - now,
        next_check_at: waits.entry.expiresAt,
        due_at: waits.entry.expiresAt,
      }),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await addEvent(tx, { task_id: row.id, state: row.state, progress: row.progress, at: now });
  const record = toTask(row);
  if (waits === undefined) return record;
  await addToQueue(tx, row, waits.entry);
  const answer = waits.answer(record);
  if (answer !== undefined) await saveAnswer(tx, answer);
  return record;
}

interface TicketToSave {
  readonly id: string;
  readonly ticket: string;
  readonly nextCheckAt: number;
  readonly answer: IdempotencyAnswer | undefined;
  readonly now: number;
}

async function saveTicket(tx: Database, { id, ticket, nextCheckAt, answer, now }: TicketToSave): Promise<boolean> {
  const saved = await tx.db
    .updateTable('tasks')
    .set({
      ticket,
      submitted: 1,
      submit_time: sql<number>`coalesce(submit_time, cast(${now} as bigint))`,
      next_check_at: nextCheckAt,
      due_at: nextCheckAt,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('state', 'in', OPEN_STATES)
    .returning('queued_at')
    .executeTakeFirst();
  if (saved === undefined) return false;
  if (saved.queued_at !== null) await leaveQueue(tx, id);
  if (answer !== undefined) await saveAnswer(tx, answer);
  return true;
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
