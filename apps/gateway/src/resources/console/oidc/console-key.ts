/**
 * The key that people act with whom an identity provider signed in: one of each owner, a row like any other, so that money, limits and the log of
 * requests need to know nothing of them. Nobody knows its secret, because it has none: its hash is no hash.
 */
import { GatewayError } from '@model-gateway/contracts';
import { isKeyOver, type KeyRecord, type OwnerRecord, type Store } from '@model-gateway/core';
import type { PlaygroundTerms } from '../../../config/single-sign-on.ts';
import { keyWithoutSecret } from '../../keys/key-without-secret.ts';

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
  parts: { readonly store: Pick<Store, 'keys'>; readonly now: () => number },
): Promise<KeyRecord> {
  const rights = { group: terms?.group ?? owner.group, models: terms?.models ?? ['*'], limits: terms?.limits ?? {} };
  for (let number = 1; number <= MOST_REVOKED; number += 1) {
    const name = number === 1 ? NAME : `${NAME} ${number}`;
    const hash = `${MARK}${owner.id}:${number}`;
    const key = await keyWithoutSecret({ ...rights, name, hash, hint: NAME, ownerId: owner.id }, parts);
    if (!isKeyOver(key, parts.now())) return key;
  }
  throw new GatewayError('forbidden', `the keys that owner ${owner.id} had for signing in were revoked`);
}
