import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  StreamBatch,
  StreamLife,
  StreamLog,
  StreamLogBounds,
  StreamLogReading,
  StreamLogState,
  StreamLogStore,
  StreamUpdate,
  Tenant,
} from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import { type Database, journalTransaction, leaseTime } from './database.ts';

/** Databases take so many parameters at least; a row here has four. */
const ROWS_AT_ONCE = 500;
const LOGS_REMOVED_AT_ONCE = 50;
const BATCHES_READ_AT_ONCE = 64;
const BYTES_READ_AT_ONCE = 1024 * 1024;

export function streamLogStore(database: Database): StreamLogStore {
  return {
    open: async (log, bounds, life, now) => journalTransaction(database, (tx) => open(tx, log, bounds, life, now)),
    append: async (updates, life, now) => {
      for (let from = 0; from < updates.length; from += ROWS_AT_ONCE)
        await journalTransaction(database, (tx) => append(tx, updates.slice(from, from + ROWS_AT_ONCE), life, now));
    },
    read: async (id, tenant, after, now) => read(database, id, tenant, after, now),
    remove: async (id) => {
      await database.db.deleteFrom('stream_logs').where('id', '=', id).execute();
    },
    loseAll: async () => {
      await database.db.updateTable('stream_logs').set({ state: 'lost' }).where('state', '=', 'open').execute();
    },
    sweep: async (now, limit) => {
      const over = database.db.selectFrom('stream_logs').select('id').where('expires_at', '<=', now).limit(limit);
      const { numDeletedRows } = await database.db.deleteFrom('stream_logs').where('id', 'in', over).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

async function open(
  tx: Database,
  log: StreamLog,
  bounds: StreamLogBounds,
  life: StreamLife,
  now: number,
): Promise<boolean> {
  await lockTenant(tx, log);
  if (bounds.bytes !== undefined) await makeRoom(tx, log, bounds.bytes, now);
  const { id, ownerId, mode, format } = log;
  // The logs that are open have an index of their own, and the literal is what finds it.
  const opened = await sql`insert into stream_logs
      (id, owner_id, mode, format, state, alive_until, created_at, expires_at, events, size)
    select ${id}, cast(${ownerId} as bigint), ${mode}, ${format}, 'open', ${leaseEnd(tx, life, now)},
      cast(${now} as bigint), cast(${now + life.keptMs} as bigint), 0, 0
    where (select count(*) from stream_logs where owner_id = cast(${ownerId} as bigint) and mode = ${mode}
      and state = 'open' and alive_until > ${leaseTime(tx, now)}) < cast(${bounds.running} as bigint)`.execute(tx.db);
  return opened.numAffectedRows === 1n;
}

/** Removes logs that run no more, the oldest first, until no more than `bytes` of this tenant are left. */
async function makeRoom(tx: Database, tenant: Tenant, bytes: number, now: number): Promise<void> {
  const { size } = await logsOf(tx, tenant)
    .select(({ fn }) => fn.sum<number | null>('size').as('size'))
    .executeTakeFirstOrThrow();
  for (let left = size ?? 0; left > bytes;) {
    const oldest = await logsOf(tx, tenant)
      .select(['id', 'size'])
      .where(isRunning(tx, now), '=', 0)
      .orderBy('created_at')
      .limit(LOGS_REMOVED_AT_ONCE)
      .execute();
    const over: string[] = [];
    for (const each of oldest) {
      if (left <= bytes) break;
      over.push(each.id);
      left -= each.size;
    }
    if (over.length === 0) return;
    await tx.db.deleteFrom('stream_logs').where('id', 'in', over).execute();
  }
}

function logsOf({ db }: Database, { ownerId, mode }: Tenant) {
  return db.selectFrom('stream_logs').where('owner_id', '=', ownerId).where('mode', '=', mode);
}

/** SQLite's transactions are alone anyway. */
async function lockTenant({ kind, db }: Database, { ownerId, mode }: Tenant): Promise<void> {
  if (kind === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtextextended(${`stream_logs ${ownerId} ${mode}`}, 0))`.execute(db);
}

function isRunning(database: Database, now: number): RawBuilder<number> {
  return sql<number>`case when state = 'open' and alive_until > ${leaseTime(database, now)} then 1 else 0 end`;
}

function leaseEnd(database: Database, { aliveMs }: StreamLife, now: number): RawBuilder<number> {
  return sql<number>`${leaseTime(database, now)} + cast(${aliveMs} as bigint)`;
}

async function append(tx: Database, updates: readonly StreamUpdate[], life: StreamLife, now: number): Promise<void> {
  const rows = updates.flatMap(({ id, row }) =>
    row === undefined ? [] : [sql`(${id}, ${row.state}, cast(${row.events} as bigint), cast(${row.size} as bigint))`],
  );
  if (rows.length > 0)
    await sql`update stream_logs set state = given.column2, events = given.column3,
      size = given.column4, alive_until = ${leaseEnd(tx, life, now)}, expires_at = cast(${now + life.keptMs} as bigint)
      from (values ${sql.join(rows)}) as given where stream_logs.id = given.column1`.execute(tx.db);
  const batches = updates.flatMap(({ id, batch }) => (batch === undefined ? [] : [{ id, ...batch }]));
  if (batches.length === 0) return;
  if (tx.sqlite === undefined) await insertInOneStatement(tx, batches);
  else insertPrepared(tx.sqlite, batches);
}

interface BatchOfLog extends StreamBatch {
  readonly id: string;
}

async function insertInOneStatement({ db }: Database, batches: readonly BatchOfLog[]): Promise<void> {
  const rows = batches.map(
    ({ id, first, last, bytes }) => sql`(${id}, cast(${first} as bigint), cast(${last} as bigint), ${bytes}::bytea)`,
  );
  await sql`insert into stream_batches (${BATCH_COLUMNS}) select given.* from (values ${sql.join(rows)}) as given
    where exists (select 1 from stream_logs where id = given.column1) on conflict do nothing`.execute(db);
}

const BATCH_COLUMNS = sql.raw('stream_id, first_event, last_event, bytes');
const prepared = new WeakMap<DatabaseSync, StatementSync>();

/** In one process a statement that is prepared once costs least, however many rows there are. */
function insertPrepared(sqlite: DatabaseSync, batches: readonly BatchOfLog[]): void {
  let insert = prepared.get(sqlite);
  if (insert === undefined) {
    insert = sqlite.prepare(`insert into stream_batches (stream_id, first_event, last_event, bytes)
      select ?1, ?2, ?3, ?4 where exists (select 1 from stream_logs where id = ?1) on conflict do nothing`);
    prepared.set(sqlite, insert);
  }
  for (const { id, first, last, bytes } of batches) insert.run(id, BigInt(first), BigInt(last), bytes);
}

async function read(
  database: Database,
  id: string,
  { ownerId, mode }: Tenant,
  after: number,
  now: number,
): Promise<StreamLogReading | undefined> {
  // First the log: what it says of its end is then true of the batches that are read behind it.
  const log = await database.db
    .selectFrom('stream_logs')
    .select(['format', 'state', lastEvent.as('events'), isRunning(database, now).as('is_running')])
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('mode', '=', mode)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (log === undefined) return undefined;
  const state: StreamLogState = log.state === 'open' && log.is_running === 0 ? 'lost' : log.state;
  const batches = after >= log.events ? [] : await batchesOf(database, id, after);
  return { id, ownerId, mode, format: log.format, state, events: log.events, batches };
}

/** The row is behind its batches while the log is open. */
const lastEvent = sql<number>`coalesce((select last_event from stream_batches where stream_id = stream_logs.id
  order by first_event desc limit 1), 0)`;

async function batchesOf({ db }: Database, id: string, after: number): Promise<readonly StreamBatch[]> {
  const rows = await db
    .selectFrom('stream_batches')
    .select(['first_event', 'last_event', 'bytes'])
    .where('stream_id', '=', id)
    .where('last_event', '>', after)
    .orderBy('first_event')
    .limit(BATCHES_READ_AT_ONCE)
    .execute();
  let size = 0;
  const few = rows.filter(({ bytes }, index) => (size += bytes.length) <= BYTES_READ_AT_ONCE || index === 0);
  return few.map(({ first_event, last_event, bytes }) => ({ first: first_event, last: last_event, bytes }));
}
