import type { Admission, JobPlace, JobQueueStore, Turn, WaitingOwner } from '@model-gateway/core';
import { GatewayError } from '@model-gateway/contracts';
import { sql } from 'kysely';
import { type Database, forUpdate, transaction } from './database.ts';
import { parse } from './rows.ts';
import { patchColumns, toTask } from './task-rows.ts';

export function jobQueueStore(database: Database): JobQueueStore {
  return {
    accounts: async () => accountsWithWaiting(database),
    pick: async (asked) => transaction(database, (tx) => pickJobs(tx, asked)),
    putBack: async (id, turn, now, to) => transaction(database, (tx) => putBack(tx, { id, turn, now, to })),
    look: async (accountId) => {
      const queue = await database.db
        .selectFrom('job_queues')
        .select('turn')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return { turn: toTurn(queue?.turn), waiting: await waitingOwners(database, accountId) };
    },
    waitingOf: async (accountId, ownerId, limit) => firstOf(database, accountId, ownerId, limit),
  };
}

/** The place of a new task, in the caller's transaction: from here to its end nobody else gives a job to these accounts. */
export async function placeOf(
  tx: Database,
  { places }: Admission,
): Promise<{ readonly place: JobPlace; readonly waits: boolean }> {
  const limited = places.filter(({ maxJobs }) => maxJobs !== undefined);
  // In one order for all, so that no two transactions wait for each other.
  for (const id of limited.map(({ task }) => task.accountId).sort((a, b) => a - b)) await lockQueue(tx, id);
  for (const place of places) {
    const { accountId } = place.task;
    if (place.maxJobs === undefined) return { place, waits: false };
    if ((await jobsAt(tx, accountId)) < place.maxJobs && !(await anyWaits(tx, accountId)))
      return { place, waits: false };
  }
  const [place] = places;
  if (place === undefined) throw new GatewayError('internal', 'A task needs a place to go to.');
  return { place, waits: true };
}

/** Throws `unavailable` unless the account has room for this task beside what it has at work. The room is its own until the transaction ends. */
export async function requireRoom(tx: Database, id: string, accountId: number, maxJobs: number): Promise<void> {
  await lockQueue(tx, accountId);
  if ((await jobsAt(tx, accountId, id)) < maxJobs) return;
  throw new GatewayError('unavailable', 'the vendor account has no room for another job', { taken: 'no' });
}

/** What a task waits with, written beside its row. */
export async function addToQueue(
  tx: Database,
  task: { readonly id: string; readonly number: number; readonly account_id: number; readonly owner_id: number },
  { input, priority, weight, expiresAt }: Admission['entry'],
): Promise<void> {
  await tx.db
    .insertInto('queued_tasks')
    .values({
      task_id: task.id,
      number: task.number,
      account_id: task.account_id,
      owner_id: task.owner_id,
      priority,
      weight,
      waiting: 1,
      expires_at: expiresAt,
      input: JSON.stringify(input),
    })
    .execute();
}

/** The vendor has the job, or the task has ended: what it was to be submitted with is not needed any more. */
export async function leaveQueue(tx: Database, id: string): Promise<void> {
  await tx.db.deleteFrom('queued_tasks').where('task_id', '=', id).execute();
}

type Pick = Parameters<JobQueueStore['pick']>[0];

async function pickJobs(tx: Database, asked: Pick): ReturnType<JobQueueStore['pick']> {
  const { accountId, maxJobs, limit, nextCheckAt, now, choose } = asked;
  const turn = await lockQueue(tx, accountId);
  const room = maxJobs === undefined ? limit : Math.min(limit, maxJobs - (await jobsAt(tx, accountId)));
  if (room <= 0) return [];
  const chosen = choose(turn, await waitingOwners(tx, accountId), room);
  const ids: string[] = [];
  for (const [ownerId, picks] of Map.groupBy(chosen.owners, (owner) => owner))
    ids.push(...(await firstOf(tx, accountId, ownerId, picks.length)));
  if (ids.length === 0) return [];
  const rows = await tx.db
    .updateTable('tasks')
    .set({
      waiting: 0,
      queue_turn: sql<number>`queue_turn + 1`,
      next_check_at: nextCheckAt,
      due_at: nextCheckAt,
      updated_at: now,
    })
    .where('id', 'in', ids)
    .where('state', '=', 'NOT_START')
    .where('waiting', '=', 1)
    .returningAll()
    .execute();
  const inputs = await tx.db
    .updateTable('queued_tasks')
    .set({ waiting: 0 })
    .where(
      'task_id',
      'in',
      rows.map(({ id }) => id),
    )
    .returning(['task_id', 'input'])
    .execute();
  await tx.db
    .updateTable('job_queues')
    .set({ turn: chosen.turn === undefined ? null : JSON.stringify(chosen.turn) })
    .where('account_id', '=', accountId)
    .execute();
  const inputOf = new Map(inputs.map(({ task_id: id, input }) => [id, input]));
  return rows
    .sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    .map((row) => ({ task: toTask(row), input: parse(inputOf.get(row.id) ?? '{}') }));
}

interface Return {
  readonly id: string;
  readonly turn: number;
  readonly now: number;
  readonly to: Parameters<JobQueueStore['putBack']>[3];
}

async function putBack(tx: Database, { id, turn, now, to }: Return): Promise<boolean> {
  const entry = await tx.db
    .selectFrom('queued_tasks')
    .select('expires_at')
    .where('task_id', '=', id)
    .executeTakeFirst();
  if (entry === undefined || entry.expires_at <= now) return false;
  const { numUpdatedRows } = await tx.db
    .updateTable('tasks')
    .set({
      ...patchColumns(to ?? {}),
      waiting: 1,
      next_check_at: entry.expires_at,
      due_at: entry.expires_at,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('state', '=', 'NOT_START')
    .where('submitted', '=', 0)
    .where('ticket', 'is', null)
    .where('queue_turn', '=', turn)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await tx.db
    .updateTable('queued_tasks')
    .set({ waiting: 1, ...(to !== undefined && { account_id: to.accountId }) })
    .where('task_id', '=', id)
    .execute();
  return true;
}

/** Nobody else admits or picks tasks of the account until the transaction ends. Whose turn it is. */
async function lockQueue(tx: Database, accountId: number): Promise<Turn | undefined> {
  await tx.db
    .insertInto('job_queues')
    .values({ account_id: accountId, turn: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const query = tx.db.selectFrom('job_queues').select('turn').where('account_id', '=', accountId);
  return toTurn((await forUpdate(tx, query).executeTakeFirst())?.turn);
}

function toTurn(text: string | null | undefined): Turn | undefined {
  return text === null || text === undefined ? undefined : parse<Turn & object>(text);
}

/** Steps from one account to the next in the index of those who wait: as many look-ups as accounts, however many tasks. */
async function accountsWithWaiting({ db }: Database): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive accounts (id) as (
      select min(account_id) from queued_tasks where waiting = 1
      union all
      select (select min(account_id) from queued_tasks where waiting = 1 and account_id > accounts.id)
      from accounts where accounts.id is not null
    )
    select id from accounts where id is not null`.execute(db);
  return rows.map((row) => row.id);
}

/** Literals, not parameters: SQLite takes an index of some rows only where the query says the same. */
const AT_WORK = sql<boolean>`state in ('NOT_START', 'IN_PROGRESS') and waiting = 0 and kind = 'video'`;

/** Video jobs that an account has at work, or is about to get; `but` is not counted. */
async function jobsAt({ db }: Database, accountId: number, but = ''): Promise<number> {
  const { count } = await db
    .selectFrom('tasks')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .where(AT_WORK)
    .where('id', '!=', but)
    .executeTakeFirstOrThrow();
  return count;
}

async function anyWaits(database: Database, accountId: number): Promise<boolean> {
  const row = await waitingRows(database)
    .select('task_id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function waitingOwners(database: Database, accountId: number): Promise<readonly WaitingOwner[]> {
  return waitingRows(database)
    .select(['owner_id as ownerId', sql<number>`max(weight)`.as('weight'), sql<number>`count(*)`.as('count')])
    .where('account_id', '=', accountId)
    .groupBy('owner_id')
    .orderBy('owner_id')
    .execute();
}

async function firstOf(
  database: Database,
  accountId: number,
  ownerId: number,
  limit: number,
): Promise<readonly string[]> {
  const rows = await waitingRows(database)
    .select('task_id')
    .where('account_id', '=', accountId)
    .where('owner_id', '=', ownerId)
    .orderBy('priority', 'desc')
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => row.task_id);
}

function waitingRows({ db }: Database) {
  return db.selectFrom('queued_tasks').where(sql<boolean>`waiting = 1`);
}
