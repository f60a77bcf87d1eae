/** What an owner had at a moment, and what changed it. */
import { GatewayError, isJsonObject } from '@model-gateway/contracts';
import type {
  EntryKind,
  Movement,
  MovementPage,
  StatementAccount,
  StatementFilter,
  StatementGroup,
} from '@model-gateway/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { parse, present } from './rows.ts';
import { groupOf, IDENTITY_MEMBERS, saidOf } from './usage.ts';

const DAY_MS = 86_400_000;
/** They are held in memory. */
const MOST_DAILY = 50_000;
const USUAL_GROUPS = ['model'] as const;

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

/** Top-ups and corrections one by one, the rest by day and group. */
async function readDaily(database: Database, filter: StatementFilter, upTo: number): Promise<Movement[]> {
  const { ownerId, from, to, holds, groupBy = USUAL_GROUPS, tag, mostDaily = MOST_DAILY } = filter;
  const names = [...new Set(groupBy)];
  const own = database.db
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
  let query = own
    .select([
      groupOf(database, 'day').as('at'),
      'kind',
      ...names.map((name) => groupOf(database, name, tag).as(`by_${name}`)),
      sql<number>`count(*)`.as('count'),
      sql<number>`sum(input_tokens)`.as('inputTokens'),
      sql<number>`sum(output_tokens)`.as('outputTokens'),
      sql<number>`sum(${BOOKED})`.as('booked'),
      sql<number>`sum(${RESERVED})`.as('reserved'),
    ])
    .where('kind', 'in', holds ? ['capture', ...HOLDS] : ['capture'])
    .limit(mostDaily + 1);
  // By their places: of a tag's expression PostgreSQL could not tell that it is the same one.
  for (let place = 1; place <= names.length + 2; place++)
    query = query.groupBy(sql`${sql.lit(place)}`).orderBy(sql`${sql.lit(place)}`);
  const together: readonly DailyRow[] = await query.execute();
  if (together.length > mostDaily) throw tooManyLines(mostDaily);
  const daily = together.map((row) => toDaily(row, names));
  // Both are in the order of their days; within a day money comes before what it pays for.
  const dayOf = ({ at }: Movement): number => at - (at % DAY_MS);
  return [...single.map(toMovement), ...daily].sort((a, b) => dayOf(a) - dayOf(b));
}

type DailyRow = Pick<MovementRow, 'kind' | 'booked' | 'reserved'> & {
  readonly at: number | string;
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
} & { readonly [By in `by_${StatementGroup}`]?: string | number };

function toDaily(row: DailyRow, names: readonly StatementGroup[]): Movement {
  const { kind, count, inputTokens, outputTokens, booked, reserved } = row;
  const groups = names.flatMap((name): [string, string | number][] => {
    const value = row[`by_${name}`] ?? '';
    return value === '' || value === 0 ? [] : [[name === 'key' ? 'keyId' : name, value]];
  });
  return {
    ...{ kind, at: Number(row.at), count, inputTokens, outputTokens, booked, reserved },
    ...Object.fromEntries(groups),
  };
}

function tooManyLines(most: number): GatewayError {
  return new GatewayError(
    'invalid_request',
    `it has more than ${most.toLocaleString('en-US')} lines by day in this split: choose a shorter period, another split, or a line for each charge (detail=requests, --requests of the command), which has no limit`,
    { param: 'group_by' },
  );
}

const COLUMNS = [
  'id',
  'kind',
  'created_at',
  'model',
  'key_id',
  'endpoint',
  'request_id',
  'task_id',
  'input_tokens',
  'output_tokens',
  BOOKED.as('booked'),
  RESERVED.as('reserved'),
  // The bills of charges are long, and have no note.
  sql<string | null>`(case when kind in ('topup', 'adjust') then detail end)`.as('detail'),
] as const;

/** A page of entries, in the order of the ledger. */
export async function readMovements(
  database: Database,
  { ownerId, from, to, holds, tag, upTo, after, limit }: MovementPage,
): Promise<readonly Movement[]> {
  let query = database.db
    .selectFrom('ledger_entries')
    .select([
      ...COLUMNS,
      ...(['project', ...IDENTITY_MEMBERS] as const).map((name) => saidOf(database, name).as(name)),
      ...(tag === undefined ? [] : [saidOf(database, 'tag', tag).as('tag')]),
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
  readonly endpoint: string | null;
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
  readonly tag?: string;
}

function toMovement(row: MovementRow): Movement {
  const detail: unknown = row.detail === null ? undefined : parse(row.detail);
  const note = isJsonObject(detail) ? detail['note'] : undefined;
  return {
    ...{ kind: row.kind, at: row.created_at, count: 1, entryId: row.id },
    ...{ inputTokens: row.input_tokens, outputTokens: row.output_tokens },
    ...{ booked: row.booked, reserved: row.reserved },
    ...present({ model: row.model, keyId: row.key_id, endpoint: row.endpoint }),
    ...present({ requestId: row.request_id, taskId: row.task_id }),
    ...(typeof note === 'string' && { note }),
    ...Object.fromEntries(
      (['project', ...IDENTITY_MEMBERS, 'tag'] as const).flatMap((name) => {
        const value = row[name] ?? '';
        return value === '' ? [] : [[name, value]];
      }),
    ),
  };
}
