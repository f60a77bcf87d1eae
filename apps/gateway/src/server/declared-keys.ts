import { ensureOwner, hashKey, keyHint, modeOfKey, type NewKey, type Parts } from '@model-gateway/core';
import { checkedLimits } from '../resources/keys/limits.ts';
import type { Config } from '../config/config.ts';

/** Writes the configuration's keys as it says. */
export async function declareKeys(config: Config, { store, now }: Pick<Parts, 'store' | 'now'>): Promise<void> {
  const declared = config.keys.map((row): NewKey => {
    const expiresAt = row.expires_at === undefined ? undefined : Date.parse(row.expires_at);
    return {
      name: row.name,
      hash: hashKey(row.key),
      hint: keyHint(row.key),
      mode: modeOfKey(row.key),
      ownerId: row.owner ?? 1,
      group: row.group ?? 'default',
      models: row.models ?? ['*'],
      ipRanges: row.ip_ranges ?? [],
      limits: checkedLimits(row.limits ?? {}),
      ...(row.webhook_secret !== undefined && { webhookSecret: row.webhook_secret }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(row.keep_bodies === true && { keepBodies: true }),
      declared: true,
    };
  });
  // A key's group is its own: it says nothing about the other keys of its owner.
  for (const { ownerId } of declared) await ensureOwner(store.owners, { id: ownerId, group: 'default' }, now());
  await store.keys.declare(declared, now());
}
