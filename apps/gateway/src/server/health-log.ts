/** What the log says of accounts: once when one begins to fail or fails otherwise, once when it is well again. */
import type { GatewayAccount, HealthNews, Log } from '@model-gateway/core';

/** An account that fails and is well by turns is told of once in this time. */
const SAME_AGAIN_MS = 60_000;

export interface HealthLogOptions {
  readonly accounts: () => readonly Pick<GatewayAccount, 'id' | 'name' | 'twin'>[];
  readonly log: Log;
  readonly now: () => number;
}

/** Makes what hears of every change of health. */
export function createHealthLog({ accounts, log, now }: HealthLogOptions): (news: HealthNews) => void {
  const told = new Map<string, { readonly code: string; readonly at: number; readonly isWell: boolean }>();
  return ({ accountId, model, coolMs, code = 'upstream_unavailable', message, vendorCode }) => {
    const account = accounts().find(({ id }) => id === accountId);
    // Faults of the twin are asked for.
    if (account === undefined || account.twin) return;
    const key = `${accountId} ${model}`;
    const last = told.get(key);
    if (coolMs <= 0) {
      if (last === undefined || last.isWell) return;
      told.set(key, { ...last, isWell: true });
      log.info({ account: account.name, model }, `account ${account.name} is well again for ${model}`);
      return;
    }
    if (last !== undefined && last.code === code && (!last.isWell || now() - last.at < SAME_AGAIN_MS)) return;
    told.set(key, { code, at: now(), isWell: false });
    log.warn(
      { account: account.name, model, code, ...(vendorCode !== undefined && { vendor_code: vendorCode }) },
      `account ${account.name} fails for ${model}: ${message ?? code}; gateway accounts test ${account.name} says why`,
    );
  };
}
