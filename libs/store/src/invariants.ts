/** What must always be so of the rows together, looked at in small parts: no look reads more than some thousand rows, all by an index. */
import type { InvariantCursor, InvariantName, InvariantStore, Violation } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import { type Database, forReports, leaseTime } from './database.ts';

/** Lines of the ledger in one look: so many of the newest, and so many on from the cursor. */
const ENTRIES = 2_000;
const OWNERS = 50;
/** Lines of one owner that are summed up in one statement. */
const OWNER_ENTRIES = 5_000;
const MOST_TOLD = 20;
const MINUTE_MS = 60_000;
/** A line that is being written may have a lower number than one that is there already; nothing is written for so long. */
const SETTLED_MS = 10 * MINUTE_MS;
/** Holds without a task are written before the request that they are for is asked. */
const HOLD_MS = 60 * MINUTE_MS;
const TASK_MS = 10 * MINUTE_MS;
const WEBHOOK_MS = 10 * MINUTE_MS;
/** Every process looks for expired leases each five seconds. */
const LEASE_MS = 2 * MINUTE_MS;
const SETTING = 'invariants';
/** Sums kept per process, so that a long history is added up once. */
const MOST_SUMS = 10_000;

interface Sum {
  readonly id: number;
  readonly sum: number;
}

export function invariantStore(whole: Database): InvariantStore {
  const sums = new Map<number, Sum>();
  return {
    async look({ cursor, again, now, overdraft = 0 }) {
      const database = forReports(whole);
      const newest = await newestEntry(database);
      const ranges = [
        { from: Math.max(0, newest - ENTRIES), to: newest },
        { from: cursor.entryId, to: cursor.entryId + ENTRIES },
      ];
      const owners = await ownersAfter(database, cursor.ownerId);
      const suspects = again.filter(({ subject }) => subject.startsWith('owner ')).map(({ subject }) => idIn(subject));
      const found: Violation[] = [];
      for (const id of new Set([...owners, ...suspects]))
        found.push(...(await ownerFaults(database, sums, id, { now, overdraft })));
      const lines = sql<boolean>`(${sql.join(
        [
          ...ranges.map(({ from, to }) => sql`(hold.id > ${sql.lit(from)} and hold.id <= ${sql.lit(to)})`),
          ...again.flatMap(({ subject }) =>
            /^(entry|hold) /.test(subject) ? [sql`hold.id = ${sql.lit(idIn(subject))}`] : [],
          ),
        ],
        sql` or `,
      )})`;
      found.push(
        ...(await chargedTwice(database, lines)),
        ...(await holdsWithoutPurpose(database, lines, now)),
        ...(await heldAfterTheEnd(database, lines)),
        ...(await forgottenTasks(database, now)),
        ...(await unsettledLeases(database, now)),
        ...(await forgottenWebhooks(database, now)),
      );
      const next: InvariantCursor = {
        entryId: cursor.entryId + ENTRIES >= newest ? 0 : cursor.entryId + ENTRIES,
        ownerId: owners.length < OWNERS ? 0 : (owners.at(-1) ?? 0),
      };
      return { violations: unique(found), next };
    },
    async read() {
      const row = await whole.db.selectFrom('settings').select('value').where('name', '=', SETTING).executeTakeFirst();
      return row?.value;
    },
    async replace(old, word) {
      if (old === undefined) {
        const { numInsertedOrUpdatedRows = 0n } = await whole.db
          .insertInto('settings')
          .values({ name: SETTING, value: word })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows > 0n;
      }
      const { numUpdatedRows } = await whole.db
        .updateTable('settings')
        .set({ value: word })
        .where('name', '=', SETTING)
        .where('value', '=', old)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

function idIn(subject: string): number {
  return Number(/-?\d+/.exec(subject)?.[0] ?? 0);
}

function unique(violations: readonly Violation[]): Violation[] {
  const known = new Map(violations.map((each) => [`${each.invariant} ${each.subject}`, each]));
  return [...known.values()];
}

async function newestEntry({ db }: Database): Promise<number> {
  const { newest } = await db
    .selectFrom('ledger_entries')
    .select(sql<number>`coalesce(max(id), 0)`.as('newest'))
    .executeTakeFirstOrThrow();
  return newest;
}

async function ownersAfter({ db }: Database, after: number): Promise<number[]> {
  let query = db.selectFrom('owners').select('id').orderBy('id').limit(OWNERS);
  // Test payers have negative ids: a cursor of zero means the very first.
  if (after !== 0) query = query.where('id', '>', after);
  return (await query.execute()).map(({ id }) => id);
}

/** The sum of what is settled is remembered; what came since is added up beside the balance in one statement. */
async function ownerFaults(
  database: Database,
  sums: Map<number, Sum>,
  ownerId: number,
  { now, overdraft }: { readonly now: number; readonly overdraft: number },
): Promise<Violation[]> {
  const known = sums.get(ownerId) ?? { id: 0, sum: 0 };
  const part = database.db
    .selectFrom('ledger_entries')
    .select(['id', 'amount'])
    .where('owner_id', '=', ownerId)
    .where('id', '>', known.id)
    .where('created_at', '<=', now - SETTLED_MS)
    .orderBy('id')
    .limit(OWNER_ENTRIES);
  const settled = await database.db
    .selectFrom(part.as('part'))
    .select([
      sql<number>`count(*)`.as('count'),
      sql<number>`coalesce(max(part.id), 0)`.as('last'),
      sql<number>`coalesce(sum(part.amount), 0)`.as('sum'),
    ])
    .executeTakeFirstOrThrow();
  const current = settled.count === 0 ? known : { id: settled.last, sum: known.sum + settled.sum };
  if (sums.size >= MOST_SUMS && !sums.has(ownerId)) sums.delete(sums.keys().next().value ?? 0);
  sums.set(ownerId, current);
  // A long history is added up in several looks; the balance is compared when they have come to its end.
  if (settled.count === OWNER_ENTRIES) return [];
  const owner = await database.db
    .selectFrom('owners')
    .select([
      'balance',
      'credit_limit',
      sql<number>`(select coalesce(sum(amount), 0) from ledger_entries where owner_id = owners.id and id > ${sql.lit(current.id)})`.as(
        'since',
      ),
    ])
    .where('id', '=', ownerId)
    .executeTakeFirst();
  if (owner === undefined) return [];
  const found: Violation[] = [];
  const expected = current.sum + owner.since;
  if (expected !== owner.balance && (await balanceDiffers(database, ownerId))) {
    const message = `The balance of owner ${ownerId} is ${owner.balance}; its lines come to ${expected}.`;
    found.push({ invariant: 'balance_is_sum_of_entries', subject: `owner ${ownerId}`, message });
  }
  const most = owner.credit_limit === null ? Infinity : owner.credit_limit + overdraft;
  if (owner.balance < -most && !(await wasChanged(database, ownerId))) {
    const message = `Owner ${ownerId} owes ${-owner.balance} and may owe ${most}.`;
    found.push({ invariant: 'balance_within_credit', subject: `owner ${ownerId}`, message });
  }
  return found;
}

/** Before anybody is alarmed everything is added up at once: what was remembered may be wrong, or the balance have changed meanwhile. */
async function balanceDiffers({ db }: Database, ownerId: number): Promise<boolean> {
  const row = await db
    .selectFrom('owners')
    .select('id')
    .where('id', '=', ownerId)
    .where(sql<boolean>`balance <> (select coalesce(sum(amount), 0) from ledger_entries where owner_id = owners.id)`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Who lowers a limit below what is owed already breaks no law. */
async function wasChanged({ db }: Database, ownerId: number): Promise<boolean> {
  const row = await db
    .selectFrom('audit_log')
    .select('id')
    .where('subject', '=', `owner ${ownerId}`)
    .where('action', '=', 'owner.update')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function chargedTwice({ db }: Database, lines: RawBuilder<boolean>): Promise<Violation[]> {
  const rows = await db
    .selectFrom('ledger_entries as hold')
    .select(['hold.id', 'hold.request_id'])
    .where(lines)
    .where('hold.kind', '=', sql.lit('capture' as const))
    .where((expression) =>
      expression.exists(
        expression
          .selectFrom('ledger_entries as other')
          .select('other.id')
          .whereRef('other.request_id', '=', 'hold.request_id')
          .whereRef('other.id', '<>', 'hold.id')
          .where('other.kind', '=', sql.lit('capture' as const)),
      ),
    )
    .limit(MOST_TOLD)
    .execute();
  return rows.map((row) =>
    violation(
      'request_charged_once',
      `entry ${row.id}`,
      `The request ${row.request_id ?? ''} was charged more than once.`,
    ),
  );
}

/** A hold belongs to a lease or to a task; one that does neither sets money aside that nobody will give back. */
async function holdsWithoutPurpose({ db }: Database, lines: RawBuilder<boolean>, now: number): Promise<Violation[]> {
  const rows = await db
    .selectFrom('ledger_entries as hold')
    .leftJoin('leases', 'leases.id', 'hold.id')
    .leftJoin('tasks', 'tasks.id', 'hold.task_id')
    .leftJoin('ledger_entries as closing', (join) =>
      join.onRef('closing.hold_id', '=', 'hold.id').on('closing.closes', '=', sql.lit(1)),
    )
    .select('hold.id')
    .where(lines)
    .where('hold.kind', '=', sql.lit('hold' as const))
    .where('hold.created_at', '<', now - HOLD_MS)
    .where('leases.id', 'is', null)
    .where('tasks.id', 'is', null)
    .where('closing.id', 'is', null)
    .where('hold.id', 'not in', (query) =>
      query
        .selectFrom('responses')
        .select(sql<number>`responses.hold_id`.as('hold_id'))
        .where('responses.due_at', 'is not', null)
        .where('responses.hold_id', 'is not', null),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('batch_lines')
            .select('batch_lines.number')
            .where('batch_lines.due_at', 'is not', null)
            .where('batch_lines.submitted', '=', sql.lit(1))
            .whereRef('batch_lines.request_id', '=', 'hold.request_id'),
        ),
      ),
    )
    .limit(MOST_TOLD)
    .execute();
  return rows.map(({ id }) =>
    violation(
      'hold_has_purpose',
      `hold ${id}`,
      `Hold ${id} is open and belongs to no task, no response, no line of a batch and no lease.`,
    ),
  );
}

async function heldAfterTheEnd({ db }: Database, lines: RawBuilder<boolean>): Promise<Violation[]> {
  const rows = await db
    .selectFrom('ledger_entries as hold')
    .innerJoin('tasks', 'tasks.id', 'hold.task_id')
    .leftJoin('ledger_entries as closing', (join) =>
      join.onRef('closing.hold_id', '=', 'hold.id').on('closing.closes', '=', sql.lit(1)),
    )
    .select(['hold.id', 'tasks.id as task'])
    .where(lines)
    .where('hold.kind', '=', sql.lit('hold' as const))
    .where('tasks.state', 'in', ['SUCCESS', 'FAILURE'])
    .where('closing.id', 'is', null)
    .limit(MOST_TOLD)
    .execute();
  return rows.map(({ id, task }) =>
    violation('ended_task_has_no_open_hold', `hold ${id}`, `Task ${task} has ended, and its hold ${id} is still open.`),
  );
}

/** Due long ago and claimed by nobody, or claimed by a process that died: a claim is a time that passes. */
async function forgottenTasks({ db }: Database, now: number): Promise<Violation[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'state'])
    .where('due_at', '<', now - TASK_MS)
    .orderBy('due_at')
    .limit(MOST_TOLD)
    .execute();
  return rows.map(({ id, state }) =>
    violation(
      'open_task_is_looked_after',
      `task ${id}`,
      `Task ${id} is ${state} and was due more than ${TASK_MS / MINUTE_MS} minutes ago.`,
    ),
  );
}

async function unsettledLeases(database: Database, now: number): Promise<Violation[]> {
  const rows = await database.db
    .selectFrom('leases')
    .select(['id', 'process'])
    .where('closed_at', 'is', null)
    .where('expires_at', '<', sql<number>`${leaseTime(database, now)} - ${sql.lit(LEASE_MS)}`)
    .limit(MOST_TOLD)
    .execute();
  return rows.map(({ id }) =>
    violation(
      'lease_is_settled',
      `lease ${id}`,
      `Lease ${id} ran out more than ${LEASE_MS / MINUTE_MS} minutes ago and nobody has settled it.`,
    ),
  );
}

async function forgottenWebhooks({ db }: Database, now: number): Promise<Violation[]> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('due_at', '<', now - WEBHOOK_MS)
    .limit(MOST_TOLD)
    .execute();
  return rows.map(({ id }) =>
    violation(
      'webhook_is_looked_after',
      `delivery ${id}`,
      `Webhook delivery ${id} was due more than ${WEBHOOK_MS / MINUTE_MS} minutes ago.`,
    ),
  );
}

function violation(invariant: InvariantName, subject: string, message: string): Violation {
  return { invariant, subject, message };
}
