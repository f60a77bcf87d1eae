/**
 * The key that people act with whom an identity provider signed in: one of each owner, a row like any other, so that money, limits and the log of
 * requests need to know nothing of them. Nobody knows its secret, because it has none: its hash is no hash.
 */
import { GatewayError } from '@model-gateway/contracts';
import { isKeyOver, type KeyRecord, type OwnerRecord, type Store } from '@model-gateway/core';
import type { PlaygroundTerms } from '../../../config/single-sign-on.ts';

const MARK = 'single-sign-on:';
const NAME = 'single sign-on';
/** Revoked ones are passed over; who revokes more means it. */
const MOST_REVOKED = 100;

/** Whether a key is one of these. */
export function isConsoleKey({ hash }: Pick<KeyRecord, 'hash'>): boolean {
  return hash.startsWith(MARK);
}

/** The owner's, as the configuration says it; made where there is none that is in use. */
export async function consoleKeyOf(
  owner: OwnerRecord,
  terms: PlaygroundTerms | undefined,
  { store, now }: { readonly store: Pick<Store, 'keys'>; readonly now: () => number },
): Promise<KeyRecord> {
  const wanted = { group: terms?.group ?? owner.group, models: terms?.models ?? ['*'], limits: terms?.limits ?? {} };
  for (let number = 1; number <= MOST_REVOKED; number += 1) {
    const hash = `${MARK}${owner.id}:${number}`;
    const name = number === 1 ? NAME : `${NAME} ${number}`;
    const known = await store.keys.findByHash(hash);
    if (known !== undefined) {
      if (isKeyOver(known, now())) continue;
      return isAs(known, wanted) ? known : ((await store.keys.update(known.id, wanted)) ?? known);
    }
    const record = { ...wanted, name, hash, hint: NAME, mode: 'live' as const, ownerId: owner.id, ipRanges: [], declared: false }; // prettier-ignore
    return store.keys.create(record, now()).catch(async (error: unknown) => {
      // Two people may come at the same moment.
      const made = await store.keys.findByHash(hash);
      if (made === undefined) throw error;
      return made;
    });
  }
  throw new GatewayError('forbidden', `the keys that owner ${owner.id} had for signing in were revoked`);
}

function isAs(key: KeyRecord, wanted: Pick<KeyRecord, 'group' | 'models' | 'limits'>): boolean {
  const { group, models, limits } = key;
  const sorted = (of: KeyRecord['limits']): string => JSON.stringify(Object.entries(of).sort());
  return group === wanted.group && JSON.stringify(models) === JSON.stringify(wanted.models) && sorted(limits) === sorted(wanted.limits); // prettier-ignore
}
