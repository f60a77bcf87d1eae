/** Keys that have a cap of money, with what is used of it: one query, however many there are. */
import type { CappedKey, KeyLimits } from '@model-gateway/core';
import { isCapped, windowStart } from './balances.ts';
import type { Database } from './database.ts';
import { parse } from './rows.ts';

/** Three windows for each key. */
const MOST_ROWS = 60_000;

export async function readCappedKeys({ db }: Database, now: number): Promise<readonly CappedKey[]> {
  const rows = await db
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
  const found = new Map<number, CappedKey & { used: Record<'day' | 'month' | 'total', number> }>();
  for (const { id, name, owner_id: ownerId, declared, limits: text, kind, used } of rows) {
    const limits = parse<KeyLimits>(text);
    if (!isCapped(limits)) continue;
    const key = found.get(id) ?? { id, name, ownerId, declared: declared === 1, limits, used: { day: 0, month: 0, total: 0 } }; // prettier-ignore
    if (kind !== null) key.used[kind] = used ?? 0;
    found.set(id, key);
  }
  return [...found.values()];
}
