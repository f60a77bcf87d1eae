/** How a task is made, and handed to its vendor. */
import { GatewayError } from '@model-gateway/contracts';
import type { IdempotencyAnswer, NewTask, TaskRecord, TaskStore } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, transaction } from './database.ts';
import { addHold } from './holds.ts';
import { attachTask, saveAnswer } from './idempotency.ts';
import { addToQueue, leaveQueue, placeOf, requireRoom } from './job-queue.ts';
import { addEvent } from './task-events.ts';
import { newTaskColumns, OPEN_STATES, patchColumns, toTask } from './task-rows.ts';

type SubmissionMethods = 'create' | 'markSubmitted' | 'unmarkSubmitted' | 'saveTicket';

export function taskSubmissions(database: Database): Pick<TaskStore, SubmissionMethods> {
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
  };
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
