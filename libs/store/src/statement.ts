/** What an owner had at a moment, and what changed it. */
import { isJsonObject } from '@model-gateway/contracts';
import type {
  EntryKind,
  Movement,
  MovementPage,
  RequestIdentity,
  StatementAccount,
  StatementFilter,
} from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { parse, present } from './rows.ts';
import { identityOf, tagOf } from './usage.ts';

const DAY_MS = 86_400_000;

const BOOKED = sql<number>`(case kind when 'capture' then -charged when 'topup' then amount when 'adjust' then amount else 0 end)`;
/** What an entry does to the balance beyond what it books, it does to what is set aside. */
const RESERVED = sql<number>`(${BOOKED} - amount)`;
const HOLDS = ['hold', 'release'] as const;

/**
 * Reads all of it as of one moment, however many entries come meanwhile: PostgreSQL in one transaction. SQLite gives ids out in the order of time, and
 * entries stay as they are: nothing beyond the last one is read, and nobody who writes waits.
 */
export async function readStatement(database: Database, filter: StatementFilter): Promise<StatementAccount> {
  const { db, kind } = database;
  const read = async (tx: Database): Promise<StatementAccount> => {
    const before = await readBefore(tx, filter);
    return { ...before, movements: filter.daily ? await readDaily(tx, filter, before.upTo) : undefined };
  };
  if (db.isTransaction || kind !== 'postgres') return read(database);
  const moment = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return moment.execute(async (tx) => read({ ...database, db: tx }));
}

async function readBefore({ db }: Database, { ownerId, from, to }: StatementFilter) {
  const before = sql.lit(from);
  const last = await db
    .selectFrom('ledger_entries')
    .select(sql<number | null>`max(id)`.as('id'))
    .executeTakeFirstOrThrow();
  const upTo = last.id ?? 0;
  const sums = await db
    .selectFrom('ledger_entries')
    .select([
      sql<number>`coalesce(sum(case when created_at < ${before} then ${BOOKED} else 0 end), 0)`.as('booked'),
      sql<number>`coalesce(sum(case when created_at < ${before} then ${RESERVED} else 0 end), 0)`.as('reserved'),
      sql<number>`coalesce(sum(${RESERVED}), 0)`.as('reservedAtEnd'),
    ])
    .where('owner_id', '=', ownerId)
    .where('id', '<=', upTo)
    .where('created_at', '<', to)
    .executeTakeFirstOrThrow();
  return { ...sums, upTo };
}

/** Top-ups and corrections one by one, the rest by day and model. */
async function readDaily(
  { db }: Database,
  { ownerId, from, to, holds }: StatementFilter,
  upTo: number,
): Promise<Movement[]> {
  const day = sql<number>`created_at - created_at % ${sql.lit(DAY_MS)}`;
  const own = db
    .selectFrom('ledger_entries')
    .where('owner_id', '=', ownerId)
    .where('id', '<=', upTo)
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
  const single = await own
    .select(COLUMNS)
    .where('kind', 'in', ['topup', 'adjust'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const together = await own
    .select([
      'kind',
      'model',
      day.as('at'),
      sql<number>`count(*)`.as('count'),
      sql<number>`sum(input_tokens)`.as('inputTokens'),
      sql<number>`sum(output_tokens)`.as('outputTokens'),
      sql<number>`sum(${BOOKED})`.as('booked'),
      sql<number>`sum(${RESERVED})`.as('reserved'),
    ])
    .where('kind', 'in', holds ? ['capture', ...HOLDS] : ['capture'])
    .groupBy([day, 'kind', 'model'])
    .orderBy(day)
    .orderBy('kind')
    .orderBy('model')
    .execute();
  const daily = together.map(({ model, ...sums }) => ({ ...sums, ...(model !== null && { model }) }));
  // Both are in the order of their days; within a day money comes before what it pays for.
  const dayOf = ({ at }: Movement): number => at - (at % DAY_MS);
  return [...single.map(toMovement), ...daily].sort((a, b) => dayOf(a) - dayOf(b));
}

const COLUMNS = [
  'id',
  'kind',
  'created_at',
  'model',
  'key_id',
  'request_id',
  'task_id',
  'input_tokens',
  'output_tokens',
  BOOKED.as('booked'),
  RESERVED.as('reserved'),
  // The bills of charges are long, and have no note.
  sql<string | null>`(case when kind in ('topup', 'adjust') then detail end)`.as('detail'),
] as const;

const MEMBERS = ['user', 'session', 'run'] as const satisfies readonly (keyof RequestIdentity)[];

/** A page of entries, in the order of the ledger. */
export async function readMovements(
  database: Database,
  { ownerId, from, to, holds, upTo, after, limit }: MovementPage,
): Promise<readonly Movement[]> {
  let query = database.db
    .selectFrom('ledger_entries')
    .select([
      ...COLUMNS,
      tagOf(database, 'project').as('project'),
      ...MEMBERS.map((member) => identityOf(database, member).as(member)),
    ])
    .where('owner_id', '=', ownerId)
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .orderBy('id')
    .limit(limit);
  if (!holds) query = query.where('kind', 'not in', HOLDS);
  return (await query.execute()).map(toMovement);
}

interface MovementRow {
  readonly id: number;
  readonly kind: EntryKind;
  readonly created_at: number;
  readonly model: string | null;
  readonly key_id: number | null;
  readonly request_id: string | null;
  readonly task_id: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly booked: number;
  readonly reserved: number;
  readonly detail: string | null;
  /** Empty where the entry says nothing of it. */
  readonly project?: string;
  readonly user?: string;
  readonly session?: string;
  readonly run?: string;
}

function toMovement(row: MovementRow): Movement {
  const detail: unknown = row.detail === null ? undefined : parse(row.detail);
  const note = isJsonObject(detail) ? detail['note'] : undefined;
  return {
    ...{ kind: row.kind, at: row.created_at, count: 1, entryId: row.id },
    ...{ inputTokens: row.input_tokens, outputTokens: row.output_tokens },
    ...{ booked: row.booked, reserved: row.reserved },
    ...present({ model: row.model, keyId: row.key_id, requestId: row.request_id, taskId: row.task_id }),
    ...(typeof note === 'string' && { note }),
    ...Object.fromEntries(
      (['project', ...MEMBERS] as const).flatMap((name) => {
        const value = row[name] ?? '';
        return value === '' ? [] : [[name, value]];
      }),
    ),
  };
}
