/** Keys that stand for people who prove who they are in another way: rows like any other, so that money, limits and logs need to know nothing of them. */
import { GatewayError } from '@model-gateway/contracts';
import { isKeyOver, type KeyRecord, type Store } from '@model-gateway/core';

export type WantedKey = Pick<KeyRecord, 'hash' | 'name' | 'hint' | 'ownerId' | 'group' | 'models' | 'limits'>;

/** Names that are tried, should keys that were made by hand have them. */
const MOST_NAMES = 20;

/** The key of a hash that no secret has, with these rights; made where there is none. One that was revoked is given as it is. */
export async function keyWithoutSecret(
  wanted: WantedKey,
  { store, now }: { readonly store: Pick<Store, 'keys'>; readonly now: () => number },
): Promise<KeyRecord> {
  const { hash, group, models, limits } = wanted;
  const known = await store.keys.findByHash(hash);
  if (known !== undefined) {
    if (isKeyOver(known, now()) || isAs(known, wanted)) return known;
    return (await store.keys.update(known.id, { group, models, limits })) ?? known;
  }
  const record = { ...wanted, mode: 'live' as const, ipRanges: [], declared: false };
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted.name : `${wanted.name} (${number})`;
    try {
      return await store.keys.create({ ...record, name }, now());
    } catch (error) {
      // Two people may come at the same moment.
      const made = await store.keys.findByHash(hash);
      if (made !== undefined) return made;
      const isNameTaken = error instanceof GatewayError && error.code === 'conflict';
      if (!isNameTaken || number === MOST_NAMES) throw error;
    }
  }
}

function isAs(key: KeyRecord, wanted: WantedKey): boolean {
  const sorted = (of: KeyRecord['limits']): string => JSON.stringify(Object.entries(of).sort());
  return (
    key.group === wanted.group &&
    JSON.stringify(key.models) === JSON.stringify(wanted.models) &&
    sorted(key.limits) === sorted(wanted.limits)
  );
}
