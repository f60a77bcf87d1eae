/** Keys as the document writes them: without their secrets, with what is used of their limits. */
import type { components } from '@model-gateway/contracts';
import { dollarsOf, SPEND_WINDOWS, windowEnd, type KeyRecord, type SpendWindow, type Store } from '@model-gateway/core';
import { timeOf, timeOrNull } from '../values.ts';
import { CAPS, KEY_LIMITS, LIMIT_NAMES, limitsView, type LimitName } from './limits.ts';

type Schemas = components['schemas'];
type LimitUse = Schemas['LimitUse'];

export function keyView(key: KeyRecord): Schemas['Key'] {
  return {
    object: 'key',
    id: key.id,
    name: key.name,
    hint: key.hint,
    mode: key.mode,
    owner_id: key.ownerId,
    group: key.group,
    models: [...key.models],
    ip_ranges: [...key.ipRanges],
    limits: limitsView(key.limits),
    tags: { ...key.tags },
    has_webhook_secret: key.webhookSecret !== undefined,
    keep_bodies: key.keepBodies === true,
    declared: key.declared,
    created_at: timeOf(key.createdAt),
    expires_at: timeOrNull(key.expiresAt),
    revoked_at: timeOrNull(key.revokedAt),
    last_used_at: timeOrNull(key.lastUsedAt),
    rotated_from: key.rotatedFrom ?? null,
  };
}

/** Limits whose use is not shown; a priority is no use. */
const COUNTS = LIMIT_NAMES.filter(
  (name): name is Exclude<LimitName, 'max_priority'> => KEY_LIMITS[name].unit === 'count' && name !== 'max_priority',
);

/** The limits that the key has; what is spent includes what is set aside. Chat must have been flushed. */
export async function limitUse(ledger: Store['ledger'], { id, limits }: KeyRecord, now: number): Promise<LimitUse[]> {
  const used: LimitUse[] = COUNTS.flatMap((name) => {
    const limit = limits[KEY_LIMITS[name].field];
    return limit === undefined ? [] : [{ name, limit, used: null, resets_at: null }];
  });
  // Each run has its own.
  if (limits.spendPerRun !== undefined)
    used.push({ name: 'spend_per_run', limit: dollarsOf(limits.spendPerRun), used: null, resets_at: null });
  for (const window of SPEND_WINDOWS) {
    const name = CAPS[window];
    const limit = limits[KEY_LIMITS[name].field];
    if (limit === undefined) continue;
    const spent = dollarsOf(await ledger.spent(id, window, now));
    used.push({ name, limit: dollarsOf(limit), used: spent, resets_at: resetOf(window, now) });
  }
  return used;
}

/** When a window of a cap ends: in UTC. Null for the one that never does. */
export function resetOf(window: SpendWindow, now: number): string | null {
  const end = windowEnd(window, now);
  return end === undefined ? null : timeOf(end);
}
