import type { RequestLogStore, RequestRow } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, forReports, forUpdateSkipLocked, journalTransaction, transaction } from './database.ts';
import { copyRequests, copyTags } from './migrations/requests.ts';
import { addContents, readContent, sweepContents } from './request-contents.ts';
import { callerOf, createNameCache, outcomeOf, sweepNames, type NameCache, type Names } from './request-names.ts';
import { EPOCH, firstPlace, payerOf, SLOTS, wantedPlace } from './request-places.ts';
import { insertRequests, labelsOf, toRequest, wholeRows } from './request-rows.ts';
import { addDropped, readDropped } from './dropped-parameters.ts';
import { promptCacheStore } from './prompt-caches.ts';
import { searchRequests } from './request-search.ts';
import { addTotals, readTotals, sweepTotals } from './request-totals.ts';
import type { Tables } from './tables.ts';

const ROWS_PER_WRITE = 1_000;

export function requestLogStore(database: Database): RequestLogStore {
  let names: NameCache | undefined;
  return {
    add: async (rows) => {
      for (let at = 0; at < rows.length; at += ROWS_PER_WRITE)
        await write(database, rows.slice(at, at + ROWS_PER_WRITE), (names ??= createNameCache()));
    },
    charge: async ({ at, id }, units) => {
      const first = firstPlace(at);
      const { numAffectedRows = 0n } = await sql`update request_log set charged = charged + ${units}
        where place >= ${first} and place < ${first + SLOTS} and id = ${id}`.execute(database.db);
      return numAffectedRows > 0n;
    },
    get: async ({ at, id }) => {
      const first = firstPlace(at);
      const place = sql`select place from request_log where place >= ${first} and place < ${first + SLOTS} and id = ${id}`;
      const { rows } = await wholeRows(place).execute(database.db);
      return rows[0] === undefined ? undefined : toRequest(rows[0]);
    },
    list: (filter) => searchRequests(forReports(database), filter),
    addContents: (contents) => addContents(database, contents),
    content: (place) => readContent(database, place),
    sweepContents: (before, limit) => sweepContents(database, before, limit),
    addTotals: (totals) => journalTransaction(database, (tx) => addTotals(tx, totals)),
    totals: (of, from, to) => readTotals(forReports(database), of, { from, to }),
    sweep: async (before, limit) => {
      await takeOver(database);
      const swept = await transaction(database, (tx) => sweepRows(tx, before, limit));
      if (swept < limit) await sweepNames(database, before);
      return swept;
    },
    sweepTotals: (size, before) => sweepTotals(database, size, before),
    ...promptCacheStore(database),
    addDropped: (counts) => journalTransaction(database, (tx) => addDropped(tx, counts)),
    dropped: (filter) => readDropped(forReports(database), filter),
    sweepDays: async (before) => {
      for (const table of ['dropped_parameters', 'cache_days'] as const)
        await database.db.deleteFrom(table).where('day', '<', before).execute();
    },
  };
}

async function write(database: Database, rows: readonly RequestRow[], book: NameCache): Promise<void> {
  const names = await book.of(database, rows);
  await journalTransaction(database, async (tx) => {
    const moved = await insertRequests(tx, rows, names);
    const tags = tagsOf(rows, names, moved);
    if (tags.length > 0)
      await tx.db
        .insertInto('request_log_tags')
        .values(tags)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
}

function tagsOf(
  rows: readonly RequestRow[],
  names: Names,
  moved: ReadonlyMap<string, number>,
): Tables['request_log_tags'][] {
  const all: Tables['request_log_tags'][] = [];
  for (const [index, row] of rows.entries()) {
    const labels = labelsOf(row);
    if (labels.length === 0) continue;
    const place = moved.get(row.id) ?? wantedPlace(row.at, row.id);
    const own = { place, payer: payerOf(row), caller: callerOf(names, index), outcome: outcomeOf(names, index, row) };
    for (const tag of labels) all.push({ tag, ...own });
  }
  return all;
}

async function sweepRows(tx: Database, before: number, limit: number): Promise<number> {
  const over = tx.db
    .selectFrom('request_log')
    .select('place')
    .where('place', '<', firstPlace(before))
    .orderBy('place')
    .limit(limit);
  const places = (await forUpdateSkipLocked(tx, over).execute()).map(({ place }) => place);
  const last = places.at(-1);
  if (last === undefined) return 0;
  // On PostgreSQL another replica may have some of them: only what is locked here goes.
  await tx.db.deleteFrom('request_log').where('place', 'in', places).execute();
  await tx.db.deleteFrom('request_log_tags').where('place', '<=', last).execute();
  return places.length;
}

/** Replicas of the version before write to the tables of theirs: their rows are moved, each to a place by chance. What finds its own taken waits for the next time. */
async function takeOver(database: Database): Promise<void> {
  const { rows } = await sql`select 1 from requests limit 1`.execute(database.db);
  if (rows.length === 0) return;
  const isServer = database.kind === 'postgres';
  const slot = isServer ? 'floor(random() * 4096)::bigint' : 'abs(random() % 4096)';
  await transaction(database, async ({ db }) => {
    await copyRequests(db, { isServer, slot });
    await copyTags(db);
    for (const table of ['request_tags', 'requests']) {
      const at = sql.ref(`${table}.at`);
      await sql`delete from ${sql.table(table)} where exists (select 1 from request_log where request_log.id = ${sql.ref(`${table}.id`)}
        and request_log.place >= (${at} - ${sql.lit(EPOCH)}) * ${sql.lit(SLOTS)}
        and request_log.place < (${at} + 1 - ${sql.lit(EPOCH)}) * ${sql.lit(SLOTS)})`.execute(db);
    }
  });
}
