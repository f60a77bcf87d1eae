import type { Backlog } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, leaseTime } from './database.ts';

/** Counts what waits. Every count is of rows that an index of open work holds: what has ended is not looked at. */
export async function readBacklog(database: Database, now: number): Promise<Backlog> {
  const { db } = database;
  const [openTasks, waitingTasks, dueTasks, webhooks, overdue, leases] = await Promise.all([
    db
      .selectFrom('tasks')
      .select(['vendor', 'state', sql<number>`count(*)`.as('count')])
      .where('due_at', 'is not', null)
      .groupBy(['vendor', 'state'])
      .orderBy('vendor')
      .orderBy('state')
      .execute(),
    db
      .selectFrom('queued_tasks')
      .innerJoin('tasks', 'tasks.id', 'queued_tasks.task_id')
      .select(['tasks.vendor', 'queued_tasks.account_id as accountId', sql<number>`count(*)`.as('count')])
      .where(sql<boolean>`queued_tasks.waiting = 1`)
      .groupBy(['tasks.vendor', 'queued_tasks.account_id'])
      .orderBy('queued_tasks.account_id')
      .execute(),
    db
      .selectFrom('tasks')
      .select([sql<number>`count(*)`.as('count'), sql<number | null>`min(due_at)`.as('oldestAt')])
      .where('due_at', '<=', now)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('webhook_deliveries')
      .select(sql<number>`count(*)`.as('count'))
      .where('due_at', 'is not', null)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('webhook_deliveries')
      .select(sql<number | null>`min(due_at)`.as('oldestAt'))
      .where('due_at', '<=', now)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('leases')
      .select([
        sql<number>`count(*)`.as('count'),
        sql<number>`coalesce(sum(amount - spent), 0)`.as('units'),
        sql<number>`coalesce(sum(case when expires_at < ${leaseTime(database, now)} then 1 else 0 end), 0)`.as(
          'expired',
        ),
      ])
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow(),
  ]);
  return {
    openTasks,
    waitingTasks,
    dueTasks: { count: dueTasks.count, oldestAt: dueTasks.oldestAt ?? undefined },
    webhooks: { count: webhooks.count, oldestAt: overdue.oldestAt ?? undefined },
    leases,
  };
}
