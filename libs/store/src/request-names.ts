/** What many requests have in common is kept once: who asked, and what came of it. A process remembers the numbers of those that it has met. */
import type { RequestRow } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import { type Database, journalTransaction } from './database.ts';
import { payerOf } from './request-places.ts';

const DAY_MS = 86_400_000;
/** Callers and outcomes that a process remembers: some 10 MB where each has nothing in common with others. */
const MOST_REMEMBERED = 5_000;
const TOGETHER = 200;
const USUAL_KIND = 'chat';
const FIRST_FAILURE = 400;

/** A caller or an outcome as the database numbers it. */
export interface Known {
  /** 0: not in the database yet. */
  id: number;
  /** The database knows that it was met then; it is told again a day later. */
  seenAt: number;
}

/** Who asked and what came of it, row by row. */
export interface Names {
  readonly callers: readonly Known[];
  readonly outcomes: readonly Known[];
}

export interface NameCache {
  /** The numbers of what rows have in common; those that are new are written first, in a transaction of their own. */
  of(database: Database, rows: readonly RequestRow[]): Promise<Names>;
}

/** The number of a row's caller. */
export function callerOf({ callers }: Names, index: number): number {
  return callers[index]?.id ?? 0;
}

/** The number of a row's outcome as rows have it. */
export function outcomeOf({ outcomes }: Names, index: number, row: RequestRow): number {
  const id = outcomes[index]?.id ?? 0;
  return row.kind === USUAL_KIND && row.status < FIRST_FAILURE ? -id : id;
}

interface Branch {
  below: Map<unknown, Branch> | undefined;
  known: Known | undefined;
}

interface Fact {
  readonly keysOf: (row: RequestRow) => readonly unknown[];
  readonly table: 'request_callers' | 'request_outcomes';
  readonly valuesOf: (row: RequestRow) => Readonly<Record<string, string | number | null>>;
  readonly nameOf: (row: RequestRow) => string;
}

export function createNameCache(): NameCache {
  let roots = [newBranch(), newBranch()];
  let remembered = 0;

  const knownOf = (root: Branch, keys: readonly unknown[]): Known => {
    let branch = root;
    for (const key of keys) {
      branch.below ??= new Map();
      let next = branch.below.get(key);
      if (next === undefined) branch.below.set(key, (next = newBranch()));
      branch = next;
    }
    if (branch.known === undefined) {
      remembered++;
      branch.known = { id: 0, seenAt: -Infinity };
    }
    return branch.known;
  };
  const namesOf = async (
    database: Database,
    rows: readonly RequestRow[],
    { fact, root }: { readonly fact: Fact; readonly root: Branch },
  ): Promise<readonly Known[]> => {
    const told = new Map<Known, RequestRow>();
    const all = rows.map((row) => {
      const known = knownOf(root, fact.keysOf(row));
      if (row.at >= known.seenAt + DAY_MS && row.at > (told.get(known)?.at ?? -Infinity)) told.set(known, row);
      return known;
    });
    if (told.size > 0) await learn(database, fact, told);
    return all;
  };

  return {
    async of(database, rows) {
      if (remembered > MOST_REMEMBERED) {
        roots = [newBranch(), newBranch()];
        remembered = 0;
      }
      const [callers, outcomes] = roots as [Branch, Branch];
      return {
        callers: await namesOf(database, rows, { fact: CALLERS, root: callers }),
        outcomes: await namesOf(database, rows, { fact: OUTCOMES, root: outcomes }),
      };
    },
  };
}

function newBranch(): Branch {
  return { below: undefined, known: undefined };
}

/** In one order everywhere, so that two replicas never wait for each other in a ring. */
async function learn(database: Database, fact: Fact, told: ReadonlyMap<Known, RequestRow>): Promise<void> {
  const named = [...told].map(([known, row]) => ({ known, row, name: fact.nameOf(row) }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const ids = new Map<string, number>();
  await journalTransaction(database, async (tx) => {
    for (let at = 0; at < named.length; at += TOGETHER)
      for (const { id, name } of await tell(tx, fact, named.slice(at, at + TOGETHER))) ids.set(name, id);
  });
  for (const { known, row, name } of named) {
    known.id = ids.get(name) ?? 0;
    known.seenAt = row.at;
  }
}

async function tell(
  tx: Database,
  { table, valuesOf }: Fact,
  named: readonly { readonly row: RequestRow; readonly name: string }[],
): Promise<readonly { readonly id: number; readonly name: string }[]> {
  const rows = named.map(({ row, name }) => ({ name, seen_at: row.at, ...valuesOf(row) }));
  const columns = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const seen = sql.ref(`${table}.seen_at`);
  const { rows: found } = await sql<{ id: number; name: string }>`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}
    on conflict (name) do update set seen_at = case when excluded.seen_at > ${seen} then excluded.seen_at else ${seen} end
    returning id, name`.execute(tx.db);
  return found;
}

/** What no row of the log has any more: all of them are older than this. */
export async function sweepNames({ db }: Database, before: number): Promise<void> {
  for (const table of ['request_callers', 'request_outcomes'] as const)
    await db
      .deleteFrom(table)
      .where('seen_at', '<', before - DAY_MS)
      .execute();
}

const CALLERS: Fact = {
  table: 'request_callers',
  keysOf: ({ keyId, ownerId, mode, client }) => [keyId, client, ownerId, mode],
  nameOf: ({ keyId, ownerId, mode, client }) => joined([keyId, ownerId, mode, client]),
  valuesOf: (row) => ({ payer: payerOf(row), key_id: row.keyId, client: row.client ?? null }),
};

const OUTCOMES: Fact = {
  table: 'request_outcomes',
  // What differs most comes first, and what are few numbers is one: it is looked up for every row.
  keysOf: (row) => [
    row.model,
    row.status * 8 + (row.mode === 'test' ? 4 : 0) + (row.aborted ? 2 : 0) + (row.streamed ? 1 : 0),
    row.accountId,
    row.upstreamModel,
    row.operation,
    row.attempts,
    row.error,
    row.kind,
    row.vendor,
    row.route,
  ],
  nameOf: (row) =>
    joined([
      ...[row.mode, row.operation, row.kind, row.model, row.status, row.error, Number(row.aborted)],
      ...[Number(row.streamed), row.accountId, row.vendor, row.upstreamModel, row.route, row.attempts],
    ]),
  valuesOf: (row) => ({
    mode: row.mode,
    operation: row.operation,
    kind: row.kind ?? null,
    model: row.model ?? null,
    status: row.status,
    error: row.error ?? null,
    aborted: Number(row.aborted),
    streamed: Number(row.streamed),
    account_id: row.accountId ?? null,
    vendor: row.vendor ?? null,
    upstream_model: row.upstreamModel ?? null,
    route: row.route ?? null,
    attempts: row.attempts,
  }),
};

/** As the migration makes them: what is absent is a character that no text of the log has. */
function joined(values: readonly (string | number | undefined)[]): string {
  return values.map((value) => value ?? '\u0002').join('\u0001');
}

/** The same in SQL. Most requests are chat and go well: their outcomes are negative in rows, and SQLite has no index of them. */
export const OUTCOME_NUMBER: RawBuilder<number> = sql`case when kind = ${sql.lit(USUAL_KIND)} and status < ${sql.lit(FIRST_FAILURE)} then -id else id end`;
