/** Caps that payers share (`SpendScope`): what is charged and set aside under each, by UTC windows. */
import { windowStart, type Payer, type SpendScope, type SpendWindow } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';
import { type Database, forUpdate } from './database.ts';
import { parse } from './rows.ts';

/** Adds to all windows in one statement; answers the first cap that would be passed, if any. */
export async function takeScopes(
  tx: Database,
  scopes: readonly SpendScope[],
  amount: number,
  at: number,
): Promise<SpendScope | undefined> {
  const tooMuch = scopes.find(({ cap }) => amount > cap);
  if (tooMuch !== undefined) return tooMuch;
  const written = await tx.db
    .insertInto('scope_windows')
    .values(rowsOf(scopes, amount, at))
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'kind', 'start'])
        .doUpdateSet({
          used: sql<number>`scope_windows.used + excluded.used`,
          cap: sql<number>`excluded.cap`,
          changed_at: sql<number>`excluded.changed_at`,
        })
        .where(sql<boolean>`scope_windows.used + excluded.used <= excluded.cap`),
    )
    .returning(['scope', 'kind'])
    .execute();
  return scopes.find(({ scope, window }) => !written.some((row) => row.scope === scope && row.kind === window));
}

/** The same without asking any cap. */
export async function moveScopes(tx: Database, scopes: readonly SpendScope[], used: number, at: number): Promise<void> {
  await tx.db
    .insertInto('scope_windows')
    .values(rowsOf(scopes, used, at))
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'kind', 'start'])
        .doUpdateSet({ used: sql<number>`scope_windows.used + excluded.used` }),
    )
    .execute();
}

function rowsOf(scopes: readonly SpendScope[], used: number, at: number) {
  return scopes.map(({ scope, window, cap }) => ({
    ...{ scope, kind: window, start: windowStart(window, at), used, cap },
    ...{ since: at, changed_at: at },
  }));
}

/** What each has used, in their order; on PostgreSQL the rows stay locked until the transaction ends. */
export async function lockScopes(tx: Database, scopes: readonly SpendScope[], at: number): Promise<number[]> {
  let found = await readLocked(tx, scopes, at);
  if (tx.kind === 'postgres' && found.some((used) => used === undefined)) {
    // A row that is not there cannot be locked, and two would find the same cap unused.
    await tx.db
      .insertInto('scope_windows')
      .values(rowsOf(scopes, 0, at))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    found = await readLocked(tx, scopes, at);
  }
  return found.map((used) => used ?? 0);
}

async function readLocked(tx: Database, scopes: readonly SpendScope[], at: number): Promise<(number | undefined)[]> {
  const query = tx.db
    .selectFrom('scope_windows')
    .select(['scope', 'kind', 'used'])
    .where((row) =>
      row.or(
        scopes.map(({ scope, window }) =>
          row.and([row('scope', '=', scope), row('kind', '=', window), row('start', '=', windowStart(window, at))]),
        ),
      ),
    )
    // As inScopeOrder has it, whatever the order of texts in this database.
    .orderBy(tx.kind === 'postgres' ? sql`scope collate "C"` : 'scope')
    .orderBy(tx.kind === 'postgres' ? sql`kind collate "C"` : 'kind');
  const rows = await forUpdate(tx, query).execute();
  return scopes.map(({ scope, window }) => rows.find((row) => row.scope === scope && row.kind === window)?.used);
}

/** Locks what several payers share before the first of them takes anything, in the order of all: with their owners locked nobody waits in a ring. */
export async function lockScopesOf(
  tx: Database,
  payers: readonly { readonly payer: Payer; readonly at: number }[],
): Promise<void> {
  if (tx.kind !== 'postgres') return;
  const all = new Map<string, { readonly scope: SpendScope; readonly at: number }>();
  for (const { payer, at } of payers)
    for (const scope of payer.scopes ?? [])
      all.set(`${scope.scope} ${scope.window} ${windowStart(scope.window, at)}`, { scope, at });
  for (const name of [...all.keys()].sort()) {
    const one = all.get(name);
    if (one !== undefined) await lockScopes(tx, [one.scope], one.at);
  }
}

/** What a window has charged and set aside. */
export async function usedOf(
  tx: Database,
  { scope, window }: Pick<SpendScope, 'scope' | 'window'>,
  at: number,
): Promise<number> {
  const row = await tx.db
    .selectFrom('scope_windows')
    .select('used')
    .where('scope', '=', scope)
    .where('kind', '=', window)
    .where('start', '=', windowStart(window, at))
    .executeTakeFirst();
  return row?.used ?? 0;
}

/** Windows that one statement reads: three parameters each. */
const READ_AT_ONCE = 1_000;

/** The same for many, in their order. */
export async function usedOfAll(
  { db }: Database,
  scopes: readonly Pick<SpendScope, 'scope' | 'window'>[],
  at: number,
): Promise<number[]> {
  const found = new Map<string, number>();
  for (let from = 0; from < scopes.length; from += READ_AT_ONCE) {
    const part = scopes.slice(from, from + READ_AT_ONCE);
    const rows = await db
      .selectFrom('scope_windows')
      .select(['scope', 'kind', 'start', 'used'])
      .where(
        'scope',
        'in',
        part.map(({ scope }) => scope),
      )
      .where('start', 'in', [...new Set(part.map(({ window }) => windowStart(window, at)))])
      .execute();
    for (const { scope, kind, start, used } of rows) found.set(`${scope} ${kind} ${start}`, used);
  }
  return scopes.map(({ scope, window }) => found.get(`${scope} ${window} ${windowStart(window, at)}`) ?? 0);
}

/** What scopes that begin with these words have used, the most first. */
export async function usedUnder(
  { db, kind }: Database,
  asked: { readonly words: string; readonly window: SpendWindow; readonly now: number; readonly limit: number },
): Promise<readonly { readonly scope: string; readonly used: number }[]> {
  const { words, window, now, limit } = asked;
  const behind = words.slice(0, -1) + String.fromCharCode(words.charCodeAt(words.length - 1) + 1);
  return (
    db
      .selectFrom('scope_windows')
      .select(['scope', 'used'])
      .where('scope', '>=', words)
      // Other databases may have another order of texts.
      .$if(kind === 'sqlite', (query) => query.where('scope', '<', behind))
      .where(sql<boolean>`substr(scope, 1, ${sql.lit(words.length)}) = ${words}`)
      .where('kind', '=', window)
      .where('start', '=', windowStart(window, now))
      .where('used', '>', 0)
      .orderBy('used', 'desc')
      .limit(limit)
      .execute()
  );
}

/** As entries and leases keep them: `[["key:7","hour",1000]]`. */
export function scopeText(scopes: readonly SpendScope[] | undefined): string | null {
  return scopes === undefined ? null : JSON.stringify(scopes.map(({ scope, window, cap }) => [scope, window, cap]));
}

export function scopesIn(text: string | null): readonly SpendScope[] | undefined {
  if (text === null) return undefined;
  return parse<[string, SpendWindow, number][]>(text).map(([scope, window, cap]) => {
    return { scope, window, cap, name: scope, limit: scope };
  });
}

/** Whether the text in `column` names the scope. */
export function names(column: string, { scope, window }: Pick<SpendScope, 'scope' | 'window'>): RawBuilder<boolean> {
  const part = JSON.stringify([scope, window]).slice(0, -1);
  return sql<boolean>`replace(${sql.ref(column)}, ${part}, '') <> ${sql.ref(column)}`;
}
