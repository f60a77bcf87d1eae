import type { TaskRecord, TaskStore } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, forUpdateSkipLocked } from './database.ts';
import { toTask } from './task-rows.ts';

type Claim = Parameters<TaskStore['claimDue']>[0];

/** How often to look again when another replica was quicker with some of the rows. */
const ROUNDS = 3;

/**
 * Looks only at the head of each account's queue, so an account with thousands of due tasks (or one that takes no more) costs no more than
 * an idle one. What is found is then claimed in one statement that passes over rows another replica has.
 */
export async function claimDueTasks(database: Database, claim: Claim): Promise<readonly TaskRecord[]> {
  const room = new Map<number, number>();
  const claimed: TaskRecord[] = [];
  for (let round = 0; round < ROUNDS && claimed.length < claim.limit; round += 1) {
    const numbers = await findDue(database, claim, room, claim.limit - claimed.length);
    if (numbers.length === 0) break;
    const tasks = await claimRows(database, claim, numbers);
    for (const task of tasks) room.set(task.accountId, (room.get(task.accountId) ?? 0) + 1);
    claimed.push(...tasks);
    if (tasks.length === numbers.length) break;
  }
  return claimed.sort((a, b) => (a.nextCheckAt ?? 0) - (b.nextCheckAt ?? 0) || a.number - b.number);
}

async function findDue(
  database: Database,
  claim: Claim,
  taken: ReadonlyMap<number, number>,
  limit: number,
): Promise<readonly number[]> {
  const due: { readonly number: number; readonly due_at: number | null }[] = [];
  for (const accountId of await accountsWithOpenTasks(database)) {
    const most = (claim.perAccount.get(accountId) ?? claim.defaultPerAccount) - (taken.get(accountId) ?? 0);
    if (most <= 0) continue;
    due.push(
      ...(await database.db
        .selectFrom('tasks')
        .select(['number', 'due_at'])
        .where('account_id', '=', accountId)
        .where('due_at', '<=', claim.now)
        .orderBy('due_at')
        .limit(Math.min(most, limit))
        .execute()),
    );
  }
  return due
    .sort((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0) || a.number - b.number)
    .slice(0, limit)
    .map((row) => row.number);
}

async function claimRows(database: Database, claim: Claim, numbers: readonly number[]): Promise<readonly TaskRecord[]> {
  const free = database.db
    .selectFrom('tasks')
    .select('number')
    .where('number', 'in', numbers)
    .where('due_at', '<=', claim.now);
  const rows = await database.db
    .updateTable('tasks')
    .set({ due_at: claim.leaseUntil })
    .where('number', 'in', forUpdateSkipLocked(database, free))
    .returningAll()
    .execute();
  return rows.map(toTask);
}

/** Steps from one account to the next in the index of open tasks: as many look-ups as accounts, however many tasks. */
async function accountsWithOpenTasks(database: Database): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive accounts (id) as (
      select min(account_id) from tasks where due_at is not null
      union all
      select (select min(account_id) from tasks where due_at is not null and account_id > accounts.id)
      from accounts where accounts.id is not null
    )
    select id from accounts where id is not null`.execute(database.db);
  return rows.map((row) => row.id);
}
