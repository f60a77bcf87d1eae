/** Keys that have a cap of money, with what is used of it: one query, however many there are. */
import {
  keyScopes,
  windowStart,
  type CappedKey,
  type KeyLimits,
  type SpendScope,
  type SpendWindow,
} from '@model-gateway/core';
import { isCapped } from './balances.ts';
import type { Database } from './database.ts';
import { parse } from './rows.ts';
import { usedOfAll } from './scope-windows.ts';

/** Three windows for each key. */
const MOST_ROWS = 60_000;

export async function readCappedKeys(database: Database, now: number): Promise<readonly CappedKey[]> {
  const rows = await database.db
    .selectFrom('keys')
    .leftJoin('key_windows', (join) =>
      join
        .onRef('key_windows.key_id', '=', 'keys.id')
        .on((window) =>
          window.or(
            (['day', 'month', 'total'] as const).map((kind) =>
              window.and([
                window('key_windows.kind', '=', kind),
                window('key_windows.start', '=', windowStart(kind, now)),
              ]),
            ),
          ),
        ),
    )
    .select(['keys.id', 'keys.name', 'keys.owner_id', 'keys.declared', 'keys.limits'])
    .select(['key_windows.kind', 'key_windows.used'])
    .where('keys.revoked_at', 'is', null)
    .where((key) => key.or([key('keys.expires_at', 'is', null), key('keys.expires_at', '>', now)]))
    .where('keys.limits', 'like', '%"spend%')
    .orderBy('keys.id')
    .limit(MOST_ROWS)
    .execute();
  const found = new Map<number, CappedKey & { used: Record<SpendWindow, number> }>();
  const scoped: (SpendScope & { readonly id: number })[] = [];
  for (const { id, name, owner_id: ownerId, declared, limits: text, kind, used } of rows) {
    const limits = parse<KeyLimits>(text);
    // The day's cap of the run that requests without one belong to is no cap of the key's day.
    const scopes = keyScopes({ id, limits }).filter(({ isOfRun }) => isOfRun !== true);
    if (scopes.length === 0 && !isCapped(limits)) continue;
    const none = { hour: 0, day: 0, week: 0, month: 0, total: 0 };
    const key = found.get(id) ?? { id, name, ownerId, declared: declared === 1, limits, used: none };
    if (!found.has(id)) scoped.push(...scopes.map((scope) => ({ ...scope, id })));
    if (kind !== null) key.used[kind] = used ?? 0;
    found.set(id, key);
  }
  const used = await usedOfAll(database, scoped, now);
  for (const [index, { id, window }] of scoped.entries()) {
    const key = found.get(id);
    if (key !== undefined) key.used[window] = used[index] ?? 0;
  }
  return [...found.values()];
}
