/** What is kept of caps that payers share, against the entries that count in them. */
import { windowStart, type LedgerDifference, type SpendWindow } from '@model-gateway/core';
import { type Selectable, sql } from 'kysely';
import { type Database, inSnapshot } from './database.ts';
import { scopesIn } from './scope-windows.ts';
import type { ScopeWindowRow } from './tables.ts';

const DAY_MS = 86_400_000;
/** Each run of an agent has a window: so many are held at a time, and the entries are read once for each time. */
const WINDOWS_AT_ONCE = 50_000;
const ENTRIES_AT_ONCE = 2_000;

type Window = Selectable<ScopeWindowRow>;

/** A window that is not there any more had not been used for long. Each page of windows is looked at as it is at one moment. */
export async function verifyScopes(
  database: Database,
  signal?: AbortSignal,
  atOnce = WINDOWS_AT_ONCE,
): Promise<LedgerDifference[]> {
  const found: LedgerDifference[] = [];
  for (let after: Window | undefined; ;) {
    const { windows, differences } = await inSnapshot(database, async (db) => {
      const page = await windowsAfter(db, after, atOnce);
      return { windows: page, differences: page.length === 0 ? [] : await differencesOf(db, page, signal) };
    });
    found.push(...differences);
    if (windows.length < atOnce) return found;
    after = windows.at(-1);
  }
}

function windowsAfter(db: Database['db'], after: Window | undefined, limit: number): Promise<Window[]> {
  let query = db.selectFrom('scope_windows').selectAll().orderBy('scope').orderBy('kind').orderBy('start').limit(limit);
  if (after !== undefined)
    query = query.where(sql<boolean>`(scope, kind, start) > (${after.scope}, ${after.kind}, ${after.start})`);
  return query.execute();
}

async function differencesOf(
  db: Database['db'],
  windows: readonly Window[],
  signal: AbortSignal | undefined,
): Promise<LedgerDifference[]> {
  const known = new Map(
    windows.map(({ scope, kind, start, used, since }) => [nameOf(scope, kind, start), { expected: 0, used, since }]),
  );
  const oldest = windows.reduce((found, { since }) => Math.min(found, since), Number.MAX_SAFE_INTEGER);
  for (let after = { created_at: oldest - DAY_MS, id: 0 }; ;) {
    const entries = await entriesAfter(db, after);
    for (const { scopes, created_at: at, used } of entries)
      for (const { scope, window } of scopesIn(scopes) ?? []) {
        const counted = known.get(nameOf(scope, window, windowStart(window, at)));
        // Of a scope that was removed and came again, what is older does not count.
        if (counted !== undefined && at >= counted.since - DAY_MS) counted.expected += used;
      }
    signal?.throwIfAborted();
    const last = entries.at(-1);
    if (last === undefined) break;
    after = last;
  }
  return [...known].flatMap(([subject, { expected, used }]) => {
    const message = `What the ${subject} is said to have used is not what its entries come to.`;
    return expected === used ? [] : [{ subject, expected, found: used, message }];
  });
}

/** Those that count in caps of several, with what each sets aside or has charged; oldest first. */
function entriesAfter(db: Database['db'], after: { readonly created_at: number; readonly id: number }) {
  return db
    .selectFrom('ledger_entries as root')
    .leftJoin('ledger_entries as closing', (join) =>
      join.onRef('closing.hold_id', '=', 'root.id').on('closing.closes', '=', sql.lit(1)),
    )
    .select(['root.id', 'root.scopes', 'root.created_at'])
    .select(sql<number>`-root.amount - coalesce(closing.amount, 0)`.as('used'))
    .where('root.scopes', 'is not', null)
    .where(sql<boolean>`(root.created_at, root.id) > (${after.created_at}, ${after.id})`)
    .orderBy('root.created_at')
    .orderBy('root.id')
    .limit(ENTRIES_AT_ONCE)
    .execute();
}

function nameOf(scope: string, window: SpendWindow, start: number): string {
  const begins = new Date(start).toISOString();
  return window === 'total'
    ? `total of ${scope}`
    : `${window} ${begins.slice(0, window === 'hour' ? 13 : 10)} of ${scope}`;
}
