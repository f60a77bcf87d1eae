import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { ensureOwner, hashKey, keyHint, modeOfKey, type KeyLimits, type NewKey, type Parts } from '@model-gateway/core';
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
      limits: limitsOf(row.limits),
      ...(row.webhook_secret !== undefined && { webhookSecret: row.webhook_secret }),
      ...(expiresAt !== undefined && { expiresAt }),
      declared: true,
    };
  });
  for (const { ownerId, group } of declared) await ensureOwner(store.owners, { id: ownerId, group }, now());
  await store.keys.declare(declared, now());
}

function limitsOf(limits: Config['keys'][number]['limits']): KeyLimits {
  const units = (dollars: number): number => Math.round(dollars * UNITS_PER_DOLLAR);
  return {
    ...(limits?.requests_per_minute !== undefined && { requestsPerMinute: limits.requests_per_minute }),
    ...(limits?.tokens_per_minute !== undefined && { tokensPerMinute: limits.tokens_per_minute }),
    ...(limits?.concurrent_requests !== undefined && { concurrentRequests: limits.concurrent_requests }),
    ...(limits?.spend_per_day !== undefined && { spendPerDay: units(limits.spend_per_day) }),
    ...(limits?.spend_per_month !== undefined && { spendPerMonth: units(limits.spend_per_month) }),
    ...(limits?.spend_total !== undefined && { spendTotal: units(limits.spend_total) }),
  };
}
