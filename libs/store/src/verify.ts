import { windowStart, type LedgerDifference, type VerifyOptions } from '@model-gateway/core';
import { sql } from 'kysely';
import { type Database, inSnapshot } from './database.ts';
import type { WindowKind } from './tables.ts';
import { verifyScopes } from './verify-scopes.ts';

const DAY_MS = 86_400_000;

/** Parts of a verification: what it is, and how it is looked at. */
const PARTS = [verifyBalances, verifyHolds, verifyLeases, verifyWindows, verifyScopes, verifyTasks];
/** Keys whose days are added up at once. */
const KEYS = 50;

/**
 * Recomputes what is kept beside the entries, part by part, each in a snapshot of the database: a subject is looked at as it is at one moment. On
 * SQLite in a thread of its own, which ends when `signal` says so; then it rejects.
 */
export async function verifyLedger(
  database: Database,
  { signal, tell }: VerifyOptions = {},
): Promise<readonly LedgerDifference[]> {
  signal?.throwIfAborted();
  const reader = database.openReader?.();
  const stop = (): void => void reader?.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const found: LedgerDifference[] = [];
    const from: Database = reader === undefined ? database : { ...database, db: reader };
    for (const [at, part] of PARTS.entries()) {
      found.push(...(await part(from, signal)));
      signal?.throwIfAborted();
      tell?.((at + 1) / PARTS.length);
    }
    return found;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await reader?.destroy();
  }
}

async function verifyBalances({ db }: Database): Promise<LedgerDifference[]> {
  const rows = await db
    .selectFrom('owners')
    .leftJoin('ledger_entries', 'ledger_entries.owner_id', 'owners.id')
    .select(['owners.id', 'owners.balance', sql<number>`coalesce(sum(ledger_entries.amount), 0)`.as('sum')])
    .groupBy(['owners.id', 'owners.balance'])
    .having(sql<boolean>`owners.balance <> coalesce(sum(ledger_entries.amount), 0)`)
    .orderBy('owners.id')
    .execute();
  return rows.map((row) => ({
    subject: `owner ${row.id}`,
    expected: row.sum,
    found: row.balance,
    message: `The balance of owner ${row.id} is not the sum of its entries.`,
  }));
}

/** Closing entries against their holds: a capture gives back what it does not charge, a release gives back everything. */
async function verifyHolds({ db }: Database): Promise<LedgerDifference[]> {
  const rows = await db
    .selectFrom('ledger_entries as closing')
    .innerJoin('ledger_entries as hold', 'hold.id', 'closing.hold_id')
    .leftJoin('leases', 'leases.id', 'hold.id')
    .select(['hold.id', 'closing.amount', sql<number>`-hold.amount - closing.charged`.as('expected')])
    .where('closing.closes', '=', sql.lit(1))
    .where('leases.id', 'is', null)
    .where(sql<boolean>`closing.amount <> -hold.amount - closing.charged`)
    .orderBy('hold.id')
    .execute();
  const twice = await db
    .selectFrom('ledger_entries')
    .select(['hold_id', sql<number>`count(*)`.as('count')])
    .where('closes', '=', sql.lit(1))
    .groupBy('hold_id')
    .having(sql<boolean>`count(*) > 1`)
    .execute();
  return [
    ...rows.map((row) => ({
      subject: `hold ${row.id}`,
      expected: row.expected,
      found: row.amount,
      message: `What was given back when hold ${row.id} was closed is not what it held less what was charged.`,
    })),
    ...twice.map((row) => ({
      subject: `hold ${row.hold_id ?? 0}`,
      expected: 1,
      found: row.count,
      message: `Hold ${row.hold_id ?? 0} was closed more than once.`,
    })),
  ];
}

/** Of a charge drawn from a lease, `charged + amount` came from the lease; the rest (after the lease was gone) from the balance. */
async function verifyLeases({ db }: Database): Promise<LedgerDifference[]> {
  const drawn = sql<number>`coalesce(draw.drawn, 0)`;
  const rows = await db
    .selectFrom('leases')
    // Added up in one pass: no index leads from a lease to what was drawn from it.
    .leftJoin(
      db
        .selectFrom('ledger_entries')
        .select(['hold_id', sql<number>`sum(charged + amount)`.as('drawn')])
        .where('closes', '=', sql.lit(0))
        .where('hold_id', 'is not', null)
        .groupBy('hold_id')
        .as('draw'),
      (join) => join.onRef('draw.hold_id', '=', 'leases.id'),
    )
    .leftJoin('ledger_entries as closing', (join) =>
      join.onRef('closing.hold_id', '=', 'leases.id').on('closing.closes', '=', sql.lit(1)),
    )
    .select([
      'leases.id',
      'leases.amount',
      'leases.spent',
      'leases.closed_at',
      'closing.amount as returned',
      drawn.as('drawn'),
    ])
    .where(
      sql<boolean>`${drawn} <> leases.spent or (leases.closed_at is null and closing.amount is not null)
        or (leases.closed_at is not null and (closing.amount is null or closing.amount <> leases.amount - ${drawn}))`,
    )
    .orderBy('leases.id')
    .execute();
  return rows.flatMap((row) => {
    const subject = `lease ${row.id}`;
    const differences: LedgerDifference[] = [];
    if (row.drawn !== row.spent) {
      const message = `What lease ${row.id} says was spent is not the sum of the charges drawn from it.`;
      differences.push({ subject, expected: row.drawn, found: row.spent, message });
    }
    const returned = row.closed_at === null ? null : row.amount - row.drawn;
    if (returned !== row.returned) {
      const message = `What lease ${row.id} gave back is not what its charges left.`;
      differences.push({ subject, expected: returned ?? 0, found: row.returned ?? 0, message });
    }
    return differences;
  });
}

/** By keys, some at a time. */
async function verifyWindows(database: Database, signal?: AbortSignal): Promise<LedgerDifference[]> {
  const found: LedgerDifference[] = [];
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const keys = await keysAfter(database, after);
    const last = keys.at(-1);
    if (last === undefined) return found;
    const [from, to] = [keys[0] ?? last, last];
    found.push(...(await inSnapshot(database, (tx) => windowsOf(tx, from, to))));
    signal?.throwIfAborted();
    after = last;
  }
}

/** Those that have entries or windows, a page of them. */
async function keysAfter({ db }: Database, after: number): Promise<number[]> {
  const rows = await db
    .selectFrom('key_windows')
    .select('key_id as id')
    .where('key_id', '>', after)
    .union(db.selectFrom('keys').select('id').where('id', '>', after))
    .orderBy('id')
    .limit(KEYS)
    .execute();
  return rows.map(({ id }) => id);
}

/** A hold, what closes it and a lease count in the windows of the hold's time; a direct charge in those of its own. */
async function windowsOf(db: Database['db'], from: number, to: number): Promise<LedgerDifference[]> {
  const time = sql<number>`coalesce(root.created_at, entry.created_at)`;
  const day = sql<number>`${time} - ${time} % ${sql.lit(DAY_MS)}`;
  const days = await db
    .selectFrom('ledger_entries as entry')
    .leftJoin('ledger_entries as root', (join) =>
      join.onRef('root.id', '=', 'entry.hold_id').on('entry.closes', '=', sql.lit(1)),
    )
    .select(['entry.key_id', day.as('day'), sql<number>`sum(-entry.amount)`.as('used')])
    .where('entry.key_id', 'is not', null)
    .where('entry.key_id', '>=', from)
    .where('entry.key_id', '<=', to)
    .groupBy(['entry.key_id', day])
    .execute();
  const expected = new Map<string, number>();
  for (const row of days) {
    for (const kind of ['day', 'month', 'total'] as const) {
      const name = windowName(row.key_id ?? 0, kind, windowStart(kind, row.day));
      expected.set(name, (expected.get(name) ?? 0) + row.used);
    }
  }
  const found = new Map<string, number>();
  const windows = db.selectFrom('key_windows').selectAll().where('key_id', '>=', from).where('key_id', '<=', to);
  for (const row of await windows.execute()) {
    found.set(windowName(row.key_id, row.kind, row.start), row.used);
  }
  return [...new Set([...expected.keys(), ...found.keys()])]
    .filter((name) => (expected.get(name) ?? 0) !== (found.get(name) ?? 0))
    .map((name) => ({
      subject: name,
      expected: expected.get(name) ?? 0,
      found: found.get(name) ?? 0,
      message: `What the ${name} is said to have used is not what its entries come to.`,
    }));
}

function windowName(keyId: number, kind: WindowKind, start: number): string {
  return kind === 'total'
    ? `total of key ${keyId}`
    : `${kind} ${new Date(start).toISOString().slice(0, 10)} of key ${keyId}`;
}

/** A task that has ended keeps no money set aside. */
async function verifyTasks({ db }: Database): Promise<LedgerDifference[]> {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('ledger_entries as hold', 'hold.id', 'tasks.hold_id')
    .leftJoin('ledger_entries as closing', (join) =>
      join.onRef('closing.hold_id', '=', 'hold.id').on('closing.closes', '=', sql.lit(1)),
    )
    .select(['tasks.id', 'hold.id as hold', sql<number>`-hold.amount`.as('held')])
    .where('tasks.state', 'in', ['SUCCESS', 'FAILURE'])
    .where('closing.id', 'is', null)
    .orderBy('tasks.number')
    .execute();
  return rows.map((row) => ({
    subject: `task ${row.id}`,
    expected: 0,
    found: row.held,
    message: `Task ${row.id} has ended, but its hold ${row.hold} is still open.`,
  }));
}
