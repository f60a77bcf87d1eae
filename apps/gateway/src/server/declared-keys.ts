import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { ensureOwner, hashKey, keyHint, modeOfKey, type NewKey, type Parts } from '@model-gateway/core';
import { checkedLimits } from '../resources/keys/limits.ts';
import type { Config } from '../config/config.ts';
import type { OwnerFileRow } from '../config/schema.ts';
import { DEFAULT_OWNER } from '../resources/values.ts';

/** Writes the configuration's owners and keys as it says. */
export async function declareKeys(config: Config, { store, now }: Pick<Parts, 'store' | 'now'>): Promise<void> {
  const owners = await store.owners.declare(config.owners.map(declaredOwner), now());
  const byName = new Map(owners.map((owner) => [owner.name, owner]));
  const declared = config.keys.map((row): NewKey => {
    const expiresAt = row.expires_at === undefined ? undefined : Date.parse(row.expires_at);
    const { owner = DEFAULT_OWNER } = row;
    // The configuration has been checked: it declares whom a key names.
    const payer = typeof owner === 'string' ? byName.get(owner) : undefined;
    return {
      name: row.name,
      hash: hashKey(row.key),
      hint: keyHint(row.key),
      mode: modeOfKey(row.key),
      ownerId: typeof owner === 'number' ? owner : (payer?.id ?? DEFAULT_OWNER),
      group: row.group ?? payer?.group ?? 'default',
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
  for (const ownerId of new Set([...owners.map(({ id }) => id), ...declared.map((key) => key.ownerId)]))
    await ensureOwner(store.owners, { id: ownerId, group: 'default' }, now());
  await store.keys.declare(declared, now());
}

function declaredOwner({ name, group = 'default', credit_limit: credit = 'none', organization }: OwnerFileRow) {
  return {
    ...{ name, group },
    ...(credit !== 'none' && { creditLimit: Math.round(credit * UNITS_PER_DOLLAR) }),
    ...(organization !== undefined && { organization }),
  };
}
