/** When tasks are looked at again, and by whom: a lease shows as a `due_at` that is not `next_check_at`. */
import type { TaskStore } from '@model-gateway/core';
import type { Database } from './database.ts';
import { claimDueTasks } from './task-claims.ts';

type LeaseMethods = 'claimDue' | 'renewLeases' | 'releaseLease' | 'makeDue' | 'takeOver' | 'nextDue';

export function taskLeases(database: Database): Pick<TaskStore, LeaseMethods> {
  return {
    claimDue: async (claim) => claimDueTasks(database, claim),
    renewLeases: async (ids, from, until) => renewLeases(database, ids, from, until),
    releaseLease: async (id) => {
      await database.db
        .updateTable('tasks')
        .set((expression) => ({ due_at: expression.ref('next_check_at') }))
        .where('id', '=', id)
        .where('due_at', 'is not', null)
        .execute();
    },
    makeDue: async (dueAfter, now) => {
      await database.db
        .updateTable('tasks')
        .set({ due_at: now, next_check_at: now })
        .where('due_at', '>', dueAfter)
        .execute();
    },
    takeOver: async (now) => takeOver(database, now),
    nextDue: async () => nextDue(database),
  };
}

async function renewLeases(
  database: Database,
  ids: readonly string[],
  from: number,
  until: number,
): Promise<readonly string[]> {
  const rows = await database.db
    .updateTable('tasks')
    .set({ due_at: until })
    .where('id', 'in', ids)
    // Whoever claimed it since has another end in the row.
    .where('due_at', '=', from)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

async function takeOver(database: Database, now: number): Promise<void> {
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
}

async function nextDue(database: Database): Promise<number | undefined> {
  const row = await database.db
    .selectFrom('tasks')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}
