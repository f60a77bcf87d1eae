/** The key of the admin API: made at the first start of a database, replaced by `gateway admin-key rotate`, kept as a hash. */
import { randomBytes } from 'node:crypto';
import { hashKey, keyHint, type Store } from '@model-gateway/core';

/** Where its hash is kept. */
export const ADMIN_KEY_SETTING = 'admin_key_hash';
/** Characters that a key of the operator's own has at least. */
export const SHORTEST_ADMIN_KEY = 24;

/** A new admin key: 256 random bits. */
export function newAdminKey(): string {
  return `admin-${randomBytes(32).toString('base64url')}`;
}

/** Replaces the admin key of a database and returns the new one, with its line of the audit log. Running gateways take it within two seconds. */
export async function rotateAdminKey(store: Store, now: number): Promise<string> {
  const key = newAdminKey();
  await store.settings.replace(ADMIN_KEY_SETTING, hashKey(key));
  await store.audit.add({
    actor: 'command',
    at: now,
    action: 'admin-key.rotate',
    subject: 'admin key',
    after: { hint: keyHint(key) },
  });
  return key;
}
